"""What to extract next: the positions not covered, as whole windows. Found from the live set, never from a counter. Messages that were
purged are in no window: nothing is extracted from them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidelore.engine.codec import digest
from tidelore.engine.history import Slot, Timeline

MAX_MESSAGES = 12
MAX_CHARACTERS = 12_000


@dataclass(frozen=True, slots=True)
class Window:
    """Positions `first` to `last`, both in it. `generation` is one more than what stands there, or 0."""

    first: int
    last: int
    generation: int = 0

    @property
    def positions(self) -> range:
        return range(self.first, self.last + 1)


def window_id(keys: Sequence[str]) -> str:
    """What a window is called in the ledger."""
    return digest("window", *keys)


def _begins_exchange(slots: Sequence[Slot], at: int) -> bool:
    """Whether a user message stands here that does not follow another one. The chat's first message begins one, whoever speaks."""
    return at == 0 or (slots[at].role == "user" and slots[at - 1].role != "user")


def settled(timeline: Timeline, lag: int) -> int:
    """How many messages lie before the `lag` newest exchanges."""
    slots = timeline.slots
    at = len(slots)
    for _ in range(lag):
        if at == 0:
            break
        at -= 1
        while not _begins_exchange(slots, at):
            at -= 1
    return at


def due_for_rules(timeline: Timeline, lag: int) -> list[int]:
    """Positions with no exact commit, before the lag."""
    end, purged = settled(timeline, lag), timeline.pool.purged
    return sorted(at for at in (timeline.index(slot) for slot in timeline.bare if slot.key not in purged) if at < end)


def purged_positions(timeline: Timeline) -> int:
    """How many messages are left out for good."""
    return sum(len(timeline.places.get(key, ())) for key in timeline.pool.purged)


def next_for_model(timeline: Timeline, end: int, exchanges: int, at: int) -> Window | None:
    """The first window from position `at` on, before `end`, that no model commit covers."""
    slots, purged = timeline.slots, timeline.pool.purged
    while at < end and (slots[at].model is not None or slots[at].key in purged):
        at += 1
    if at >= end:
        return None
    return Window(at, _last(timeline, at, end, exchanges, stop_at_covered=True))


def due_for_model(timeline: Timeline, lag: int, exchanges: int = 1) -> list[Window]:
    """Windows of whole exchanges over the positions that no model commit covers, before the lag. `exchanges`: how many make one."""
    end, at, out = settled(timeline, lag), 0, list[Window]()
    while (window := next_for_model(timeline, end, exchanges, at)) is not None:
        out.append(window)
        at = window.last + 1
    return out


def by_hand(timeline: Timeline, first: int, last: int, exchanges: int = 1) -> list[Window]:
    """Windows over positions first to last, both in it; model windows that stand across an end are taken in whole."""
    slots = timeline.slots
    model = slots[first].model
    if model is not None:
        first = timeline.index(model.slots[0])
    model = slots[last].model
    if model is not None:
        last = timeline.index(model.slots[-1])
    standing = [slot.model.commit.generation for slot in slots[first : last + 1] if slot.model is not None]
    generation = max(standing) + 1 if standing else 0
    out: list[Window] = []
    while first <= last:
        if slots[first].key in timeline.pool.purged:
            first += 1
            continue
        stop = _last(timeline, first, last + 1, exchanges, stop_at_covered=False)
        out.append(Window(first, stop, generation))
        first = stop + 1
    return out


def _last(timeline: Timeline, at: int, end: int, exchanges: int, *, stop_at_covered: bool) -> int:
    """The last position of a window that begins at `at`: at an exchange border, and not too large."""
    slots, sources = timeline.slots, timeline.pool.sources
    begun, size, first = 0, 0, at
    while at < end:
        if (stop_at_covered and slots[at].model is not None) or slots[at].key in timeline.pool.purged:
            break
        source = sources.get(slots[at].key)
        length = len(source.text) if source else 0
        begun += at == first or _begins_exchange(slots, at)
        if begun > exchanges or at - first >= MAX_MESSAGES or (at > first and size + length > MAX_CHARACTERS):
            break
        size += length
        at += 1
    return at - 1
