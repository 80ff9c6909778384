"""recall, read and state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.scopes import scope_chat
from tidelore.engine.text.counting import count_tokens
from tidelore.engine.view import NodeView
from tidelore.serve.mcp.memory import Memory, Place
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.wording import block, line, more

MOST_TOKENS = 3_000
MOST_IDS = 20
# A piece of one long text, in tokens.
PIECE = 2_500
# So many of the places that were read are named.
_LABELS = 5
# So many conversations are looked through for what holds about somebody.
_STATES = 20


@dataclass(frozen=True, slots=True)
class Recall:
    query: Annotated[str, "What to remember: the user's own words are best."]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    limit: Annotated[int, "How many memories at most, 1 to 50."] = 8
    budget: Annotated[int, "How many tokens at most, 100 to 3000."] = 1000


@dataclass(frozen=True, slots=True)
class Memo:
    """One memory."""

    id: Annotated[str, "Its id."]
    chat: Annotated[str, "The chat that it belongs to; empty for one that holds beyond a chat."]
    scope: Annotated[str, "The scope that it holds in; empty for one of a chat."]
    kind: Annotated[str, "entity, moment, fact, thread, digest or page."]
    text: Annotated[str, "Its words."]
    speaker: Annotated[str, "Who said it; empty where it is not said."] = ""
    date: Annotated[str, "When it was said, ISO 8601; empty where that is not known."] = ""
    score: Annotated[float, "How well it matches; higher is better."] = 0.0


@dataclass(frozen=True, slots=True)
class Recollection:
    recall: Annotated[str, "The id of this recall."]
    where: Annotated[str, "What was read."]
    core: Annotated[list[str], "Ids of what is always told: rules, synopsis, open threads."]
    memories: Annotated[list[Memo], "What matches, best first."]
    tokens: Annotated[int, "What the text costs."]
    degraded: Annotated[list[str], "What could not take part, such as an embedder that does not answer."]


async def recall(memory: Memory, asked_: Recall) -> Answer:
    limit, budget = min(max(asked_.limit, 1), 50), min(max(asked_.budget, 100), MOST_TOKENS)
    if not asked_.chat and not asked_.scope:
        return await _from_everywhere(memory, asked_.query, budget, limit)
    place = await memory.place(asked_.chat, asked_.scope, look=False)
    try:
        found = await _recalled(memory, place, asked_.query, budget, limit)
    except NotFound:
        # No such chat, which is an error; or a scope under which nothing is remembered yet, which is none.
        place = await memory.place(asked_.chat, asked_.scope)
        if place.known or not place.beside:
            return _nothing(place)
        place = await memory.place("", place.beside[0])
        if not place.known:
            return _nothing(place)
        found = await _recalled(memory, place, asked_.query, budget, limit)
    return _answer(found, [_memo(place, card) for card in found.cards], _read_places(place))


async def _from_everywhere(memory: Memory, query: str, budget: int, limit: int) -> Answer:
    """What a call that names no place reads is what the gateway reads: whatever was said in one client is known in the others."""
    place = await memory.everywhere()
    if place is None:
        return _nothing(await memory.place("", ""))
    params = m.RecallRun(place.chat, query, budget, limit=limit, scopes=list(place.scopes), beside=list(place.beside), trace=False)
    found: r.Recalled = await memory.ask("recall.run", params)
    chats = [place.chat, *reversed(place.beside)]
    memories: list[Memo] = []
    for card in found.cards:
        scope = "" if card.scope == "chat" else next((each for each in place.scopes if each.partition(":")[0] == card.scope), card.scope)
        chat = await memory.home(card.node, chats) if not scope else ""
        memories.append(Memo(card.node, chat, scope, card.kind, card.text, card.speaker, card.date, card.score))
    return _answer(found, memories, shown_places(place.labels()))


def _answer(found: r.Recalled, memories: list[Memo], where: str) -> Answer:
    shown = {each.id for each in memories}
    core = [node for node in found.nodes if node not in shown]
    text = "\n".join(filter(None, (found.core, found.recalled))) or f"Nothing matches in {where}."
    return Answer(Recollection(found.recall, where, core, memories, found.tokens, found.degraded), text)


def shown_places(labels: Sequence[str]) -> str:
    """What was read, in words; of many conversations only the first are named."""
    more_ = f" and {len(labels) - _LABELS} more" if len(labels) > _LABELS else ""
    return ", ".join(labels[:_LABELS]) + more_


async def _recalled(memory: Memory, place: Place, query: str, budget: int, limit: int) -> r.Recalled:
    found: r.Recalled = await memory.ask(
        "recall.run", m.RecallRun(place.name, query, budget, limit=limit, scopes=list(place.beside), trace=False)
    )
    return found


def _nothing(place: Place) -> Answer:
    return Answer(Recollection("", _read_places(place), [], [], 0, []), f"Nothing is remembered in {place.label} yet.")


def _read_places(place: Place) -> str:
    return ", ".join([place.label, *(f"scope {each}" for each in place.beside)])


def _memo(place: Place, card: r.Card) -> Memo:
    chat, scope = place.chat, place.scope
    if card.scope != "chat":
        # The scope by its whole name: of those that were read, the one of this kind.
        named = [each for each in (place.scope, *place.beside) if each.partition(":")[0] == card.scope]
        chat, scope = ("", named[0]) if named else (chat, scope)
    return Memo(card.node, chat, scope, card.kind, card.text, card.speaker, card.date, card.score)


@dataclass(frozen=True, slots=True)
class Read:
    ids: Annotated[list[str], "Ids of memories, or the first eight digits of each; 20 at most."]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    value: Annotated[str, "Several values are one on each line."]


@dataclass(frozen=True, slots=True)
class Whole:
    """A memory with all that is known of it."""

    id: str
    chat: str
    scope: str
    kind: str
    sub: Annotated[str, "What sort of its kind, such as character or preference."]
    state: Annotated[str, '"current", or "superseded" for a fact that a later one replaced.']
    text: Annotated[str, "Its words, or the piece of them that begins at `offset`."]
    fields: list[Field]
    quotes: Annotated[list[str], "The words of messages that it rests on."]
    offset: Annotated[int, "Where in its text the piece begins."] = 0
    length: Annotated[int, "Characters of its whole text."] = 0


@dataclass(frozen=True, slots=True)
class Memories:
    memories: list[Whole]
    total: Annotated[int, "How many pieces there are on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def read(memory: Memory, asked_: Read) -> Answer:
    if not 1 <= len(asked_.ids) <= MOST_IDS:
        raise BadInput(f"{len(asked_.ids)} ids are given.", f"Name 1 to {MOST_IDS}.")
    rows: list[Whole] = []
    for id_ in dict.fromkeys(asked_.ids):
        place, view = await memory.node(id_, asked_.chat, asked_.scope)
        rows += _pieces(place, view)
    page = cut(rows, asked_.cursor, asked("read", asked_), PIECE + 500)
    text = block("memory", [line(f"{each.id[:8]} {each.kind}/{each.sub}: {each.text}") for each in page.items])
    return Answer(Memories(page.items, page.total, page.cursor), text + more(page.cursor, page.start + len(page.items), page.total))


def _pieces(place: Place, view: NodeView) -> list[Whole]:
    """A memory, in as many pieces as a long text takes."""
    fields = [Field(name, field_text(value)[:2000]) for name, value in view.fields.items() if name != "text"][:40]
    quotes = [each.quote[:400] for each in view.evidence if each.quote][:10]
    out: list[Whole] = []
    for offset, piece in pieces(view.text):
        first = offset == 0
        out.append(
            Whole(
                view.id,
                place.chat,
                place.scope,
                view.kind,
                view.sub,
                view.state,
                piece,
                fields if first else [],
                quotes if first else [],
                offset,
                len(view.text),
            )
        )
    return out


def pieces(text: str, most: int = PIECE) -> list[tuple[int, str]]:
    """(offset, piece) of a text, each piece of so many tokens at most."""
    out: list[tuple[int, str]] = []
    at = 0
    while at < len(text) or not out:
        # A character takes two tokens at most in any script but for rare ones, so this ends soon.
        size = most * 4
        while size > 1 and count_tokens(text[at : at + size]) > most:
            size = size * 3 // 4
        out.append((at, text[at : at + size]))
        at += size
    return out


def field_text(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@dataclass(frozen=True, slots=True)
class State:
    about: Annotated[str, "Whom or what: " + w.NODE]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Held:
    """One thing that holds now: a fact, or how it hangs together with another."""

    id: Annotated[str, "The fact's id, or that of the other."]
    kind: Annotated[str, '"fact", or the type of the relation.']
    attribute: Annotated[str, "What the fact is about; a later one of the same attribute replaces it."] = ""
    text: Annotated[str, "The fact, or the name of the other."] = ""
    label: Annotated[str, "How the two hang together, in words."] = ""
    outgoing: Annotated[bool, "The relation leads from this one to the other."] = False
    chat: Annotated[str, "The chat of the fact."] = ""
    scope: Annotated[str, "The scope of the fact."] = ""


@dataclass(frozen=True, slots=True)
class Standing:
    id: Annotated[str, "The id of whom it is about; empty where nobody and nothing is called so."]
    name: str
    sub: str
    aliases: Annotated[list[str], "Other names."]
    holds: Annotated[list[Held], "Facts first, newest first; then relations."]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def state(memory: Memory, asked_: State) -> Answer:
    if not asked_.chat and not asked_.scope:
        place = await memory.everywhere()
        names = [place.chat, *map(scope_chat, place.scopes), *reversed(place.beside)][:_STATES] if place is not None else []
        found, where = await _over(memory, list(dict.fromkeys(names)), asked_.about), shown_places(place.labels() if place else [])
    else:
        there = await memory.place(asked_.chat, asked_.scope)
        if not there.known and there.beside:
            there = await memory.place("", there.beside[0])
        found, where = r.StateOf("", asked_.about, "", [], [], []), _read_places(there)
        if there.known:
            found = await memory.ask("state.get", m.StateGet(there.name, asked_.about, list(there.beside)))
    scopes = {each.chat: each.scope for each in await memory.scopes()}
    rows = [
        Held(each.node, "fact", each.attribute, each.text, chat="" if each.chat in scopes else each.chat, scope=scopes.get(each.chat, ""))
        for each in found.facts
    ]
    rows += [Held(each.node, each.type, "", each.text, each.label, each.outgoing) for each in found.relations]
    page = cut(rows, asked_.cursor, asked("state", asked_))
    if not found.node and not rows:
        text = f"Nothing is remembered about {asked_.about!r} in {where or 'any place'}."
    else:
        text = block(
            "state",
            [line(f"{found.name} ({found.sub})" if found.node else found.name), *(line(_held(found.name, each)) for each in page.items)],
        )
    standing = Standing(found.node, found.name, found.sub, found.aliases[:50], page.items, page.total, page.cursor)
    return Answer(standing, text + more(page.cursor, page.start + len(page.items), page.total))


async def _over(memory: Memory, names: Sequence[str], about: str) -> r.StateOf:
    """What holds in several chats together; the first that knows of it names it."""
    out = r.StateOf("", about, "", [], [], [])
    unnamed: list[r.StateFact] = []
    for name in names:
        found: r.StateOf = await memory.ask("state.get", m.StateGet(name, about))
        if not found.node:
            unnamed.extend(found.facts)
        else:
            out = out if out.node else replace(found, aliases=[], facts=[], relations=[])
            out.aliases.extend(each for each in found.aliases if each not in out.aliases)
            out.facts.extend(each for each in found.facts if each.node not in {one.node for one in out.facts})
            out.relations.extend(each for each in found.relations if each not in out.relations)
    out.facts.extend(each for each in unnamed if each.node not in {one.node for one in out.facts})
    return out


def _held(name: str, each: Held) -> str:
    if each.kind == "fact":
        return f"{each.attribute}: {each.text}" if each.attribute else each.text
    start, end = (name, each.text) if each.outgoing else (each.text, name)
    return f"{start} -> {each.label or each.kind} -> {end}"


RECALL = Tool(
    "recall",
    "Recall memories",
    "Find what is remembered about something, best matches first, as a block of text for the prompt. Call it when the user refers to "
    "earlier talk, to people, plans, preferences or facts that are not in this conversation. It reads the scope given; or the chat given "
    "and what holds everywhere; or, without either, what holds everywhere and was said in other programs. Nothing found is no error.",
    Recall,
    Recollection,
    recall,
    reads=True,
    repeatable=True,
)
READ = Tool(
    "read",
    "Read memories",
    "Read memories whole, by id: all fields, state, and the very words they rest on.",
    Read,
    Memories,
    read,
    reads=True,
    repeatable=True,
)
STATE = Tool(
    "state",
    "Current state",
    "What holds now about a person, place or thing: facts that no later one replaced, and relations to others.",
    State,
    Standing,
    state,
    reads=True,
    repeatable=True,
)
