"""Tool names of Tideline, on the scope "profile": profiles are digests of the sub "profile", snapshots those of the sub "snapshot"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.serve.mcp.aliases.common import Items, listed, nodes
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import graphs, recalling, sources, telling, writing
from tidelore.serve.mcp.tools import words as w


@dataclass(frozen=True, slots=True)
class WriteMemory:
    content: str
    about: Annotated[str, "Whom or what it is about."] = ""
    importance: Annotated[int | None, "1 to 10."] = None


async def memory_write(memory: Memory, asked_: WriteMemory) -> Answer:
    return await writing.write(memory, writing.Write(asked_.content, about=asked_.about, importance=asked_.importance))


@dataclass(frozen=True, slots=True)
class Query:
    query: str
    limit: int = 8


async def memory_recall(memory: Memory, asked_: Query) -> Answer:
    return await recalling.recall(memory, recalling.Recall(asked_.query, limit=asked_.limit))


@dataclass(frozen=True, slots=True)
class Content:
    content: str


async def _digest(memory: Memory, sub: str, text: str) -> Answer:
    made: r.Written = await memory.ask("node.write", m.NodeWrite(text, "", "profile", "digest", sub, author="tool"))
    return Answer(writing.Written(made.node, made.commit, "", "profile"), f"Stored: {made.node[:8]}.")


async def write_profile(memory: Memory, asked_: Content) -> Answer:
    return await _digest(memory, "profile", asked_.content)


async def write_snapshot(memory: Memory, asked_: Content) -> Answer:
    return await _digest(memory, "snapshot", asked_.content)


async def write_self(memory: Memory, asked_: Content) -> Answer:
    return await _digest(memory, "reflection", asked_.content)


@dataclass(frozen=True, slots=True)
class Listing:
    cursor: Annotated[str, w.CURSOR] = ""


async def read_profiles(memory: Memory, asked_: Listing) -> Answer:
    return listed(await nodes(memory, {"digest"}, {"profile"}), asked_.cursor, asked("memory_read_profiles", asked_))


async def read_snapshot(memory: Memory, asked_: Listing) -> Answer:
    return listed(await nodes(memory, {"digest"}, {"snapshot"}), asked_.cursor, asked("memory_read_snapshot", asked_))


async def read_self(memory: Memory, asked_: Listing) -> Answer:
    return listed(await nodes(memory, {"digest"}, {"reflection"}), asked_.cursor, asked("memory_read_self_concept", asked_))


@dataclass(frozen=True, slots=True)
class WriteThread:
    name: str
    content: str = ""
    status: Literal["open", "closed"] = "open"


async def write_thread(memory: Memory, asked_: WriteThread) -> Answer:
    fields: dict[str, Any] = {"status": asked_.status}
    params = m.NodeWrite(asked_.content, "", "profile", "thread", name=asked_.name, fields=fields, author="tool")
    made: r.Written = await memory.ask("node.write", params)
    return Answer(writing.Written(made.node, made.commit, "", "profile"), f"Stored: {made.node[:8]}.")


async def read_threads(memory: Memory, asked_: Listing) -> Answer:
    return await telling.thread_find(memory, telling.Find(cursor=asked_.cursor))


async def memory_graph(memory: Memory, asked_: Listing) -> Answer:
    return await graphs.graph(memory, graphs.Graph(cursor=asked_.cursor))


async def context_search(memory: Memory, asked_: Query) -> Answer:
    return await sources.search(memory, sources.Search(asked_.query, limit=asked_.limit))


TIDELINE = (
    Tool("memory_write", "Remember", "Remember something.", WriteMemory, writing.Written, memory_write),
    Tool(
        "memory_recall",
        "Recall",
        "Find what is remembered about something.",
        Query,
        recalling.Recollection,
        memory_recall,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "memory_search",
        "Search",
        "Find what is remembered about something.",
        Query,
        recalling.Recollection,
        memory_recall,
        reads=True,
        repeatable=True,
    ),
    Tool("memory_write_profile", "Write a profile", "Store a profile.", Content, writing.Written, write_profile),
    Tool("memory_read_profiles", "Read profiles", "Read profiles.", Listing, Items, read_profiles, reads=True, repeatable=True),
    Tool("memory_write_self_concept", "Write self-concept", "Store a reflection on oneself.", Content, writing.Written, write_self),
    Tool(
        "memory_read_self_concept",
        "Read self-concept",
        "Read reflections on oneself.",
        Listing,
        Items,
        read_self,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "memory_write_thread",
        "Write a thread",
        "Store an open or closed matter.",
        WriteThread,
        writing.Written,
        write_thread,
        repeatable=True,
    ),
    Tool(
        "memory_read_threads",
        "Read threads",
        "Read open and closed matters.",
        Listing,
        telling.Threads,
        read_threads,
        reads=True,
        repeatable=True,
    ),
    Tool("memory_write_snapshot", "Write a snapshot", "Store how things stand.", Content, writing.Written, write_snapshot),
    Tool("memory_read_snapshot", "Read snapshots", "Read how things stood.", Listing, Items, read_snapshot, reads=True, repeatable=True),
    Tool(
        "memory_graph",
        "Memory graph",
        "Nodes and edges, page by page.",
        Listing,
        graphs.GraphPage,
        memory_graph,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "context_search",
        "Search messages",
        "Search stored messages word for word.",
        Query,
        sources.Found,
        context_search,
        reads=True,
        repeatable=True,
    ),
)
