"""The newest recalls, kept in memory: for receipts, and to say why a memory was or was not in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KEPT = 64


@dataclass(frozen=True, slots=True)
class Looked:
    """What became of one memory in a recall. `block`: core, recalled, or empty where it was not taken."""

    block: str
    taken: bool
    reason: str
    score: float
    signals: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Held:
    """A recall: for which chat (id), when (ms since 1970), from which words; the memories of both blocks and what they cost; what became of
    each memory that was looked at."""

    chat: str
    at: int
    query: str
    nodes: tuple[str, ...]
    tokens: int
    looked: Mapping[str, Looked]


class Recalls:
    """By id, oldest first; beyond KEPT the oldest goes."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}

    def get(self, id_: str) -> Held | None:
        return self._held.get(id_)

    def add(self, id_: str, held: Held) -> None:
        self._held[id_] = held
        while len(self._held) > KEPT:
            del self._held[next(iter(self._held))]

    def forget(self, chat: str) -> None:
        """A chat was purged."""
        self._held = {id_: held for id_, held in self._held.items() if held.chat != chat}

    def newest(self, chat: str) -> Iterator[tuple[str, Held]]:
        """Those of a chat, newest first."""
        return ((id_, held) for id_, held in reversed(self._held.items()) if held.chat == chat)
