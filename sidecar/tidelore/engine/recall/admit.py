"""Stage 5: which candidates may become cards, and why the others may not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from tidelore.engine.ports import VectorModel
from tidelore.engine.recall.document import Document
from tidelore.engine.recall.index import FEWEST
from tidelore.engine.recall.presets import Preset
from tidelore.engine.recall.rerank import GATE, JUDGED
from tidelore.engine.recall.score import ANSWER, DATE, SPEAKER, Scored
from tidelore.engine.text.sentences import sentences
from tidelore.engine.text.tokens import tokens as words_of

Reason = Literal[
    "name", "words", "meaning", "walk", "date", "judged", "in context", "cooling", "weak", "repeats", "over the limit", "over the budget"
]

# Of what only the walk found, at least this share of the strongest memory's mass is needed.
WALK_SHARE = 0.005
# When something was hit at all, this share of the embedder's floor is enough: what is left out only makes way for weaker cards
# (docs/recall.md).
NEAR_SHARE = 0.4
# After so many in a row that did not fit, the room counts as full: what is left of it is not worth ever weaker cards.
MISSES = 12
# When no memory reaches so much, whoever said it, nothing in the chat answers: with words alone, and with vectors. More is needed for a
# question about somebody who stands nowhere in the chat (docs/recall.md). In a small chat scores are too few to tell.
LEAST_WORDS, LEAST_DENSE = -1.0, 1.5
STRANGER_WORDS, STRANGER_DENSE = 2.0, 2.5
# The share of the query's weight that a memory's words must meet for the memory model to be asked about it.
MILD_SHARE = 0.12
# What may end a statement, or be left away.
_STOPS = " .…。"


@dataclass(frozen=True, slots=True)
class Decision:
    """`taken` with the reason why, or not."""

    scored: Scored
    taken: bool
    reason: Reason


def admit(
    ranked: Sequence[Scored],
    preset: Preset,
    limit: int,
    model: VectorModel | None,
    *,
    in_context: Collection[str],
    cooling: Collection[str],
    cost: Callable[[Scored, Sequence[Scored]], int],
    room: int,
    least: float = -inf,
    verdicts: Mapping[str, float] | None = None,
) -> list[Decision]:
    """A decision for each candidate, in rank order. `cost` of a card beside those that are shown, and `room` for all of them, in tokens.
    `least` is what the best score, whoever said it, must reach for anything but names and dates to count. With `verdicts` of the memory
    model, by memory, these alone decide.

    A cooled card's place stays empty: no weaker one moves up into its place or its room. A card that is larger than the room that is
    left takes no place: the next one may fit, or the one after it.
    """
    reasons = _reasons(ranked, preset, model, least) if verdicts is None else _by_verdict(ranked, verdicts)
    out: list[Decision] = []
    places = limit
    misses = 0
    taken: list[Document] = []
    shown: list[Scored] = []
    for each, reason in zip(ranked, reasons, strict=True):
        out.append(Decision(each, False, "weak"))
        if reason is None:
            continue
        if each.document.id in in_context:
            out[-1] = Decision(each, False, "in context")
        elif not places:
            out[-1] = Decision(each, False, "over the limit")
        elif _repeats(each.document, taken):
            out[-1] = Decision(each, False, "repeats")
        elif not room or (tokens := cost(each, shown)) > room:
            out[-1] = Decision(each, False, "over the budget")
            misses += 1
            if misses == MISSES:
                room = 0
        else:
            misses = 0
            places -= 1
            room -= tokens
            taken.append(each.document)
            cools = each.document.id in cooling
            if not cools:
                shown.append(each)
            out[-1] = Decision(each, not cools, "cooling" if cools else reason)
    return out


def worth_judging(ranked: Sequence[Scored], preset: Preset, model: VectorModel | None, without: Collection[str]) -> list[Scored]:
    """The candidates that the memory model is asked about: the best of those that anything speaks for, by a measure as mild as any."""
    reasons = _reasons(ranked, replace(preset, share=min(preset.share, MILD_SHARE), walks=True), model)
    found = [each for each, reason in zip(ranked, reasons, strict=True) if reason is not None and each.document.id not in without]
    return found[:JUDGED]


def _by_verdict(ranked: Sequence[Scored], verdicts: Mapping[str, float]) -> list[Reason | None]:
    return ["judged" if verdicts.get(each.document.id, 0.0) >= GATE else None for each in ranked]


def _reasons(ranked: Sequence[Scored], preset: Preset, model: VectorModel | None, least: float = -inf) -> list[Reason | None]:
    """Why each may come in; None for what is too weak."""
    strongest = max((each.mass for each in ranked), default=0.0)
    hit = any(each.named or each.share >= preset.share for each in ranked)
    answers = max((each.score - each.shares[SPEAKER] for each in ranked), default=0.0) >= least
    return [_reason(each, preset, model, strongest, hit) if answers or each.named or each.shares[DATE] else None for each in ranked]


def least_score(model: VectorModel | None, memories: int, *, stranger: bool) -> float:
    """What the best score must reach in a chat of so many memories. `stranger`: it is asked about somebody who stands nowhere in it."""
    if memories < FEWEST:
        return -inf
    if model is None:
        return LEAST_WORDS + STRANGER_WORDS * stranger
    return LEAST_DENSE + STRANGER_DENSE * stranger


def _reason(each: Scored, preset: Preset, model: VectorModel | None, strongest: float, hit: bool) -> Reason | None:
    if each.named:
        return "name"
    if each.share >= preset.share:
        return "words"
    goes_on = hit and preset.walks
    if model is not None and each.cosine is not None and each.cosine >= model.floor * (NEAR_SHARE if goes_on else 1.0):
        return "meaning"
    if each.shares[DATE]:
        return "date"
    if goes_on and each.mass >= WALK_SHARE * strongest > 0:
        return "walk"
    # "Where does she live?" shares no word with "I moved to Bergen": whose words were asked for, and of what kind, must do then.
    if not hit and preset.walks and each.shares[SPEAKER] and each.shares[ANSWER]:
        return "name"
    return None


def _repeats(one: Document, taken: Sequence[Document]) -> bool:
    """Whether one that is taken says the same and maybe more: the same people say one or more whole sentences, word by word. Parts of a
    sentence would not do: "port 789" is in "port 7897", and "she died" in "it is not true that she died"."""
    text = one.text.strip().rstrip(_STOPS)
    return bool(text) and any(
        one.speakers == other.speakers and (_is_clause(one, other) or (text in other.text and _says(other.text, text))) for other in taken
    )


def _is_clause(one: Document, other: Document) -> bool:
    """Whether a fact is told in no other words than a taken memory of the very same messages: it is a clause of what is read anyway."""
    return one.kind == "fact" and bool(one.keys) and one.keys == other.keys and set(words_of(one.text)) <= set(words_of(other.text))


def _says(text: str, part: str) -> bool:
    """Whether `part` begins and ends in the text where sentences do."""
    spans = sentences(text)
    starts = {start for start, _ in spans}
    ends = {len(text[:end].rstrip(_STOPS)) for _, end in spans}
    at = text.find(part)
    while at >= 0:
        if at in starts and at + len(part) in ends:
            return True
        at = text.find(part, at + 1)
    return False
