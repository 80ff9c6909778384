"""`make bench`: the figures of speed and size, in one run, with a memory-free reference loop beside them for the machine's pace."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

from tests.bench.figures import pace, row
from tests.bench.world import RandomVectors, World
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.keys import Door
from tidelore.engine.memory import MemoryStore
from tidelore.engine.model import Message
from tidelore.engine.ports import Batch
from tidelore.engine.service import Service
from tidelore.engine.view import graph_view

MESSAGES = 4900


def timed(work: Callable[[], Any], times: int) -> list[float]:
    out = []
    for _ in range(times):
        begin = perf_counter()
        work()
        out.append((perf_counter() - begin) * 1000)
    return out


def in_own_process() -> str:
    """Largest resident size, MB, of a process that holds such a chat."""
    return subprocess.run([sys.executable, "-m", "tests.bench.memory"], capture_output=True, text=True, check=True).stdout.strip()


async def main() -> None:
    world = World(MESSAGES)
    commits = [world.commit(message, clock) for clock, message in enumerate(world.messages, 1)]
    store = MemoryStore()
    ticks = iter(range(1, 1 << 60))
    service = Service(store, lambda: next(ticks), lambda: f"t{next(ticks)}")
    raw = list(world.messages)
    await service.call("chat.update", {"chat": "c", "messages": raw})
    chat = await service.chats.open("c")
    await store.write(Batch(chat.record.pool, (), commits))
    chat.pool.add((), commits)

    print(f"{'milliseconds':58} {'median':>9} {'p95':>9}   goal (median)")
    slots = [(slot.entry, slot.order) for slot in chat.timeline.slots]

    def cold() -> None:
        timeline = Timeline(chat.pool, chat.record.id)
        Graph().change(timeline.load(slots))

    row(f"cold fold of {len(commits)} commits", timed(cold, 5), "< 1000")

    service = Service(store, lambda: next(ticks), lambda: f"t{next(ticks)}")
    await service.call("chat.update", {"chat": "c", "messages": raw})
    chat = await service.chats.open("c")
    view = graph_view(chat.graph)
    print(f"  graph: {len(view.nodes)} nodes, {len(view.edges)} edges, {len(raw)} messages")
    documents = [node.id for node in view.nodes if node.kind in ("moment", "fact")]
    del view

    queries = [f"{world.random.choice(world.people)} {world.sentence(8)}" for _ in range(60)]
    first = timed(lambda: chat.index.refresh(), 1)
    row("first index of all memories", first, "")
    gc.collect()
    plain, dense = [], []
    for query in queries:
        begin = perf_counter()
        await service.call("recall.run", {"chat": "c", "query": query})
        plain.append((perf_counter() - begin) * 1000)
    row("recall, words and graph", plain, "")
    service.vectors = RandomVectors(documents)
    for query in queries:
        begin = perf_counter()
        await service.call("recall.run", {"chat": "c", "query": query})
        dense.append((perf_counter() - begin) * 1000)
    row(f"recall with {len(documents)} vectors of 384", dense, "< 25")

    after = []
    swipes, edits = [], []
    for number in range(30):
        fresh = world.message(1)
        extra = world.commit(fresh, 10_000 + number)
        chat.pool.add_source(Door.source(extra.window[0], Message("assistant", fresh["text"])))
        chat.pool.add_commit(extra)
        changed = [*raw[:-1], fresh]
        begin = perf_counter()
        await service.call("chat.update", {"chat": "c", "messages": changed})
        swipes.append((perf_counter() - begin) * 1000)
        begin = perf_counter()
        await service.call("recall.run", {"chat": "c", "query": queries[number]})
        after.append((perf_counter() - begin) * 1000)
    row("swipe: chat.update, one message's commit out, one in", swipes, "< 3")
    row("recall right after a swipe (index brought up to date)", after, "")
    for number in range(30):
        at = 100 + number * 20
        changed = [*raw[:at], {**raw[at], "text": f"{raw[at]['text']} edited {number}"}, *raw[at + 1 :]]
        begin = perf_counter()
        await service.call("chat.update", {"chat": "c", "messages": changed})
        edits.append((perf_counter() - begin) * 1000)
    row(f"edit of an old message with {len(commits)} commits", edits, "< 20")

    await service.call("chat.update", {"chat": "c", "messages": raw})
    adding = []
    for number in range(100):
        fresh = world.message(number)
        raw.append(fresh)
        await service.call("chat.update", {"chat": "c", "messages": raw})
        extra = world.commit(fresh, 20_000 + number)
        begin = perf_counter()
        async with service.chats.lock:
            await service.chats.commit(chat, [extra])
        adding.append((perf_counter() - begin) * 1000)
    row("adding one commit", adding, "< 2")
    print(f"  memory of a process that opens this chat from disk and recalls: {in_own_process()} MB   goal < 200")
    print(f"  pace of this machine: {pace():.0f} ms for a million steps of a plain loop")


if __name__ == "__main__":
    asyncio.run(main())
