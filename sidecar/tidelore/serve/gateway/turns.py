"""What was prepared for a turn of the user. All tool rounds of the turn get the same, byte for byte, and so does a request that is sent
again after a failure; the final answer ends it, or an hour."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")

LONGEST_SECONDS = 3600.0
KEPT = 512


def turn_id(*parts: str) -> str:
    """The name of a turn: whose it is, and all that was sent up to the end of the user's message."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Turns(Generic[T]):
    """`clock` in seconds."""

    def __init__(self, clock: Callable[[], float], kept: int = KEPT) -> None:
        self._clock = clock
        self._kept = kept
        self._all: OrderedDict[str, tuple[float, asyncio.Task[T]]] = OrderedDict()

    async def prepared(self, id_: str, prepare: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `prepare` gives, which is asked once a turn. Who goes away meanwhile does not stop it."""
        found = self._all.get(id_)
        if found is None or self._clock() - found[0] >= LONGEST_SECONDS or _failed(found[1]):
            found = self._all[id_] = (self._clock(), asyncio.ensure_future(prepare()))
        self._all.move_to_end(id_)
        while len(self._all) > self._kept:
            self._all.popitem(last=False)
        return await asyncio.shield(found[1])

    def clear(self) -> None:
        self._all.clear()

    def end(self, id_: str) -> None:
        self._all.pop(id_, None)


def _failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
