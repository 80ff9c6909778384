"""Results of the methods that look after memories, as callers see them. Those of all others are in results.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tidelore.engine.results import MessageView
from tidelore.engine.results_changes import FieldChange


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A memory in a list. `first` and `last`: index of the messages that it rests on, null where it rests on none. `importance` is null
    where none is given. `changed`: ms since 1970. `author`: who said the newest of it. `speaker` and `date` are those of the first of its
    messages, as the host tells them; empty where it rests on none, or where they are not told."""

    id: str
    kind: str
    sub: str
    scope: str
    text: str
    state: str
    pinned: bool
    private: bool
    importance: float | None
    first: int | None
    last: int | None
    edges: int
    evidence: int
    author: str
    changed: int
    speaker: str
    date: str


@dataclass(frozen=True, slots=True)
class NodeRows:
    """`total` counts all that match; `next` is the `offset` of the next page, null at the end."""

    nodes: list[NodeRow]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class Merged:
    """`merged`: the ids of those that went into `node`. `commit` can be undone, which brings all of them back."""

    commit: str
    node: str
    text: str
    merged: list[str]


@dataclass(frozen=True, slots=True)
class SplitUp:
    """`nodes`: the new memories. `commit` can be undone."""

    commit: str
    node: str
    text: str
    nodes: list[str]


@dataclass(frozen=True, slots=True)
class Version:
    """One contribution to a memory. `change`: stated, or one of the changes that undo.list names. `fields`: what it says. `window`: index
    of its messages that stand, empty for what rests on none. `live`: whether it counts now; `why_not`: undone, waiting, "not on screen"
    or "replaced" (another extraction of the same messages counts)."""

    commit: str
    author: str
    maker: str
    at: int
    change: str
    text: str
    fields: dict[str, Any]
    window: list[int]
    live: bool
    why_not: str


@dataclass(frozen=True, slots=True)
class NodeHistory:
    """`versions`: oldest first, in the order in which they count; those that do not count come where their clock puts them."""

    node: str
    kind: str
    text: str
    state: str
    versions: list[Version]


@dataclass(frozen=True, slots=True)
class LastRecall:
    """`taken`: whether it went into the prompt, `reason` why or why not, `block`: core or recalled. `at`: ms since 1970."""

    recall: str
    at: int
    query: str
    block: str
    taken: bool
    reason: str
    score: float
    signals: dict[str, float]


@dataclass(frozen=True, slots=True)
class LastDelivery:
    """`reason` and `score` are those of the recall; empty and 0 for a receipt that says none. `times`: how many receipts name it."""

    recall: str
    at: int
    window: str
    reason: str
    score: float
    times: int


@dataclass(frozen=True, slots=True)
class NodeWhy:
    """`known_by`: who was there or was told, where that is said; empty means that it is no secret. `present`: who spoke in the messages
    that it rests on. `recalled`: the newest recall that looked at it, of those of this session."""

    node: str
    kind: str
    text: str
    state: str
    pinned: bool
    private: bool
    known_by: list[str]
    held_by: str
    present: list[str]
    recalled: LastRecall | None
    delivered: LastDelivery | None


@dataclass(frozen=True, slots=True)
class CardSide:
    """One of the two memories. `speakers`: who said it. `first`: index of the first message, null where it rests on none."""

    node: str
    kind: str
    sub: str
    text: str
    state: str
    speakers: list[str]
    first: int | None
    messages: list[MessageView]


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """Two memories that contradict (kind "conflict") or say the same (kind "duplicate"). `about`: whom or what both are about.
    `reason`: "speakers" (two people say different things), "message" (both from one message), "words" (nearly the same words),
    "meaning" (the embedder finds them alike), "name" (one is said to be another name), "doubt" (somebody or the model doubted it).
    `likeness` is 0 to 1 for duplicates."""

    id: str
    kind: str
    reason: str
    about: str
    attribute: str
    likeness: float
    old: CardSide
    new: CardSide
    choices: list[str]


@dataclass(frozen=True, slots=True)
class DecisionCards:
    """Conflicts first, newest first. `total` counts all. `degraded`: what could not take part."""

    cards: list[DecisionCard]
    total: int
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class Decided:
    """`commit` can be undone, which brings the card back. `node`: the memory that stays; `gone`: those that do not show any more."""

    commit: str
    card: str
    choice: str
    node: str
    gone: list[str]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change. `change` is one of: edit, hide, write, link, alias, merge, split, pin, unpin, archive, unarchive, private, public, decide,
    import, upkeep. `text`: what it changed. `undone`: whether it is taken back; `undo` is then the commit that did it, for redo. `subject`:
    the memory `node` in its own words, also where it does not stand now; empty where the change is about none. `edits`: what of that
    memory reads otherwise since."""

    commit: str
    at: int
    author: str
    maker: str
    change: str
    node: str
    text: str
    undone: bool
    undo: str
    waiting: bool
    subject: str
    edits: list[FieldChange]


@dataclass(frozen=True, slots=True)
class Turned:
    """A change taken back or brought back: `change`, `text`, `subject` and `edits` as undo.list tells it. `commit` can be undone."""

    commit: str
    node: str
    text: str
    change: str
    subject: str
    edits: list[FieldChange]


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """Newest first. `next` is the `before` of the next page, empty at the end."""

    changes: list[ChangeRow]
    total: int
    next: str


@dataclass(frozen=True, slots=True)
class Exported:
    """`text` is the file, `name` what to call it. `nodes` and `edges` count what is in it, `left_out` what this format cannot hold."""

    format: str
    name: str
    text: str
    nodes: int
    edges: int
    messages: int
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """`new`: it would come, or came; else it is here already."""

    kind: str
    sub: str
    text: str
    new: bool


@dataclass(frozen=True, slots=True)
class Imported:
    """`commit` can be undone; it is empty where nothing came, or a whole chat did. `nodes`, `edges`, `messages` and `commits` count what
    comes, `known` what is here already, `left_out` what cannot be read, by reason. `sample`: the first of them."""

    chat: str
    format: str
    dry: bool
    commit: str
    nodes: int
    edges: int
    messages: int
    commits: int
    known: int
    left_out: dict[str, int]
    sample: list[ImportedRow]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another memory that said the same: its text, and what is left of it; empty where it is hidden."""

    node: str
    text: str
    rest: str


@dataclass(frozen=True, slots=True)
class Retired:
    """`commit` can be undone, `siblings` with it."""

    commit: str
    node: str
    text: str
    siblings: list[Sibling]
