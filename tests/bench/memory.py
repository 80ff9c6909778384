"""Largest resident size of a process that opens a chat of 10,000 nodes and 50,000 edges from disk, indexes it and recalls."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from tests.bench.world import World
from tidelore.engine.ports import Batch
from tidelore.engine.service import Service
from tidelore.host.store import SqliteStore


async def make(folder: Path) -> None:
    world = World(4900)
    store = SqliteStore(folder)
    numbers = count(1)
    service = Service(store, lambda: next(numbers), lambda: f"t{next(numbers)}")
    await service.call("chat.update", {"chat": "c", "messages": world.messages})
    pool = (await service.chats.open("c")).record.pool
    await store.write(Batch(pool, (), [world.commit(message, clock) for clock, message in enumerate(world.messages, 1)]))
    store.close()


async def use(folder: Path) -> None:
    store = SqliteStore(folder)
    numbers = count(1)
    service = Service(store, lambda: next(numbers), lambda: f"t{next(numbers)}")
    await service.call("recall.run", {"chat": "c", "query": "ba remi tolane"})
    store.close()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        asyncio.run({"make": make, "use": use}[sys.argv[1]](Path(sys.argv[2])))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(round(peak / 1024 / (1024 if sys.platform == "darwin" else 1)))
    else:
        with tempfile.TemporaryDirectory() as folder:
            for step in ("make", "use"):
                done = subprocess.run(
                    [sys.executable, "-m", "tests.bench.memory", step, folder], capture_output=True, text=True, check=True
                )
            print(done.stdout.strip())
