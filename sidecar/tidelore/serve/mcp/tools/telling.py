"""thread_find, thread_read, digest, scopes and resume: the story so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import NotFound
from tidelore.engine.text.tokens import tokens
from tidelore.engine.view import GraphView, NodeView
from tidelore.serve.mcp.memory import Memory, Place
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.recalling import pieces
from tidelore.serve.mcp.wording import QUOTES, block, line, more

RESUMED = 1_500
_MESSAGES = 6


@dataclass(frozen=True, slots=True)
class Find:
    query: Annotated[str, "Words of its name or text; empty lists all."] = ""
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Thread:
    id: str
    sub: Annotated[str, "plot, track, arc or question."]
    name: str
    status: str
    text: str


@dataclass(frozen=True, slots=True)
class Threads:
    threads: list[Thread]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def _nodes(memory: Memory, place: Place, kind: str) -> list[NodeView]:
    if not place.known:
        return []
    view: GraphView = await memory.ask("graph.get", m.GraphGet(place.name))
    return [each for each in view.nodes if each.kind == kind]


def _thread(node: NodeView) -> Thread:
    said = str(node.fields.get("text") or node.fields.get("summary") or "")
    return Thread(node.id, node.sub, str(node.fields.get("name", node.text)), str(node.fields.get("status", "")), said[:600])


async def thread_find(memory: Memory, asked_: Find) -> Answer:
    place = await memory.place(asked_.chat, asked_.scope)
    wanted = set(tokens(asked_.query))
    threads = [_thread(each) for each in await _nodes(memory, place, "thread")]
    rows = [each for each in threads if wanted <= set(tokens(f"{each.name} {each.text}"))]
    page = cut(rows, asked_.cursor, asked("thread_find", asked_))
    shown = [line(f"{each.id[:8]} {each.name} ({each.status or 'open'}): {each.text}") for each in page.items]
    text = block("threads", shown) if shown else f"No thread matches in {place.label}."
    return Answer(Threads(page.items, page.total, page.cursor), text + more(page.cursor, page.start + len(page.items), page.total))


@dataclass(frozen=True, slots=True)
class ReadThread:
    thread: Annotated[str, w.NODE]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Part:
    id: str
    kind: str
    relation: Annotated[str, "How it hangs together with the thread."]
    text: str


@dataclass(frozen=True, slots=True)
class ThreadParts:
    thread: Thread
    parts: list[Part]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def thread_read(memory: Memory, asked_: ReadThread) -> Answer:
    place = await memory.place(asked_.chat, asked_.scope)
    threads = await _nodes(memory, place, "thread")
    name = asked_.thread.strip().casefold()
    found = [each for each in threads if each.id == asked_.thread or str(each.fields.get("name", "")).casefold() == name]
    found = found or [each for each in threads if len(name) >= 8 and each.id.startswith(name)]
    if not found:
        raise NotFound(f"There is no thread {asked_.thread[:80]!r} in {place.label}.", "`thread_find` lists them.")
    state: r.StateOf = await memory.ask("state.get", m.StateGet(place.name, found[0].id))
    rows = [Part(each.node, "fact", "about", each.text[:600]) for each in state.facts]
    rows += [Part(each.node, "", each.label or each.type, each.text[:600]) for each in state.relations]
    page = cut(rows, asked_.cursor, asked("thread_read", asked_))
    thread = _thread(found[0])
    text = block("thread", [line(f"{thread.name}: {thread.text}"), *(line(f"{each.relation}: {each.text}") for each in page.items)])
    data = ThreadParts(thread, page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


@dataclass(frozen=True, slots=True)
class DigestAsked:
    sub: Annotated[str, "Only this sort: synopsis, reflection, volume, profile, snapshot or handoff."] = ""
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Digest:
    id: str
    sub: str
    text: Annotated[str, "The digest, or a piece of it that begins at `offset`."]
    offset: int


@dataclass(frozen=True, slots=True)
class Digests:
    digests: list[Digest]
    total: Annotated[int, "How many pieces on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def digest(memory: Memory, asked_: DigestAsked) -> Answer:
    place = await memory.place(asked_.chat, asked_.scope)
    nodes = [each for each in await _nodes(memory, place, "digest") if asked_.sub in ("", each.sub)]
    rows = [Digest(each.id, each.sub, piece, offset) for each in nodes for offset, piece in pieces(each.text)]
    page = cut(rows, asked_.cursor, asked("digest", asked_))
    text = block("digest", [line(f"{each.sub}: {each.text}") for each in page.items]) if rows else f"There is no digest in {place.label}."
    return Answer(Digests(page.items, page.total, page.cursor), text + more(page.cursor, page.start + len(page.items), page.total))


@dataclass(frozen=True, slots=True)
class ScopesAsked:
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Entry:
    chat: Annotated[str, "A chat; empty for a scope."]
    scope: Annotated[str, "A scope; empty for a chat."]
    messages: int


@dataclass(frozen=True, slots=True)
class Entries:
    places: Annotated[list[Entry], "Scopes, then chats, the newest first."]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def scopes(memory: Memory, asked_: ScopesAsked) -> Answer:
    rows = [Entry("", each.scope, 0) for each in await memory.scopes()]
    rows += [Entry(each.chat, "", each.messages) for each in await memory.chats()]
    page = cut(rows, asked_.cursor, asked("scopes", asked_))
    lines = [line(f"scope {each.scope}" if each.scope else f"chat {each.chat} ({each.messages} messages)") for each in page.items]
    text = block("places", lines) if lines else "Nothing is remembered yet."
    return Answer(Entries(page.items, page.total, page.cursor), text + more(page.cursor, page.start + len(page.items), page.total))


@dataclass(frozen=True, slots=True)
class Resume:
    chat: Annotated[str, "The chat to go on with; without it the newest one, or else what holds beyond a chat."] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class Resumed:
    where: str
    core: Annotated[str, "Rules, synopsis and open threads, as a block of text."]
    messages: Annotated[list[str], "The last messages, oldest first."]


async def resume(memory: Memory, asked_: Resume) -> Answer:
    chat = asked_.chat
    if not chat and not asked_.scope:
        chat = next((each.chat for each in await memory.chats()), "")
    place = await memory.place(chat, asked_.scope)
    core, said = await so_far(memory, place)
    quotes = block("quotes", said, QUOTES) if said else ""
    text = "\n".join(filter(None, (core, quotes))) or f"Nothing is remembered in {place.label} yet."
    return Answer(Resumed(place.label, core, said), text)


async def so_far(memory: Memory, place: Place) -> tuple[str, list[str]]:
    """The core block of a place, and the last messages as lines."""
    if not place.known:
        return "", []
    # An empty query matches nothing, so only the core is told.
    found: r.Recalled = await memory.ask("recall.run", m.RecallRun(place.name, "", RESUMED, scopes=list(place.beside), trace=False))
    if not place.chat:
        return found.core, []
    last: r.SourcesFound = await memory.ask("sources.search", m.SourcesSearch(place.name, limit=_MESSAGES))
    return found.core, [line(each.text, each.name or each.role, each.date) for each in reversed(last.messages)]


THREAD_FIND = Tool(
    "thread_find",
    "Find threads",
    "Open and closed matters: plots, tracks, questions.",
    Find,
    Threads,
    thread_find,
    reads=True,
    repeatable=True,
)
THREAD_READ = Tool(
    "thread_read",
    "Read a thread",
    "One thread with all that belongs to it.",
    ReadThread,
    ThreadParts,
    thread_read,
    reads=True,
    repeatable=True,
)
DIGEST = Tool(
    "digest", "Read digests", "Synopses, reflections, profiles and handoffs.", DigestAsked, Digests, digest, reads=True, repeatable=True
)
SCOPES = Tool(
    "scopes",
    "Where memories are",
    "The scopes and chats under which something is remembered.",
    ScopesAsked,
    Entries,
    scopes,
    reads=True,
    repeatable=True,
)
RESUME = Tool(
    "resume",
    "Continue",
    "Continue where a chat was left off: rules, synopsis, open threads and the last messages.",
    Resume,
    Resumed,
    resume,
    reads=True,
    repeatable=True,
)
