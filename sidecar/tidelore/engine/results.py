"""Results of the service's methods, as callers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tidelore.engine.results_changes import Waiting


@dataclass(frozen=True, slots=True)
class Updated:
    """`inserted` and `removed` count messages, `commits_out` and `commits_in` commits that went and came, `skipped` roles left out.
    `screen` names this state for chat.splice; it is empty when messages were left out."""

    chat: str
    messages: int
    inserted: int
    removed: int
    commits_out: int
    commits_in: int
    skipped: dict[str, int]
    screen: str


@dataclass(frozen=True, slots=True)
class ChatInfo:
    """`pool`: the id of what it shares with its branches. `holds`: whether there is something to recall, messages or what was written or
    read in without any. Where the chat that it branched from is not here, purged or never synced,
    `parent_gone` is true and `branch_of` empty."""

    chat: str
    messages: int
    branch_of: str
    pool: str
    parent_gone: bool
    holds: bool


@dataclass(frozen=True, slots=True)
class ChatInfos:
    chats: list[ChatInfo]


@dataclass(frozen=True, slots=True)
class ChatKeys:
    """The key of each message, in order."""

    keys: list[str]


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """`first` and `last` message index, both in it."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AsideInfo:
    """`raw`: what the model last answered, cut to 20,000 characters; empty where there is none."""

    first: int
    last: int
    reason: str
    tries: int
    raw: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`windows` are due. `aside`: windows that failed too often or that the model found nothing in. `tokens`: about what the model will
    read and write for all that is due; 0 for the rules. `purged`: how many messages are left out because their words were purged."""

    windows: list[WindowInfo]
    aside: list[AsideInfo]
    lag: int
    tokens: int
    purged: int


@dataclass(frozen=True, slots=True)
class FailedWindow:
    """`raw`: what the model answered, cut to 20,000 characters; empty where there is none."""

    first: int
    last: int
    error: str
    raw: str


@dataclass(frozen=True, slots=True)
class Extracted:
    """`windows` are stored, `empty` held nothing worth keeping, `remaining` are still due. `dropped`: operations of the model that were
    left out, `problems` why. `interrupted`: why the run ended early, or empty. `degraded`: what could not take part."""

    windows: int
    commits: int
    empty: int
    remaining: int
    dropped: int
    problems: dict[str, int]
    failed: list[FailedWindow]
    interrupted: str
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class Embedded:
    """`texts`: how many have a vector by now, or are too blank for one. `degraded`: why the embedder could not do all of them."""

    texts: int
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message as evidence; `index` is null when it does not stand in the chat now."""

    index: int | None
    role: str
    name: str
    text: str
    quote: str


@dataclass(frozen=True, slots=True)
class Belief:
    """One commit behind a node: who made it, from which messages, and what it says."""

    author: str
    maker: str
    messages: list[MessageView]
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Why:
    node: str
    kind: str
    text: str
    beliefs: list[Belief]


@dataclass(frozen=True, slots=True)
class Changed:
    """`commit` can be undone."""

    commit: str
    node: str
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """`chat` is the name under which the other methods find it; that of a scope is made up. `commit` can be undone."""

    commit: str
    node: str
    chat: str


@dataclass(frozen=True, slots=True)
class WrittenMany:
    """In the order of `items`."""

    items: list[Written]


@dataclass(frozen=True, slots=True)
class Linked:
    """`edge`: its id. `from` and `to` are node ids. `commit` can be undone."""

    commit: str
    edge: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Unlinked:
    """`commits` can each be undone, which brings the edge back."""

    commits: list[str]


@dataclass(frozen=True, slots=True)
class StateFact:
    """`attribute` is empty for a fact that no later one replaces. `chat` is the name under which the other methods find it."""

    node: str
    chat: str
    sub: str
    scope: str
    attribute: str
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge as seen from one of its ends. `outgoing`: it leads from that end to `node`."""

    type: str
    label: str
    outgoing: bool
    node: str
    text: str


@dataclass(frozen=True, slots=True)
class StateOf:
    """`facts` that hold now, newest first. `node` is empty where nobody of that name is known."""

    node: str
    name: str
    sub: str
    aliases: list[str]
    facts: list[StateFact]
    relations: list[Relation]


@dataclass(frozen=True, slots=True)
class SourceView:
    """A message, word for word but for masked secrets. `source` is its key; `text` may be an excerpt, which then begins at character
    `offset` of `length`."""

    index: int
    source: str
    role: str
    name: str
    date: str
    text: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class SourcesFound:
    """Newest first. `total` counts all that match before `before`; `next` is the `before` of the next page, null at the end."""

    messages: list[SourceView]
    total: int
    next: int | None


@dataclass(frozen=True, slots=True)
class SourcesShown:
    """In order; `messages` in the chat are `total`."""

    messages: list[SourceView]
    total: int


@dataclass(frozen=True, slots=True)
class ScopeInfo:
    scope: str
    chat: str


@dataclass(frozen=True, slots=True)
class ScopeInfos:
    scopes: list[ScopeInfo]


@dataclass(frozen=True, slots=True)
class CardEvidence:
    index: int | None
    source: str
    quote: str


@dataclass(frozen=True, slots=True)
class Card:
    """A memory that goes into the prompt. Cards come in rank order. `importance` is 0 to 1."""

    node: str
    kind: str
    sub: str
    scope: str
    text: str
    speaker: str
    date: str
    importance: float
    score: float
    tokens: int
    evidence: list[CardEvidence]


@dataclass(frozen=True, slots=True)
class TraceCard:
    node: str
    text: str
    score: float
    signals: dict[str, float]
    taken: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Trace:
    """`words` and `names` are what was looked for; `found` counts the candidates; `cards` lists the first of them with the share of each
    signal in the score and why it was taken or not."""

    words: list[str]
    names: list[str]
    found: int
    cards: list[TraceCard]


@dataclass(frozen=True, slots=True)
class Recalled:
    """`core` and `recalled` are the texts of the two blocks; `tokens` is what both cost. `nodes`: the memories in both. `state`: a digest
    of what they read, for recall.check. `degraded` says what could not take part."""

    recall: str
    cards: list[Card]
    core: str
    recalled: str
    tokens: int
    nodes: list[str]
    state: str
    degraded: list[str]
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Checked:
    """`stands`: every memory is there and reads as it did. `gone`: those that are not there any more, are hidden or superseded. `core` and
    `recalled`: the texts of the two blocks, empty unless it stands and `cards` were given."""

    stands: bool
    gone: list[str]
    core: str
    recalled: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """`new` is false when this receipt was known."""

    recall: str
    nodes: list[str]
    new: bool


@dataclass(frozen=True, slots=True)
class Delivery:
    """A receipt. `chat`: for which chat it was given. `at`: ms since 1970."""

    recall: str
    chat: str
    window: str
    nodes: list[str]
    at: int


@dataclass(frozen=True, slots=True)
class Deliveries:
    """Newest first."""

    deliveries: list[Delivery]


@dataclass(frozen=True, slots=True)
class Stats:
    messages: int
    sources: int
    commits: int
    live: int
    nodes: dict[str, int] = field(default_factory=dict[str, int])
    edges: dict[str, int] = field(default_factory=dict[str, int])
    superseded: int = 0
    waiting: list[Waiting] = field(default_factory=list[Waiting])
    rules_due: int = 0
    model_due: int = 0
    aside: int = 0


@dataclass(frozen=True, slots=True)
class SchemaView:
    schema: dict[str, Any]
