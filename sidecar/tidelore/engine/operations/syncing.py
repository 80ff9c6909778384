"""Methods on replicas: exchanging records, mirrors, and purging for good. `tidelore/engine/sync/__init__.py` tells how they go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tidelore.engine import methods as m
from tidelore.engine.errors import BadInput
from tidelore.engine.ports import Head
from tidelore.engine.sync import params as p
from tidelore.engine.sync import results as r
from tidelore.engine.sync.absorb import absorb
from tidelore.engine.sync.exchange import claims, pull
from tidelore.engine.sync.mirror import Counted, Round
from tidelore.engine.table import Call, method, positive

if TYPE_CHECKING:
    from tidelore.engine.service import Service

PURGES_SHOWN = 100


@method("sync.vector", p.SyncVector, r.SyncVectorView)
async def sync_vector(service: Service, params: p.SyncVector, call: Call) -> r.SyncVectorView:
    """Which records are here. The answer is the question of the other replica's sync.pull."""
    del call
    heads = claims(service.sync, await service.store.heads(), params.peer)
    vector, chains = _heads_out(heads)
    return r.SyncVectorView(await service.store.replica(), params.peer, vector, chains)


@method("sync.pull", p.SyncPull, r.SyncPulled)
async def sync_pull(service: Service, params: p.SyncPull, call: Call) -> r.SyncPulled:
    """The records that the one who asks lacks. The answer is the question of its sync.push."""
    del call
    theirs = _heads_in(params.vector, params.chains)
    found = await pull(service.chats, theirs, positive(params.limit_bytes, "limit_bytes"))
    if params.replica:
        fitting = {origin: head.sequence for origin, head in theirs.items() if origin not in found.trails}
        await service.sync.peers.heard(service.store, params.replica, fitting, service.chats.now())
    mine = await service.store.replica()
    vector, chains = _heads_out(await service.store.heads())
    trails = {origin: {str(at): chain for at, chain in trail.items()} for origin, trail in found.trails.items()}
    # Who knows our id says next time from where on the histories differ.
    more = found.more or (bool(trails) and params.peer == mine)
    before: dict[str, list[Any]] = {origin: [head.sequence, head.chain] for origin, head in found.before.items()}
    return r.SyncPulled(mine, vector, chains, list(found.records), before, more, trails)


@method("sync.push", p.SyncPush, r.SyncPushed, writes=True)
async def sync_push(service: Service, params: p.SyncPush, call: Call) -> r.SyncPushed:
    """Take in records of other replicas: those that are known change nothing, and after a gap none of that replica is taken."""
    del call
    theirs = _heads_in(params.vector, params.chains)
    try:
        trails = {origin: {int(at): str(chain) for at, chain in trail.items()} for origin, trail in params.trails.items()}
        before = {origin: Head(int(sequence), str(chain)) for origin, (sequence, chain) in params.before.items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise BadInput("That is not what sync.pull answers.", "Pass on what it has answered, as it is.") from error
    taken = await absorb(service, params.replica, params.records, theirs, trails, before)
    if params.replica:
        fitting = {origin: head.sequence for origin, head in theirs.items() if origin not in taken.forked}
        await service.sync.peers.heard(service.store, params.replica, fitting, service.chats.now())
    vector, chains = _heads_out(await service.store.heads())
    mine = await service.store.replica()
    return r.SyncPushed(mine, vector, chains, taken.new, taken.wanted, taken.refused, sorted(taken.forked))


@method("sync.mirror", p.SyncMirror, r.Mirrored, writes=True)
async def sync_mirror(service: Service, params: p.SyncMirror, call: Call) -> r.Mirrored:
    """One round with the mirror: read what other replicas wrote, then write what it lacks. What is missing or damaged there deletes nothing
    here."""
    if service.files is None:
        raise BadInput("There is no mirror here.", "Name the folder: tidelore mirror --user-data DIR.")
    async with service.sync.mirroring:
        return await Round(service, Counted(service.files), call).run(check=params.check, adopt=params.adopt)


@method("sync.status", m.NoParams, r.SyncStatus)
async def sync_status(service: Service, params: m.NoParams, call: Call) -> r.SyncStatus:
    """How far other replicas are, as far as this one has heard of them, and whether they have carried out what was purged."""
    del params, call
    store = service.store
    heads = await store.heads()
    peers = await service.sync.peers.all(store)
    replicas = [
        r.ReplicaInfo(
            replica, peer.at, sum(max(0, head.sequence - peer.vector.get(origin, 0)) for origin, head in heads.items() if origin != replica)
        )
        for replica, peer in sorted(peers.items())
    ]
    purges = (await store.purges())[::-1][:PURGES_SHOWN]
    shown = [
        r.PurgeInfo(record.id, record.clock >> 16, sorted(name for name, peer in peers.items() if not peer.has(record)))
        for record in purges
    ]
    return r.SyncStatus(await store.replica(), sum(head.sequence for head in heads.values()), replicas, shown)


def _heads_out(heads: Mapping[str, Head]) -> tuple[dict[str, int], dict[str, str]]:
    return {origin: head.sequence for origin, head in heads.items()}, {origin: head.chain for origin, head in heads.items()}


def _heads_in(vector: Mapping[str, Any], chains: Mapping[str, Any]) -> dict[str, Head]:
    """Raises BadInput."""
    out: dict[str, Head] = {}
    for origin, sequence in vector.items():
        if type(sequence) is not int or sequence < 0:
            raise BadInput(f"{str(sequence)[:20]!r} is no number of a record.", "Pass on what sync.vector has answered, as it is.")
        out[origin] = Head(sequence, str(chains.get(origin, "")))
    return out
