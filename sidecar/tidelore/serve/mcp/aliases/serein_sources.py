"""Tool names of Serein: originals, which are the messages themselves, and going on where a chat was left off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import sources, telling
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.private import within
from tidelore.serve.mcp.tools.recalling import pieces
from tidelore.serve.mcp.wording import QUOTES, block, line, more

_MARK, _AT = "raw:", "#"
_MOST_IDS, _MOST_BESIDE, _SEARCHED = 20, 3, 1000
# Days are those of UTC+8, as they are there.
_ZONE = timezone(timedelta(hours=8))


@dataclass(frozen=True, slots=True)
class Original:
    id: Annotated[str, "raw:CHAT#INDEX, for source_message_read."]
    role: str
    name: str
    date: str
    text: Annotated[str, "The message, an excerpt of it, or the piece that begins at `offset`."]
    offset: int
    wanted: Annotated[bool, "It was asked for, and is no neighbour."] = True


@dataclass(frozen=True, slots=True)
class Originals:
    messages: list[Original]
    total: Annotated[int, "How many there are on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


@dataclass(frozen=True, slots=True)
class MessageSearch:
    query: str = ""
    date: Annotated[
        str, "A day of UTC+8, or two with a slash between; with these the newest thousand messages of a chat are looked at."
    ] = ""
    role: Literal["any", "user", "assistant"] = "any"
    limit: int = 10
    cursor: Annotated[str, w.CURSOR] = ""


async def search(memory: Memory, asked_: MessageSearch) -> Answer:
    if not asked_.query.strip() and not asked_.date:
        raise BadInput("There is nothing to look for.", "Give `query` or `date`.")
    role: Literal["", "user", "assistant"] = "" if asked_.role == "any" else asked_.role
    rows: list[Original] = []
    for chat in (await memory.chats())[: sources.SEARCHED]:
        found: r.SourcesFound = await memory.ask("sources.search", m.SourcesSearch(chat.chat, asked_.query, role, limit=_SEARCHED))
        rows += [_original(chat.chat, each) for each in found.messages if within(_day(each.date) if asked_.date else "", asked_.date)]
    return _told(rows, asked_.cursor, asked("source_message_search", asked_), min(max(asked_.limit, 1), sources.MOST_FOUND))


def _day(date: str) -> str:
    try:
        at = datetime.fromisoformat(date)
    except ValueError:
        return ""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(_ZONE).date().isoformat()


def _original(chat: str, each: r.SourceView, *, wanted: bool = True) -> Original:
    return Original(f"{_MARK}{chat}{_AT}{each.index}", each.role, each.name, each.date, each.text, each.offset, wanted)


@dataclass(frozen=True, slots=True)
class MessageRead:
    ids: Annotated[list[str], "As source_message_search gave them; 20 at most."]
    neighbor_before: Annotated[int, "How many messages before each, 0 to 3."] = 0
    neighbor_after: Annotated[int, "How many messages after each, 0 to 3."] = 0
    cursor: Annotated[str, w.CURSOR] = ""


async def read(memory: Memory, asked_: MessageRead) -> Answer:
    if not 1 <= len(asked_.ids) <= _MOST_IDS:
        raise BadInput(f"{len(asked_.ids)} ids are given.", f"Name 1 to {_MOST_IDS}.")
    before, after = (min(max(each, 0), _MOST_BESIDE) for each in (asked_.neighbor_before, asked_.neighbor_after))
    rows: list[Original] = []
    for id_ in dict.fromkeys(asked_.ids):
        chat, index = _placed(id_)
        await memory.place(chat, "")
        shown: r.SourcesShown = await memory.ask("sources.read", m.SourcesRead(chat, index, index, max(before, after)))
        for each in shown.messages:
            if index - before <= each.index <= index + after:
                one = _original(chat, each, wanted=each.index == index)
                rows += [replace(one, text=piece, offset=at) for at, piece in pieces(each.text)]
    return _told(rows, asked_.cursor, asked("source_message_read", asked_), len(rows))


def _placed(id_: str) -> tuple[str, int]:
    chat, _, index = id_.removeprefix(_MARK).rpartition(_AT)
    if not chat or not index.isdecimal() or len(index) > 9:
        raise BadInput(f"{id_[:80]!r} is no id of a message.", f"They read {_MARK}CHAT{_AT}INDEX; source_message_search gives them.")
    return chat, int(index)


def _told(rows: list[Original], cursor: str, mark: object, most: int) -> Answer:
    page = cut(rows, cursor, mark, 3_300, most)
    lines = (line(f"{each.id} {each.text}", each.name or each.role, each.date) for each in page.items)
    text = block("quotes", lines, QUOTES) if page.items else "No message matches."
    data = Originals(page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


@dataclass(frozen=True, slots=True)
class Resume:
    window_id: Annotated[str, 'The window or chat; "main" is the newest chat.'] = "main"


async def resume(memory: Memory, asked_: Resume) -> Answer:
    if asked_.window_id == "main":
        return await telling.resume(memory, telling.Resume())
    chats = [each.chat for each in await memory.chats()]
    # The newest conversation of a window of the gateway, or a chat by its own name.
    named = next((each for each in chats if each.startswith(f"gateway:{asked_.window_id}{_AT}")), asked_.window_id)
    return await telling.resume(memory, telling.Resume(asked_.window_id if asked_.window_id in chats else named))


SOURCES = (
    Tool(
        "source_message_search",
        "Search originals",
        "Search stored messages by words, day and speaker; the newest chats first.",
        MessageSearch,
        Originals,
        search,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "source_message_read",
        "Read originals",
        "Read stored messages whole, with up to three neighbours on each side.",
        MessageRead,
        Originals,
        read,
        reads=True,
        repeatable=True,
    ),
    Tool("resume", "Continue", "Continue where a chat was left off.", Resume, telling.Resumed, resume, reads=True, repeatable=True),
)
