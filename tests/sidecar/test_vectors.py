from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sidecar.fakes import WordEmbedder, clock, tokens
from tests.sidecar.model_server import Reply, failed, in_turn, serving
from tests.sidecar.vector_kit import TEXTS, full, near, put
from tidelore.engine.errors import ModelAnswer, ModelUnreachable
from tidelore.engine.ports import VectorModel
from tidelore.engine.service import Service
from tidelore.host import query_vectors
from tidelore.host.embedders import HttpEmbedder, Matrix
from tidelore.host.store import SqliteStore
from tidelore.host.vector_rows import Search
from tidelore.host.vectors import MatrixVectors


def test_the_nearest_come_first_with_their_cosine() -> None:
    vectors = full(WordEmbedder())
    found = asyncio.run(vectors.score("bees of Bea", 2, None))
    assert [node for node, _ in found] == ["n1", "n4"]
    ((node, cosine),) = asyncio.run(vectors.score(TEXTS["n3"], 1, None))
    assert node == "n3"
    assert cosine == pytest.approx(1.0, abs=2e-3)
    assert vectors.model() == VectorModel("words", 256, 7.0, 0.35)


def test_only_what_is_allowed_is_scored() -> None:
    vectors = full(WordEmbedder())
    assert near(vectors, "bees", allowed=["n4", "n2", "unknown"]) == ["n4", "n2"]
    assert near(vectors, "bees", allowed=[]) == []


def test_no_more_than_k_and_never_more_than_there_are() -> None:
    vectors = full(WordEmbedder())
    assert [len(near(vectors, "bees", k)) for k in (0, 1, 4, 9)] == [0, 1, 4, 4]
    assert near(MatrixVectors(WordEmbedder(), None), "bees") == []
    assert near(vectors, "  ") == []


def test_a_set_that_was_asked_for_before_is_not_taken_for_another(tmp_path: Path) -> None:
    """The rows of a set are remembered: whatever changes in the set or the rows, the answer is that of vectors that remember nothing."""
    texts = {f"n{number}": f"word{number % 7} word{number % 11} word{number}" for number in range(60)}
    vectors = full(WordEmbedder(), texts)
    documents = dict.fromkeys(list(texts)[:40])

    def agree() -> None:
        held = {node: text for node, text in texts.items() if node in vectors._rows}
        for allowed in (documents.keys(), frozenset(documents), list(documents), texts.keys(), None):
            found = asyncio.run(vectors.score("word3 word5", 9, allowed))
            assert found == asyncio.run(full(WordEmbedder(), held).score("word3 word5", 9, allowed))

    agree()
    agree()
    del documents["n3"]
    agree()
    documents["n55"] = None  # as many as before
    agree()
    asyncio.run(vectors.forget(["n10", "n59"]))
    agree()
    texts["n60"] = texts["n4"] = "word3 word5"
    documents["n60"] = None
    put(vectors, texts)
    agree()


def test_a_long_search_runs_beside_the_event_loop_and_sees_rows_that_move_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[bool] = []

    async def run() -> None:
        texts = {f"n{number}": f"word{number % 7} word{number}" for number in range(50)}
        vectors = MatrixVectors(WordEmbedder(), None)
        await vectors.put(texts)
        await vectors.score("word3", 5, None)
        nearest, loop, moved = Search.nearest, asyncio.get_running_loop(), threading.Event()

        def meanwhile() -> None:
            for node in ("n3", "n10"):
                vectors._remove(node)
            moved.set()

        def slow(self: Search, vector: Matrix, k: int) -> tuple[NDArray[np.intp], Matrix]:
            threads.append(threading.current_thread() is not threading.main_thread())
            if threads[-1]:
                loop.call_soon_threadsafe(meanwhile)
                assert moved.wait(30)
            return nearest(self, vector, k)

        monkeypatch.setattr(Search, "nearest", slow)
        monkeypatch.setattr("tidelore.host.vectors.IN_A_THREAD", 1)
        found = [node for node, _ in await vectors.score("word3", 5, None)]
        assert sorted(found) == ["n17", "n24", "n31", "n38", "n45"]

    asyncio.run(run())
    assert threads == [True, False]


def test_the_same_words_are_embedded_once_however_often_they_are_asked_for() -> None:
    async def run() -> None:
        embedder = WordEmbedder()
        vectors = MatrixVectors(embedder, None)
        await vectors.put(TEXTS)
        first = await vectors.score("bees", 3, None)
        embedder.error = ModelUnreachable("No one is there.")
        assert await vectors.score("bees", 3, None) == first
        with pytest.raises(ModelUnreachable):
            await vectors.score("harbour", 3, None)
        embedder.error = None
        for number in range(query_vectors.KEPT):
            await vectors.score(f"word{number}", 3, None)
        await vectors.score("bees", 3, None)
        assert embedder.asked.count(("bees",)) == 2, "only so many are kept"

    asyncio.run(run())


def test_equal_nodes_come_by_their_id_whatever_their_place() -> None:
    names = [f"n{number:03}" for number in range(150)]
    for order in (names, names[::-1], sorted(names, key=lambda name: name[::-1])):
        vectors = full(WordEmbedder(), dict.fromkeys(order, "the very same words"))
        assert near(vectors, "words", 7) == names[:7]


def test_a_ranking_is_that_of_a_plain_loop() -> None:
    embedder = WordEmbedder()
    texts = {f"n{number}": f"word{number % 7} word{number % 11} word{number}" for number in range(300)}
    vectors = full(embedder, texts)
    query = "word3 word5"
    rows = {node: embedder._row(text) for node, text in texts.items()}
    wanted = embedder._row(query)
    cosines = {node: float(row @ wanted / np.linalg.norm(row) / np.linalg.norm(wanted)) for node, row in rows.items()}
    found = dict(asyncio.run(vectors.score(query, 300, None)))
    assert found == pytest.approx(cosines, abs=2e-3)
    assert near(vectors, query, 20) == near(vectors, query, 300)[:20]


def test_cosines_between_nodes() -> None:
    embedder = WordEmbedder()
    vectors = full(embedder, {"a": "bees", "b": "bees", "c": "harbour", "blank": " "})
    gram = asyncio.run(vectors.gram(["a", "b", "blank", "c"]))
    assert [row[0] for row in gram] == [1.0, pytest.approx(1.0, abs=2e-3), 0.0, gram[0][3]]
    assert [gram[at][at] for at in range(4)] == [1.0] * 4
    assert asyncio.run(vectors.gram([])) == []


def test_only_texts_that_changed_are_embedded() -> None:
    embedder = WordEmbedder()
    vectors = full(embedder)
    put(vectors, {**TEXTS, "n2": "The harbour was built anew", "n5": "A fifth"})
    put(vectors, TEXTS | {"n2": "The harbour was built anew"})
    assert embedder.asked == [tuple(TEXTS.values()), ("The harbour was built anew", "A fifth")]
    assert near(vectors, "built anew", 1) == ["n2"]


def test_equal_texts_are_embedded_once() -> None:
    embedder = WordEmbedder()
    vectors = full(embedder, {"a": "bees", "b": "bees"})
    assert embedder.asked == [("bees",)]
    assert near(vectors, "bees") == ["a", "b"]


def test_a_node_whose_text_became_blank_has_no_vector() -> None:
    vectors = full(WordEmbedder())
    put(vectors, {"n1": ""})
    assert "n1" not in near(vectors, "Bea keeps bees", 9)
    assert vectors.pending == frozenset()


@pytest.mark.req("P75")
def test_what_a_failing_embedder_missed_is_pending_and_embedded_later() -> None:
    embedder = WordEmbedder(error=ModelUnreachable("No one is there."))
    vectors = MatrixVectors(embedder, None)
    with pytest.raises(ModelUnreachable):
        put(vectors, TEXTS)
    assert vectors.pending == TEXTS.keys()
    embedder.error = None
    assert near(vectors, "bees") == []
    put(vectors, {})
    assert vectors.pending == frozenset()
    assert near(vectors, "bees", 2) == ["n4", "n1"]


@pytest.mark.req("P75")
def test_the_vector_of_an_old_text_is_not_used_while_the_new_one_waits() -> None:
    embedder = WordEmbedder()
    vectors = full(embedder)
    embedder.error = ModelUnreachable("No one is there.")
    with pytest.raises(ModelUnreachable):
        put(vectors, {"n1": "Bea sold her hives"})
    embedder.error = None
    assert vectors.pending == {"n1"}
    assert "n1" not in near(vectors, "bees", 9)


@pytest.mark.req("P75")
@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), 1e-30])
def test_a_vector_of_nothing_is_refused_and_pending(tmp_path: Path, value: float) -> None:
    embedder = WordEmbedder(nothing={TEXTS["n2"]: value})
    vectors = full(embedder, path=tmp_path / "vectors.json")
    assert vectors.pending == {"n2"}
    asyncio.run(vectors.save())
    assert near(MatrixVectors(embedder, tmp_path / "vectors.json"), "harbour", 9).count("n2") == 0
    embedder.nothing = {}
    put(vectors, TEXTS)
    assert vectors.pending == frozenset()
    assert near(vectors, "harbour", 1) == ["n2"]


@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_a_query_without_a_vector_is_an_error_not_a_ranking(value: float) -> None:
    vectors = full(WordEmbedder(nothing={"hm": value}))
    with pytest.raises(ModelAnswer):
        near(vectors, "hm")


def test_a_text_that_changes_while_it_is_embedded_keeps_the_newer_vector() -> None:
    async def run() -> list[str]:
        embedder = WordEmbedder(late=asyncio.Event())
        assert embedder.late is not None
        vectors = MatrixVectors(embedder, None)
        first = asyncio.ensure_future(vectors.put({"n1": "bees"}))
        while not embedder.asked:
            await asyncio.sleep(0)
        second = asyncio.ensure_future(vectors.put({"n1": "the harbour", "n2": "bees"}))
        await asyncio.sleep(0)
        embedder.late.set()
        await asyncio.gather(first, second)
        return [node for node, _ in await vectors.score("bees", 1, None)]

    assert asyncio.run(run()) == ["n2"]


async def at_once(seconds: float) -> None:
    """Waiting, without waiting."""
    del seconds


async def recalled(tmp_path: Path, vectors: MatrixVectors, embed_seconds: float) -> tuple[list[str], list[str]]:
    """What a recall finds, and what it says was missing."""
    store = SqliteStore(tmp_path)
    try:
        service = Service(store, clock(), tokens(), vectors=vectors, embed_seconds=embed_seconds)
        messages = [
            {"role": "user", "name": "Mira", "text": "My aunt Bea keeps seven bee hives on the roof of the old mill."},
            {"role": "assistant", "name": "Tom", "text": "Then she surely has honey for the winter."},
        ]
        await service.call("chat.update", {"chat": "c", "messages": messages})
        await service.call("extract.run", {"chat": "c", "lag": 0})
        found = await service.call("recall.run", {"chat": "c", "query": "What does Bea keep on the roof?"})
        return [card["text"] for card in found["cards"]], found["degraded"]
    finally:
        store.close()


@pytest.mark.req("P77")
def test_a_failing_embedder_leaves_the_words_and_is_named(tmp_path: Path) -> None:
    one = Reply('{"data": [{"embedding": [1.0, 2.0]}]}')

    async def run(url: str) -> tuple[list[str], list[str]]:
        embedder = HttpEmbedder(url, "embed", scale=7.0, floor=0.4, sleep=at_once)
        vectors = MatrixVectors(embedder, None, query_seconds=60)
        await vectors.put({"n1": "bees"})
        found = await recalled(tmp_path, vectors, embed_seconds=60)
        await embedder.aclose()
        return found

    with serving(in_turn(one, failed(500, "out of memory"))) as server:
        cards, degraded = asyncio.run(run(server.url))
        assert len(server.requests) > 2, "the put of the extraction and the query both asked"
    assert "bee hives" in cards[0]
    assert len(degraded) == 1
    assert "out of memory" in degraded[0]


@pytest.mark.req("P79")
def test_a_slow_embedder_is_not_waited_for(tmp_path: Path) -> None:
    async def run() -> tuple[list[str], list[str]]:
        embedder = WordEmbedder()
        vectors = MatrixVectors(embedder, None, query_seconds=0.01)
        await vectors.put(TEXTS)
        embedder.late = asyncio.Event()
        return await recalled(tmp_path, vectors, embed_seconds=0.05)

    cards, degraded = asyncio.run(run())
    assert "bee hives" in cards[0]
    assert degraded == ["embedder: The embedder is late."]
