"""Replicas on stores in memory, a network that can be told to lose, and a folder that can be broken."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.engine.service_kit import Kit
from tidelore.engine.errors import StoreError, Unusable
from tidelore.engine.ports import Files


def over_the_wire(value: Any) -> Any:
    """As JavaScript passes it on: numbers beyond its own would be changed here."""
    return json.loads(json.dumps(_as_javascript(value)))


def _as_javascript(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return int(float(value))
    if isinstance(value, Mapping):
        return {name: _as_javascript(item) for name, item in value.items()}
    return [_as_javascript(item) for item in value] if isinstance(value, list) else value


def memory_file(person: str, observations: Sequence[str], place: str, sort: str, relation: str) -> str:
    """A person, a place and how they hang together, as the MCP memory server writes them."""
    lines = (
        {"type": "entity", "name": person, "entityType": "person", "observations": [*observations]},
        {"type": "entity", "name": place, "entityType": sort, "observations": []},
        {"type": "relation", "from": person, "to": place, "relationType": relation},
    )
    return "\n".join(map(json.dumps, lines))


def fetch(to: Kit, source: Kit, limit: int = 1_000_000) -> int:
    """All that `source` has goes to `to`; how many records were new."""
    new: int = 0
    peer = source.call("sync.vector")["replica"]
    while True:
        found = source.call("sync.pull", **over_the_wire(to.call("sync.vector", peer=peer)), limit_bytes=limit)
        done = to.call("sync.push", **over_the_wire(found))
        new += int(done["new"])
        assert not done["refused"]
        if not found["more"]:
            return new


def meet(one: Kit, other: Kit) -> int:
    return fetch(one, other) + fetch(other, one)


class Folder(Files):
    """Files in memory. `down`: nothing can be read or written. `broken`: names under which no file can be read or written."""

    def __init__(self, *, lists: bool = True) -> None:
        self.files: dict[str, bytes] = {}
        self.lists = lists
        self.down = False
        self.broken: set[str] = set()
        self.writes = 0

    async def list(self) -> Mapping[str, int] | None:
        self._check()
        return {name: len(data) for name, data in self.files.items()} if self.lists else None

    async def read(self, name: str) -> bytes | None:
        self._check(name)
        return self.files.get(name)

    async def write(self, name: str, data: bytes) -> None:
        self._check(name)
        self.writes += 1
        self.files[name] = data

    async def remove(self, name: str) -> None:
        self._check(name)
        self.files.pop(name, None)

    def _check(self, name: str = "") -> None:
        if name in self.broken:
            raise Unusable("That is no file.", "Move it away.")
        if self.down:
            raise StoreError("The folder is not there.", "Try again later.")

    def text(self) -> str:
        """All that is in it, unpacked."""
        import zlib

        return "\n".join(
            (zlib.decompress(data, 31) if name.endswith(".gz") else data).decode() for name, data in sorted(self.files.items())
        )


def mirror(kit: Kit, folder: Folder, **more: Any) -> Any:
    kit.service.files = folder
    return kit.call("sync.mirror", **more)


def records_of(kit: Kit) -> set[tuple[str, str]]:
    """Kind and id of every record in a store."""

    async def found() -> set[tuple[str, str]]:
        heads = await kit.store.heads()
        return {(each.kind, each.id) for origin in heads for each in await kit.store.log(origin, 0, 1 << 40)}

    return kit.run_sync(found())
