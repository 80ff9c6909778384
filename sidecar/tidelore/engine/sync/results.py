"""Results of the methods on replicas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class SyncVectorView:
    """`replica`: the id of this store. `vector`: for each replica that wrote records, up to which number all of them are here; `chains`: a
    hash of those. `peer`: as it was asked for."""

    replica: str
    peer: str
    vector: dict[str, int]
    chains: dict[str, str]


@dataclass(frozen=True, slots=True)
class SyncPulled:
    """`records` that the one who asked lacks; they are for sync.push, as they are. `vector` and `chains` are those of this store,
    `before` says after which number and hash the records of each replica come. `more`: ask again. `trails`: hashes of a history that is
    another one than that of the one who asked."""

    replica: str
    vector: dict[str, int]
    chains: dict[str, str]
    records: list[dict[str, Any]]
    before: dict[str, list[Any]]
    more: bool
    trails: dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class SyncPushed:
    """`new` records were stored. `wanted`: of which replica the records from which number on have to come first. `refused`: why no more
    records of a replica can be taken. `forked`: ids under which two stores have written different things, as after a copy; both are
    kept."""

    replica: str
    vector: dict[str, int]
    chains: dict[str, str]
    new: int
    wanted: dict[str, int]
    refused: dict[str, str]
    forked: list[str]


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A round with a mirror, which has `size_bytes` now. `new` records were read. `missing` and `damaged` files are not used and were
    mended as far as this replica could; `behind`: records of which replicas are in such files alone. `held`: replicas whose files still
    hold words that were purged."""

    revision: int
    read_bytes: int
    written_bytes: int
    size_bytes: int
    new: int
    removed: int
    missing: list[str]
    damaged: list[str]
    behind: list[str]
    held: list[str]


@dataclass(frozen=True, slots=True)
class ReplicaInfo:
    """Another replica: how many records that are here it lacked when it was last heard of, at `at` (ms since 1970)."""

    replica: str
    at: int
    lacks: int


@dataclass(frozen=True, slots=True)
class PurgeInfo:
    """`at`: when, in ms since 1970. `waiting`: replicas that were not heard to have carried it out."""

    purge: str
    at: int
    waiting: list[str]


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """`records` of all replicas that are here. `purges`: the newest first, 100 at most."""

    replica: str
    records: int
    replicas: list[ReplicaInfo]
    purges: list[PurgeInfo]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of the words in one place: `done`: `count` of them are gone; `waiting`: they go when the next round is done, or when
    `replicas` are back; `outside`: the place is not Tidelore's, and `count` of them are still there."""

    place: Literal["store", "vectors", "ledger", "mirror", "replicas", "chat"]
    state: Literal["done", "waiting", "outside"]
    count: int
    replicas: list[str]


@dataclass(frozen=True, slots=True)
class PurgedChat:
    """How much is gone. `shared`: another chat uses the pool, so its sources and commits stay."""

    chat: str
    messages: int
    sources: int
    commits: int
    shared: bool
    purge: str
    receipts: list[Receipt]


@dataclass(frozen=True, slots=True)
class Going:
    """A memory that goes along."""

    node: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class PurgedNode:
    """`purge`: its id, empty for a preview. `messages`: indices of the messages whose words go; nothing is extracted from them again.
    `commits` that go. `going`: the other memories of the chat that go with it; what other messages support comes back with the next
    extraction. `receipts` are empty for a preview."""

    purge: str
    node: str
    text: str
    messages: list[int]
    commits: int
    going: list[Going]
    receipts: list[Receipt]
