"""A purge over HTTP takes the vectors of what went off the disk, whether an embedder is set up or not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.model_server import Reply, Request
from tests.sidecar.model_server import serving as embedding
from tests.sidecar.serve.kit import SECONDS, Server, messages, serving
from tidelore.host.config import Config, EmbedderConfig
from tidelore.host.embedding_queue import BEGUN
from tidelore.host.open import open_service


def rows(request: Request) -> Reply:
    found = [{"index": at, "embedding": [float(len(text)), 1.0, 2.0]} for at, text in enumerate(request.body["input"])]
    return Reply(json.dumps({"data": found}))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():
            await asyncio.sleep(0.005)


def kept(data: Path) -> tuple[set[str], int]:
    """The nodes whose vectors the files hold, and how many chats all of whose vectors they hold."""
    try:
        index = json.loads((data / "vectors.json").read_text("utf-8"))
    except FileNotFoundError:
        return set(), 0
    return set(index["hashes"]), sum(state != BEGUN for state in index["chats"].values())


async def call(server: Server, method: str, **params: Any) -> Any:
    async with server.http() as http:
        answer = await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert "error" not in answer.json(), answer.text
        return answer.json()["result"]


async def two_chats(server: Server) -> None:
    for chat, text in (("first", "Ann told Berta about the harbour of Bergen"), ("second", "Cleo keeps bees on the roof")):
        await call(server, "chat.update", chat=chat, messages=messages(4, text))
        await call(server, "extract.run", chat=chat, lag=0)


@asynccontextmanager
async def with_vectors_on_disk(folder: Path, url: str, *, with_embedder: bool) -> AsyncIterator[Server]:
    """A sidecar on two chats whose vectors are kept; started anew with their embedder, or with none."""
    here = Config(embedder=EmbedderConfig(url, "e"))
    async with serving(folder, config=here) as server:
        await two_chats(server)
        await until(lambda: kept(folder)[1] == 2)
    async with serving(folder, config=here if with_embedder else Config(embedder=EmbedderConfig(name="none"))) as server:
        yield server


@pytest.mark.parametrize("with_embedder", [True, False])
def test_a_purge_takes_the_vectors_off_the_disk(tmp_path: Path, with_embedder: bool) -> None:
    async def run(url: str) -> None:
        async with with_vectors_on_disk(tmp_path, url, with_embedder=with_embedder) as server:
            held = {node["id"] for node in (await call(server, "graph.get", chat="first"))["nodes"]}
            gone = {node["id"] for node in (await call(server, "graph.get", chat="second"))["nodes"]} - held
            assert kept(tmp_path)[0] & held
            assert kept(tmp_path)[0] & gone
            await call(server, "chat.purge", chat="second")
            await until(lambda: kept(tmp_path)[1] == (1 if with_embedder else 0))
        after = kept(tmp_path)[0]
        assert not after & gone
        assert bool(after & held) == with_embedder
        assert len(list(tmp_path.glob("vectors*.npz"))) == (1 if with_embedder else 0)

    with embedding(rows) as server:
        asyncio.run(run(server.url))


@pytest.mark.parametrize("with_embedder", [True, False])
def test_a_memory_that_another_process_on_the_store_was_told_to_forget_leaves_no_vector(tmp_path: Path, with_embedder: bool) -> None:
    """As `tidelore mirror` is told by the files of another replica."""

    async def run(url: str) -> None:
        async with with_vectors_on_disk(tmp_path, url, with_embedder=with_embedder) as server:
            nodes = (await call(server, "graph.get", chat="second"))["nodes"]
            node = next(each["id"] for each in nodes if each["kind"] == "moment")
            assert node in kept(tmp_path)[0]
            async with open_service(tmp_path) as other:
                await other.call("node.purge", {"chat": "second", "node": node})
            await until(lambda: node not in kept(tmp_path)[0])
        assert bool(kept(tmp_path)[0]) == with_embedder

    with embedding(rows) as server:
        asyncio.run(run(server.url))
