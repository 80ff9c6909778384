"""`python -m tests.bench.mcp`: recall over MCP (streamable HTTP) on 10,000 memories, by one client and by sixteen, who ask different
questions or all the same one."""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import httpx

from tests.bench import figures
from tests.bench.world import World
from tests.sidecar.serve.kit import serving
from tidelore.engine.scopes import scope_chat

MEMORIES, CLIENTS, CALLS = 10_000, 16, 30
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def memories() -> list[dict[str, Any]]:
    """Facts about 120 people in a vocabulary of 6,000 words, the same at every run."""
    world = World(0)
    names = [world.random.choice(world.people) for _ in range(MEMORIES)]
    return [{"text": f"{name} {world.sentence(11)}", "about": name} for name in names]


def queries() -> list[str]:
    """A person and a few words of one memory each, as a question has; all are different, and there are enough for every call."""
    return [" ".join(each["text"].split()[:6]) for each in memories()[:: MEMORIES // 1000]]


async def rpc(http: httpx.AsyncClient, path: str, method: str, params: dict[str, Any]) -> Any:
    answer = await http.post(path, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    found = answer.raise_for_status().json()
    if "error" in found:
        raise RuntimeError(found["error"])
    return found["result"]


async def recall(http: httpx.AsyncClient, query: str) -> float:
    begin = perf_counter()
    found = await rpc(http, "/mcp", "tools/call", {"name": "recall", "arguments": {"query": query}})
    assert not found.get("isError"), found
    return (perf_counter() - begin) * 1000


def client(url: str, key: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}", **HEADERS}, trust_env=False, timeout=120.0)


def crowd(url: str, key: str, clients: int, same: bool) -> None:
    """Many clients in a process of their own. The questions of one client and of many are others, unless all are the same."""
    asked = queries()
    question: Callable[[int], str] = (lambda _: asked[0]) if same else asked.__getitem__

    async def ask(number: int) -> list[float]:
        async with client(url, key) as http:
            return [await recall(http, question((clients + number) * CALLS + at)) for at in range(CALLS)]

    async def run() -> None:
        begin = perf_counter()
        took = [each for row in await asyncio.gather(*map(ask, range(clients))) for each in row]
        seconds = perf_counter() - begin
        name = f"recall over MCP, {clients} at once, {'one question' if same else 'all questions different'}"
        figures.row(f"{name}: ms", took, "< 25" if clients == 1 else "")
        figures.one(f"{'':16} a second", len(took) / seconds, ">= 100" if clients > 1 else "")

    asyncio.run(run())


async def fill(url: str, key: str) -> None:
    async with client(url, key) as http:
        items = memories()
        for first in range(0, MEMORIES, 1000):
            await rpc(http, "/rpc", "nodes.write", {"scope": "profile", "items": items[first : first + 1000]})
        # All vectors, so that nothing is embedded meanwhile.
        await rpc(http, "/rpc", "embed.run", {"chat": scope_chat("profile")})
        figures.one("the first recall, which makes the index: ms", await recall(http, queries()[-1]))


def sidecar(folder: str, pipe: Any) -> None:
    """A process that serves until it is told to end; asked for it, it says how many seconds of processor time it took so far."""

    async def run() -> None:
        async with serving(Path(folder)) as server:
            pipe.send((server.url, server.key))
            while await asyncio.to_thread(pipe.recv) == "cpu":
                pipe.send(process_time())

    asyncio.run(run())


def taken(pipe: Any) -> float:
    pipe.send("cpu")
    return float(pipe.recv())


def main() -> None:
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    figures.head(f"{MEMORIES:,} memories")
    with tempfile.TemporaryDirectory() as folder:
        served = spawn.Process(target=sidecar, args=(folder, there))
        served.start()
        url, key = here.recv()
        try:
            asyncio.run(fill(url, key))
            for clients, same in ((1, False), (CLIENTS, False), (1, True), (CLIENTS, True)):
                process = spawn.Process(target=crowd, args=(url, key, clients, same))
                before = taken(here)
                process.start()
                process.join()
                figures.one(f"{'':16} ms of the sidecar's processor time", (taken(here) - before) * 1000 / clients / CALLS)
        finally:
            here.send("end")
            served.join()


if __name__ == "__main__":
    main()
