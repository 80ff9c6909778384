"""The files of a mirror: segments of records, a manifest for each replica, an index of replicas. Every file is checked when it is read."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, cast

from tidelore.engine.codec import MOST, canonical, digest
from tidelore.engine.ports import Head
from tidelore.engine.shallow import shallow
from tidelore.engine.sync.chain import link
from tidelore.engine.sync.wire import ORIGIN, is_text
from tidelore.engine.text.patterns import later

FORMAT = 1
INDEX = "tidelore-index.json"
GZIP = 31
"""As `wbits`: a gzip header, so that the files can be read with common tools."""

MOST_TEXT = 64 << 20
"""Bytes that a segment may have when it is unpacked: more is no segment of ours."""

_SAFE = later("[a-z0-9]{1,40}")
_SEGMENT = later("[0-9]{6,}|tail[0-9]")
_MANIFEST = later("tidelore-([a-z0-9]{1,40})-manifest[.]json")


@dataclass(frozen=True, slots=True)
class Span:
    """Records `first` to `last` of an origin, both in it; the chain `before` them, and with all of them."""

    origin: str
    first: int
    last: int
    before: str
    chain: str


@dataclass(frozen=True, slots=True)
class Segment:
    """`bodies`: how many of its records have one. `hash`: BLAKE2b of the file."""

    name: str
    size: int
    hash: str
    bodies: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a replica has in the mirror. `vector`: how far it had all records when it wrote this; what those purge is in none of its
    files."""

    replica: str
    revision: int
    vector: Mapping[str, Head]
    segments: tuple[Segment, ...]
    tail: Segment | None

    @property
    def files(self) -> tuple[Segment, ...]:
        return (*self.segments, *([self.tail] if self.tail is not None else []))


class Damaged(ValueError):
    """A file is not what was written."""


def safe_id(replica: str) -> str:
    """A replica in a file name."""
    return replica if _SAFE.fullmatch(replica) else digest("replica", replica)


def prefix(replica: str) -> str:
    return f"tidelore-{safe_id(replica)}-"


def manifest_name(safe: str) -> str:
    return f"tidelore-{safe}-manifest.json"


def segment_name(replica: str, number: int) -> str:
    return f"{prefix(replica)}{number:06d}.gz"


def tail_name(replica: str, turn: int) -> str:
    return f"{prefix(replica)}tail{turn}.gz"


def number_of(name: str) -> int:
    """That of a sealed segment, else 0."""
    middle = name.rpartition("-")[2].partition(".")[0]
    return int(middle) if middle.isdecimal() else 0


def replicas_in(names: Iterable[str]) -> set[str]:
    """The replicas, as they stand in file names, that have a manifest among these."""
    return {found[1] for found in map(_MANIFEST.fullmatch, names) if found is not None}


def file_hash(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


# ---- segments ----


class Packer:
    """Puts records into one file, and knows how large it would be."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(6, zlib.DEFLATED, GZIP)
        self._data = bytearray()
        self._loose = 0
        self.text = 0
        self.bodies = 0

    def add(self, record: Mapping[str, Any]) -> None:
        line = canonical(record).encode() + b"\n"
        self._data += self._packer.compress(line)
        self._loose += len(line)
        self.text += len(line)
        self.bodies += record["body"] is not None

    @property
    def most(self) -> int:
        """No more bytes than this, even if nothing of what was not written out yet can be packed."""
        return len(self._data) + self._loose

    def size(self) -> int:
        copy = self._packer.copy()
        self._loose = len(copy.flush())
        return len(self._data) + self._loose

    def close(self) -> bytes:
        return bytes(self._data + self._packer.flush())


def unpack(data: bytes, segment: Segment) -> list[dict[str, Any]]:
    """The records of a segment, which are those that its manifest names, one after the other. Raises Damaged."""
    if len(data) != segment.size or file_hash(data) != segment.hash:
        raise Damaged(segment.name)
    try:
        unpacker = zlib.decompressobj(GZIP)
        text = unpacker.decompress(data, MOST_TEXT)
        if not unpacker.eof:
            raise Damaged(segment.name)
        # At line feeds alone: a text may hold other characters that end a line somewhere.
        if text.count(b"\n") != sum(span.last - span.first + 1 for span in segment.spans) or not text.endswith(b"\n"):
            raise Damaged(segment.name)
        return _walked(text[:-1].split(b"\n"), segment)
    except (zlib.error, ValueError, RecursionError) as error:
        raise Damaged(segment.name) from error


def _walked(lines: Sequence[bytes], segment: Segment) -> list[dict[str, Any]]:
    """Stops at the first line that is not what it has to be."""
    records: list[dict[str, Any]] = []
    for span in segment.spans:
        chain = span.before
        for sequence in range(span.first, span.last + 1):
            record = json.loads(shallow(lines[len(records)].decode()))
            if not isinstance(record, dict):
                raise Damaged(segment.name)
            records.append(cast(dict[str, Any], record))
            if record.get("origin") != span.origin or type(record.get("sequence")) is not int or record["sequence"] != sequence:
                raise Damaged(segment.name)
            chain = link(chain, str(record.get("kind")), str(record.get("pool")), str(record.get("id")))
        if chain != span.chain:
            raise Damaged(segment.name)
    return records


# ---- manifests ----


def manifest_out(manifest: Manifest) -> bytes:
    """`meta` comes first, so that whoever reads only the beginning knows whose it is and how new."""
    rest = {
        "vector": {origin: [head.sequence, head.chain] for origin, head in manifest.vector.items()},
        "segments": [_segment_out(each) for each in manifest.segments],
        "tail": None if manifest.tail is None else _segment_out(manifest.tail),
    }
    meta = {"format": FORMAT, "replica": manifest.replica, "revision": manifest.revision, "hash": _hash(rest)}
    return json.dumps({"meta": meta, **rest}, separators=(",", ":")).encode()


def _segment_out(segment: Segment) -> dict[str, Any]:
    spans = [[span.origin, span.first, span.last, span.before, span.chain] for span in segment.spans]
    return {"name": segment.name, "size": segment.size, "hash": segment.hash, "bodies": segment.bodies, "spans": spans}


def _hash(value: object) -> str:
    return file_hash(canonical(value).encode())


def manifest_in(data: bytes, safe: str) -> Manifest:
    """The manifest of the replica that is called so in file names. Raises Damaged."""
    try:
        raw = json.loads(shallow(data.decode()))
        meta = raw.pop("meta")
        if meta["format"] != FORMAT or meta["hash"] != _hash(raw) or safe_id(str(meta["replica"])) != safe:
            raise Damaged(manifest_name(safe))
        vector = {_origin(origin): Head(_number(sequence), _word(chain)) for origin, (sequence, chain) in raw["vector"].items()}
        segments = tuple(_segment_in(each, safe) for each in raw["segments"])
        tail = None if raw["tail"] is None else _segment_in(raw["tail"], safe)
        return Manifest(_word(meta["replica"]), _number(meta["revision"]), vector, segments, tail)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError, RecursionError) as error:
        raise Damaged(manifest_name(safe)) from error


def _segment_in(raw: Mapping[str, Any], safe: str) -> Segment:
    """Its name is one that its replica gives."""
    name = _word(raw["name"])
    before, after = f"tidelore-{safe}-", ".gz"
    if not (name.startswith(before) and name.endswith(after) and _SEGMENT.fullmatch(name[len(before) : -len(after)])):
        raise ValueError(name)
    return Segment(name, _number(raw["size"]), _word(raw["hash"]), _number(raw["bodies"]), tuple(map(_span_in, raw["spans"])))


def _span_in(raw: Sequence[Any]) -> Span:
    origin, first, last, before, chain = raw
    if not 1 <= _number(first) <= _number(last):
        raise ValueError("no span")
    return Span(_origin(origin), first, last, _word(before), _word(chain))


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError("no number")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str) or not is_text(value):
        raise ValueError("no text")
    return value


def _origin(value: object) -> str:
    if not ORIGIN.fullmatch(_word(value)):
        raise ValueError("no origin")
    return _word(value)


# ---- the index ----


@dataclass(frozen=True, slots=True)
class Index:
    """`replicas`, as they stand in file names. Whoever finds itself missing writes it anew, so that one write that was lost to another
    comes again."""

    revision: int
    replicas: tuple[str, ...]


def index_out(index: Index) -> bytes:
    meta = {"format": FORMAT, "revision": index.revision}
    return json.dumps({"meta": meta, "replicas": sorted(index.replicas)}, separators=(",", ":")).encode()


def index_in(data: bytes | None) -> Index | None:
    """None where it is not there or not what was written: it is made anew of what else is known."""
    try:
        raw = json.loads(shallow((data or b"").decode()))
        replicas = tuple(str(each) for each in raw["replicas"] if _SAFE.fullmatch(each))
        return Index(_number(raw["meta"]["revision"]), replicas)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


# ---- spans ----


def lacking(head: int, covered: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The runs of 1 to `head` that are in none of `covered`, as pairs of first and last."""
    out: list[tuple[int, int]] = []
    at = 1
    for first, last in sorted(covered):
        if first > head:
            break
        if first > at:
            out.append((at, first - 1))
        at = max(at, last + 1)
    if at <= head:
        out.append((at, head))
    return out
