from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.sidecar.model_server import Reply, Request, failed, in_turn, serving
from tidelore.engine.errors import ModelAnswer, ModelError, ModelRefused, ModelUnreachable
from tidelore.engine.ports import VectorModel
from tidelore.host.embedders import HttpEmbedder, TextKind


def embed(url: str, texts: list[str], *, kind: Any = "document", **options: Any) -> tuple[list[list[float]], VectorModel]:
    async def run() -> tuple[list[list[float]], VectorModel]:
        async def no_sleep(seconds: float) -> None:
            del seconds

        embedder = HttpEmbedder(url, "nomic", scale=7.0, floor=0.4, sleep=no_sleep, **options)
        found = await embedder.embed(texts, kind)
        await embedder.aclose()
        rows: list[list[float]] = found.tolist()
        return rows, embedder.model

    return asyncio.run(run())


def openai(request: Request) -> Reply:
    rows = [{"index": at, "embedding": [float(len(text)), 1.0]} for at, text in enumerate(request.body["input"])]
    return Reply(json.dumps({"data": rows[::-1]}))


def ollama(request: Request) -> Reply:
    return Reply(json.dumps({"embeddings": [[float(len(text)), 1.0] for text in request.body["input"]]}))


def test_an_openai_embedder_keeps_the_order_of_the_texts() -> None:
    with serving(openai) as server:
        rows, model = embed(server.url, ["a", "bb", "ccc"], key="sk-1234")
        assert [(request.path, request.body) for request in server.requests] == [
            ("/v1/embeddings", {"model": "nomic", "input": ["a", "bb", "ccc"]})
        ]
        assert server.requests[0].headers["Authorization"] == "Bearer sk-1234"
    assert rows == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]
    assert model == VectorModel("nomic", 2, 7.0, 0.4)


@pytest.mark.parametrize("end", ["/api", "/api/", "/api/embed"])
def test_an_ollama_address_is_known_by_its_path(end: str) -> None:
    with serving(ollama) as server:
        rows, _ = embed(server.url.removesuffix("/v1") + end, ["a", "bb"])
        assert [request.path for request in server.requests] == ["/api/embed"]
    assert rows == [[1.0, 1.0], [2.0, 1.0]]


def test_an_ollama_address_is_known_by_its_port() -> None:
    assert HttpEmbedder("http://127.0.0.1:11434", "m", scale=1, floor=0)._endpoint.address == "http://127.0.0.1:11434/api/embed"
    assert HttpEmbedder("http://127.0.0.1:11434/v1", "m", scale=1, floor=0)._endpoint.address == "http://127.0.0.1:11434/v1/embeddings"


def test_a_model_that_wants_words_before_its_texts_gets_them() -> None:
    prefix = {"query": "search_query: ", "document": "search_document: "}
    with serving(openai) as server:
        embed(server.url, ["bees"], kind="query", prefix=prefix)
        embed(server.url, ["bees"], prefix=prefix)
        assert [request.body["input"] for request in server.requests] == [["search_query: bees"], ["search_document: bees"]]


def test_no_texts_are_no_request() -> None:
    with serving(openai) as server:
        assert embed(server.url, [])[0] == []
        assert server.requests == []


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"data": []}',
        '{"data": [{"embedding": [1.0, 2.0]}]}',
        '{"data": [{"embedding": [1.0, 2.0]}, {"embedding": [1.0]}]}',
        '{"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}',
        '{"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]}',
        '{"data": [{"embedding": []}, {"embedding": []}]}',
        '{"data": [1, 2]}',
        '{"data": "none"}',
    ],
)
def test_an_answer_without_a_vector_for_each_text_is_refused(body: str) -> None:
    with serving(in_turn(Reply(body))) as server, pytest.raises(ModelAnswer, match="one vector for each text"):
        embed(server.url, ["a", "b"])


@pytest.mark.parametrize(("status", "kind"), [(500, ModelUnreachable), (404, ModelRefused)])
def test_an_embedder_has_the_tries_of_a_model(status: int, kind: type[ModelError]) -> None:
    with serving(in_turn(failed(status))) as server:
        with pytest.raises(kind):
            embed(server.url, ["a"])
        assert len(server.requests) == (4 if kind is ModelUnreachable else 1)


@pytest.mark.parametrize("kind", ["document", "query"])
def test_documents_wait_as_long_as_the_service_says_and_a_query_holds_up_no_reply(kind: TextKind) -> None:
    slept: list[float] = []

    async def run(url: str) -> int:
        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        embedder = HttpEmbedder(url, "nomic", scale=7.0, floor=0.4, sleep=sleep)
        try:
            return len(await embedder.embed(["a"], kind))
        finally:
            await embedder.aclose()

    with serving(in_turn(failed(429, "slow down", Retry_After="7"), openai)) as server:
        if kind == "document":
            assert asyncio.run(run(server.url)) == 1
        else:
            with pytest.raises(ModelUnreachable, match="slow down"):
                asyncio.run(run(server.url))
    assert slept == ([7.0] if kind == "document" else [])
