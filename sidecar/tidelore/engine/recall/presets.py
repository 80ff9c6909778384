"""Presets reproduce the ways other systems recall. Weights are on fixed scales: a score means the same in a small chat as in a
large one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals in a score. Source: the recipe `Absolute` of the evidence-retrieval benchmark (docs/recall.md), fitted
    as a softmax ranker on LoCoMo with one conversation left out at a time. Importance and recency only break ties."""

    spread: float
    session: float
    words: float
    speaker: float
    date: float
    asks: float
    length: float
    about: float = 2.0
    outdated: float = 1.5
    importance: float = 0.2
    recency: float = 0.1


WORDS = Weights(spread=0.45, session=6.5, words=1.0, speaker=2.6, date=4.0, asks=0.9, length=0.25)
DENSE = Weights(spread=0.35, session=5.3, words=1.0, speaker=2.6, date=4.0, asks=1.0, length=0.30)


@dataclass(frozen=True, slots=True)
class Preset:
    """`limit` cards at most, `budget` tokens for both blocks, `cooldown` answers in which a delivered card is not shown again,
    `share` of the query's weight that a card's words must meet to be admitted by words alone, `walks`: whether a card may come in that
    only the walk over the graph found."""

    name: str
    limit: int
    budget: int
    cooldown: int
    share: float
    walks: bool = True


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("story", limit=12, budget=1000, cooldown=0, share=0.12),
        Preset("strict", limit=2, budget=600, cooldown=5, share=0.5, walks=False),
        Preset("wake", limit=5, budget=1500, cooldown=3, share=0.2),
        Preset("plain", limit=5, budget=600, cooldown=3, share=0.2),
    )
}
