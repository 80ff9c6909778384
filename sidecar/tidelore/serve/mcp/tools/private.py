"""page_write, page_read, page_edit, page_remove: private writing, which recall never shows. memo_write, memo_list, memo_update: notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine.errors import BadInput
from tidelore.serve.faults import Refusal
from tidelore.serve.mcp import kept
from tidelore.serve.mcp.kept import Items, found, listed, one, written
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import upkeep
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.writing import Changed, Written
from tidelore.serve.windows import EVERYWHERE

PAGES = ("diary", "letter", "dream", "upload")
DATE = "A day or time, ISO 8601; left out it is now."


@dataclass(frozen=True, slots=True)
class PageWrite:
    text: Annotated[str, "What to write."]
    sub: Annotated[Literal["diary", "letter", "dream", "upload"], "What sort of page."] = "diary"
    title: str = ""
    date: Annotated[str, DATE] = ""


async def page_write(memory: Memory, asked_: PageWrite) -> Answer:
    return await written(memory, "page", asked_.sub, asked_.text, _given(title=asked_.title, date=asked_.date))


def _given(**fields: str) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True, slots=True)
class PageRead:
    id: Annotated[str, "The whole of this page; left out, pages are listed, newest first."] = ""
    sub: Annotated[Literal["any", "diary", "letter", "dream", "upload"], "Only this sort."] = "any"
    query: Annotated[str, "Only pages with these words, as they are written."] = ""
    date: Annotated[str, "Only pages of this day, or of the days from one to another as in 2026-01-01/2026-01-31."] = ""
    limit: Annotated[int, "How many on one page of results, 1 to 50."] = 10
    cursor: Annotated[str, w.CURSOR] = ""


async def page_read(memory: Memory, asked_: PageRead) -> Answer:
    if asked_.id and asked_.query:
        raise BadInput("Both `id` and `query` are given.", "Read one page by its id, or look for some.")
    subs = PAGES if asked_.sub == "any" else (asked_.sub,)
    if asked_.id:
        rows = [await one(memory, asked_.id, {"page"}, PAGES, "page")]
    else:
        rows = await found(memory, {"page"}, subs)
        rows = [each for each in rows if _holds(f"{each.fields.get('title', '')}\n{each.text}", asked_.query)]
        rows = [each for each in rows if within(str(each.fields.get("date", "")), asked_.date)]
    return listed(rows, asked_.cursor, asked("page_read", asked_), min(max(asked_.limit, 1), 50), "pages", whole=bool(asked_.id))


def _holds(text: str, query: str) -> bool:
    return query.casefold() in text.casefold()


def within(date: str, wanted: str) -> bool:
    """Whether a date is on a day, or in the days from one to another ("2026-01-01/2026-01-31", both in it). Nothing wanted takes all."""
    if not wanted:
        return True
    first, between, last = wanted.replace("..", "/").partition("/")
    return bool(date) and first.strip()[:10] <= date[:10] <= ((last if between else first).strip()[:10] or "9")


@dataclass(frozen=True, slots=True)
class PageEdit:
    id: Annotated[str, "The page."]
    text: Annotated[str | None, "The new text."] = None
    title: Annotated[str | None, "The new title."] = None
    note: Annotated[str, "Something to add below it; the text stays."] = ""


async def page_edit(memory: Memory, asked_: PageEdit) -> Answer:
    view = await one(memory, asked_.id, {"page"}, PAGES, "page")
    fields = {name: value for name, value in (("text", asked_.text), ("title", asked_.title)) if value is not None}
    if not fields and not asked_.note:
        raise BadInput("Nothing is to be changed.", "Give `text`, `title` or `note`.")
    answer = await kept.changed(memory, view, fields) if fields else None
    return await kept.noted(memory, view, asked_.note) if asked_.note or answer is None else answer


@dataclass(frozen=True, slots=True)
class PageOnly:
    id: Annotated[str, "The page."]


async def page_remove(memory: Memory, asked_: PageOnly) -> Answer:
    view = await one(memory, asked_.id, {"page"}, PAGES, "page")
    return await upkeep.forget(memory, upkeep.One(view.id, scope=EVERYWHERE))


Status = Literal["active", "done", "archived"]


@dataclass(frozen=True, slots=True)
class MemoWrite:
    text: Annotated[str, "What to keep in mind."]
    title: str = ""
    due: Annotated[str, "When it is due, ISO 8601. Nothing happens by itself then."] = ""


async def memo_write(memory: Memory, asked_: MemoWrite) -> Answer:
    fields = {"status": "active", **_given(title=asked_.title, due=asked_.due)}
    return await written(memory, "fact", "memo", asked_.text, fields)


@dataclass(frozen=True, slots=True)
class MemoList:
    status: Annotated[Literal["active", "done", "archived", "all"], "Only these."] = "active"
    limit: Annotated[int, "How many on one page of results, 1 to 200."] = 50
    cursor: Annotated[str, w.CURSOR] = ""


async def memo_list(memory: Memory, asked_: MemoList) -> Answer:
    rows = await found(memory, {"fact"}, {"memo"})
    rows = [each for each in rows if asked_.status in ("all", str(each.fields.get("status", "active")))]
    return listed(rows, asked_.cursor, asked("memo_list", asked_), min(max(asked_.limit, 1), 200), "memos")


@dataclass(frozen=True, slots=True)
class MemoUpdate:
    id: Annotated[str, "The memo."]
    text: Annotated[str | None, "The new text."] = None
    title: Annotated[str | None, "The new title."] = None
    status: Annotated[Status | None, "done and archived ones are not listed unless asked for."] = None


async def memo_update(memory: Memory, asked_: MemoUpdate) -> Answer:
    view = await one(memory, asked_.id, {"fact"}, {"memo"}, "memo")
    named = (("text", asked_.text), ("title", asked_.title), ("status", asked_.status))
    fields = {name: value for name, value in named if value is not None}
    if not fields:
        raise BadInput("Nothing is to be changed.", "Give `text`, `title` or `status`.")
    return await kept.changed(memory, view, fields)


def no_time_rules(what: str) -> Refusal:
    """For arguments that say when something is to be shown or opened, which nothing here would do."""
    return Refusal(501, "not_there_yet", f"{what} is not there yet.", "Leave these arguments out.")


PAGE_TOOLS = (
    Tool("page_write", "Write a page", "Write a private page, which recall never shows.", PageWrite, Written, page_write),
    Tool(
        "page_read",
        "Read pages",
        "Read a private page whole, or list them.",
        PageRead,
        Items,
        page_read,
        reads=True,
        repeatable=True,
    ),
    Tool("page_edit", "Edit a page", "Change a private page, or add a note to it.", PageEdit, Changed, page_edit, destroys=True),
    Tool(
        "page_remove",
        "Remove a page",
        "Hide a private page; `undo` brings it back.",
        PageOnly,
        Changed,
        page_remove,
        destroys=True,
        repeatable=True,
    ),
)
MEMO_TOOLS = (
    Tool(
        "memo_write",
        "Write a memo",
        "Keep something in mind. It is recalled like a fact; nothing else brings it up.",
        MemoWrite,
        Written,
        memo_write,
    ),
    Tool("memo_list", "List memos", "Memos, newest first.", MemoList, Items, memo_list, reads=True, repeatable=True),
    Tool(
        "memo_update",
        "Update a memo",
        "Change a memo, or say that it is done.",
        MemoUpdate,
        Changed,
        memo_update,
        destroys=True,
        repeatable=True,
    ),
)
