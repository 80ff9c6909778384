"""Tool names of Serein: diary, memos, what a window hands to the next one. All in the scope "profile"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine.errors import BadInput, Conflict
from tidelore.serve.mcp import kept
from tidelore.serve.mcp.kept import Items
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import past, private
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.writing import Changed, Written
from tidelore.serve.windows import EVERYWHERE

_LONGEST_HANDOFF, _LONGEST_KEY = 4000, 200


@dataclass(frozen=True, slots=True)
class WriteDiary:
    content: str
    date: str = ""
    title: str = ""
    author: str = "ai"
    unlock_at: Annotated[str, "Not there yet: a page cannot be locked."] = ""


async def write_diary(memory: Memory, asked_: WriteDiary) -> Answer:
    if asked_.unlock_at:
        # Stored without its lock it could be read at once.
        raise private.no_time_rules("A page that is locked until a time")
    fields = {"title": asked_.title, "author": asked_.author, **({"date": asked_.date} if asked_.date else {})}
    return await kept.written(memory, "page", "diary", asked_.content, fields)


@dataclass(frozen=True, slots=True)
class ReadDiary:
    diary_id: Annotated[str, w.ID] = ""
    date: Annotated[str, "A day, or two with a slash between."] = ""
    query: str = ""
    limit: int = 5
    cursor: Annotated[str, w.CURSOR] = ""


async def read_diary(memory: Memory, asked_: ReadDiary) -> Answer:
    if asked_.diary_id and asked_.query:
        raise BadInput("Both `diary_id` and `query` are given.", "Read one page by its id, or look for some.")
    return await private.page_read(
        memory, private.PageRead(asked_.diary_id, "diary", asked_.query, asked_.date, min(max(asked_.limit, 1), 20), asked_.cursor)
    )


@dataclass(frozen=True, slots=True)
class ReviseDiary:
    diary_id: Annotated[str, w.ID]
    content: str
    title: str | None = None


async def revise_diary(memory: Memory, asked_: ReviseDiary) -> Answer:
    return await private.page_edit(memory, private.PageEdit(asked_.diary_id, asked_.content, asked_.title))


@dataclass(frozen=True, slots=True)
class CommentDiary:
    diary_id: Annotated[str, w.ID]
    content: str
    author: str = "ai"


async def comment_diary(memory: Memory, asked_: CommentDiary) -> Answer:
    if not asked_.content.strip():
        raise BadInput("There is nothing to note.", "Give `content`.")
    return await private.page_edit(memory, private.PageEdit(asked_.diary_id, note=f"{asked_.author}: {asked_.content}"))


@dataclass(frozen=True, slots=True)
class DeleteDiary:
    diary_id: Annotated[str, w.ID]


async def delete_diary(memory: Memory, asked_: DeleteDiary) -> Answer:
    return await private.page_remove(memory, private.PageOnly(asked_.diary_id))


# ---- what a window hands on ----


@dataclass(frozen=True, slots=True)
class WriteShadow:
    user_view: Annotated[str, "How the user is seen."]
    self_view: Annotated[str, "How the model sees itself."]
    recent_events: Annotated[str, "What happened."]


async def shadow_write(memory: Memory, asked_: WriteShadow) -> Answer:
    parts = {"user_view": asked_.user_view, "self_view": asked_.self_view, "recent_events": asked_.recent_events}
    if not all(text.strip() for text in parts.values()):
        raise BadInput("One of the three parts is empty.", f"Give {', '.join(parts)}.")
    return await kept.written(memory, "digest", "handoff", "\n\n".join(parts.values()), {**parts, "title": "window shadow"})


@dataclass(frozen=True, slots=True)
class ReadShadow:
    index: Annotated[int, "1 is the newest, 2 the one before, and so on."] = 1


async def shadow_read(memory: Memory, asked_: ReadShadow) -> Answer:
    rows = await kept.found(memory, {"digest"}, {"handoff"}, title="window shadow")
    chosen = rows[asked_.index - 1 : asked_.index] if asked_.index >= 1 else []
    return kept.listed(chosen, "", asked("window_shadow_read", asked_), kind="shadow", whole=True)


@dataclass(frozen=True, slots=True)
class Handoff:
    key: Annotated[str, "What the note is about; one note for each."]
    text: Annotated[str, "The note; left out, it is read."] = ""
    expected_revision: Annotated[int | None, "The version that you saw; with another one nothing is changed."] = None


async def handoff(memory: Memory, asked_: Handoff) -> Answer:
    if not asked_.key.strip() or len(asked_.key) > _LONGEST_KEY or len(asked_.text) > _LONGEST_HANDOFF:
        raise BadInput("This cannot be a note.", f"The key has 1 to {_LONGEST_KEY} characters, the text {_LONGEST_HANDOFF} at most.")
    async with memory.alone():
        rows = await kept.found(memory, {"digest"}, {"handoff"}, key=asked_.key)
        if asked_.text and asked_.expected_revision is not None:
            place = await memory.place("", EVERYWHERE)
            now = len(await past.versions(memory, place, rows[0])) if rows else 0
            if now != asked_.expected_revision:
                raise Conflict(f"The note is at version {now} by now.", "Read it again before you change it.")
        if asked_.text and rows:
            if rows[0].text != asked_.text:
                await kept.changed(memory, rows[0], {"text": asked_.text, "date": kept.now(memory)})
        elif asked_.text:
            await kept.written(memory, "digest", "handoff", asked_.text, {"key": asked_.key, "title": asked_.key})
        rows = await kept.found(memory, {"digest"}, {"handoff"}, key=asked_.key)
    return kept.listed(rows, "", asked("handoff", asked_), kind="handoff", whole=True)


# ---- memos ----

_NO_RULE = "Not there yet: nothing brings a memo up by itself."


@dataclass(frozen=True, slots=True)
class MemoCreate:
    title: str
    content: str
    next_due_at: Annotated[str, "Kept with it; nothing happens by itself then."] = ""
    repeat_rule: Annotated[Literal["none"], _NO_RULE] = "none"


async def memo_create(memory: Memory, asked_: MemoCreate) -> Answer:
    return await private.memo_write(memory, private.MemoWrite(asked_.content, asked_.title, asked_.next_due_at))


@dataclass(frozen=True, slots=True)
class MemoChange:
    memo_id: Annotated[str, w.ID]
    title: str | None = None
    content: str | None = None
    status: Literal["active", "done", "archived"] | None = None


async def memo_update(memory: Memory, asked_: MemoChange) -> Answer:
    return await private.memo_update(memory, private.MemoUpdate(asked_.memo_id, asked_.content, asked_.title, asked_.status))


PAGES = (
    Tool("write_diary", "Write the diary", "Write a private page, which recall leaves alone.", WriteDiary, Written, write_diary),
    Tool("read_diary", "Read the diary", "Read private pages.", ReadDiary, Items, read_diary, reads=True, repeatable=True),
    Tool("revise_diary", "Revise the diary", "Change a private page.", ReviseDiary, Changed, revise_diary, destroys=True),
    Tool("comment_diary", "Comment on the diary", "Add a note to a private page.", CommentDiary, Changed, comment_diary),
    Tool(
        "delete_diary",
        "Delete from the diary",
        "Hide a private page.",
        DeleteDiary,
        Changed,
        delete_diary,
        destroys=True,
        repeatable=True,
    ),
    Tool(
        "window_shadow_write",
        "Hand over",
        "Before a change of window: how you see the user and yourself, and what happened.",
        WriteShadow,
        Written,
        shadow_write,
    ),
    Tool(
        "window_shadow_read",
        "Read what was handed over",
        "What a window before this one handed over.",
        ReadShadow,
        Items,
        shadow_read,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "handoff",
        "Note to the next window",
        "Keep one note under a key, or read it.",
        Handoff,
        Items,
        handoff,
        destroys=True,
        repeatable=True,
    ),
)
MEMOS = (
    Tool("memo_create", "Write a memo", "Keep something in mind; it is recalled like a fact.", MemoCreate, Written, memo_create),
    private.MEMO_TOOLS[1],
    Tool("memo_update", "Update a memo", "Change a memo, or say that it is done.", MemoChange, Changed, memo_update, destroys=True),
)
