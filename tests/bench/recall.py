"""`python -m tests.bench.recall`: the search alone, without an embedder's time, in chats of 10,000 and of 100,000 memories, each in a
process of its own: how long a recall takes, how long to take in one more message, and what the index costs. Times are processor time, so
other programs count little. Some minutes long."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

from tests.bench import figures
from tests.bench.world import RandomVectors, World
from tidelore.engine.memory import MemoryStore
from tidelore.engine.service import Service

SIZES = (10_000, 100_000)
QUESTIONS = 100
PAGE = 4096


def resident() -> float:
    """MB of this process. Linux only."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 1e6


async def measured(memories: int) -> None:
    world = World(memories // 2)
    numbers = count(1)
    store = MemoryStore()
    service = Service(store, lambda: next(numbers), lambda: f"t{next(numbers)}")
    raw = list(world.messages)
    await service.call("chat.update", {"chat": "c", "messages": raw})
    chat = await service.chats.open("c")
    commits = [world.commit(message, clock) for clock, message in enumerate(raw, 1)]
    async with service.chats.lock:
        await service.chats.commit(chat, commits)
    figures.head(f"{memories:,} memories")
    gc.collect()
    before, begin = resident(), process_time()
    chat.index.refresh()
    took = (process_time() - begin) * 1000
    gc.collect()
    figures.one("the index of all, for each message of two memories: ms", took / len(raw), "< 1")

    async def ask(query: str) -> float:
        at = process_time()
        await service.call("recall.run", {"chat": "c", "query": query})
        return (process_time() - at) * 1000

    questions = [f"{world.random.choice(world.people)} {world.sentence(8)}" for _ in range(QUESTIONS)]
    goal = "< 15 (p95 < 25)" if memories <= SIZES[0] else "< 60"
    figures.row("a recall by words and graph: ms", [await ask(each) for each in questions], goal)
    gc.collect()
    figures.one("what the index takes after these recalls: MB for 10,000 memories", (resident() - before) * SIZES[0] / memories, "< 60")
    service.vectors = RandomVectors(sorted(chat.index.documents))
    figures.row("the same with vectors, the question's own given: ms", [await ask(each) for each in questions], goal)
    await _one_more(world, service, raw)


async def _one_more(world: World, service: Service, raw: list[dict[str, Any]]) -> None:
    """One message after the other, each with its two memories."""
    chat = await service.chats.open("c")
    took: list[float] = []
    for number in range(20):
        raw.append(world.message(number))
        await service.call("chat.update", {"chat": "c", "messages": raw})
        commit = world.commit(raw[-1], len(raw))
        async with service.chats.lock:
            await service.chats.commit(chat, [commit])
        begin = process_time()
        chat.index.refresh()
        took.append((process_time() - begin) * 1000)
    figures.row("the index takes in one message more: ms", took)


def main() -> None:
    print(figures.machine(), flush=True)
    for size in SIZES:
        subprocess.run([sys.executable, "-m", "tests.bench.recall", str(size)], check=True)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        asyncio.run(measured(int(sys.argv[1])))
    else:
        main()
