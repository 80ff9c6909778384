"""Vectors on disk: what a restart, another model, damage and forgetting leave of them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest

from tests.sidecar.fakes import WordEmbedder
from tests.sidecar.vector_kit import TEXTS, full, near, put
from tidelore.engine.errors import StoreError
from tidelore.engine.ports import Forgetting, VectorModel
from tidelore.host.vectors import MatrixVectors


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


def test_what_is_forgotten_is_on_no_disk_any_more_and_comes_back_from_no_restart(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    vectors = full(WordEmbedder(), path=path)
    asyncio.run(vectors.save())
    asyncio.run(vectors.forget(["n1", "n4", "unknown"]))
    assert near(vectors, "bees of Bea", 9) == near(MatrixVectors(WordEmbedder(), path), "bees of Bea", 9) == ["n3", "n2"]
    assert sorted(json.loads(path.read_text())["hashes"]) == ["n2", "n3"]
    (matrix,) = tmp_path.glob("*.npz")
    with np.load(matrix) as arrays:
        assert len(arrays["vectors"]) == 2
    assert isinstance(vectors, Forgetting)


def test_forgetting_does_not_wait_for_the_embedder_and_what_that_brings_is_not_kept(tmp_path: Path) -> None:
    async def run() -> None:
        embedder = WordEmbedder(late=asyncio.Event())
        assert embedder.late is not None
        path = tmp_path / "vectors.json"
        vectors = MatrixVectors(embedder, path)
        putting = asyncio.ensure_future(vectors.put(TEXTS))
        while not embedder.asked:
            await asyncio.sleep(0)
        await vectors.forget(["n1"])
        assert path.exists()
        embedder.late.set()
        await putting
        await vectors.save()
        assert sorted(json.loads(path.read_text())["hashes"]) == ["n2", "n3", "n4"]

    asyncio.run(run())
