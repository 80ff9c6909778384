"""Tool names of Tideline: raw turns. What is recorded becomes a message of the chat "tideline"; all chats are searched and paged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.serve.mcp.kept import now
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import sources
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.wording import QUOTES, block, line, more

CHAT = "tideline"


@dataclass(frozen=True, slots=True)
class Record:
    content: str
    metadata: Annotated[str, 'A JSON object such as {"role": "assistant", "name": "Mira"}; left out, the user said it.'] = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    id: Annotated[str, "CHAT#INDEX, for source_links."]
    messages: Annotated[int, "How many messages the chat has now."]


async def record(memory: Memory, asked_: Record) -> Answer:
    if not asked_.content.strip():
        raise BadInput("There is nothing to record.", "Give `content`.")
    role, name = _who(asked_.metadata)
    async with memory.alone():
        there = next((each.messages for each in await memory.chats() if each.chat == CHAT), 0)
        message = {"role": role, "text": asked_.content, "name": name, "date": now(memory)}
        done: r.Updated = await memory.ask("chat.update", m.ChatUpdate(CHAT, [message], keep=there))
    await memory.ask("extract.run", m.ExtractRun(CHAT))
    id_ = f"{CHAT}#{done.messages - 1}"
    return Answer(Recorded(id_, done.messages), f"Recorded: {id_}.")


def _who(metadata: str) -> tuple[str, str]:
    if not metadata.strip():
        return "user", ""
    try:
        found = json.loads(metadata)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadInput("`metadata` is no JSON object.", 'Write {"role": "user"} or {"role": "assistant"}.')
    role: Literal["user", "assistant"] = "assistant" if found.get("role") == "assistant" else "user"
    name = found.get("name") or found.get("speaker") or ""
    return role, name if isinstance(name, str) else ""


@dataclass(frozen=True, slots=True)
class Query:
    query: str
    limit: int = 5
    cursor: Annotated[str, w.CURSOR] = ""


async def search(memory: Memory, asked_: Query) -> Answer:
    return await sources.search(memory, sources.Search(asked_.query, limit=asked_.limit, cursor=asked_.cursor))


@dataclass(frozen=True, slots=True)
class Timeline:
    limit: int = 20
    offset: int = 0
    chat: Annotated[str, "Of this chat; left out, of the one that context_record fills, or else of the newest."] = ""


async def timeline(memory: Memory, asked_: Timeline) -> Answer:
    limit, offset = min(max(asked_.limit, 1), 100), max(asked_.offset, 0)
    names = [each.chat for each in await memory.chats()]
    chat = asked_.chat or (CHAT if CHAT in names else next(iter(names), ""))
    if not chat:
        return Answer(sources.Found([], 0), "No message is stored yet.")
    await memory.place(chat, "")
    found: r.SourcesFound = await memory.ask("sources.search", m.SourcesSearch(chat, limit=offset + limit))
    rows = [sources.message(chat, each) for each in found.messages[offset:]]
    page = cut(rows, "", asked("context_timeline", asked_), 3_300)
    shown = offset + len(page.items)
    lines = (line(f"#{each.index} {each.text}", each.name or each.role, each.date) for each in page.items)
    text = block("quotes", lines, QUOTES) if page.items else "No message is left."
    left = f"\n{found.total - shown} more: go on with offset {shown}." if shown < found.total else ""
    return Answer(sources.Found(page.items, found.total), text + (left or more("", shown, found.total)))


CONTEXT = (
    Tool("context_record", "Record a turn", "Store what was said, word for word, as a message.", Record, Recorded, record),
    Tool(
        "context_search",
        "Search messages",
        "Search stored messages word for word.",
        Query,
        sources.Found,
        search,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "context_timeline",
        "Latest messages",
        "Stored messages, newest first, from an offset on.",
        Timeline,
        sources.Found,
        timeline,
        reads=True,
        repeatable=True,
    ),
)
