"""What hosts and scripts send, and what they get."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class HookRecall:
    """`query`: the user's own words; `message` and `prompt` are other names of it. `session_id`: the window. `max_notes`: 0 to 5.
    `max_chars` of one memory: 160 to 2400; `max_context_chars` of all: 160 to 12000. `delivered_ids`: what was in the last five answers,
    by the host's own book; left out, the receipts of the window say it, and the two are never mixed. `exclude_ids` are left out as if they
    were not there. `chat`: a chat to recall instead of all conversations. `delivered_menu_keys` and `use_passages` are taken and mean
    nothing here: there are no menus, and passages are always read."""

    query: str = ""
    message: str = ""
    prompt: str = ""
    session_id: str = ""
    max_notes: int = 2
    max_chars: int = 1200
    max_context_chars: int = 4200
    delivered_ids: list[str] | None = None
    exclude_ids: list[str] = field(default_factory=list[str])
    delivered_menu_keys: list[str] = field(default_factory=list[str])
    use_passages: bool | None = None
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Memo:
    """A memory. `scope` is "chat", "character", "persona" or "profile"; `importance` 0 to 1; `date` ISO 8601 or empty."""

    id: str
    kind: str
    sub: str
    scope: str
    text: str
    speaker: str
    date: str
    importance: float
    score: float


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a candidate, and why."""

    id: str
    score: float
    taken: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Debug:
    """`recall`: its id. `read`: where was looked. `cooled`: what was delivered lately. `standing`: what is always told, and stands in the
    text before the cards; it never cools. `found` counts the candidates, `judged` are the best of them. `degraded`: what could not take
    part."""

    recall: str
    preset: str
    read: list[str]
    cooled: list[str]
    standing: list[str]
    found: int
    judged: list[Judged]
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class HookRecalled:
    """`cards` in rank order; `notes` are their texts as lines; `additional_context` is the block to put before the user's message, with
    the memories `recalled_ids`. `injected` is false: nothing was put anywhere, and nothing counts as delivered before its receipt."""

    ok: bool
    query: str
    session_id: str
    cards: list[Memo]
    notes: list[str]
    recalled_ids: list[str]
    additional_context: str
    debug: Debug
    injected: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """`receipt_id`: the host's own name of the answer. `delivered_ids`: what was really in its request, at most 500; none is an answer
    without memories."""

    receipt_id: str
    delivered_ids: list[str]
    window_id: str = ""


@dataclass(frozen=True, slots=True)
class Receipted:
    """`new` is false where this receipt was known."""

    ok: bool
    receipt_id: str
    window_id: str
    delivered_ids: list[str]
    new: bool


@dataclass(frozen=True, slots=True)
class ReceiptsAsked:
    """`window_id`: of this window alone. `limit`: 1 to 200."""

    window_id: str = ""
    limit: int = 80


@dataclass(frozen=True, slots=True)
class ReceiptShown:
    """`at`: ms since 1970."""

    receipt_id: str
    window_id: str
    delivered_ids: list[str]
    at: int


@dataclass(frozen=True, slots=True)
class Receipts:
    """Newest first; those of the gateway stand among them."""

    deliveries: list[ReceiptShown]


@dataclass(frozen=True, slots=True)
class MemoryRecall:
    """`client`: who asks. `chat` or `scope`: where to look; left out, everything that holds everywhere and all conversations. `limit`: 1 to
    50; `budget` in tokens, 100 to 8000. `window`: leave out what was delivered in the last three answers of this window; without one,
    nothing cools."""

    query: str
    client: str = ""
    chat: str = ""
    scope: str = ""
    limit: int = 5
    budget: int = 600
    window: str = ""


@dataclass(frozen=True, slots=True)
class MemoryRecalled:
    """`memories` in rank order; `context` is the text for a prompt, `tokens` its size. `read`: where was looked. `degraded`: what could not
    take part."""

    recall: str
    memories: list[Memo]
    context: str
    tokens: int
    read: list[str]
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """`content`: what to remember; `text` is another name of it. `client`: who says so; it stays with the memory. `about` and
    `attribute`: a later fact of the same attribute of the same one replaces this. `importance`: 1 to 10. `chat` or `scope`: where it
    belongs; left out, it holds everywhere."""

    content: str = ""
    text: str = ""
    client: str = ""
    kind: Literal["fact", "moment", "digest", "page"] = "fact"
    about: str = ""
    attribute: str = ""
    importance: int | None = None
    chat: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class MemoryWritten:
    """One of `chat` and `scope` is empty. `commit` can be undone (`undo` of POST /rpc)."""

    id: str
    commit: str
    chat: str
    scope: str
