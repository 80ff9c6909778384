"""Tool names of MemTether, on the scope "profile"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.serve.mcp import kept
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool, absent
from tidelore.serve.mcp.tools import keeping, past, recalling, upkeep, writing
from tidelore.serve.mcp.tools import words as w

_TYPES = Literal["fact", "preference", "task", "context"]


@dataclass(frozen=True, slots=True)
class AddMemories:
    text: str
    subject: Annotated[str, "Whom or what it is about."] = ""
    memory_type: _TYPES = "fact"


async def add_memories(memory: Memory, asked_: AddMemories) -> Answer:
    sub = "" if asked_.memory_type == "fact" else asked_.memory_type
    return await writing.write(memory, writing.Write(asked_.text, about=asked_.subject, sub=sub))


@dataclass(frozen=True, slots=True)
class SearchMemory:
    query: str
    limit: int = 5


async def search_memory(memory: Memory, asked_: SearchMemory) -> Answer:
    return await recalling.recall(memory, recalling.Recall(asked_.query, limit=asked_.limit))


@dataclass(frozen=True, slots=True)
class ListMemories:
    limit: int = 50
    cursor: Annotated[str, w.CURSOR] = ""


async def list_memories(memory: Memory, asked_: ListMemories) -> Answer:
    found = await kept.found(memory, {"fact", "moment"})
    return kept.listed(found, asked_.cursor, asked("list_memories", asked_), asked_.limit)


@dataclass(frozen=True, slots=True)
class Correct:
    uid: Annotated[str, w.ID]
    text: Annotated[str, "How it should read."]


async def correct_memory(memory: Memory, asked_: Correct) -> Answer:
    return await writing.edit(memory, writing.Edit(asked_.uid, asked_.text))


@dataclass(frozen=True, slots=True)
class Uid:
    uid: Annotated[str, w.ID]


async def retire_memory(memory: Memory, asked_: Uid) -> Answer:
    return await upkeep.forget(memory, upkeep.One(asked_.uid))


@dataclass(frozen=True, slots=True)
class Timeline:
    uid: Annotated[str, w.ID]
    cursor: Annotated[str, w.CURSOR] = ""


async def timeline(memory: Memory, asked_: Timeline) -> Answer:
    return await past.history(memory, past.HistoryAsked(asked_.uid, cursor=asked_.cursor))


@dataclass(frozen=True, slots=True)
class PinMemory:
    uid: Annotated[str, w.ID]
    off: bool = False


async def pin_memory(memory: Memory, asked_: PinMemory) -> Answer:
    return await keeping.pin(memory, keeping.Pin(asked_.uid, asked_.off))


@dataclass(frozen=True, slots=True)
class Profile:
    subject: Annotated[str, "Whom or what it is about."]
    cursor: Annotated[str, w.CURSOR] = ""


async def profile(memory: Memory, asked_: Profile) -> Answer:
    return await recalling.state(memory, recalling.State(asked_.subject, cursor=asked_.cursor))


MEMTETHER = (
    Tool("add_memories", "Remember", "Remember something.", AddMemories, writing.Written, add_memories),
    Tool(
        "search_memory",
        "Search",
        "Find what is remembered about something.",
        SearchMemory,
        recalling.Recollection,
        search_memory,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "list_memories",
        "List",
        "All facts and moments, page by page.",
        ListMemories,
        kept.Items,
        list_memories,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "correct_memory",
        "Correct",
        "Change how a memory reads; the old words are kept.",
        Correct,
        writing.Changed,
        correct_memory,
        destroys=True,
        repeatable=True,
    ),
    Tool("retire_memory", "Retire", "Hide a memory.", Uid, writing.Changed, retire_memory, destroys=True, repeatable=True),
    Tool(
        "timeline",
        "History of a memory",
        "Its versions, the facts that it replaced, and those that replaced it.",
        Timeline,
        past.History,
        timeline,
        reads=True,
        repeatable=True,
    ),
    Tool("profile", "Profile", "What holds now about somebody.", Profile, recalling.Standing, profile, reads=True, repeatable=True),
    Tool(
        "pin_memory",
        "Pin",
        "Tell a memory at the start of every prompt, or take that back with `off`.",
        PinMemory,
        writing.Changed,
        pin_memory,
        repeatable=True,
    ),
    absent("as_of_query", "The past is not asked by date: `history` shows how a memory read before."),
    absent("feedback", "No feedback is taken: an importance can be set with `edit`."),
)
