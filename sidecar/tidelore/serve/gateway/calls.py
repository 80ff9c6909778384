"""Methods of the service, called from inside: parameters by name, the result as the service made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidelore.engine.params import parse
from tidelore.engine.service import Call
from tidelore.serve.rooms import Room


class Caller:
    """Calls for a request that the room's `work` knows of. `by`: who need not hear of what is written."""

    def __init__(self, room: Room, by: object) -> None:
        self._room = room
        self._table = room.table(by, begun=True)

    async def __call__(self, method: str, params: Mapping[str, Any]) -> Any:
        """Raises TideloreError."""
        found = self._table.find(method)
        assert found is not None
        return await found.run(parse(found.params, params), Call())
