"""What is known of other replicas: how far each had the records of each origin when it was last heard of. Kept in the settings, by
replica."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidelore.engine.ports import Batch, Record, Store

PREFIX = "replica "


@dataclass(frozen=True, slots=True)
class Peer:
    """`at`: when it was last heard of, in ms since 1970."""

    vector: Mapping[str, int]
    at: int

    def has(self, record: Record) -> bool:
        return self.vector.get(record.origin, 0) >= record.sequence


class Peers:
    """Those that were ever heard of, directly or by a mirror."""

    def __init__(self) -> None:
        self._known: dict[str, Peer] | None = None

    async def all(self, store: Store) -> Mapping[str, Peer]:
        if self._known is None:
            settings = await store.settings()
            self._known = {name.removeprefix(PREFIX): _peer(value) for name, value in settings.items() if name.startswith(PREFIX)}
        return self._known

    async def heard(self, store: Store, replica: str, vector: Mapping[str, int], at: int) -> None:
        """It has all this. Written only when that is more than was known."""
        known = dict(await self.all(store))
        before = known.get(replica, Peer({}, 0)).vector
        merged = {**before, **{origin: max(sequence, before.get(origin, 0)) for origin, sequence in vector.items()}}
        if replica in known and merged == before:
            return
        known[replica] = Peer(merged, at)
        await store.write(Batch(settings={PREFIX + replica: {"vector": merged, "at": at}}))
        self._known = known


def _peer(value: Mapping[str, Any]) -> Peer:
    return Peer({str(origin): int(sequence) for origin, sequence in value["vector"].items()}, int(value["at"]))
