"""Vectors on disk while no embedder is set up: they wait for the day when one is, but not longer than what they are of."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from tidelore.engine.errors import TideloreError
from tidelore.engine.ports import Purge
from tidelore.engine.service import Service
from tidelore.host.vector_files import chats_in, nodes_in, remove

_log = logging.getLogger("tidelore.embedding")


async def purged_nodes(service: Service) -> set[str]:
    """The memories that were forgotten for good, one by one, here or elsewhere. Raises StoreError."""
    purges = [record.body for record in await service.store.purges()]
    return {node for purge in purges if isinstance(purge, Purge) for node, _ in purge.nodes}


class UnusedVectors:
    """One for each store. `run` it in a task; `changed` tells it of writes."""

    def __init__(self, service: Service, path: Path) -> None:
        """`path`: the index file."""
        self._service = service
        self._path = path
        self._wake = asyncio.Event()
        self._wake.set()

    def changed(self) -> None:
        self._wake.set()

    async def run(self) -> None:
        """Until nothing is left, or it is cancelled."""
        while await asyncio.to_thread(chats_in, self._path):
            await self._wake.wait()
            self._wake.clear()
            try:
                await self.look()
            except (OSError, TideloreError) as error:
                _log.warning("Vectors of what was purged are still on disk: %s", error)

    async def look(self) -> None:
        """Which vectors are of a chat that is gone only the queue of their embedder can tell, so after the purge of any of them, or of one
        memory, all go: they can be made again. Raises StoreError, OSError."""
        records = await self._service.chats.records()
        gone = await asyncio.to_thread(chats_in, self._path) - {record.id for record in records}
        if gone or await asyncio.to_thread(nodes_in, self._path) & await purged_nodes(self._service):
            await asyncio.to_thread(remove, self._path)
