"""A replica that may crash before any write, on a store and a folder of its own kind, with a wall clock that may be days off."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from tests.engine.service_kit import Kit
from tests.engine.sync.kit import Folder
from tidelore.engine.errors import TideloreError
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.memory import MemoryStore
from tidelore.engine.model import Commit
from tidelore.engine.params import to_json
from tidelore.engine.pool import Pool
from tidelore.engine.ports import Batch, Burial, Purge, Purged
from tidelore.engine.service import Service
from tidelore.engine.sync.wire import record_out
from tidelore.engine.view import graph_view

POOL = "0f" * 16


class Crash(Exception):
    """The process is gone."""


class Fragile:
    """Counts down to a crash, just before a write."""

    def __init__(self) -> None:
        self.left = -1

    def step(self) -> None:
        self.left -= 1
        if self.left == -1:
            raise Crash

    def calm(self) -> None:
        self.left = -1


class CrashingStore(MemoryStore):
    def __init__(self, replica: str, fragile: Fragile) -> None:
        super().__init__(replica)
        self._fragile = fragile

    async def write(self, batch: Batch) -> None:
        self._fragile.step()
        await super().write(batch)

    async def purge(self, burial: Burial) -> Purged:
        self._fragile.step()
        return await super().purge(burial)

    async def rename(self, replica: str, origin: str = "", sequence: int = 0) -> None:
        self._fragile.step()
        await super().rename(replica, origin, sequence)


class CrashingFolder(Folder):
    """The one folder, as one replica sees it."""

    def __init__(self, shared: Folder, fragile: Fragile) -> None:
        super().__init__(lists=shared.lists)
        self._shared = shared
        self._fragile = fragile

    async def list(self) -> Mapping[str, int] | None:
        self.lists = self._shared.lists
        return await self._shared.list()

    async def read(self, name: str) -> bytes | None:
        return await self._shared.read(name)

    async def write(self, name: str, data: bytes) -> None:
        self._fragile.step()
        await self._shared.write(name, data)

    async def remove(self, name: str) -> None:
        self._fragile.step()
        await self._shared.remove(name)


class Replica(Kit):
    """`skew`: how far its wall clock is off, in ms."""

    def __init__(self, name: str, folder: Folder) -> None:
        self.fragile = Fragile()
        self.skew = 0
        self.ticks = count(1_700_000_000_000, 1000)
        self.folder = CrashingFolder(folder, self.fragile)
        super().__init__(name, store=CrashingStore(name, self.fragile))

    def restart(self) -> None:
        name = self._replica
        self.service = Service(self.store, lambda: next(self.ticks) + self.skew, lambda: f"{name}{next(self._tokens)}")
        self.service.files = self.folder
        # So that a few records make several files.
        self.service.sync.segment_bytes = 1500

    def attempt(self, work: Callable[[], Any]) -> Any:
        """What it gives; None where the process ended in the midst, or it was refused."""
        try:
            return work()
        except Crash:
            self.fragile.calm()
            self.restart()
        except TideloreError:
            pass
        return None

    def shape(self, chat: str) -> Any:
        async def read() -> Any:
            opened = await self.service.chats.open(chat)
            return _shape(opened.timeline, opened.graph)

        return self.run_sync(read())

    def scratch(self, chat: str) -> Any:
        """The same chat built at once from what is stored."""

        async def read() -> Any:
            opened = await self.service.chats.open(chat)
            rows = await self.store.pool(opened.record.pool, 0)
            pool = Pool()
            pool.purged.update(rows.purged)
            pool.add(rows.sources, sorted(rows.commits, key=lambda each: each.id))
            timeline, graph = Timeline(pool, opened.record.id, self.service.chats.named.ancestors(opened.record)), Graph()
            graph.change(timeline.load([(slot.entry, (at + 1) << 20) for at, slot in enumerate(opened.timeline.slots)]))
            return _shape(timeline, graph)

        return self.run_sync(read())

    def commits(self) -> list[Commit]:
        return list(self.run_sync(self.store.pool(POOL, 0)).commits)

    def purges(self) -> list[Purge]:
        found = [record.body for record in self.run_sync(self.store.purges())]
        return [each for each in found if isinstance(each, Purge)]

    def everything(self) -> str:
        """All that it would tell another, as text."""

        async def read() -> str:
            heads = await self.store.heads()
            records = [each for origin in heads for each in await self.store.log(origin, 0, 1 << 40)]
            return "\n".join(json.dumps(record_out(each), ensure_ascii=False) for each in records)

        return self.run_sync(read())


def _shape(timeline: Timeline, graph: Graph) -> Any:
    live = sorted((placement.commit.id, [timeline.index(slot) for slot in placement.slots]) for placement in timeline.placements())
    waiting = [(node, to_json(operation)) for node, _, operation in graph.waiting()]
    return {"live": live, "graph": to_json(graph_view(graph)), "waiting": waiting, "keys": timeline.keys}
