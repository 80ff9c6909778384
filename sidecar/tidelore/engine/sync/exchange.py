"""Pull and push: what one replica lacks of another's records, and taking it in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tidelore.engine.bulk import in_bulk
from tidelore.engine.chats import Chats
from tidelore.engine.errors import BadInput
from tidelore.engine.ports import Batch, Head, Purge, Record
from tidelore.engine.sync.carry import carry_out
from tidelore.engine.sync.chain import GENESIS, link
from tidelore.engine.sync.peers import Peers
from tidelore.engine.sync.wire import place, record_in, record_out

# Of the sequences of a history that does not fit, so many are named to find where it parts.
SAMPLES = 64
AT_ONCE = 2000
SEGMENT_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Fork:
    """Another history of an origin than ours, as a peer has it: how far it was read, the chain of theirs up to there, and whether it has
    parted from ours already and ours stays."""

    sequence: int
    chain: str
    parted: bool = False


@dataclass(slots=True)
class SyncState:
    """What a service remembers between calls; all of it may be lost. `forks` by peer and origin; `fitting`: hashes of files of a mirror
    whose records are in our history; one round with a mirror at a time, which seals
    its files at `segment_bytes`."""

    peers: Peers = field(default_factory=Peers)
    forks: dict[tuple[str, str], Fork] = field(default_factory=dict[tuple[str, str], Fork])
    fitting: set[str] = field(default_factory=set[str])
    mirroring: asyncio.Lock = field(default_factory=asyncio.Lock)
    segment_bytes: int = SEGMENT_BYTES


@dataclass(frozen=True, slots=True)
class Pulled:
    """`before`: what of each origin comes right before the first of its records here."""

    records: Sequence[dict[str, Any]]
    before: Mapping[str, Head]
    more: bool
    trails: Mapping[str, Mapping[int, str]]


@dataclass(slots=True)
class Taken:
    """`new` records were stored; `wanted`: which sequence has to come next, of origins with a gap; `refused`: why no more of an origin
    can be taken; `purges` that were carried out; `nodes` whose vectors have to go."""

    new: int = 0
    wanted: dict[str, int] = field(default_factory=dict[str, int])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    forked: set[str] = field(default_factory=set[str])
    purges: list[Purge] = field(default_factory=list[Purge])
    nodes: set[str] = field(default_factory=set[str])


def claims(state: SyncState, heads: Mapping[str, Head], peer: str) -> dict[str, Head]:
    """What to say to a peer that is here: where its history of an origin is another one, how far that was read."""
    out = dict(heads)
    for (other, origin), fork in state.forks.items():
        if other == peer:
            out[origin] = Head(fork.sequence, fork.chain)
    return out


async def pull(chats: Chats, has: Mapping[str, Head], limit: int) -> Pulled:
    """The records that somebody who has so much lacks, by origin in order of their sequences, until they have `limit` characters."""
    store = chats.store
    heads = await store.heads()
    shared = [origin for origin, head in heads.items() if 0 < has.get(origin, Head(0, GENESIS)).sequence <= head.sequence]
    chains = dict(zip(shared, await store.chains([(origin, has[origin].sequence) for origin in shared]), strict=True))
    records: list[dict[str, Any]] = []
    before: dict[str, Head] = {}
    trails: dict[str, Mapping[int, str]] = {}
    size = 0
    for origin in sorted(heads):
        known = has.get(origin, Head(0, GENESIS))
        if origin in chains and chains[origin] != known.chain:
            trails[origin] = await _trail(chats, origin, known.sequence)
        elif known.sequence < heads[origin].sequence:
            if size >= limit:
                return Pulled(records, before, True, trails)
            before[origin] = known
            found = await store.log(origin, known.sequence, limit - size)
            sent = list(map(record_out, found))
            records += sent
            size += sum(len(each["body"] or "") for each in sent)
            if found and found[-1].sequence < heads[origin].sequence:
                return Pulled(records, before, True, trails)
    return Pulled(records, before, False, trails)


async def _trail(chats: Chats, origin: str, end: int) -> dict[int, str]:
    """Our chain at some sequences up to `end`, close together towards it."""
    steps = {end - (1 << power) for power in range(end.bit_length())} | {end * part // SAMPLES for part in range(1, SAMPLES)}
    at = sorted(sequence for sequence in steps if 0 < sequence < end)
    return dict(zip(at, await chats.store.chains([(origin, sequence) for sequence in at]), strict=True))


class Intake:
    """Takes records in, in the order in which they come. Call with the lock of the chats held."""

    def __init__(self, chats: Chats, state: SyncState, peer: str) -> None:
        self._chats = chats
        self._state = state
        self._peer = peer
        self._waiting: list[Record] = []
        self._heads: dict[str, Head] = {}
        self.taken = Taken()

    async def compare(self, theirs: Mapping[str, Head], trails: Mapping[str, Mapping[int, str]]) -> None:
        """Notice histories that do not fit ours: `theirs` is how far the peer has each origin, `trails` its chain at some sequences."""
        store, forks = self._chats.store, self._state.forks
        heads = await store.heads()
        for origin, trail in trails.items():
            at = sorted(trail)
            ours = await store.chains([(origin, sequence) for sequence in at])
            equal = [sequence for sequence, chain in zip(at, ours, strict=True) if chain == trail[sequence]]
            last = max(equal, default=0)
            forks[self._peer, origin] = Fork(last, trail.get(last, GENESIS))
            self.taken.forked.add(origin)
        behind = [
            (origin, head.sequence)
            for origin, head in theirs.items()
            if origin in heads and head.sequence <= heads[origin].sequence and (self._peer, origin) not in forks
        ]
        for (origin, sequence), chain in zip(behind, await store.chains(behind), strict=True):
            if chain != theirs[origin].chain:
                # It is asked where, since it has seen nothing wrong: it has no more than we.
                forks[self._peer, origin] = Fork(sequence, chain)
                self.taken.forked.add(origin)
        for (peer, origin), fork in list(forks.items()):
            if peer == self._peer and fork.parted and theirs.get(origin) == heads.get(origin):
                del forks[peer, origin]  # they have taken ours over

    async def take(self, raw: Sequence[Mapping[str, object]], before: Mapping[str, Head]) -> None:
        """`before`: what of an origin comes right before the first record, as whoever sent them has it. Raises Conflict where another
        process writes to the store meanwhile: to be called again, what was taken is known then."""
        self._waiting, self.taken.wanted = [], {}
        self._heads = dict(await self._chats.store.heads())
        # Another process that has the store open may have renamed it.
        self._chats.replica = await self._chats.store.replica()
        with in_bulk():
            await self._take(raw, dict(before))
        await self.flush()

    async def _take(self, raw: Sequence[Mapping[str, object]], walked: dict[str, Head]) -> None:
        for each in raw:
            origin, sequence = place(each)
            last = walked.get(origin)
            chain = last.chain if last is not None and last.sequence == sequence - 1 else None
            if chain is not None:
                walked[origin] = Head(sequence, link(chain, str(each.get("kind")), str(each.get("pool")), str(each.get("id"))))
            if origin in self.taken.refused or origin in self.taken.wanted:
                continue
            fork = self._state.forks.get((self._peer, origin))
            if fork is None and sequence <= self._head(origin).sequence:
                continue
            if fork is None and sequence > self._head(origin).sequence + 1:
                self.taken.wanted[origin] = self._head(origin).sequence + 1
                continue
            if fork is None and chain not in (None, self._head(origin).chain):
                # They are of another history, and came late. The next answer says where it parts from ours.
                self.taken.forked.add(origin)
                self.taken.wanted[origin] = sequence
                continue
            try:
                record = record_in(each)
            except BadInput as error:
                self.taken.refused[origin] = f"{error.sentence} {error.hint}".strip()
                continue
            if origin == self._chats.replica:
                await self._rename()
            if fork is None:
                await self._add(record)
            else:
                await self._compare(record, fork)

    def _head(self, origin: str) -> Head:
        return self._heads.get(origin, Head(0, GENESIS))

    async def _add(self, record: Record) -> None:
        """The next one of its origin."""
        head = self._head(record.origin)
        chain = link(head.chain, record.kind, record.pool, record.id)
        if isinstance(record.body, Purge):
            await self.flush()
            done = await carry_out(self._chats, record.body, record.origin, record.sequence)
            self.taken.purges.append(record.body)
            self.taken.nodes |= done
            self.taken.new += 1
            # Following it up may have added records of our own.
            self._heads = dict(await self._chats.store.heads())
        else:
            self._waiting.append(record)
        self._heads[record.origin] = Head(record.sequence, chain)
        if len(self._waiting) >= AT_ONCE:
            await self.flush()

    async def flush(self) -> None:
        if self._waiting:
            records, self._waiting = self._waiting, []
            await self._chats.store.write(Batch(records=records))
            self.taken.new += len(records)

    async def _rename(self) -> None:
        """Somebody else has records under our id: this store was copied, or came back from a backup. What it writes from now on goes under
        another one."""
        await self.flush()
        self._chats.replica = self._chats.token()[:16]
        self._state.fitting.clear()
        await self._chats.store.rename(self._chats.replica)

    async def _compare(self, record: Record, fork: Fork) -> None:
        """One record of a history that is not ours everywhere. Of the first two records that differ the one with the smaller id keeps the
        place, so that all replicas agree; what stood there and after it is written anew under the id of whoever has it."""
        origin, sequence = record.origin, record.sequence
        if sequence != fork.sequence + 1:
            return
        await self.flush()
        store, forks = self._chats.store, self._state.forks
        chain = link(fork.chain, record.kind, record.pool, record.id)
        at = (self._peer, origin)
        # How far they were read is noted after what that leads to is stored: a write that failed is done again.
        if fork.parted:
            await self._keep(record)
            forks[at] = Fork(sequence, chain, parted=True)
        elif self._head(origin).sequence < sequence:
            del forks[at]
            await self._add(record)
        elif (await store.chains([(origin, sequence)]))[0] == chain:
            forks[at] = Fork(sequence, chain)
        else:
            ours = (await store.log(origin, sequence - 1, 1))[0]
            if (record.kind, record.pool, record.id) < (ours.kind, ours.pool, ours.id):
                self._state.fitting.clear()
                await store.rename(self._chats.replica, origin, sequence)
                self._heads = dict(await store.heads())
                del forks[at]
                await self._add(record)
            else:
                await self._keep(record)
                forks[at] = Fork(sequence, chain, parted=True)

    async def _keep(self, record: Record) -> None:
        """Nothing of what they wrote is lost: it becomes a record of ours."""
        if record.body is None:
            return
        ours = self._chats.replica
        await self._add(replace(record, origin=ours, sequence=self._head(ours).sequence + 1))
        await self.flush()
