"""Parameters and results of the service's methods, as callers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

# ---- parameters ----


@dataclass(frozen=True, slots=True)
class MessageIn:
    """One message. Roles other than user and assistant are left out and counted. `date` is ISO 8601 or empty."""

    role: str
    text: str
    name: str = ""
    hidden: bool = False
    date: str = ""


@dataclass(frozen=True, slots=True)
class ChatUpdate:
    """`messages`: the whole chat as it now stands, each {"role", "text", "name", "hidden", "date"}; role and text are needed, roles other
    than user and assistant are left out and counted, date is ISO 8601. `branch_of`: for a new chat, the one it branched from."""

    chat: str
    messages: list[Any]
    branch_of: str = ""


@dataclass(frozen=True, slots=True)
class NoParams:
    pass


@dataclass(frozen=True, slots=True)
class ChatOnly:
    chat: str


@dataclass(frozen=True, slots=True)
class ExtractPlan:
    """`lag`: how many of the newest exchanges to leave alone. `exchanges`: how many make a window for the model."""

    chat: str
    by: Literal["rules", "model"] = "model"
    lag: int | None = None
    exchanges: int = 1


@dataclass(frozen=True, slots=True)
class ExtractRun:
    """`range`: [first, last] message index, both in it; extracts them again, whatever stands there. `retry`: take up windows that were
    set aside."""

    chat: str
    by: Literal["rules", "model"] = "rules"
    lag: int | None = None
    range: list[int] | None = None
    exchanges: int = 1
    retry: bool = False


@dataclass(frozen=True, slots=True)
class GraphGet:
    """`at`: the graph as of that message, its index."""

    chat: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class NodeOnly:
    """`node`: an id, or a beginning of one that no other has."""

    chat: str
    node: str


@dataclass(frozen=True, slots=True)
class NodeEdit:
    """`fields`: new values by name, null takes a field away. `expects`: the values that the caller saw; another one is a conflict."""

    chat: str
    node: str
    fields: dict[str, Any]
    expects: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class NodeWrite:
    """`text` is what is to be remembered; of an entity or thread `name` is its name. `about`: the name of whom or what a fact is about;
    with an `attribute` in `fields` the latest such fact is current. `chat`: where it belongs; or `scope`, as in "profile" or
    "character:Mira", for what holds beyond one chat. `author`: a person, or a tool on its own account."""

    text: str = ""
    chat: str = ""
    scope: str = ""
    kind: Literal["entity", "moment", "fact", "thread", "digest", "page"] = "fact"
    sub: str = ""
    name: str = ""
    about: str = ""
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    author: Literal["person", "tool"] = "person"


@dataclass(frozen=True, slots=True)
class Undo:
    """`commit`: which change to take back, its id or the beginning of it; by default the newest one of a person in this chat. Undoing an
    undo is a redo. The result names the undo, and the node and the words of what was taken back."""

    chat: str
    commit: str = ""


@dataclass(frozen=True, slots=True)
class AliasAdd:
    """`name` is also called `alias`: what is remembered of both is one."""

    chat: str
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class RecallRun:
    """`budget` in tokens for both blocks. `context_from`: index of the first message that is in the prompt anyway. `reply` and
    `earlier` are the last answer and the user's message before it; they count little. `window` separates cooldowns. `scopes`: what is
    read beside the chat, as in ["profile", "character:Mira"]."""

    chat: str
    query: str
    budget: int | None = None
    preset: str = "story"
    limit: int | None = None
    context_from: int | None = None
    reply: str = ""
    earlier: str = ""
    window: str = "main"
    scopes: list[str] = field(default_factory=list[str])
    trace: bool = True


@dataclass(frozen=True, slots=True)
class RecallDelivered:
    """`recall`: the id of a recall whose text was in a request that succeeded. `nodes`: which cards, by default all of them."""

    chat: str
    recall: str
    nodes: list[str] | None = None
    window: str = "main"


@dataclass(frozen=True, slots=True)
class SchemaSet:
    schema: dict[str, Any]


# ---- results ----


@dataclass(frozen=True, slots=True)
class Updated:
    """`inserted` and `removed` count messages, `commits_out` and `commits_in` commits that went and came, `skipped` roles left out."""

    chat: str
    messages: int
    inserted: int
    removed: int
    commits_out: int
    commits_in: int
    skipped: dict[str, int]


@dataclass(frozen=True, slots=True)
class ChatInfo:
    chat: str
    messages: int
    branch_of: str


@dataclass(frozen=True, slots=True)
class ChatInfos:
    chats: list[ChatInfo]


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """`first` and `last` message index, both in it."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AsideInfo:
    first: int
    last: int
    reason: str
    tries: int


@dataclass(frozen=True, slots=True)
class Plan:
    """`windows` are due. `aside`: windows that failed too often or that the model found nothing in."""

    windows: list[WindowInfo]
    aside: list[AsideInfo]
    lag: int


@dataclass(frozen=True, slots=True)
class FailedWindow:
    first: int
    last: int
    error: str


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
    """A memory that goes into the prompt. Cards come in rank order."""

    node: str
    kind: str
    sub: str
    scope: str
    text: str
    speaker: str
    date: str
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
    """`core` and `recalled` are the texts of the two blocks; `tokens` is what both cost. `degraded` says what could not take part."""

    recall: str
    cards: list[Card]
    core: str
    recalled: str
    tokens: int
    degraded: list[str]
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """`new` is false when this receipt was known."""

    recall: str
    nodes: list[str]
    new: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change by hand that waits for its node to come back, or to read as it did."""

    node: str
    change: str


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
