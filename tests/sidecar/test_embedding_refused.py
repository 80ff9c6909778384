"""Texts that the embedder gave a vector of nothing for are said, and tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.sidecar.fakes import WordEmbedder
from tests.sidecar.test_embedding_queue import BEES, HARBOUR, kit
from tidelore.engine.errors import ModelUnreachable
from tidelore.host.embedders import Matrix, TextKind
from tidelore.host.embedding_queue import BATCH, WAITS


def test_a_text_without_a_vector_is_said_and_tried_again_with_back_off(tmp_path: Path) -> None:
    async def run() -> None:
        embedder = WordEmbedder()
        async with kit(tmp_path, embedder) as it:
            embedder.nothing = {BEES[0]["text"]: float("nan")}
            await it.told("bees", BEES)
            await it.queue.settled()
            for wait in WAITS:
                await it.waiting.wait()
                it.waiting.clear()
                assert it.waits[-1] == wait
                assert it.queue.standing.pending
                assert "no vector" in it.queue.standing.problem
                found = await it.service.call("recall.run", {"chat": "bees", "query": "What does Bea keep on the roof?"})
                assert ["no vector" in each for each in found["degraded"]] == [True]
                it.go.set()
            await it.waiting.wait()
            await it.told("harbour", HARBOUR)  # new texts do not wait
            await it.queue.settled()
            assert await it.share("harbour") == 1
            found = await it.service.call("recall.run", {"chat": "harbour", "query": "What burned down in Bergen?"})
            assert found["degraded"] == [], "what it reads has its vectors"
            embedder.nothing = {}
            it.waiting.clear()
            it.go.set()
            while it.queue.standing.problem:
                await asyncio.sleep(0)
            await it.queue.settled()
            assert (await it.share("bees"), it.queue.standing.pending) == (1, 0)
            found = await it.service.call("recall.run", {"chat": "bees", "query": "What does Bea keep on the roof?"})
            assert found["degraded"] == []

    asyncio.run(run())


class Broken(WordEmbedder):
    """Whose vectors are of nothing, whatever the text."""

    broken = True

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        found = await super().embed(texts, kind)
        return found * 0 if self.broken else found


def test_many_texts_without_a_vector_are_tried_a_few_at_a_time_and_then_all(tmp_path: Path) -> None:
    texts = [{"role": "user", "name": "Mira", "text": f"Bea keeps {number} bees on roof {number}."} for number in range(BATCH * 2)]

    async def run() -> None:
        embedder = Broken()
        async with kit(tmp_path, embedder) as it:
            await it.told("bees", texts)
            await it.queue.settled()
            assert len(it.vectors.pending) > BATCH
            await it.waiting.wait()
            before = len(embedder.asked)
            it.waiting.clear()
            it.go.set()
            await it.waiting.wait()
            assert [len(each) for each in embedder.asked[before:]] == [BATCH]
            embedder.broken = False
            it.go.set()
            while it.queue.standing.problem:
                await asyncio.sleep(0)
            assert await it.share("bees") == 1

    asyncio.run(run())


def test_a_text_without_a_vector_is_tried_again_after_the_next_start(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder(nothing={BEES[0]["text"]: float("inf")})) as it:
            await it.told("bees", BEES)
            await it.queue.settled()
            await it.vectors.save()
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.queue.settled()
            assert (await it.share("bees"), it.queue.standing.problem) == (1, "")

    asyncio.run(run())


def test_a_recall_says_that_an_embedder_failed_from_the_first_text_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder(error=ModelUnreachable("No one is there."))) as it:
            await it.told("bees", BEES)
            await it.waiting.wait()
            found = await it.service.call("recall.run", {"chat": "bees", "query": "What does Bea keep on the roof?"})
            assert found["degraded"] == ["embedder: No one is there."]

    asyncio.run(run())
