"""Where the messages that a client sends stand in the conversation as it is known.

Most clients send the whole conversation each time, some only its end. A message is known by its key, so the rule is one on two lists
of keys, `known` and `sent`:

1. The first of the sent that is known anywhere is the anchor. Of several places where it stands, the one from which on most of the sent
   are found again in order is taken; among equal ones the last.
2. Where as many or more are sent before the anchor as stand before its place, the client has the beginning: what it sends is the whole
   conversation. An edited first message is so replaced.
3. Else the client's view begins later: what stands before the place stays. What was sent before the anchor belongs nowhere (most often it
   is a summary of what was dropped) and is not taken in.
4. From the anchor on, what is sent replaces what is known: an edited or regenerated turn is gone, and what followed it too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

# Places of one and the same message that are looked at.
_MOST_PLACES = 32


@dataclass(frozen=True, slots=True)
class Overlap:
    """known[:keep] + sent[skip:] is the conversation now. `found`: how many of the sent are known, in order; 0 where nothing is. `lost`:
    how many known messages go."""

    keep: int
    skip: int
    found: int
    lost: int


def overlap(known: Sequence[str], sent: Sequence[str]) -> Overlap | None:
    """None where nothing that is sent is known."""
    places: dict[str, list[int]] = {}
    for at, key in enumerate(known):
        places.setdefault(key, []).append(at)
    anchor = next((at for at, key in enumerate(sent) if key in places), None)
    if anchor is None:
        return None
    best: tuple[int, int] = (0, 0)
    where = places[sent[anchor]]
    for place in [*where[:1], *where[1:][-_MOST_PLACES:]]:
        best = max(best, (_in_order(places, sent, anchor, place), place))
    found, place = best
    keep, skip = (place, anchor) if place > anchor else (0, 0)
    return Overlap(keep, skip, found, len(known) - keep - _common(known, sent, keep, skip))


def _in_order(places: dict[str, list[int]], sent: Sequence[str], anchor: int, place: int) -> int:
    """How many of the sent are found from the place on, each after the one before."""
    count, last = 1, place
    for key in sent[anchor + 1 :]:
        where = places.get(key, ())
        at = bisect_right(where, last)
        if at < len(where):
            count, last = count + 1, where[at]
    return count


def _common(known: Sequence[str], sent: Sequence[str], keep: int, skip: int) -> int:
    """How many messages from there on are the same in both, one by one."""
    count = 0
    for mine, theirs in zip(known[keep:], sent[skip:], strict=False):
        if mine != theirs:
            break
        count += 1
    return count
