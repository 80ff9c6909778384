"""Texts are embedded in the background, whatever happens in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.fakes import WordEmbedder, clock, tokens
from tests.sidecar.model_server import Reply, Request, failed, in_turn, serving
from tidelore.engine.errors import ModelUnreachable
from tidelore.engine.service import Service
from tidelore.host.embedders import Embedder, HttpEmbedder, Matrix, TextKind
from tidelore.host.embedding_queue import WAITS, EmbeddingQueue
from tidelore.host.store import SqliteStore
from tidelore.host.unused_vectors import UnusedVectors
from tidelore.host.vectors import MatrixVectors

BEES = [
    {"role": "user", "name": "Mira", "text": "My aunt Bea keeps seven bee hives on the roof of the old mill."},
    {"role": "assistant", "name": "Tom", "text": "Then she surely has honey for the winter."},
]
HARBOUR = [{"role": "user", "name": "Mira", "text": "The harbour of Bergen burned down in the spring of that year."}]


class Kit:
    """A store with a queue on it. `waits` are those of the queue, which end when `go` is set."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.store = SqliteStore(folder)
        self.vectors = MatrixVectors(embedder, folder / "vectors.json")
        self.service = Service(self.store, clock(), tokens(), vectors=self.vectors, embeds_later=True)
        self.waits: list[float] = []
        self.go = asyncio.Event()
        self.waiting = asyncio.Event()
        self.warm = 0
        self.queue = EmbeddingQueue(self.service, self.vectors, self._warm_up, self._sleep)

    def _warm_up(self) -> None:
        self.warm += 1

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.waiting.set()
        await self.go.wait()
        self.go.clear()

    async def told(self, chat: str, messages: list[dict[str, str]]) -> None:
        await self.service.call("chat.update", {"chat": chat, "messages": messages})
        await self.service.call("extract.run", {"chat": chat, "lag": 0})
        self.queue.changed(chat, "")

    async def share(self, chat: str) -> float:
        """Of the memories of a chat, those with a vector."""
        found = await self.service.chats.open(chat)
        found.index.refresh()
        passages = found.index.passages()
        return 1 - len(self.vectors.missing(passages)) / len(passages)


@asynccontextmanager
async def kit(folder: Path, embedder: Embedder) -> AsyncIterator[Kit]:
    made = Kit(folder, embedder)
    task = asyncio.create_task(made.queue.run())
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.wait([task])
        made.store.close()
        if not task.cancelled():
            task.result()


def test_what_is_written_is_embedded_and_the_write_does_not_wait(tmp_path: Path) -> None:
    async def run() -> None:
        embedder = WordEmbedder(late=asyncio.Event())
        assert embedder.late is not None
        async with kit(tmp_path, embedder) as it:
            await it.told("bees", BEES)  # ends though the embedder answers nothing
            assert await it.share("bees") == 0
            embedder.late.set()
            await it.queue.settled()
            assert await it.share("bees") == 1
            assert it.queue.standing.pending == 0
            assert it.warm

    asyncio.run(run())


def test_memories_by_hand_and_under_a_scope_are_embedded(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.service.call("node.write", {"scope": "profile", "kind": "fact", "text": "Mira is afraid of the sea."})
            it.queue.changed("", "profile")
            await it.queue.settled()
            assert [node for node, _ in await it.vectors.score("afraid of the sea", 1, None)]

    asyncio.run(run())


def test_an_empty_store_loads_no_model(tmp_path: Path) -> None:
    async def run() -> None:
        embedder = WordEmbedder()
        async with kit(tmp_path, embedder) as it:
            await it.queue.settled()
            assert (it.warm, embedder.asked) == (0, [])

    asyncio.run(run())


@pytest.mark.req("P75")
def test_an_embedder_that_is_away_leaves_texts_pending_and_is_asked_again(tmp_path: Path) -> None:
    async def run() -> None:
        embedder = WordEmbedder(error=ModelUnreachable("No one is there."))
        async with kit(tmp_path, embedder) as it:
            await it.told("bees", BEES)
            for wait in WAITS:
                await it.waiting.wait()
                it.waiting.clear()
                standing = it.queue.standing
                assert (standing.pending > 1, standing.chats, standing.problem) == (True, 1, "No one is there.")
                assert it.waits[-1] == wait
                it.go.set()
            await it.waiting.wait()
            assert it.waits[-1] == WAITS[-1]
            embedder.error = None
            it.go.set()
            await it.queue.settled()
            assert it.queue.standing.problem == ""
            assert await it.share("bees") == 1

    asyncio.run(run())


def test_a_service_is_asked_again_no_sooner_than_it_says(tmp_path: Path) -> None:
    def rows(request: Request) -> Reply:
        return Reply(json.dumps({"data": [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(request.body["input"])]}))

    async def no_sleep(seconds: float) -> None:
        del seconds

    async def run(url: str) -> list[float]:
        embedder = HttpEmbedder(url, "e", scale=7.0, floor=0.4, sleep=no_sleep)
        async with kit(tmp_path, embedder) as it:
            await it.told("bees", BEES)
            await it.waiting.wait()
            it.go.set()
            await it.queue.settled()
            assert await it.share("bees") == 1
            await embedder.aclose()
            return it.waits

    with serving(in_turn(failed(429, "slow down", Retry_After="90"), rows)) as server:
        assert asyncio.run(run(server.url)) == [90.0]


def test_what_was_not_embedded_before_the_end_is_embedded_after_the_next_start(tmp_path: Path) -> None:
    async def run() -> None:
        embedder: Any = WordEmbedder(late=asyncio.Event())
        async with kit(tmp_path, embedder) as it:
            await it.told("bees", BEES)
            await it.told("harbour", HARBOUR)
        embedder = WordEmbedder()
        async with kit(tmp_path, embedder) as it:
            await it.queue.settled()
            assert [await it.share(chat) for chat in ("bees", "harbour")] == [1, 1]

    asyncio.run(run())


def test_a_start_without_news_embeds_nothing_and_opens_no_chat(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.told("bees", BEES)
            await it.queue.settled()
        embedder = WordEmbedder()
        async with kit(tmp_path, embedder) as it:
            await it.queue.settled()
            assert embedder.asked == []
            assert it.warm == 1, "the first question will not find the model cold"
            assert it.service.chats._pools == {}
            await it.service.call("chat.update", {"chat": "bees", "messages": [*BEES, *HARBOUR]})
            await it.service.call("extract.run", {"chat": "bees", "lag": 0})
            it.queue.changed("", "")  # as when another process has written
            await it.queue.settled()
            assert await it.share("bees") == 1

    asyncio.run(run())


@pytest.mark.req("P73")
def test_another_model_embeds_all_anew_while_words_recall(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.told("bees", BEES)
            await it.queue.settled()
        other = WordEmbedder(name="others", dimension=64, late=asyncio.Event())
        assert other.late is not None
        async with kit(tmp_path, other) as it:
            found = await it.service.call("recall.run", {"chat": "bees", "query": "What does Bea keep on the roof?"})
            assert "bee hives" in found["cards"][0]["text"]
            assert "cosine" not in found["trace"]["cards"][0]["signals"] or not found["trace"]["cards"][0]["signals"]["cosine"]
            other.late.set()
            await it.queue.settled()
            found = await it.service.call("recall.run", {"chat": "bees", "query": "What does Bea keep on the roof?"})
            assert found["trace"]["cards"][0]["signals"]["cosine"]
            assert it.vectors.model().dimension == 64

    asyncio.run(run())


class Unmeasured(WordEmbedder):
    """One that does not know its size before its first answer."""

    @property
    def model(self) -> Any:
        from tidelore.engine.ports import VectorModel

        return VectorModel(self.name, 0, 7.0, 0.35)


@pytest.mark.req("P73")
def test_a_model_of_another_size_under_the_same_name_embeds_every_chat_anew(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.told("bees", BEES)
            await it.told("harbour", HARBOUR)
            await it.queue.settled()
        async with kit(tmp_path, Unmeasured(dimension=64)) as it:
            await it.told("harbour", [*HARBOUR, {"role": "assistant", "name": "Tom", "text": "It was built anew within two years."}])
            await it.queue.settled()
            assert [await it.share(chat) for chat in ("bees", "harbour")] == [1, 1]

    asyncio.run(run())


def test_a_vector_of_nothing_stays_pending_and_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    async def run() -> None:
        embedder = WordEmbedder()
        async with kit(tmp_path, embedder) as it:
            embedder.nothing = {BEES[0]["text"]: 0.0}
            await it.told("bees", BEES)
            await it.queue.settled()
            assert it.vectors.pending
            assert 0 < await it.share("bees") < 1

    asyncio.run(run())


def test_the_vectors_of_a_purged_chat_go_and_those_of_others_stay(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.told("bees", BEES)
            await it.told("harbour", HARBOUR)
            await it.queue.settled()
            await it.service.call("chat.purge", {"chat": "harbour"})
            it.queue.changed("harbour", "")
            await it.queue.settled()
            assert await it.share("bees") == 1
            kept = len((await it.service.chats.open("bees")).index.documents)
        saved = json.loads((tmp_path / "vectors.json").read_text("utf-8"))
        assert (len(saved["hashes"]), len(saved["chats"])) == (kept, 1)

    asyncio.run(run())


def test_the_vectors_of_a_chat_that_was_purged_while_it_was_embedded_go_after_the_next_start(tmp_path: Path) -> None:
    texts = [{"role": "user", "name": "Mira", "text": f"Bea keeps {number} bees on roof {number}."} for number in range(100)]

    class Breaks(WordEmbedder):
        async def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
            if len(self.asked) == 3:
                self.error = ModelUnreachable("No one is there.")
            return await super().embed(texts, kind)

    async def run() -> None:
        async with kit(tmp_path, Breaks()) as it:
            await it.told("bees", texts)
            await it.waiting.wait()
            await it.vectors.save()
        saved = json.loads((tmp_path / "vectors.json").read_text("utf-8"))
        assert 0 < len(saved["hashes"]) < 100, "a part of it is on disk"
        store = SqliteStore(tmp_path)  # as by a command, which has no vectors
        await Service(store, clock(), tokens()).call("chat.purge", {"chat": "bees"})
        store.close()
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.queue.settled()
        saved = json.loads((tmp_path / "vectors.json").read_text("utf-8"))
        assert (saved["hashes"], saved["chats"]) == ({}, {})

    asyncio.run(run())


def test_without_an_embedder_vectors_stay_until_something_they_are_of_is_purged(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit(tmp_path, WordEmbedder()) as it:
            await it.told("bees", BEES)
            await it.told("harbour", HARBOUR)
            await it.queue.settled()
        files = set(tmp_path.glob("vectors*"))
        assert len(files) == 2
        store = SqliteStore(tmp_path)
        service = Service(store, clock(), tokens())
        unused = UnusedVectors(service, tmp_path / "vectors.json")
        try:
            await service.call("chat.update", {"chat": "new", "messages": BEES})
            await unused.look()
            assert set(tmp_path.glob("vectors*")) == files
            await service.call("chat.purge", {"chat": "harbour"})
            await unused.look()
            assert not set(tmp_path.glob("vectors*"))
        finally:
            store.close()

    asyncio.run(run())
