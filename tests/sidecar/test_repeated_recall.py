"""A recall that was kept is not given once another process has written, or the vectors are others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.sidecar.fakes import WordEmbedder, clock, tokens
from tidelore.engine.service import Service
from tidelore.host.store import SqliteStore
from tidelore.host.vectors import MatrixVectors

QUERY = "What does Bea keep on the roof?"


def said(roof: str) -> list[dict[str, str]]:
    return [
        {"role": "user", "name": "Mira", "text": f"My aunt Bea keeps {roof} on the roof of the old mill."},
        {"role": "assistant", "name": "Tom", "text": "Then she surely has honey for the winter."},
    ]


async def recalled(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = await service.call("recall.run", {"chat": "c", "query": QUERY})
    del found["recall"]
    return found


def test_what_another_process_wrote_shows_in_the_next_recall(tmp_path: Path) -> None:
    async def run() -> None:
        stores = [SqliteStore(tmp_path) for _ in range(2)]
        one, two = (Service(store, clock(), tokens()) for store in stores)
        try:
            for roof in ("seven bee hives", "a telescope"):
                await two.call("chat.update", {"chat": "c", "messages": said(roof)})
                await two.call("extract.run", {"chat": "c", "lag": 0})
                for _ in range(2):
                    assert roof in (await recalled(one))["recalled"]
        finally:
            for store in stores:
                store.close()

    asyncio.run(run())


def test_each_change_of_the_vectors_is_another_recall(tmp_path: Path) -> None:
    async def run() -> None:
        store = SqliteStore(tmp_path)
        embedder = WordEmbedder()
        vectors = MatrixVectors(embedder, None)
        service = Service(store, clock(), tokens(), vectors=vectors, embeds_later=True)
        try:
            await service.call("chat.update", {"chat": "c", "messages": said("seven bee hives")})
            await service.call("extract.run", {"chat": "c", "lag": 0})
            before = await recalled(service)
            assert await recalled(service) == before
            assert embedder.asked == [], "there was nothing to search in"
            await service.call("embed.run", {"chat": "c"})
            with_vectors = await recalled(service)
            assert with_vectors["trace"] != before["trace"]
            asked = len(embedder.asked)
            assert await recalled(service) == with_vectors
            await vectors.forget([card["node"] for card in with_vectors["cards"]])
            without = await recalled(service)
            assert without["trace"] != with_vectors["trace"]
            assert len(embedder.asked) == asked, "the vector of the question itself is known"
        finally:
            store.close()

    asyncio.run(run())
