"""A round with a mirror: read what others wrote, then write what the folder lacks. Cut off anywhere, it leaves files that can be read:
a manifest names only files that were written before it, and what it no longer names goes after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tidelore.engine.errors import BadInput, StoreError, Unusable
from tidelore.engine.ports import Batch, Files, Head, Record
from tidelore.engine.sync.mirror_read import NONE, Found, Reader
from tidelore.engine.sync.mirror_write import Writer
from tidelore.engine.sync.results import Mirrored
from tidelore.engine.sync.segments import (
    INDEX,
    Index,
    Manifest,
    Segment,
    index_in,
    index_out,
    manifest_name,
    number_of,
    prefix,
    replicas_in,
    safe_id,
)
from tidelore.engine.table import Call

if TYPE_CHECKING:
    from tidelore.engine.service import Service

SETTING = "mirror"
KEPT = 1000


class Counted:
    """Files, and how many bytes went in and out."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.read_bytes = self.written_bytes = self.removed = 0

    async def list(self) -> Mapping[str, int] | None:
        return await self._files.list()

    async def read(self, name: str) -> bytes | None:
        data = await self._files.read(name)
        self.read_bytes += len(data or b"")
        return data

    async def write(self, name: str, data: bytes) -> None:
        await self._files.write(name, data)
        self.written_bytes += len(data)

    async def remove(self, name: str) -> None:
        await self._files.remove(name)
        self.removed += 1


@dataclass(frozen=True, slots=True)
class Own:
    """What a replica remembers of its mirrors: its last revision and the number of its last segment, which only grow, whatever became of
    the files; hashes of segments with another history whose records it has written anew; and the files that it may have there."""

    revision: int = 0
    number: int = 0
    kept: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"revision": self.revision, "number": self.number, "kept": list(self.kept), "files": list(self.files)}


def own_from(value: Mapping[str, Any] | None) -> Own:
    if value is None:
        return Own()
    return Own(int(value["revision"]), int(value["number"]), tuple(map(str, value["kept"])), tuple(map(str, value["files"])))


@dataclass(slots=True)
class Round:
    """One round."""

    service: Service
    files: Counted
    call: Call
    sizes: Mapping[str, int] | None = None
    index: Index | None = None
    found: Found = field(default_factory=Found)
    old: Own = field(default_factory=Own)
    own: Own = field(default_factory=Own)

    async def run(self, *, check: bool, adopt: Collection[str]) -> Mirrored:
        """Raises StoreError, Conflict, Cancelled: then the round is to be done again."""
        store = self.service.store
        await self.service.chats.catch_up()
        self.old = own_from((await store.settings()).get(SETTING))
        kept = set(self.old.kept)
        reader = Reader(self.service, self.files, self.call, self.service.sync.fitting, kept)
        self.found = reader.found
        self.sizes = await self.files.list()
        self.index = await self._index()
        replicas = {*(self.index.replicas if self.index else ()), *replicas_in(self.sizes or ()), safe_id(await store.replica())}
        await reader.manifests(replicas, self.sizes)
        if not self.old.revision:
            # A replica that was never here misses nothing.
            self.found.bad.discard(manifest_name(safe_id(await store.replica())))
            self.found.missing.discard(manifest_name(safe_id(await store.replica())))
        await reader.take_in(check=check)
        for name in adopt:
            self._check_adopted(safe_id(name), await store.heads())
        self.own = replace(self.old, kept=tuple(sorted(kept))[:KEPT])
        purges = await store.purges()
        # The id may be another one than before: somebody else may have written under ours.
        manifest = await self._write(await store.replica(), purges, {safe_id(name) for name in adopt})
        await self._tidy(manifest, {safe_id(name) for name in adopt})
        await self._remember(replace(self.own, files=tuple(sorted(each.name for each in manifest.files))))
        return await self._report(manifest, purges, {safe_id(name) for name in adopt})

    async def _index(self) -> Index | None:
        try:
            return index_in(await self.files.read(INDEX))
        except Unusable:
            self.found.lost(INDEX, there=True)
            return None

    def _check_adopted(self, safe: str, heads: Mapping[str, Head]) -> None:
        manifest = self.found.manifests.get(safe)
        if manifest is None:
            raise BadInput(f"The mirror has no replica {safe!r}.", "sync.status names the replicas.")
        behind = any(span.last > heads.get(span.origin, NONE).sequence for each in manifest.files for span in each.spans)
        if behind or any(each.name in self.found.bad for each in manifest.files):
            raise BadInput(f"Not all records of {safe!r} could be read.", "Its files stay until they can be mended.")

    async def _remember(self, own: Own) -> None:
        self.own = own
        if own != self.old:
            await self.service.store.write(Batch(settings={SETTING: own.to_json()}))
            self.old = own

    async def _claim(self, name: str) -> None:
        number = max(self.own.number, number_of(name))
        await self._remember(replace(self.own, number=number, files=tuple(sorted({*self.own.files, name}))))

    async def _write(self, replica: str, purges: Sequence[Record], adopt: set[str]) -> Manifest:
        store, bad = self.service.store, self.found.bad
        heads = await store.heads()
        before = self.found.manifests.get(safe_id(replica))
        number = max(self.own.number, self._highest(replica, before))
        writer = Writer(store, self.files, replica, heads, number, self.service.sync.segment_bytes, self._claim)
        sealed, tail = await self._standing(before, writer, purges)
        covered: dict[str, list[tuple[int, int]]] = {}
        for safe, manifest in self.found.manifests.items():
            if safe not in adopt and safe != safe_id(replica):
                await self._cover(covered, [each for each in manifest.files if each.name not in bad])
        await self._cover(covered, [*sealed, *([tail] if tail is not None else [])])
        runs = writer.lacking(covered)
        if runs:
            # The tail and what is new make one.
            known = [(span.origin, span.first, span.last) for span in tail.spans] if tail is not None else []
            turn = 0 if before is None or before.tail is None else 1 - int(before.tail.name.endswith("1.gz"))
            try:
                await writer.pack(_merged([*known, *runs]), turn)
            except StoreError:
                # No manifest names them, so they would only fill the disk, again with each round.
                for each in writer.sealed:
                    with suppress(StoreError):
                        await self.files.remove(each.name)
                raise
            sealed, tail = [*sealed, *writer.sealed], writer.tail
        same = before is not None and (tuple(sealed), tail) == (before.segments, before.tail) and dict(before.vector) == dict(heads)
        if before is not None and same and before.revision >= self.own.revision:
            return before
        revision = max(self.own.revision, before.revision if before is not None else 0) + 1
        # First it is remembered, so that it grows also where the manifest is lost.
        await self._remember(replace(self.own, revision=revision))
        return await writer.manifest(sealed, tail, revision)

    def _highest(self, replica: str, before: Manifest | None) -> int:
        """No name is given twice, even where the manifest that named it is gone."""
        names = [name for name in self.sizes or () if name.startswith(prefix(replica))]
        return max(map(number_of, [*names, *(each.name for each in (before.segments if before else ()))]), default=0)

    async def _standing(self, before: Manifest | None, writer: Writer, purges: Sequence[Record]) -> tuple[list[Segment], Segment | None]:
        """Our files that can stay: whole, of our history, and without words that were purged since they were written."""
        if before is None:
            return [], None
        clean = all(before.vector.get(purge.origin, NONE).sequence >= purge.sequence for purge in purges)
        out: list[Segment] = []
        for segment in before.files:
            ours = await writer.store.chains([(span.origin, span.last) for span in segment.spans])
            fits = all(chain == span.chain for chain, span in zip(ours, segment.spans, strict=True))
            if segment.name not in self.found.bad and fits and (clean or await writer.cleaned(segment)):
                out.append(segment)
        tail = before.tail if before.tail in out else None
        return [each for each in out if each is not tail], tail

    async def _cover(self, covered: dict[str, list[tuple[int, int]]], segments: list[Segment]) -> None:
        """What these files hold of the history that is ours."""
        spans = [span for segment in segments for span in segment.spans]
        ours = await self.service.store.chains([(span.origin, span.last) for span in spans])
        for span, chain in zip(spans, ours, strict=True):
            if chain == span.chain:
                covered.setdefault(span.origin, []).append((span.first, span.last))

    async def _tidy(self, manifest: Manifest, adopt: set[str]) -> None:
        """Name this replica in the index, and remove files of ours that nothing names any more."""
        mine = safe_id(manifest.replica)
        known = {*(self.index.replicas if self.index else ()), *self.found.manifests, mine} - adopt
        if self.index is None or set(self.index.replicas) != known:
            try:
                await self.files.write(INDEX, index_out(Index((self.index.revision if self.index else 0) + 1, tuple(sorted(known)))))
            except Unusable:
                # Without it the round is as good where files are listed.
                self.found.lost(INDEX, there=True)
        named = {each.name for each in manifest.files}
        before = self.found.manifests.get(mine)
        ours = {each.name for each in before.files} if before is not None else set[str]()
        ours |= {
            name
            for name in (*self.own.files, *(self.sizes or ()))
            if name.startswith(prefix(manifest.replica)) and name != manifest_name(mine)
        }
        for name in sorted(ours - named):
            try:
                await self.files.remove(name)
            except Unusable:
                self.found.lost(name, there=True)
        for safe in sorted(adopt):
            for each in self.found.manifests[safe].files:
                await self.files.remove(each.name)
            await self.files.remove(manifest_name(safe))

    async def _report(self, manifest: Manifest, purges: Sequence[Record], adopt: set[str]) -> Mirrored:
        service, found = self.service, self.found
        others = [each for safe, each in found.manifests.items() if safe != safe_id(manifest.replica) and safe not in adopt]
        heads = await service.store.heads()
        for each in others:
            # What it had of another history than ours says nothing.
            shared = [(origin, head.sequence) for origin, head in each.vector.items() if head.sequence <= heads.get(origin, NONE).sequence]
            ours = await service.store.chains(shared)
            vector = {at[0]: at[1] for at, chain in zip(shared, ours, strict=True) if chain == each.vector[at[0]].chain}
            await service.sync.peers.heard(service.store, each.replica, vector, service.chats.now())
        held = [each.replica for each in others if any(each.vector.get(one.origin, NONE).sequence < one.sequence for one in purges)]
        return Mirrored(
            manifest.revision,
            self.files.read_bytes,
            self.files.written_bytes,
            sum(each.size for one in (manifest, *others) for each in one.files),
            found.new,
            self.files.removed,
            sorted(found.missing),
            sorted(found.bad - found.missing),
            sorted(found.behind),
            sorted(held),
        )


def _merged(runs: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Runs that touch are one, and each stands once."""
    out: list[tuple[str, int, int]] = []
    for origin, first, last in sorted(runs):
        if out and out[-1][0] == origin and first <= out[-1][2] + 1:
            out[-1] = (origin, out[-1][1], max(last, out[-1][2]))
        else:
            out.append((origin, first, last))
    return out
