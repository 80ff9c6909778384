"""Parameters of the service's methods, as callers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


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
    than user and assistant are left out and counted, date is ISO 8601. `branch_of`: for a new chat, the one it branched from. `pool`: the
    id that travels with the chat, 32 hexadecimal digits; a new chat is made on it, so that a chat opened on two devices is one chat. A
    branch has the pool of its parent. With a pool, a parent that is not here (yet) is none. `keep`: so many messages from the first on
    stay as they are and `messages` follow them, for a host that knows only the end of the chat."""

    chat: str
    messages: list[Any]
    branch_of: str = ""
    pool: str = ""
    keep: int = 0


@dataclass(frozen=True, slots=True)
class ChatSplice:
    """`screen`: from the last answer on this chat. `remove` messages from index `at` on are replaced by `messages`."""

    chat: str
    screen: str
    at: int
    remove: int
    messages: list[Any]


@dataclass(frozen=True, slots=True)
class NoParams:
    pass


@dataclass(frozen=True, slots=True)
class ChatOnly:
    chat: str


@dataclass(frozen=True, slots=True)
class ExtractPlan:
    """`lag`: how many of the newest exchanges to leave alone. `exchanges`: how many make a window for the model. Left out, the settings
    say both."""

    chat: str
    by: Literal["rules", "model"] = "model"
    lag: int | None = None
    exchanges: int | None = None


@dataclass(frozen=True, slots=True)
class ExtractRun:
    """`range`: [first, last] message index, both in it; extracts them again, whatever stands there. `retry`: take up windows that were
    set aside."""

    chat: str
    by: Literal["rules", "model"] = "rules"
    lag: int | None = None
    range: list[int] | None = None
    exchanges: int | None = None
    retry: bool = False


@dataclass(frozen=True, slots=True)
class GraphGet:
    """`at`: the graph as of that message, its index. `kinds`, `subs`, `scopes`: of these alone, empty for all. `states`: current,
    superseded, archived, hidden; all but hidden where it is left out. `first` and `last`: only what rests on messages from this index to
    that one. `private`: with what is marked private."""

    chat: str
    at: int | None = None
    kinds: list[str] = field(default_factory=list[str])
    subs: list[str] = field(default_factory=list[str])
    scopes: list[str] = field(default_factory=list[str])
    states: list[str] = field(default_factory=list[str])
    first: int | None = None
    last: int | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class NodeOnly:
    """`node`: an id, or a beginning of one that no other has."""

    chat: str
    node: str


@dataclass(frozen=True, slots=True)
class NodeRetire:
    """`node`: an id, or a beginning of one that no other has. `siblings`: also take its sentences out of every other memory."""

    chat: str
    node: str
    siblings: bool = False


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
class NodesWrite:
    """`items`: each with the members of node.write but for `chat`, `scope` and `author`, which hold for all of them."""

    items: list[Any]
    chat: str = ""
    scope: str = ""
    author: Literal["person", "tool"] = "person"


@dataclass(frozen=True, slots=True)
class EdgeAdd:
    """`start` and `end`: a node's id, a beginning of one, or the name of an entity or thread. `label`: how the two hang together, in
    words, for the type "relates"."""

    chat: str
    start: str
    end: str
    type: Literal[
        "relates", "knows", "about", "part_of", "resolves", "supports", "echoes", "contrasts", "doubt", "occurred_at", "involved_in"
    ] = "relates"
    label: str = ""
    author: Literal["person", "tool"] = "person"


@dataclass(frozen=True, slots=True)
class EdgeRemove:
    """The same ends, type and label as in edge.add."""

    chat: str
    start: str
    end: str
    type: str = "relates"
    label: str = ""


@dataclass(frozen=True, slots=True)
class StateGet:
    """`about`: a node's id, a beginning of one, or a name. `scopes`: what is read beside the chat, as in recall.run."""

    chat: str
    about: str
    scopes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class SourcesSearch:
    """`query`: words that must all be in a message, in any form, or the beginning of what was said; empty finds every message. `role`:
    user or assistant alone. `speaker`: a name. `before`: only messages before this index, for the next page."""

    chat: str
    query: str = ""
    role: Literal["", "user", "assistant"] = ""
    speaker: str = ""
    before: int | None = None
    limit: int = 10


@dataclass(frozen=True, slots=True)
class SourcesRead:
    """`first` and `last` message index, both in it; `last` is `first` where it is left out. `around`: how many more on each side.
    At most 200 messages at once."""

    chat: str
    first: int
    last: int | None = None
    around: int = 0


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
    """`preset`: story, strict, wake or plain; it, `budget`, `limit` and `patience` are what the settings say where they are left out.
    `budget` in tokens for both blocks. `context_from`: index of the first message that is in the prompt anyway; or `context_tokens`:
    how many tokens of the newest messages are, as far as they fit whole. `reply` and `earlier` are the last answer and the user's
    message before it; they count little. `window` separates cooldowns. `scopes`: what is read beside the chat, as in ["profile",
    "character:Mira"]; `beside`: names of other chats that are read too, where they are there. `patience`: seconds that the embedder may
    take; then words and names recall alone. `exclude`: ids of memories that are left out, as if they were not there. `delivered`: ids
    that the caller itself knows to be delivered lately; they cool in place of what the receipts of the window say. `rerank`: seconds that
    the memory model may take to judge the best candidates, 0 for not at all; left out, what the settings say. When it fails, the preset
    strict recalls nothing and the others by their scores."""

    chat: str
    query: str
    budget: int | None = None
    preset: str = ""
    limit: int | None = None
    context_from: int | None = None
    context_tokens: int | None = None
    reply: str = ""
    earlier: str = ""
    window: str = "main"
    scopes: list[str] = field(default_factory=list[str])
    beside: list[str] = field(default_factory=list[str])
    patience: float | None = None
    exclude: list[str] = field(default_factory=list[str])
    delivered: list[str] | None = None
    trace: bool = True
    rerank: float | None = None


@dataclass(frozen=True, slots=True)
class RecallCheck:
    """`nodes` and `state` as recall.run gave them, `scopes` and `beside` as they were given to it. `cards`: the nodes of its cards, in
    order; then both texts are made again."""

    chat: str
    nodes: list[str]
    state: str
    scopes: list[str] = field(default_factory=list[str])
    beside: list[str] = field(default_factory=list[str])
    cards: list[str] | None = None


@dataclass(frozen=True, slots=True)
class RecallDelivered:
    """`recall`: the id of a recall whose text was in a request that succeeded. `nodes`: which cards, by default all of them."""

    chat: str
    recall: str
    nodes: list[str] | None = None
    window: str = "main"


@dataclass(frozen=True, slots=True)
class RecallDeliveries:
    """`window`: of this one alone. `limit`: 1 to 200."""

    window: str = ""
    limit: int = 80


@dataclass(frozen=True, slots=True)
class SchemaSet:
    schema: dict[str, Any]
