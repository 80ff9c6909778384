"""sources_search and sources_read: the messages themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked, cut, made, opened
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.recalling import pieces
from tidelore.serve.mcp.wording import QUOTES, block, line, more

MOST_FOUND = 50
# Chats that one search looks through, the newest first.
SEARCHED = 20
# Room for twenty excerpts in Latin script.
_PAGE = 3_300


@dataclass(frozen=True, slots=True)
class Search:
    query: Annotated[str, "Words that must all be in a message, in any form and any language."]
    chat: Annotated[str, "The chat to search; without it the newest chats are searched."] = ""
    role: Annotated[Literal["any", "user", "assistant"], "Whose messages."] = "any"
    speaker: Annotated[str, "Only messages of this name."] = ""
    limit: Annotated[int, "How many at most, 1 to 50."] = 10
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Message:
    chat: str
    index: Annotated[int, "Its place in the chat, from 0."]
    role: str
    name: str
    date: str
    text: Annotated[str, "The message, or a piece of it that begins at `offset`."]
    offset: int
    length: Annotated[int, "Characters of the whole message."]


@dataclass(frozen=True, slots=True)
class Found:
    messages: Annotated[list[Message], "Newest first."]
    total: Annotated[int, "How many match on this page and later ones of the chats searched."]
    cursor: Annotated[str, w.NEXT] = ""


async def search(memory: Memory, asked_: Search) -> Answer:
    if not asked_.query.strip():
        raise BadInput("There is nothing to look for.", "Give words in `query`.")
    limit = min(max(asked_.limit, 1), MOST_FOUND)
    chats = [asked_.chat] if asked_.chat else [each.chat for each in (await memory.chats())[:SEARCHED]]
    if asked_.chat:
        await memory.place(asked_.chat, "")
    mark = asked("sources_search", asked_)
    # A cursor is the number of hits that were shown.
    skip = opened(asked_.cursor, mark)
    role: Literal["", "user", "assistant"] = "" if asked_.role == "any" else asked_.role
    rows: list[Message] = []
    total = 0
    for chat in chats:
        wanted = max(1, skip + limit - len(rows))
        found: r.SourcesFound = await memory.ask("sources.search", m.SourcesSearch(chat, asked_.query, role, asked_.speaker, limit=wanted))
        total += found.total
        rows += [message(chat, each) for each in found.messages[skip:]][: limit - len(rows)]
        skip = max(0, skip - found.total)
    page = cut(rows, "", mark, _PAGE)
    shown = opened(asked_.cursor, mark) + len(page.items)
    cursor = made(shown, mark) if shown < total else ""
    text = block("quotes", map(_line, page.items), QUOTES) if page.items else "No message holds these words."
    return Answer(Found(page.items, total, cursor), text + more(cursor, shown, total))


def message(chat: str, each: r.SourceView) -> Message:
    return Message(chat, each.index, each.role, each.name, each.date, each.text, each.offset, each.length)


def _line(each: Message) -> str:
    return line(f"#{each.index} {each.text}", each.name or each.role, each.date)


@dataclass(frozen=True, slots=True)
class ReadSources:
    chat: Annotated[str, "The chat."]
    first: Annotated[int, "Index of the first message, from 0."]
    last: Annotated[int | None, "Index of the last one; the same as `first` where it is left out."] = None
    around: Annotated[int, "How many more on each side, 0 to 20."] = 0
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Shown:
    messages: Annotated[list[Message], "In order. A long message comes in pieces."]
    total: Annotated[int, "How many pieces on all pages."]
    in_chat: Annotated[int, "How many messages the chat has."]
    cursor: Annotated[str, w.NEXT] = ""


async def read_sources(memory: Memory, asked_: ReadSources) -> Answer:
    await memory.place(asked_.chat, "")
    around = min(max(asked_.around, 0), 20)
    shown: r.SourcesShown = await memory.ask("sources.read", m.SourcesRead(asked_.chat, asked_.first, asked_.last, around))
    rows = [
        Message(asked_.chat, each.index, each.role, each.name, each.date, piece, offset, each.length)
        for each in shown.messages
        for offset, piece in pieces(each.text)
    ]
    page = cut(rows, asked_.cursor, asked("sources_read", asked_), _PAGE)
    text = block("quotes", map(_line, page.items), QUOTES)
    data = Shown(page.items, page.total, shown.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


SEARCH = Tool(
    "sources_search",
    "Search messages",
    "Search what was said, word for word: the stored messages themselves and not what was remembered of them. For exact wording, numbers, "
    "or when recall finds nothing.",
    Search,
    Found,
    search,
    reads=True,
    repeatable=True,
)
READ_SOURCES = Tool(
    "sources_read",
    "Read messages",
    "Read messages of a chat whole, by index, with their neighbours.",
    ReadSources,
    Shown,
    read_sources,
    reads=True,
    repeatable=True,
)
