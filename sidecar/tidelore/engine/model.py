"""The values of the engine: messages, sources, operations, commits. Frozen dataclasses and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Role = Literal["user", "assistant"]
Kind = Literal["entity", "moment", "fact", "thread", "digest", "page"]
Scope = Literal["chat", "character", "persona", "profile"]
Author = Literal["rules", "model", "person", "tool", "import", "upkeep"]
EdgeType = Literal[
    "about",
    "part_of",
    "continues",
    "resolves",
    "supports",
    "echoes",
    "contrasts",
    "replaces",
    "doubt",
    "relates",
    "knows",
    "occurred_at",
    "involved_in",
]
Certainty = Literal["stated", "seen", "maybe"]

FieldValue: TypeAlias = str | int | float | bool | tuple[str, ...]
Fields: TypeAlias = Mapping[str, FieldValue]


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a chat as it stands on screen. Its position in the list is its index.

    `date` is ISO 8601 ("2023-05-08T13:56") or empty; it is no part of the key and decides no memory's identity.
    """

    role: Role
    text: str
    name: str = ""
    hidden: bool = False
    date: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The stored text of a message variant: line feeds, NFC, and secrets masked."""

    key: str
    role: Role
    text: str


# How an operation names a node. The fold turns each into a node id at the place where the commit is live.


@dataclass(frozen=True, slots=True)
class Named:
    """An entity or thread known by its name; its id is the hash of scope and folded name."""

    name: str
    kind: Literal["entity", "thread"] = "entity"
    scope: Scope = "chat"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whoever is on screen as the speaker of message number `message` (from 0) of the window."""

    message: int


@dataclass(frozen=True, slots=True)
class Evident:
    """A moment or fact known by the messages of the window (numbers from 0) that are its evidence, and its ordinal among those."""

    kind: Literal["moment", "fact"]
    messages: tuple[int, ...]
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Own:
    """A node of a windowless commit that rests on no message: known by a token drawn when it was written."""

    kind: Kind
    token: str
    scope: Scope = "chat"


@dataclass(frozen=True, slots=True)
class Known:
    """A node by its id. As the end of an edge it may be missing: the edge then waits for it."""

    id: str


Ref: TypeAlias = Named | Speaker | Evident | Own | Known


# What a windowed commit says of people in a field: a speaker is meant by position, and the fold puts in the name on screen.
Stated: TypeAlias = FieldValue | Speaker | tuple[str | Speaker, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Evidence: message number `message` (from 0) of the window, and the very words, or empty for the whole message."""

    message: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class EnsureNode:
    """States a node in full. Whoever comes later in fold order wins a field.

    `subject` (facts) is whom or what it is about: the fold adds the `about` edge, and facts of one subject and one
    `attribute` field form a line in which the latest is current.
    `certainty`: "stated" is always shown; "seen" (a name inside a sentence) once the name stands at two places; "maybe" (a
    capital at the start of a sentence) counts as a place only beside a "seen".
    """

    ref: Ref
    sub: str
    fields: Mapping[str, Stated] = field(default_factory=dict[str, Stated])
    evidence: tuple[Quote, ...] = ()
    subject: Ref | None = None
    certainty: Certainty = "stated"


@dataclass(frozen=True, slots=True)
class EnsureEdge:
    """States an edge in full. It shows while both its ends do."""

    type: EdgeType
    start: Ref
    end: Ref
    label: str = ""
    fields: Fields = field(default_factory=dict[str, FieldValue])


@dataclass(frozen=True, slots=True)
class Patch:
    """Changes one field of a node where it reads `expects` (None: where it is absent); else it waits. `value` None removes it."""

    node: str
    field: str
    expects: FieldValue | None
    value: FieldValue | None


@dataclass(frozen=True, slots=True)
class Retire:
    """Hides a node while its text reads `expects`; else it waits."""

    node: str
    expects: str


Operation: TypeAlias = EnsureNode | EnsureEdge | Patch | Retire


@dataclass(frozen=True, slots=True)
class Needs:
    """What upkeep rests on: message keys that must stand, windowless commits that must be live."""

    keys: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """An immutable list of operations. `id` is the hash of the content; clock, replica and maker ride along.

    Windowed (rules, model): `window` holds the keys of the messages it was made from. Windowless (all others): `nonce` is in
    the hash. `chat` and `anchor` belong to a person's commit; `needs` to upkeep's. Clocks are hybrid logical clocks, see clock.py.
    """

    id: str
    author: Author
    operations: tuple[Operation, ...]
    clock: int
    replica: str
    window: tuple[str, ...] = ()
    generation: int = 0
    nonce: str = ""
    chat: str = ""
    anchor: str = ""
    needs: Needs = Needs()
    undoes: str = ""
    maker: str = ""
