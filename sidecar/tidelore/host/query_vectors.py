"""Vectors of what is asked for. The same words are often asked for in several chats at once, and once more soon after."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from tidelore.engine.errors import ModelAnswer, ModelUnreachable
from tidelore.host.embedders import Embedder, Matrix
from tidelore.host.vector_rows import normalised

KEPT = 128
"""Of the newest queries; a vector takes some kilobytes."""


@dataclass(slots=True)
class _Asking:
    """A query that is being embedded, and how many wait for it."""

    task: asyncio.Future[Matrix]
    waiting: int = 0


class Queries:
    """`seconds`: how long the embedder may take."""

    def __init__(self, embedder: Embedder, seconds: float) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self._asking: dict[str, _Asking] = {}
        self._kept: dict[str, Matrix] = {}

    def clear(self) -> None:
        """The model is another one."""
        self._kept.clear()

    async def vector(self, query: str) -> Matrix:
        """Of length 1. Raises ModelError, also when the embedder is late."""
        vector = self._kept.pop(query, None)
        if vector is None:
            try:
                async with asyncio.timeout(self._seconds):
                    found = await self._asked(query)
            except TimeoutError as error:
                raise ModelUnreachable("The embedder is late.", "Choose a smaller embedding model, or one nearer by.") from error
            vector = normalised(found[0]) if found.ndim == 2 and len(found) == 1 else None
        if vector is None:
            raise ModelAnswer("The embedder gave no usable vector.", "Check the embedding model.")
        self._kept[query] = vector
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return vector

    async def _asked(self, query: str) -> Matrix:
        """The vector of a query; the same text that is asked for by several at once, one for each chat that is read, is embedded once."""
        asking = self._asking.get(query)
        if asking is None:
            asking = self._asking[query] = _Asking(asyncio.ensure_future(self._embedder.embed([query], "query")))
        asking.waiting += 1
        try:
            return await asyncio.shield(asking.task)
        finally:
            asking.waiting -= 1
            if not asking.waiting:
                asking.task.cancel()
                if self._asking.get(query) is asking:
                    del self._asking[query]
