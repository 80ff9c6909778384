"""Stage 5: which candidates may become cards, and why the others may not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from tidelore.engine.ports import VectorModel
from tidelore.engine.recall.presets import Preset
from tidelore.engine.recall.query import Query
from tidelore.engine.recall.score import Scored

Reason = Literal[
    "name", "words", "meaning", "walk", "date", "in context", "cooling", "weak", "repeats", "over the limit", "over the budget"
]

# Of what only the walk found, at least this share of the strongest memory's mass is needed.
WALK_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Decision:
    """`taken` with the reason why, or not."""

    scored: Scored
    taken: bool
    reason: Reason


def admit(
    query: Query,
    ranked: Sequence[Scored],
    preset: Preset,
    limit: int,
    model: VectorModel | None,
    *,
    in_context: Collection[str],
    cooling: Collection[str],
) -> list[Decision]:
    """A decision for each candidate, in rank order. A cooled card's place stays empty: no weaker one moves up."""
    strongest = max((each.mass for each in ranked), default=0.0)
    hit = any(each.named or each.share >= preset.share for each in ranked)
    out: list[Decision] = []
    places = limit
    texts: list[str] = []
    for each in ranked:
        id_ = each.document.id
        reason = _reason(query, each, preset, model, strongest, hit)
        if reason is None:
            out.append(Decision(each, False, "weak"))
        elif id_ in in_context:
            out.append(Decision(each, False, "in context"))
        elif any(each.document.text in text for text in texts):
            out.append(Decision(each, False, "repeats"))
        elif places == 0:
            out.append(Decision(each, False, "over the limit"))
        else:
            places -= 1
            texts.append(each.document.text)
            cools = id_ in cooling
            out.append(Decision(each, not cools, "cooling" if cools else reason))
    return out


def _reason(query: Query, each: Scored, preset: Preset, model: VectorModel | None, strongest: float, hit: bool) -> Reason | None:
    if each.named:
        return "name"
    if each.share >= preset.share:
        return "words"
    if model is not None and each.cosine is not None and each.cosine >= model.floor:
        return "meaning"
    if each.signals["date"]:
        return "date"
    if hit and each.mass >= WALK_SHARE * strongest > 0:
        return "walk"
    return None
