"""The newest recalls, kept in memory: for receipts, and to say why a memory was or was not in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tidelore.engine.recall.admit import Decision, Reason
from tidelore.engine.recall.score import NAMES

KEPT = 64


@dataclass(frozen=True, slots=True)
class Looked:
    """What became of one memory in a recall. `block`: core, recalled, or empty where it was not taken."""

    block: str
    taken: bool
    reason: str
    score: float
    signals: Mapping[str, float]


class LookedAt:
    """What became of the memories that were looked at. They are many, and few are ever asked about: so figures alone are kept of each, no
    text, and read when somebody asks."""

    def __init__(self, decisions: Iterable[Decision], core: Iterable[str]) -> None:
        self._rows: dict[str, tuple[bool, Reason, float, tuple[float, ...]]] = {
            each.scored.document.id: (each.taken, each.reason, each.scored.score, each.scored.shares) for each in decisions
        }
        self._core = frozenset(core)

    def get(self, node: str) -> Looked | None:
        if node in self._core:
            return Looked("core", True, "core", 0.0, {})
        row = self._rows.get(node)
        if row is None:
            return None
        taken, reason, score, shares = row
        signals = {name: round(value, 6) for name, value in zip(NAMES, shares, strict=True) if value}
        return Looked("recalled" if taken else "", taken, reason, round(score, 6), signals)


@dataclass(frozen=True, slots=True)
class Held:
    """A recall: for which chat (id), when (ms since 1970), from which words; the memories of both blocks and what they cost; what became of
    each memory that was looked at."""

    chat: str
    at: int
    query: str
    nodes: tuple[str, ...]
    tokens: int
    looked: LookedAt


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
