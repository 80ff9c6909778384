from __future__ import annotations

import asyncio
import json
import subprocess
import threading
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tidelore.engine.errors import BadInput, ModelRefused, ModelUnreachable
from tidelore.host.config import EmbedderConfig
from tidelore.host.embedders import HttpEmbedder, Matrix
from tidelore.host.embedding_models import KNOWN, UNKNOWN, figures_of
from tidelore.host.local_embedder import AT_ONCE, DEFAULT, LocalEmbedder, Packaged
from tidelore.host.models import embedding_model, vectors_name

ROOT = Path(__file__).resolve().parents[2]


def with_encoder(encode: Any) -> Packaged:
    """A model whose loading hands out this function."""
    return replace(DEFAULT, load=lambda _: encode)


async def documents(embedder: LocalEmbedder, texts: Sequence[str]) -> Matrix:
    try:
        return await embedder.embed(texts, "document")
    finally:
        await embedder.aclose()


@pytest.mark.slow
def test_the_default_model_knows_what_is_near_in_several_languages() -> None:
    texts = ["The cat sleeps on the sofa.", "猫在沙发上睡觉。", "Le chat dort sur le canapé.", "Inflation rose by two percent in March."]
    found = asyncio.run(documents(LocalEmbedder(), texts))
    assert found.shape == (4, DEFAULT.dimension)
    cosines = found @ found[0] / np.linalg.norm(found, axis=1) / np.linalg.norm(found[0])
    assert min(cosines[1], cosines[2]) > figures_of(DEFAULT.name).floor
    assert cosines[3] < 0.3


def test_the_default_model_has_one_thread_comes_with_what_makes_it_fast_and_is_warm_before_it_is_ready() -> None:
    made: list[dict[str, int]] = []
    asked: list[list[str]] = []

    class Module:
        class USE:
            def __init__(self, **options: int) -> None:
                made.append(options)

            def encode(self, texts: list[str]) -> Matrix:
                asked.append(texts)
                return np.ones((len(texts), DEFAULT.dimension), np.float32)

    async def run() -> None:
        embedder = LocalEmbedder(replace(DEFAULT, load=lambda _: DEFAULT.load(Module)))
        embedder.warm_up()
        await embedder.loaded()
        assert embedder.ready
        assert len(asked) == 1, "one text went through it before anybody asked"
        await embedder.embed(["q"], "query")
        await embedder.aclose()

    asyncio.run(run())
    assert made == [{"threads": 1}]
    assert asked[1:] == [["q"]]
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert any(each.startswith(DEFAULT.install) for each in needed), "the extra fast comes with the sidecar"
    assert find_spec("threadpoolctl") is not None


def test_a_query_is_not_kept_waiting_while_the_model_is_loading() -> None:
    async def run() -> None:
        loaded = threading.Event()

        def load(_: Any) -> Any:
            assert loaded.wait(30)
            return lambda texts, kind: np.ones((len(texts), DEFAULT.dimension))

        embedder = LocalEmbedder(replace(DEFAULT, load=load))
        waiting = asyncio.ensure_future(embedder.embed(["a"], "document"))
        with pytest.raises(ModelUnreachable, match="loaded"):
            await embedder.embed(["q"], "query")
        before = embedder.ready
        loaded.set()
        assert (await waiting).shape == (1, DEFAULT.dimension)
        assert (before, embedder.ready) == (False, True)
        assert (await embedder.embed(["q"], "query")).shape == (1, DEFAULT.dimension)
        await embedder.aclose()

    asyncio.run(run())


def test_texts_are_embedded_a_few_at_a_time_in_a_thread_of_their_own_and_in_order() -> None:
    sizes: list[int] = []
    threads: set[int] = set()

    def encode(texts: Sequence[str], kind: str) -> Matrix:
        sizes.append(len(texts))
        threads.add(threading.get_ident())
        return np.array([[float(len(text))] * DEFAULT.dimension for text in texts], np.float32)

    found = asyncio.run(documents(LocalEmbedder(with_encoder(encode)), ["x" * at for at in range(20)]))
    assert [row[0] for row in found] == list(range(20))
    assert sizes == [1, AT_ONCE, AT_ONCE, 20 - 2 * AT_ONCE], "the first is the warm-up"
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


def test_a_query_does_not_wait_for_all_texts_before_it() -> None:
    async def run() -> list[str]:
        order: list[str] = []

        def encode(texts: Sequence[str], kind: str) -> Matrix:
            order.append(texts[0])
            return np.ones((len(texts), DEFAULT.dimension), np.float32)

        embedder = LocalEmbedder(with_encoder(encode))
        await embedder.embed(["first"], "document")
        many = asyncio.ensure_future(embedder.embed([f"d{at}" for at in range(50 * AT_ONCE)], "document"))
        await asyncio.sleep(0)
        await embedder.embed(["query"], "query")
        await many
        await embedder.aclose()
        return order

    order = asyncio.run(run())
    assert order.index("query") < order.index(f"d{3 * AT_ONCE}")


def test_queries_that_wait_together_are_embedded_at_once_and_each_gets_its_own() -> None:
    sizes: list[int] = []
    going = threading.Event()

    def encode(texts: Sequence[str], kind: str) -> Matrix:
        sizes.append(len(texts))
        if texts == ["slow"]:
            assert going.wait(30)
        return np.array([[float(len(text))] * DEFAULT.dimension for text in texts], np.float32)

    async def run() -> None:
        embedder = LocalEmbedder(with_encoder(encode))
        embedder.warm_up()
        await embedder.loaded()
        slow = asyncio.ensure_future(embedder.embed(["slow"], "query"))
        while len(sizes) < 2:
            await asyncio.sleep(0.001)
        waiting = [asyncio.ensure_future(embedder.embed(["q" * at], "query")) for at in range(AT_ONCE + 3)]
        await asyncio.sleep(0.01)
        # Who gives up takes nothing from the others.
        waiting[1].cancel()
        going.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        assert [each[0, 0] for each in found if isinstance(each, np.ndarray)] == [0, *range(2, AT_ONCE + 3)]
        assert isinstance(found[1], asyncio.CancelledError)
        assert (await slow).shape == (1, DEFAULT.dimension)
        await embedder.aclose()

    asyncio.run(run())
    assert sizes == [1, 1, AT_ONCE, 3], "the first is the warm-up"


def test_a_model_whose_package_is_missing_says_what_to_install() -> None:
    packaged = replace(DEFAULT, module="no_such_package_of_tidelore")
    assert not packaged.installed
    assert DEFAULT.installed
    for _ in range(2):
        with pytest.raises(ModelRefused) as caught:
            asyncio.run(documents(LocalEmbedder(packaged), ["a"]))
        assert f'pip install "{DEFAULT.install}"' in caught.value.hint


def no_key(name: str) -> str:
    del name
    return ""


def test_the_settings_choose_the_embedder() -> None:
    found = embedding_model(EmbedderConfig(), no_key)
    assert isinstance(found, LocalEmbedder)
    assert found.model.name == vectors_name(EmbedderConfig()) == DEFAULT.name
    asyncio.run(found.aclose())
    assert embedding_model(EmbedderConfig(name="none"), no_key) is None
    served = embedding_model(EmbedderConfig("http://127.0.0.1:9/v1", "nomic-embed-text"), no_key)
    assert isinstance(served, HttpEmbedder)
    assert (served.model.scale, served.model.floor) == (9, 0.72)
    assert served._prefix == {"document": "search_document: ", "query": "search_query: "}
    weighed = embedding_model(EmbedderConfig("http://127.0.0.1:9/v1", "nomic-embed-text", scale=3.0, floor=0.1), no_key)
    assert isinstance(weighed, HttpEmbedder)
    assert (weighed.model.scale, weighed.model.floor) == (3.0, 0.1)


@pytest.mark.parametrize("config", [EmbedderConfig(name="nomic-embed-text"), EmbedderConfig("http://127.0.0.1:9/v1")])
def test_half_a_setting_is_refused(config: EmbedderConfig) -> None:
    with pytest.raises(BadInput, match="embedder"):
        embedding_model(config, no_key)


def test_the_page_and_the_sidecar_know_the_same_of_models() -> None:
    script = """
        const { KNOWN, UNKNOWN } = await import(process.argv[1]);
        console.log(JSON.stringify([...KNOWN.map(([pattern, figures]) => [pattern.source, figures]), ["", UNKNOWN]]));
    """
    path = (ROOT / "extension/remote/embedding_models.js").as_uri()
    said = subprocess.run(["node", "--input-type=module", "-e", script, path], capture_output=True, text=True, check=True).stdout
    page = [(pattern, {"passage": "", "query": "", **figures}) for pattern, figures in json.loads(said)]
    mine = [
        (pattern, {"scale": each.scale, "floor": each.floor, "passage": each.passage, "query": each.query})
        for pattern, each in (*KNOWN, ("", UNKNOWN))
    ]
    assert page == mine
    assert figures_of(DEFAULT.name).scale == 9
    assert figures_of("intfloat/Multilingual-E5-small").scale == 30
