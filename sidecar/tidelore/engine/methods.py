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
    branch has the pool of its parent. With a pool, a parent that is not here (yet) is none."""

    chat: str
    messages: list[Any]
    branch_of: str = ""
    pool: str = ""


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
    """`budget` in tokens for both blocks. `context_from`: index of the first message that is in the prompt anyway; or `context_tokens`:
    how many tokens of the newest messages are, as far as they fit whole. `reply` and `earlier` are the last answer and the user's
    message before it; they count little. `window` separates cooldowns. `scopes`: what is read beside the chat, as in ["profile",
    "character:Mira"]."""

    chat: str
    query: str
    budget: int | None = None
    preset: str = "story"
    limit: int | None = None
    context_from: int | None = None
    context_tokens: int | None = None
    reply: str = ""
    earlier: str = ""
    window: str = "main"
    scopes: list[str] = field(default_factory=list[str])
    trace: bool = True


@dataclass(frozen=True, slots=True)
class RecallCheck:
    """`nodes` and `state` as recall.run gave them, `scopes` as they were given to it."""

    chat: str
    nodes: list[str]
    state: str
    scopes: list[str] = field(default_factory=list[str])


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
