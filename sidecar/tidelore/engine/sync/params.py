"""Parameters of the methods on replicas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SyncVector:
    """`peer`: the id of the replica that will be asked, where it is known."""

    peer: str = ""


@dataclass(frozen=True, slots=True)
class SyncPull:
    """What sync.vector of the other replica has answered. `limit_bytes`: about how many characters of records one answer may have."""

    vector: dict[str, Any]
    chains: dict[str, Any]
    replica: str = ""
    peer: str = ""
    limit_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class SyncPush:
    """What sync.pull of the other replica has answered, or `records` alone."""

    records: list[Any]
    replica: str = ""
    vector: dict[str, Any] = field(default_factory=dict[str, Any])
    chains: dict[str, Any] = field(default_factory=dict[str, Any])
    before: dict[str, Any] = field(default_factory=dict[str, Any])
    trails: dict[str, Any] = field(default_factory=dict[str, Any])
    more: bool = False


@dataclass(frozen=True, slots=True)
class SyncMirror:
    """`check`: read all of this replica's own files, too, and mend what does not read as it was written. `adopt`: ids of replicas that will
    not come back; their files are taken over, so that what was purged leaves them."""

    check: bool = False
    adopt: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class NodePurge:
    """`node`: an id, or a beginning of one that no other has. `dry`: only say what would go."""

    chat: str
    node: str
    dry: bool = False
