"""The second half of a round with a mirror: this replica's own files. Sealed segments never change; what has to leave one makes another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tidelore.engine.errors import StoreError
from tidelore.engine.ports import Files, Head, Record, Store
from tidelore.engine.sync.chain import link
from tidelore.engine.sync.segments import (
    Damaged,
    Manifest,
    Packer,
    Segment,
    Span,
    file_hash,
    lacking,
    manifest_name,
    manifest_out,
    safe_id,
    segment_name,
    tail_name,
    unpack,
)
from tidelore.engine.sync.wire import record_out

SEGMENT_TEXT = 8 << 20
"""A segment is sealed when its text has so many bytes, or when the file has `limit`."""

READ_AT_ONCE = 256 * 1024


@dataclass(slots=True)
class Writer:
    """`heads`: what is here; `number`: the highest of a sealed segment so far; `claim`: called with the name of a file before it is
    written, so that it is found again whatever comes in between."""

    store: Store
    files: Files
    replica: str
    heads: Mapping[str, Head]
    number: int
    limit: int
    claim: Callable[[str], Awaitable[None]]
    sealed: list[Segment] = field(default_factory=list[Segment])
    tail: Segment | None = None

    async def cleaned(self, segment: Segment) -> bool:
        """Whether none of the bodies in it was purged."""
        bodies = 0
        for span in segment.spans:
            async for record in self._records(span.origin, span.first, span.last):
                bodies += record.body is not None
        return bodies >= segment.bodies

    def lacking(self, covered: Mapping[str, Sequence[tuple[int, int]]]) -> list[tuple[str, int, int]]:
        """Runs of records that are in none of the files that `covered` was made of."""
        return [
            (origin, first, last)
            for origin, head in sorted(self.heads.items())
            for first, last in lacking(head.sequence, covered.get(origin, ()))
        ]

    async def pack(self, runs: Sequence[tuple[str, int, int]], turn: int) -> None:
        """Write these records: full segments, and what is left as the tail. `turn`: 0 or 1, the tail that does not stand now."""
        packer, spans = Packer(), list[Span]()
        for origin, first, last in runs:
            async for record in self._records(origin, first, last):
                packer.add(record_out(record))
                await self._extend(spans, record)
                if packer.text >= SEGMENT_TEXT or (packer.most >= self.limit and packer.size() >= self.limit):
                    self.number += 1
                    self.sealed.append(await self._write(segment_name(self.replica, self.number), packer, spans))
                    packer, spans = Packer(), []
        self.tail = await self._write(tail_name(self.replica, turn), packer, spans) if spans else None

    async def _extend(self, spans: list[Span], record: Record) -> None:
        last = spans[-1] if spans else None
        if last is not None and (last.origin, last.last + 1) == (record.origin, record.sequence):
            chain = link(last.chain, record.kind, record.pool, record.id)
            spans[-1] = Span(last.origin, last.first, record.sequence, last.before, chain)
            return
        before = (await self.store.chains([(record.origin, record.sequence - 1)]))[0]
        chain = link(before, record.kind, record.pool, record.id)
        spans.append(Span(record.origin, record.sequence, record.sequence, before, chain))

    async def _write(self, name: str, packer: Packer, spans: Sequence[Span]) -> Segment:
        data = packer.close()
        made = Segment(name, len(data), file_hash(data), packer.bodies, tuple(spans))
        try:
            # What nobody could read would pass for written.
            unpack(data, made)
        except Damaged as error:
            raise StoreError(f"The mirror's file {name} could not be packed.", "Nothing is lost; please report it.") from error
        await self.claim(name)
        await self.files.write(name, data)
        return made

    async def _records(self, origin: str, first: int, last: int) -> AsyncIterator[Record]:
        at = first
        while at <= last:
            found = await self.store.log(origin, at - 1, READ_AT_ONCE)
            for record in found:
                if record.sequence <= last:
                    yield record
            if not found:
                return
            at = found[-1].sequence + 1

    async def manifest(self, segments: Sequence[Segment], tail: Segment | None, revision: int) -> Manifest:
        made = Manifest(self.replica, revision, self.heads, tuple(segments), tail)
        await self.files.write(manifest_name(safe_id(self.replica)), manifest_out(made))
        return made
