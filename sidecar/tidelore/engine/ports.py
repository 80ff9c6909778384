"""What the engine asks of its host. Each port is narrow; a port that fails or is late degrades the answer, which then says so."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, Source

# No id holds it.
PARENTS_BETWEEN = ","


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A chat of the store. `name` is the caller's; `id` is made of pool and name and stays. `parent` is the id of the chat it branched
    from, or empty; when that one is purged, the ids that stood there as `parent` follow, with `PARENTS_BETWEEN` between."""

    id: str
    name: str
    pool: str
    parent: str
    clock: int


@dataclass(frozen=True, slots=True)
class PoolRows:
    """What a pool gained after a cursor. `cursor` goes into the next call."""

    sources: Sequence[Source]
    commits: Sequence[Commit]
    cursor: int


@dataclass(frozen=True, slots=True)
class ChatRows:
    """A stored chat: its revision, and entries with their orders, ascending."""

    revision: int
    rows: Sequence[tuple[Entry, int]]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What the engine did: `kind` (attempt, recall, delivery, import), which chat (id) and when (ms since 1970). `id` counts up."""

    kind: str
    chat: str
    at: int
    body: Mapping[str, Any]
    id: int = 0


@dataclass(frozen=True, slots=True)
class ChatWrite:
    """Slots of one chat that go and come. `revision` is the one they were worked out from."""

    chat: str
    revision: int
    orders_out: Sequence[int]
    rows_in: Sequence[tuple[Entry, int]]


@dataclass(frozen=True, slots=True)
class Batch:
    """One atomic write: all of it is stored or nothing."""

    pool: str = ""
    sources: Sequence[Source] = ()
    commits: Sequence[Commit] = ()
    new_chat: ChatRecord | None = None
    chat: ChatWrite | None = None
    ledger: Sequence[LedgerRow] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Purged:
    """How much a purge removed. `shared`: another chat uses the pool, so its sources and commits stay."""

    messages: int
    sources: int
    commits: int
    shared: bool


class Store(Protocol):
    """Append-only storage for sources, commits and ledger, and the chats as they stand. Errors are StoreError."""

    async def replica(self) -> str:
        """The id of this store, made at its first use."""
        ...

    async def version(self) -> int:
        """Another number whenever another writer has changed the store."""
        ...

    async def chats(self) -> Sequence[ChatRecord]: ...

    async def pool(self, pool: str, cursor: int) -> PoolRows: ...

    async def chat(self, chat: str) -> ChatRows: ...

    async def revisions(self) -> Mapping[str, int]:
        """The revision of each chat, by id."""
        ...

    async def sizes(self) -> Mapping[str, int]:
        """How many messages each chat (by id) has."""
        ...

    async def write(self, batch: Batch) -> None:
        """Raises Conflict when the chat's revision is another one by now; then nothing was stored."""
        ...

    async def purge(self, chat: str) -> Purged:
        """Remove a chat (id) for good, all of it or nothing: its record, slots and ledger rows; when no other chat uses its pool, also the
        pool's sources, commits and ledger rows (those whose `chat` is the pool). Where it stood last in the `parent` of another chat, its
        own `parent` is added there. A chat that is not there is nothing: all counts 0. Cursors go on: what is written to the pool later
        is new to whoever has read it before."""
        ...

    async def ledger(self, kind: str, chat: str, limit: int) -> Sequence[LedgerRow]:
        """The newest rows of a kind, newest first; `chat` "" means all."""
        ...

    async def settings(self) -> Mapping[str, Any]: ...


class Complete(Protocol):
    """The memory model."""

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        """The raw answer within `budget` seconds. Raises ModelError."""
        ...

    @property
    def name(self) -> str:
        """What to call the model in "made by"."""
        ...


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The embedding model: `scale` is the weight of its cosine in a score, `floor` the similarity that admits a card alone."""

    name: str
    dimension: int
    scale: float
    floor: float


class Vectors(Protocol):
    """Embeddings, which the engine never holds."""

    async def put(self, texts: Mapping[str, str]) -> None:
        """Embed the texts of nodes; a node with another text than before is embedded anew, one with the same text is skipped."""
        ...

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        """The k nearest nodes with their cosine, best first."""
        ...

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        """Cosines between these nodes."""
        ...

    def model(self) -> VectorModel: ...


class Now(Protocol):
    def __call__(self) -> int:
        """Milliseconds since 1970."""
        ...


class Token(Protocol):
    def __call__(self) -> str:
        """A random id of 128 bits as 32 hexadecimal digits."""
        ...
