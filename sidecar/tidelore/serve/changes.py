"""What changed in a profile while this process ran, so that a client which was away learns what to read again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

KEPT = 2000


@dataclass(frozen=True, slots=True)
class Change:
    """`chat` is a name of a chat or scope; "" where nobody knows which one. `by` is who wrote: an object of the caller's own. `purged`:
    something was forgotten for good."""

    revision: int
    chat: str
    scope: str
    by: object
    purged: bool = False


class Changes:
    """Numbers changes from 1. Another `run` counts anew, so its numbers say nothing about this one's."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.revision = 0
        self._kept: deque[Change] = deque(maxlen=KEPT)
        self._listeners: list[Callable[[Change], None]] = []

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Hear of every change from now on. What is returned ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def happened(self, chat: str = "", scope: str = "", by: object = None, *, purged: bool = False) -> None:
        self.revision += 1
        change = Change(self.revision, chat, scope, by, purged)
        self._kept.append(change)
        for listener in list(self._listeners):
            listener(change)

    def since(self, run: str, revision: int) -> Sequence[Change] | None:
        """The changes after a revision; None when they are not known, so that anything may have changed."""
        if run != self.run or revision > self.revision or revision < self.revision - len(self._kept):
            return None
        return [change for change in self._kept if change.revision > revision]
