"""One open memory for each profile, however many clients share it. Nothing else here opens a store."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tidelore.engine.ports import Complete
from tidelore.engine.service import METHODS, Call, Service
from tidelore.engine.table import Method
from tidelore.host.embedders import Embedder
from tidelore.host.embedding_queue import EmbeddingQueue
from tidelore.host.local_embedder import LocalEmbedder
from tidelore.host.open import open_service, token
from tidelore.host.profiles import Profiles
from tidelore.host.unused_vectors import UnusedVectors
from tidelore.host.vectors import MatrixVectors
from tidelore.serve.changes import Changes
from tidelore.serve.discover import discover
from tidelore.serve.faults import Refusal
from tidelore.serve.table import Bound

VECTORS = "vectors.json"
LOOK_SECONDS = 1.0
# Seconds after which a thread that works hands Python on to one that waits. The thread of the embedder asks for it after each product of a
# question's few rows: with Python's own 5 ms one question's vector takes 18 ms while another's recall is worked out, with this 5.
HANDED_ON = 0.0005
# One recall may read so many chats; a page has less memory, so the engine keeps fewer on its own.
KEPT_POOLS = 256
# These write receipts alone: nobody has to read a chat again for them.
QUIET_WRITES = frozenset({"recall.delivered"})
# These may bring nothing.
EXCHANGES = frozenset({"sync.push", "sync.mirror"})


@dataclass(frozen=True, slots=True)
class Models:
    """What is set up for all profiles; either may be absent."""

    complete: Complete | None = None
    embedder: Embedder | None = None


@dataclass(slots=True)
class Work:
    """What this process has to do: writes that run, sockets that are open. `closed`: no new call begins. `kept`: tasks whose caller has
    gone."""

    writes: int = 0
    sockets: int = 0
    closed: bool = False
    idle: asyncio.Event = field(default_factory=asyncio.Event)

    kept: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold a task, which the event loop does not, until it ends."""
        self.kept.add(task)
        task.add_done_callback(self.kept.discard)

    def begin(self) -> None:
        self.writes += 1
        self.idle.clear()

    def end(self) -> None:
        self.writes -= 1
        if not self.writes:
            self.idle.set()


@dataclass(frozen=True, slots=True)
class Room:
    """A profile's memory as the transports see it."""

    profile: str
    service: Service
    models: Models
    changes: Changes
    work: Work
    embedding: EmbeddingQueue | None = None

    def table(self, by: object = None, *, begun: bool = False) -> RoomTable:
        """The methods of the service; others hear of what is written. `by`: who calls, who need not hear of it. `begun`: the calls are
        part of work that `work` knows of, so they are still taken when no new ones are."""
        return RoomTable(self, by, begun=begun)


class RoomTable:
    """See `tidelore.serve.table.Table`."""

    def __init__(self, room: Room, by: object, *, begun: bool = False) -> None:
        self._room = room
        self._by = by
        self._begun = begun

    def find(self, name: str) -> Bound | None:
        method = METHODS.get(name)
        return Bound(method.params, lambda params, call: self._run(method, params, call), method.writes) if method else None

    def discover(self) -> dict[str, Any]:
        return discover()

    async def _run(self, method: Method, params: Any, call: Call) -> Any:
        room = self._room
        if room.work.closed and not self._begun:
            raise closing()
        if not method.writes:
            return await method.handler(room.service, params, call)
        room.work.begin()
        # A long one stops at its next step when the process is to end.
        given_up = call.cancelled
        call = replace(call, cancelled=lambda: given_up() or room.work.closed)
        result: Any = None
        try:
            result = await method.handler(room.service, params, call)
            return result
        finally:
            room.work.end()
            # A round that brought nothing: whoever hears of one makes another.
            idle = method.name in EXCHANGES and getattr(result, "new", 1) == 0
            if method.name not in QUIET_WRITES and not idle:
                # Also after a failure: a part may have been stored.
                purged = "purge" in method.name
                room.changes.happened(getattr(params, "chat", ""), getattr(params, "scope", ""), self._by, purged=purged)


def closing() -> Refusal:
    return Refusal(503, "closing", "The sidecar is shutting down.", "Try again when it runs again; nothing of this request was done.")


class Rooms:
    """Opens each profile once, at its first visit."""

    def __init__(self, profiles: Profiles, models: Models) -> None:
        self.profiles = profiles
        self.models = models
        self.work = Work()
        self.work.idle.set()
        self._open: dict[str, Room] = {}
        self._seen: dict[str, int] = {}
        self._lock = asyncio.Lock()
        self._stack = AsyncExitStack()

    async def enter(self, profile: str) -> Room:
        """Raises StoreError."""
        async with self._lock:
            if profile not in self._open:
                folder = self.profiles.folder(profile)
                vectors = MatrixVectors(self.models.embedder, folder / VECTORS) if self.models.embedder else None
                service = await self._stack.enter_async_context(open_service(folder, self.models.complete, vectors, embeds_later=True))
                service.chats.kept_pools = KEPT_POOLS
                service.chats.off_loop = asyncio.to_thread
                self._seen[profile] = await service.store.version()
                changes = Changes(token())
                if vectors is None:
                    await self._stack.enter_async_context(_unused(service, folder / VECTORS, changes))
                embedding = await self._stack.enter_async_context(_embedding(service, vectors, self.models.embedder, changes))
                self._open[profile] = Room(profile, service, self.models, changes, self.work, embedding)
            return self._open[profile]

    async def look_around(self) -> None:
        """Tells the clients of a room when another process has written to its store. Which chat it was, the store does not say."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for name, room in list(self._open.items()):
                version = await room.service.store.version()
                if self._seen[name] != version:
                    self._seen[name] = version
                    room.changes.happened()

    async def drain(self, seconds: float) -> bool:
        """No new calls; waits for the writes that run. False when some still do."""
        self.work.closed = True
        try:
            async with asyncio.timeout(seconds):
                await self.work.idle.wait()
        except TimeoutError:
            return False
        return True

    async def aclose(self) -> None:
        """Closes every store, after what is being written."""
        self._open.clear()
        await self._stack.aclose()


@asynccontextmanager
async def opened(profiles: Profiles, models: Models) -> AsyncIterator[Rooms]:
    rooms = Rooms(profiles, models)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(HANDED_ON)
    try:
        yield rooms
    finally:
        sys.setswitchinterval(usual)
        await rooms.aclose()


@asynccontextmanager
async def _embedding(
    service: Service, vectors: MatrixVectors | None, embedder: Embedder | None, changes: Changes
) -> AsyncIterator[EmbeddingQueue | None]:
    """Embeds in the background what is written, and at the end saves what is done."""
    if vectors is None:
        yield None
        return
    queue = EmbeddingQueue(service, vectors, embedder.warm_up if isinstance(embedder, LocalEmbedder) else lambda: None)
    silence = changes.listen(lambda change: queue.changed(change.chat, change.scope))
    task = asyncio.create_task(queue.run())
    try:
        yield queue
    finally:
        silence()
        task.cancel()
        await asyncio.wait([task])
        await vectors.save()
        if not task.cancelled():
            task.result()


@asynccontextmanager
async def _unused(service: Service, path: Path, changes: Changes) -> AsyncIterator[None]:
    unused = UnusedVectors(service, path)
    silence = changes.listen(lambda _: unused.changed())
    task = asyncio.create_task(unused.run())
    try:
        yield
    finally:
        silence()
        task.cancel()
        await asyncio.wait([task])
