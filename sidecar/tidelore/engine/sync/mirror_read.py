"""The first half of a round with a mirror: what others wrote. What is missing or damaged is named, never taken for empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tidelore.engine.errors import Cancelled, Unusable
from tidelore.engine.ports import Files, Head
from tidelore.engine.sync.absorb import absorb
from tidelore.engine.sync.chain import GENESIS, link
from tidelore.engine.sync.exchange import Fork
from tidelore.engine.sync.segments import Damaged, Manifest, Segment, Span, manifest_in, manifest_name, unpack
from tidelore.engine.table import Call

if TYPE_CHECKING:
    from tidelore.engine.service import Service

NONE = Head(0, GENESIS)
AT_ONCE = 500


@dataclass(slots=True)
class Found:
    """What a mirror holds, by replica as in file names. `bad`: names of files that cannot be used, of which `missing` are not there."""

    manifests: dict[str, Manifest] = field(default_factory=dict[str, Manifest])
    bad: set[str] = field(default_factory=set[str])
    missing: set[str] = field(default_factory=set[str])
    behind: set[str] = field(default_factory=set[str])
    new: int = 0

    def lost(self, name: str, *, there: bool) -> None:
        self.bad.add(name)
        if not there:
            self.missing.add(name)


class Reader:
    """Reads manifests, then the segments whose records are not here. `fitting` and `kept` are hashes of segments that need no second look:
    their records are in the history that is ours, or were written anew beside it."""

    def __init__(self, service: Service, files: Files, call: Call, fitting: set[str], kept: set[str]) -> None:
        self._service = service
        self._files = files
        self._call = call
        self._fitting = fitting
        self._kept = kept
        self._ends: set[tuple[str, int, str]] = set()
        self.found = Found()

    def _goes_on(self, span: Span) -> bool:
        """Whether it comes right after what was written anew of a history that is not ours."""
        return (span.origin, span.first - 1, span.before) in self._ends

    async def manifests(self, replicas: Iterable[str], sizes: Mapping[str, int] | None) -> None:
        """`replicas` as in file names; `sizes` of all files, where the host can list them."""
        for safe in sorted(replicas):
            await self._manifest(safe)
        if sizes is None:
            return
        for manifest in self.found.manifests.values():
            # A tail may have been written since the list was made.
            for segment in manifest.segments:
                if sizes.get(segment.name) != segment.size:
                    self.found.lost(segment.name, there=segment.name in sizes)

    async def _manifest(self, safe: str) -> Manifest | None:
        try:
            data = await self._files.read(manifest_name(safe))
            if data is None:
                self.found.lost(manifest_name(safe), there=False)
                return None
            manifest = self.found.manifests[safe] = manifest_in(data, safe)
        except (Damaged, Unusable):
            self.found.lost(manifest_name(safe), there=True)
            return None
        self.found.bad.discard(manifest_name(safe))
        return manifest

    async def take_in(self, *, check: bool) -> None:
        """Until nothing more can be taken: records of one origin may lie in the files of several replicas. Raises Cancelled between two
        files. `check`: read all files, also those whose records are here."""
        looked: set[str] = set()
        for manifest in self.found.manifests.values():
            self._ends |= {end for each in manifest.files if each.hash in self._kept for end in map(_end, each.spans)}
        progress = True
        while progress:
            progress = False
            heads = await self._service.store.heads()
            self.found.behind = set()
            for safe, segment in [(safe, each) for safe, manifest in self.found.manifests.items() for each in manifest.files]:
                if segment.name in self.found.bad:
                    continue
                wanted = await self._wanted(segment, heads)
                if wanted and not any(
                    span.first <= heads.get(span.origin, NONE).sequence + 1 or self._goes_on(span) for span in segment.spans
                ):
                    self.found.behind |= {span.origin for span in segment.spans}
                    wanted = False
                if not wanted and not (check and segment.hash not in looked):
                    continue
                if self._call.cancelled():
                    raise Cancelled("The round with the mirror was stopped.", "What was read is kept; the next round goes on from there.")
                looked.add(segment.hash)
                manifest = self.found.manifests[safe]
                records = await self._records(safe, segment)
                if records is not None and wanted:
                    new = self.found.new
                    await self._take(segment, records)
                    progress = progress or self.found.new > new
                    heads = await self._service.store.heads()
                progress = progress or self.found.manifests[safe] is not manifest
        for manifest in self.found.manifests.values():
            for segment in manifest.files:
                if segment.name in self.found.bad:
                    lost = [span.origin for span in segment.spans if span.last > heads.get(span.origin, NONE).sequence]
                    self.found.behind.update(lost)

    async def _wanted(self, segment: Segment, heads: Mapping[str, Head]) -> bool:
        """Whether it holds anything that is not here, or is of a history that is not ours."""
        if segment.hash in self._kept:
            return False
        if any(span.last > heads.get(span.origin, NONE).sequence for span in segment.spans):
            return True
        if segment.hash in self._fitting:
            return False
        ours = await self._service.store.chains([(span.origin, span.last) for span in segment.spans])
        if all(chain == span.chain for chain, span in zip(ours, segment.spans, strict=True)):
            self._fitting.add(segment.hash)
            return False
        return True

    async def _records(self, safe: str, segment: Segment) -> list[dict[str, Any]] | None:
        """None where the file is not what its manifest says. A tail that was written meanwhile is in the next manifest."""
        there = True
        try:
            data = await self._files.read(segment.name)
            there = data is not None
            if data is None:
                raise Damaged(segment.name)
            return unpack(data, segment)
        except (Damaged, Unusable):
            manifest = self.found.manifests[safe]
            if segment is manifest.tail:
                fresh = await self._manifest(safe)
                if fresh is not None and fresh.revision != manifest.revision:
                    return None
                self.found.manifests.setdefault(safe, manifest)
            self.found.lost(segment.name, there=there)
            return None

    async def _take(self, segment: Segment, records: list[dict[str, Any]]) -> None:
        service, peer = self._service, f"file {segment.hash}"
        store = service.store
        heads = await store.heads()
        at = 0
        plain: list[dict[str, Any]] = []
        apart: list[tuple[str, Fork, list[dict[str, Any]]]] = []
        late: set[str] = set()
        for span in segment.spans:
            own = heads.get(span.origin, NONE)
            run = records[at : at + span.last - span.first + 1]
            at += len(run)
            if span.first > own.sequence + 1 and not self._goes_on(span):
                late.add(span.origin)
                continue
            before = (await store.chains([(span.origin, span.first - 1)]))[0]
            if before != span.before:
                apart.append((span.origin, Fork(span.first - 1, span.before, parted=True), run))
            elif (span.first <= own.sequence and _chain_at(span, run, own.sequence) not in (own.chain, None)) or (
                span.last <= own.sequence and span.chain != (await store.chains([(span.origin, span.last)]))[0]
            ):
                apart.append((span.origin, Fork(span.first - 1, span.before), run))
            else:
                plain += run
        refused = await self._absorb(peer, plain)
        # What is of another history is written anew each time that it is read, so it is read once: with the whole file.
        for origin, fork, run in [] if late else apart:
            service.sync.forks[peer, origin] = fork
            try:
                refused |= await self._absorb(peer, run)
            finally:
                service.sync.forks.pop((peer, origin), None)
        self.found.behind |= refused | late
        if apart and not (refused or late):
            self._kept.add(segment.hash)
            self._ends |= {_end(span) for span in segment.spans}

    async def _absorb(self, peer: str, records: Sequence[Mapping[str, Any]]) -> set[str]:
        """The origins of which not all was taken."""
        refused: set[str] = set()
        # Whoever waits for the chats meanwhile, before a generation say, has a turn between two parts.
        for start in range(0, len(records), AT_ONCE):
            taken = await absorb(self._service, peer, records[start : start + AT_ONCE], {}, {})
            self.found.new += taken.new
            refused |= taken.refused.keys()
        return refused


def _end(span: Span) -> tuple[str, int, str]:
    return span.origin, span.last, span.chain


def _chain_at(span: Span, run: list[dict[str, Any]], sequence: int) -> str | None:
    """Their chain up to a sequence within the span; None where it does not reach that far."""
    chain = span.before
    for record in run:
        chain = link(chain, str(record.get("kind")), str(record.get("pool")), str(record.get("id")))
        if record["sequence"] == sequence:
            return chain
    return None
