"""What a file of memories holds, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tidelore.engine.model import Commit, EdgeType, FieldValue, Kind, Source


@dataclass(frozen=True, slots=True)
class Node:
    """A memory. `key` names it inside the file, for edges. Entities and threads have a `name`, all others a `text`; `about` is the name of
    the entity that a fact is about.

    `id`: what the other program knows it by for ever, so that a later file may say it anew; "" where only its words tell. `record`: what
    that program kept beside it and no field here means, as canonical JSON; `changed`: when it was last changed there, ms since 1970, 0
    unknown. `floors`: the first and last index of the messages that it is from, in the chat as the other program saw it."""

    key: str
    kind: Kind
    sub: str
    name: str = ""
    text: str = ""
    about: str = ""
    fields: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue])
    id: str = ""
    record: str = ""
    changed: float = 0
    floors: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """`start` and `end` are keys of nodes. Two of one type, ends and label are one edge, whatever their fields."""

    type: EdgeType
    start: str
    end: str
    label: str = ""
    fields: Mapping[str, FieldValue] = field(default_factory=dict[str, FieldValue], compare=False)


@dataclass(frozen=True, slots=True)
class Bundle:
    """`left_out` counts what the file has and this cannot hold, by reason; `notes` are sentences for people. `read_to`: the index of the
    last reply that the other program had read, -1 unknown: where the chat has no reply there, its floors are not those of the file."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: Sequence[str] = ()
    read_to: int = -1


@dataclass(frozen=True, slots=True)
class Archive:
    """A whole chat with the pool it stands on. `messages` as chat.update takes them."""

    chat: str
    pool: str
    branch_of: str
    messages: Sequence[Mapping[str, Any]]
    sources: Sequence[Source]
    commits: Sequence[Commit]


Read: TypeAlias = Callable[[str], Bundle | Archive]


@dataclass(frozen=True, slots=True)
class Format:
    """`recognises` is quick and never raises; `read` raises BadInput with the place of the fault."""

    name: str
    recognises: Callable[[str], bool]
    read: Read
