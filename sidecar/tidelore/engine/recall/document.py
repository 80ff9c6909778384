"""What the index keeps of one memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A memory that can become a card. `order` is the slot order of its place (0: none), `speakers` are folded names, `subject` is the
    entity that it tells of, `names` counts what it calls by a name (recall/asked.py), `degree` how many words and names it holds,
    `importance` is 0 to 1, `keys` are those of the messages it cites."""

    id: str
    kind: str
    text: str
    counts: dict[str, int]
    length: int
    order: int
    speakers: frozenset[str]
    date: str
    asks: bool
    only_asks: bool
    tells_time: bool
    names: int
    entities: tuple[str, ...]
    degree: int
    subject: str
    importance: float
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Links:
    """What a memory leads to, each with its inverse document frequency; `weight` is their sum."""

    words: list[tuple[str, float]]
    names: list[tuple[str, float]]
    weight: float
