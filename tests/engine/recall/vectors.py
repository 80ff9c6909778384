"""Fakes of the vectors port."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from tidelore.engine.ports import VectorModel


class FixedVectors:
    """Gives the same nodes and cosines for every query, or does what `rule` does."""

    def __init__(self, cosines: Mapping[str, float] | None = None, rule: Callable[[], Awaitable[None]] | None = None) -> None:
        self.cosines = dict(cosines or {})
        self.rule = rule
        self.asked: list[str] = []

    async def put(self, texts: Mapping[str, str]) -> None:
        del texts

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        self.asked.append(query)
        if self.rule is not None:
            await self.rule()
        return sorted(self.cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:k]

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(one == other) for one in nodes] for other in nodes]

    def model(self) -> VectorModel:
        return VectorModel("fixed", 2, 9.0, 0.6)


async def never() -> None:
    """As an embedder that hangs."""
    await asyncio.Event().wait()
