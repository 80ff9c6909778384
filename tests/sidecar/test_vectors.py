from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.sidecar.fakes import WordEmbedder, clock, tokens
from tests.sidecar.model_server import Reply, failed, in_turn, serving
from tidelore.engine.errors import ModelAnswer, ModelUnreachable, StoreError
from tidelore.engine.ports import VectorModel
from tidelore.engine.service import Service
from tidelore.host.embedders import HttpEmbedder
from tidelore.host.store import SqliteStore
from tidelore.host.vectors import MatrixVectors

TEXTS = {
    "n1": "Bea keeps bees on the roof",
    "n2": "The harbour burned down in spring",
    "n3": "Mira is afraid of the sea",
    "n4": "Bees sting only once",
}


def put(vectors: MatrixVectors, texts: Mapping[str, str]) -> None:
    asyncio.run(vectors.put(texts))


def near(vectors: MatrixVectors, query: str, k: int = 3, allowed: list[str] | None = None) -> list[str]:
    return [node for node, _ in asyncio.run(vectors.score(query, k, allowed))]


def full(embedder: WordEmbedder, texts: Mapping[str, str] = TEXTS, path: Path | None = None) -> MatrixVectors:
    vectors = MatrixVectors(embedder, path)
    put(vectors, texts)
    return vectors


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


def test_a_restart_changes_no_answer_and_embeds_nothing(tmp_path: Path) -> None:
    texts = {f"n{number}": f"word{number % 7} word{number % 11} word{number}" for number in range(200)}
    path = tmp_path / "deep" / "vectors.json"
    embedder = WordEmbedder()
    before = full(embedder, texts, path)
    put(before, {"n7": "another text"})
    asyncio.run(before.save())
    embedder.asked.clear()
    after = MatrixVectors(embedder, path)
    put(after, {**texts, "n7": "another text"})
    assert embedder.asked == []
    assert asyncio.run(after.score("word3", 50, None)) == asyncio.run(before.score("word3", 50, None))
    asyncio.run(after.save())
    assert len(list(path.parent.iterdir())) == 2


def test_a_save_leaves_one_index_and_one_matrix_of_half_floats(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    vectors = full(WordEmbedder(), path=path)
    for text in ("one", "two"):
        put(vectors, {"n1": text})
        asyncio.run(vectors.save())
    index = json.loads(path.read_text())
    assert {index["model"], index["dimension"]} == {"words", 256}
    assert sorted(index["hashes"]) == sorted(TEXTS)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["vectors.json", index["matrix"]])
    with np.load(tmp_path / index["matrix"]) as arrays:
        assert (arrays["vectors"].dtype, arrays["vectors"].shape) == (np.float16, (4, 256))


def test_many_new_vectors_are_saved_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    full(WordEmbedder(), {f"n{number}": f"word{number}" for number in range(100)}, path)
    assert near(MatrixVectors(WordEmbedder(), path), "word42", 1) == ["n42"]


@pytest.mark.req("P73")
@pytest.mark.parametrize("other", [WordEmbedder(name="others"), WordEmbedder(dimension=128)])
def test_vectors_of_another_model_are_never_mixed_in(tmp_path: Path, other: WordEmbedder) -> None:
    path = tmp_path / "vectors.json"
    asyncio.run(full(WordEmbedder(), path=path).save())
    vectors = MatrixVectors(other, path)
    assert near(vectors, "bees") == []
    put(vectors, TEXTS)
    assert other.asked[-1] == tuple(TEXTS.values())
    assert near(vectors, "bees", 2) == ["n4", "n1"]
    asyncio.run(vectors.save())
    assert json.loads(path.read_text())["dimension"] == other.dimension


class Unmeasured(WordEmbedder):
    """One that does not know its size before its first answer."""

    @property
    def model(self) -> VectorModel:
        return VectorModel(self.name, 0, 7.0, 0.35)


@pytest.mark.req("P73")
def test_another_dimension_is_noticed_at_the_first_answer(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    asyncio.run(full(WordEmbedder(), path=path).save())
    asked = MatrixVectors(Unmeasured(dimension=128), path)
    assert near(asked, "bees") == []
    given = MatrixVectors(Unmeasured(dimension=128), path)
    put(given, {**TEXTS, "n5": "A fifth"})
    assert given.pending == frozenset()
    assert near(given, "bees", 2) == ["n4", "n1"]
    assert len(near(given, "bees", 9)) == 5


def test_a_damaged_file_costs_only_the_embedding(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    asyncio.run(full(WordEmbedder(), path=path).save())
    matrix = next(tmp_path.glob("*.npz"))
    index, data = path.read_bytes(), matrix.read_bytes()
    bad: list[tuple[bytes, bytes]] = [(index, data[:-40]), (index, b""), (b"", data), (index[:-20], data), (b"[]", data)]
    bad.append((index, data[:200] + bytes([data[200] ^ 255]) + data[201:]))
    bad.append((index.replace(b'"n1"', b'"n9", "n1"'), data))
    bad.append((index.replace(b'"dimension": 256', b'"dimension": 255'), data))
    for index_now, data_now in bad:
        path.write_bytes(index_now)
        matrix.write_bytes(data_now)
        assert near(MatrixVectors(WordEmbedder(), path), "bees") == []
    matrix.unlink()
    vectors = full(WordEmbedder(), path=path)
    assert near(vectors, "bees", 2) == ["n4", "n1"]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "vectors.json"
    vectors = full(WordEmbedder(), path=path)
    asyncio.run(vectors.save())
    files = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    put(vectors, {"n5": "A fifth"})

    def full_disk(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(StoreError, match="No space left"):
        asyncio.run(vectors.save())
    monkeypatch.undo()
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == files
    asyncio.run(vectors.save())
    assert near(MatrixVectors(WordEmbedder(), path), "fifth", 1) == ["n5"]


async def at_once(seconds: float) -> None:
    """Waiting, without waiting."""
    del seconds


async def recalled(tmp_path: Path, vectors: MatrixVectors) -> tuple[list[str], list[str]]:
    """What a recall finds, and what it says was missing."""
    store = SqliteStore(tmp_path)
    try:
        service = Service(store, clock(), tokens(), vectors=vectors, embed_seconds=0.05)
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
        vectors = MatrixVectors(embedder, None)
        await vectors.put({"n1": "bees"})
        found = await recalled(tmp_path, vectors)
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
        return await recalled(tmp_path, vectors)

    cards, degraded = asyncio.run(run())
    assert "bee hives" in cards[0]
    assert degraded == ["embedder: The embedder is late."]
