"""`python -m tests.bench.sync`: two replicas over a sidecar's socket and over a mirror's folder, in milliseconds and in bytes: the first
time, without news, and with one commit more. `--commits 100000` shows what grows with the store."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.bench.figures import machine, one, resident
from tests.bench.world import World
from tests.sidecar.serve.kit import process
from tidelore.engine.keys import message_key
from tidelore.engine.model import Commit, Source
from tidelore.engine.ports import Batch, ChatRecord
from tidelore.engine.records import chat_id
from tidelore.engine.service import Service
from tidelore.engine.sync.wire import record_out
from tidelore.host.compaction import compact
from tidelore.host.mirror.files import FolderFiles
from tidelore.host.open import open_service
from tidelore.host.store import FILE, SqliteStore
from tidelore.serve.chunks import MARK, Joiner, split
from tidelore.serve.limits import USUAL

COMMITS, IN_A_CHAT = 5_000, 5_000
AT_ONCE = 2_000


@dataclass
class Wire:
    """A sidecar's socket that counts the bytes of its messages, uncompressed."""

    socket: ClientConnection
    out: int = 0
    into: int = 0
    _number: int = 0
    _joiner: Joiner = field(default_factory=lambda: Joiner(1 << 30))

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        text = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}, ensure_ascii=False)
        for frame in split(text, f"c{self._number}", USUAL.frame):
            self.out += len(frame.encode())
            await self.socket.send(frame)
        while True:
            answer = await self.socket.recv(decode=False)
            self.into += len(answer)
            message = json.loads(answer)
            if MARK in message:
                whole = self._joiner.feed(message[MARK])
                message = json.loads(whole) if whole is not None else {}
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def taken(self) -> int:
        """Bytes both ways since the last time."""
        out, self.out, self.into = self.out + self.into, 0, 0
        return out


@asynccontextmanager
async def wired(url: str, key: str) -> AsyncIterator[Wire]:
    async with connect(url.replace("http", "ws", 1) + "/ws", proxy=None, max_size=None, compression=None) as socket:
        wire = Wire(socket)
        await wire.call("hello", {"token": key})
        wire.taken()
        yield wire


async def fetch(to: Any, source: Any) -> int:
    """One direction, as extension/exchange.js has it."""
    peer, news = "", 0
    while True:
        found = await source("sync.pull", await to("sync.vector", {"peer": peer}))
        done = await to("sync.push", found)
        news += done["new"]
        if not found["more"]:
            return int(news)
        peer = found["replica"]


async def meet(service: Service, wire: Wire) -> int:
    return await fetch(service.call, wire.call) + await fetch(wire.call, service.call)


async def timed(name: str, work: Awaitable[Any], goal: str = "", beside: int = 0) -> Any:
    """`beside`: the process that works with this one. What takes long is told in processor time of both, too: others use the machine."""
    gc.collect()
    begin, used = perf_counter(), process_time() + processor(beside)
    found = await work
    took = perf_counter() - begin
    one(f"{name}, ms", took * 1000, goal)
    if took > 1:
        one("  processor time, ms", (process_time() + processor(beside) - used) * 1000)
    return found


def processor(pid: int) -> float:
    """Seconds of processor time that a process has had. Linux only."""
    if not pid:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def fill(folder: Path, commits: int) -> None:
    """Chats of 5,000 messages with a commit each, as a host would have written them."""
    store = SqliteStore(folder)
    clock = 0
    for number in range(0, commits, IN_A_CHAT):
        world = World(min(IN_A_CHAT, commits - number), seed=number)
        pool = f"{number:032x}"
        await store.write(Batch(pool, new_chat=ChatRecord(chat_id(pool, f"chat {number}"), f"chat {number}", pool, "", number + 1)))
        for at in range(0, len(world.messages), AT_ONCE):
            messages = world.messages[at : at + AT_ONCE]
            sources = [Source(message_key(each["role"], each["text"]), each["role"], each["text"]) for each in messages]
            made: list[Commit] = []
            for message in messages:
                clock += 1
                made.append(world.commit(message, clock << 16))
            await store.write(Batch(pool, sources, made, clock=clock << 16))
    store.close()


def size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))


def mb(name: str, count: float) -> None:
    one(f"{name}, MB", count / 1e6)


async def write_one(service: Service, text: str) -> int:
    """Characters that the record of it has."""
    await service.call("node.write", {"scope": "profile", "text": text})
    mine = await service.store.replica()
    last = (await service.store.heads())[mine].sequence
    return len(json.dumps(record_out((await service.store.log(mine, last - 1, 1))[0])))


async def over_the_socket(root: Path, goal: str) -> None:
    with process(root / "sidecar", env={"TIDELORE_EMBEDDER": "none"}) as (started, ready):
        async with open_service(root / "full") as service, wired(ready["url"], ready["key"]) as wire:
            news = await timed("socket: first sync", meet(service, wire), goal, started.pid)
            count = wire.taken()
            one("  records", news)
            mb("  bytes both ways", count)
            assert await timed("socket: a round without news", meet(service, wire)) == 0
            one("  bytes both ways", wire.taken())
            record = await write_one(service, "The lantern stands on the sill.")
            assert await timed("socket: a round with what was written since", meet(service, wire)) > 0
            one("  bytes both ways", wire.taken())
            one("  of that the last record", record)
            one("  memory of the sidecar, MB", resident(started.pid))


async def over_the_mirror(root: Path) -> None:
    folder = root / "mirror"
    async with open_service(root / "full") as service, open_service(root / "other") as other:
        service.files = other.files = FolderFiles(folder)
        round_ = await timed("mirror: first round, writing", service.call("sync.mirror", {}))
        mb("  bytes written", round_["written_bytes"])
        one("  files", len(list(folder.iterdir())))
        found = await timed("mirror: first round of another, reading", other.call("sync.mirror", {}))
        one("  records", found["new"])
        await service.call("sync.mirror", {})
        quiet = await timed("mirror: a round without news", service.call("sync.mirror", {}))
        one("  bytes read", quiet["read_bytes"])
        assert quiet["written_bytes"] == 0
        await write_one(service, "The lantern stands on the sill.")
        more = await timed("mirror: a round with one commit more", service.call("sync.mirror", {}))
        one("  bytes written", more["written_bytes"])
        got = await timed("mirror: another reads it", other.call("sync.mirror", {}))
        one("  bytes read", got["read_bytes"])
        assert got["new"] > 0
    async with open_service(root / "other") as other:
        other.files = FolderFiles(folder)
        await timed("mirror: first round of a process that was started anew", other.call("sync.mirror", {}))


async def the_store(root: Path) -> None:
    mb("store", size(root / "full", f"{FILE}*"))

    async def opening() -> None:
        async with open_service(root / "full") as service:
            await service.call("chat.list", {})

    await timed("opening the store and listing its chats", opening())
    async with open_service(root / "full") as service:
        first = (await service.call("chat.list", {}))["chats"][0]["chat"]
        await timed("opening one chat", service.call("stats", {"chat": first}))
        gone = await timed("purging that chat for good", service.call("chat.purge", {"chat": first}))
        one("  commits that went", gone["commits"])
        service.files = FolderFiles(root / "mirror")
        done = await timed("mirror: the round that removes it", service.call("sync.mirror", {}))
        mb("  bytes written", done["written_bytes"])

    async def vacuum() -> None:
        await asyncio.to_thread(compact, root / "full")

    await timed("compacting the store", vacuum())
    mb("store after it", size(root / "full", f"{FILE}*"))
    mb("mirror after it", size(root / "mirror", "*"))


async def main(commits: int, goal: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="tidelore-bench-") as folder:
        root = Path(folder)
        await fill(root / "full", commits)
        print(f"\nreplicas, {commits:,} commits")
        await over_the_socket(root, goal)
        await over_the_mirror(root)
        await the_store(root)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--commits", type=int, default=COMMITS)
    chosen = parser.parse_args().commits
    print(machine())
    asyncio.run(main(chosen, "< 5000" if chosen == COMMITS else ""))
