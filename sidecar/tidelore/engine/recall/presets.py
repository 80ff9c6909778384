"""Presets reproduce the ways other systems recall. Weights are on fixed scales: a score means the same in a small chat as in a
large one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals in a score. Source: the recipe `Absolute` of the evidence-retrieval benchmark (docs/recall.md), fitted
    as a softmax ranker on LoCoMo with one conversation left out at a time, as are those of `answer`, `detail` and `replies`. Importance
    and recency only break ties.

    `time` and `place`: the memory tells a time, or names something, and that is asked for; `times` and `names`: it does so anyway, the
    latter for each name. A session's BM25 is divided by (the best there could be, or `session_most` if that is less) to the power of
    `session_power`: in a long text most words are beside the point, and no session can hold them all."""

    spread: float
    session: float
    words: float
    speaker: float
    date: float
    asks: float
    length: float
    place: float
    names: float
    session_most: float
    session_power: float
    time: float = 2.0
    times: float = 0.35
    replies: float = 2.0
    about: float = 2.0
    outdated: float = 1.5
    only_asks: float = 8.0
    importance: float = 0.2
    recency: float = 0.1


WORDS = Weights(
    spread=0.45,
    session=5.0,
    words=1.0,
    speaker=2.6,
    date=4.0,
    asks=0.9,
    length=0.25,
    place=1.4,
    names=0.35,
    session_most=14.0,
    session_power=1.0,
)
DENSE = Weights(
    spread=0.40,
    session=1.5,
    words=1.0,
    speaker=2.6,
    date=4.0,
    asks=1.0,
    length=0.30,
    place=1.4,
    names=0.2,
    session_most=inf,
    session_power=0.5,
)


@dataclass(frozen=True, slots=True)
class Preset:
    """`limit` cards at most, `budget` tokens for both blocks, `cooldown` answers in which a delivered card is not shown again,
    `share` of the query's weight that a card's words must meet to be admitted by words alone, `walks`: whether a card may come in that
    only the walk over the graph found; `shut`: where the memory model should judge and cannot, nothing is recalled."""

    name: str
    limit: int
    budget: int
    cooldown: int
    share: float
    walks: bool = True
    shut: bool = False


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("story", limit=12, budget=1000, cooldown=0, share=0.12),
        Preset("strict", limit=2, budget=600, cooldown=5, share=0.5, walks=False, shut=True),
        Preset("wake", limit=5, budget=1500, cooldown=3, share=0.2),
        Preset("plain", limit=5, budget=600, cooldown=3, share=0.2),
    )
}
