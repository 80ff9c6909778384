"""What the engine asks of its host. Each port is narrow; a port that fails or is late degrades the answer, which then says so."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, Source

# No id holds it.
PARENTS_BETWEEN = ","
# Later than every clock: what was buried until then never comes back.
FOREVER = 1 << 62


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A chat of the store. `name` is what callers here say; `id` is made of pool and the name at first and stays. `parent` is the id of
    the chat it branched from, or empty; when that one is purged, the ids that stood there as `parent` follow, with `PARENTS_BETWEEN`
    between."""

    id: str
    name: str
    pool: str
    parent: str
    clock: int
    title: str = ""

    @property
    def called(self) -> str:
        """Its name where it was made. `title` is that name where another chat has it here, else empty."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class PoolRows:
    """What a pool gained after a cursor. `cursor` goes into the next call. `purged`: all message keys of the pool whose words are gone
    for good. `burials`: another number whenever a purge has touched the pool, which is then read anew from the start. `floor`: what is
    written to the pool has to have a later clock."""

    sources: Sequence[Source]
    commits: Sequence[Commit]
    cursor: int
    purged: Sequence[str] = ()
    burials: int = 0
    floor: int = 0


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


RecordKind = Literal["source", "commit", "chat", "delivery", "purge"]
# Kinds of the ledger whose rows go to other replicas.
SHARED_LEDGER = frozenset({"delivery"})


@dataclass(frozen=True, slots=True)
class Purge:
    """Words that somebody wants gone, in one pool, by ids alone. `clock`: when it was said.

    `chats`, with their parents, and with `whole` all of the pool: gone as far as it is not later than `clock`, so that the chat may be
    remembered anew. `keys` of messages and ids of `commits`: gone for ever, whoever brings them. `nodes`, each with a clock: changes by
    hand to them are gone as far as they are not later than that."""

    id: str
    pool: str
    clock: int
    chats: tuple[tuple[str, str], ...] = ()
    whole: bool = False
    commits: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    nodes: tuple[tuple[str, int], ...] = ()

    @property
    def words(self) -> bool:
        """Whether more goes than chats."""
        return self.whole or bool(self.commits or self.keys or self.nodes)


@dataclass(frozen=True, slots=True)
class CommitText:
    """A commit as it is stored, unread: `content` is canonical JSON."""

    content: str
    clock: int
    replica: str
    maker: str


Body: TypeAlias = Source | Commit | CommitText | ChatRecord | LedgerRow | Purge


@dataclass(frozen=True, slots=True)
class Record:
    """What travels between replicas: number `sequence` (from 1) of those that `origin` wrote. `clock` is the one it came with; that of
    what is stored under the id may be smaller. `body` is None where a purge has removed it; a commit
    is read into one when it comes in, then `text` is its canonical JSON, and goes out as it is stored."""

    origin: str
    sequence: int
    kind: RecordKind
    pool: str
    id: str
    clock: int
    body: Body | None
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Head:
    """How far the records of an origin are here: the last sequence, and the chain up to it (sync/chain.py)."""

    sequence: int
    chain: str


@dataclass(frozen=True, slots=True)
class ChatWrite:
    """Slots of one chat that go and come. `revision` is the one they were worked out from."""

    chat: str
    revision: int
    orders_out: Sequence[int]
    rows_in: Sequence[tuple[Entry, int]]


@dataclass(frozen=True, slots=True)
class Batch:
    """One atomic write: all of it is stored or nothing. `clock` is that of the sources. What is new of sources, commits, chat and
    deliveries gets numbers of this store; `records` keep their own and come in the order of their sequences."""

    pool: str = ""
    sources: Sequence[Source] = ()
    commits: Sequence[Commit] = ()
    new_chat: ChatRecord | None = None
    chat: ChatWrite | None = None
    ledger: Sequence[LedgerRow] = ()
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    clock: int = 0
    records: Sequence[Record] = ()


@dataclass(frozen=True, slots=True)
class Burial:
    """A purge as it is carried out here. `dead`: ids of the commits that go with its keys and nodes; they were found by reading the pool
    up to `cursor`. `others`: ids of the pool's chats beside those it names. `then` is written in the same transaction, after it.
    `origin` and `sequence`: where the purge came from; without, it is this store's own."""

    purge: Purge
    dead: Sequence[str] = ()
    cursor: int = 0
    others: frozenset[str] = frozenset()
    then: Batch = Batch()
    origin: str = ""
    sequence: int = 0


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
        """Raises Conflict when the chat's revision is another one by now, or a record's sequence is not the next one of its origin; then
        nothing was stored. What a purge has buried is left out: of a record only its number is kept, of other parts nothing."""
        ...

    async def purge(self, burial: Burial) -> Purged:
        """Carry out a purge, all of it or nothing, and keep it as a record. Bodies go from every table, and what they stood in is
        overwritten; ids stay. With a chat go its record, slots and ledger rows; with a whole pool its sources, commits and ledger rows
        (those whose `chat` is the pool); with keys or commits the attempts of the pool. Where a chat stood last in the `parent` of
        another, its own `parent` is added there, also to one that comes later. Cursors go on: what is written to the pool later is
        new to whoever has read it before. Raises Conflict where `cursor` or `others` are no longer right, or the sequence is not the
        next one; then nothing was changed."""
        ...

    async def heads(self) -> Mapping[str, Head]:
        """How far each origin's records are here; origins without records are left out."""
        ...

    async def chains(self, asked: Sequence[tuple[str, int]]) -> Sequence[str]:
        """The chain of an origin up to a sequence, for each; "" for sequence 0 and where there is no such record."""
        ...

    async def log(self, origin: str, after: int, limit: int) -> Sequence[Record]:
        """The records of an origin after a sequence, in order: one at least where there is one, and no more once their texts have `limit`
        characters."""
        ...

    async def newest(self, pool: str) -> int:
        """The latest clock of all records of a pool, 0 where it has none. Reads all of the log."""
        ...

    async def purges(self) -> Sequence[Record]:
        """All purges, oldest first as they were carried out here."""
        ...

    async def rename(self, replica: str, origin: str = "", sequence: int = 0) -> None:
        """From now on this store writes under another replica id. With `origin`, its records from `sequence` on become records of the new
        id, numbered on: their place in the log of `origin` is free again."""
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


@runtime_checkable
class Forgetting(Protocol):
    """Vectors that can be told to forget; those that cannot are named in the receipt of a purge."""

    async def forget(self, nodes: Collection[str]) -> None:
        """Remove the vectors of these nodes for good, wherever they are kept; unknown ones are nothing."""
        ...


@runtime_checkable
class Lacking(Protocol):
    """Vectors that know when a search among some nodes cannot find all of them."""

    def lacking(self, nodes: Collection[str]) -> str:
        """A sentence that says why some of these nodes have no vector; "" where all have one, or will soon."""
        ...


class Files(Protocol):
    """The folder of a mirror: flat, names of [a-z0-9_-] with one dot. Errors are StoreError; then the round has failed and is done
    again. Unusable of one file: the round goes on without it."""

    async def list(self) -> Mapping[str, int] | None:
        """Sizes in bytes by name; None where the host cannot list."""
        ...

    async def read(self, name: str) -> bytes | None:
        """The whole file; None where there is none."""
        ...

    async def write(self, name: str, data: bytes) -> None:
        """The whole file at once, in place of what was there: whoever reads meanwhile gets the old or the new one, where the host can
        do so."""
        ...

    async def remove(self, name: str) -> None:
        """Nothing where there is none."""
        ...


class Now(Protocol):
    def __call__(self) -> int:
        """Milliseconds since 1970."""
        ...


class Token(Protocol):
    def __call__(self) -> str:
        """A random id of 128 bits as 32 hexadecimal digits."""
        ...
