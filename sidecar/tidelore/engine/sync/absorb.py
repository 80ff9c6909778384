"""Taking records in, for whoever has some: a push, or a file of a mirror."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidelore.engine.chats import ROUNDS
from tidelore.engine.errors import Conflict
from tidelore.engine.ports import Forgetting, Head
from tidelore.engine.sync.exchange import Intake, Taken

if TYPE_CHECKING:
    from tidelore.engine.service import Service


async def absorb(
    service: Service,
    peer: str,
    records: Sequence[Mapping[str, Any]],
    theirs: Mapping[str, Head],
    trails: Mapping[str, Mapping[int, str]],
    before: Mapping[str, Head] | None = None,
) -> Taken:
    """`peer` has sent these, of which those of an origin follow what `before` says of it, where that is known; what it says of itself
    is in `theirs` and `trails`, see Intake. What could be taken is stored, also when the rest raises StoreError or Conflict."""
    chats = service.chats
    async with chats.lock:
        await chats.catch_up()
        intake = Intake(chats, service.sync, peer)
        try:
            await intake.compare(theirs, trails)
            await _take(intake, service, records, before or {})
        finally:
            chats.reread()
            for purge in intake.taken.purges:
                service.attempts.pop(purge.pool, None)
        await chats.catch_up()
    await forget(service, intake.taken.nodes)
    return intake.taken


async def _take(intake: Intake, service: Service, records: Sequence[Mapping[str, Any]], before: Mapping[str, Head]) -> None:
    """Another process on the same store may take the same records in at the same time, from a mirror say."""
    for _ in range(ROUNDS - 1):
        try:
            await intake.take(records, before)
            return
        except Conflict:
            await service.chats.catch_up()
    await intake.take(records, before)


async def forget(service: Service, nodes: set[str]) -> bool:
    """Whether the vectors of these nodes are gone."""
    if not nodes or service.vectors is None:
        return True
    if not isinstance(service.vectors, Forgetting):
        return False
    await service.vectors.forget(nodes)
    return True
