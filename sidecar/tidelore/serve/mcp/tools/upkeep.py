"""why, undo, forget, restore, alias, review and stats: the tools beside the usual ones that look after memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results as r
from tidelore.engine import results_care as rc
from tidelore.engine.errors import NotFound
from tidelore.engine.view import GraphView
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.writing import Changed
from tidelore.serve.mcp.wording import QUOTES, block, line, more


@dataclass(frozen=True, slots=True)
class One:
    id: Annotated[str, w.ID]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class WhyAsked:
    id: Annotated[str, w.ID]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Ground:
    """One reason for a memory."""

    author: Annotated[str, "Who made it: rules, model, person, tool, import or upkeep."]
    index: Annotated[int | None, "The message that it rests on; left out where it rests on none that stands."]
    speaker: str
    text: Annotated[str, "The message's words, or what was changed."]


@dataclass(frozen=True, slots=True)
class Why:
    id: str
    kind: str
    text: str
    grounds: list[Ground]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def why(memory: Memory, asked_: WhyAsked) -> Answer:
    place, view = await memory.node(asked_.id, asked_.chat, asked_.scope)
    found: r.Why = await memory.ask("why", m.NodeOnly(place.name, view.id))
    rows: list[Ground] = []
    for belief in found.beliefs:
        rows += [Ground(belief.author, each.index, each.name, (each.quote or each.text)[:600]) for each in belief.messages]
        if not belief.messages:
            said = "; ".join(f"{name}: {value}" for name, value in belief.fields.items())
            rows.append(Ground(belief.author, None, "", said[:600]))
    page = cut(rows, asked_.cursor, asked("why", asked_))
    text = block("why", [line(f"{_message(each)}{each.text}", each.speaker) for each in page.items], QUOTES)
    data = Why(found.node, found.kind, found.text[:2000], page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


def _message(ground: Ground) -> str:
    return f"({ground.author}) " if ground.index is None else f"#{ground.index} "


@dataclass(frozen=True, slots=True)
class Undo:
    commit: Annotated[str, "The change, as write, edit, link or forget answered it; undoing an undo is a redo."]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


async def undo(memory: Memory, asked_: Undo) -> Answer:
    error: NotFound | None = None
    for place in await memory.places(asked_.chat, asked_.scope):
        try:
            done: rc.Turned = await memory.ask("undo", m.Undo(place.name, asked_.commit))
        except NotFound as caught:
            error = caught
            continue
        return Answer(
            Changed(done.node, done.commit, done.text, place.chat, place.scope), f"Taken back in {place.label}: {done.text[:200]}"
        )
    raise error or NotFound("There is no such change.", "write, edit, link and forget answer with the id to undo.")


async def forget(memory: Memory, asked_: One) -> Answer:
    place, view = await memory.node(asked_.id, asked_.chat, asked_.scope)
    done: rc.Retired = await memory.ask("node.retire", m.NodeRetire(place.name, view.id))
    return Answer(Changed(done.node, done.commit, done.text, place.chat, place.scope), f"Hidden in {place.label}; `undo` brings it back.")


async def restore(memory: Memory, asked_: One) -> Answer:
    for place in await memory.places(asked_.chat, asked_.scope):
        try:
            done: r.Changed = await memory.ask("node.restore", m.NodeOnly(place.name, asked_.id))
        except NotFound:
            continue
        return Answer(Changed(done.node, done.commit, done.text, place.chat, place.scope), f"Shown again in {place.label}.")
    raise NotFound(f"There is no hidden memory {asked_.id[:80]!r}.", "Give the whole id that `forget` answered, or a name.")


@dataclass(frozen=True, slots=True)
class Alias:
    name: Annotated[str, "A name that is known."]
    alias: Annotated[str, "Another name of the same one."]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


async def alias(memory: Memory, asked_: Alias) -> Answer:
    place = await memory.place(asked_.chat, asked_.scope)
    if not place.known:
        raise NotFound(f"Nothing is remembered in {place.label} yet.", "Write it first.")
    done: r.Changed = await memory.ask("entity.alias", m.AliasAdd(place.name, asked_.name, asked_.alias))
    text = f"{asked_.name} is also called {asked_.alias} in {place.label}."
    return Answer(Changed(done.node, done.commit, done.text, place.chat, place.scope), text)


@dataclass(frozen=True, slots=True)
class Where:
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Something for a person to decide."""

    id: Annotated[str, "What `decide` takes for a conflict or duplicate; else the memory."]
    kind: Annotated[
        str,
        '"conflict": two memories contradict; "duplicate": two say the same; "waiting": a change by hand that waits; "sort": its sort is '
        "disputed.",
    ]
    text: Annotated[str, "Of two memories the older, a slash, the newer."]
    memories: Annotated[list[str], "The ids of the memories, the older one first."]


@dataclass(frozen=True, slots=True)
class Questions:
    questions: list[Question]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def review(memory: Memory, asked_: Where) -> Answer:
    place = await memory.place(asked_.chat, asked_.scope)
    rows: list[Question] = []
    if place.known:
        stats_: r.Stats = await memory.ask("stats", m.ChatOnly(place.name))
        view: GraphView = await memory.ask("graph.get", m.GraphGet(place.name))
        cards: rc.DecisionCards = await memory.ask("cards.list", mc.CardsList(place.name))
        rows += [
            Question(each.id, each.kind, f"{each.old.text[:200]} / {each.new.text[:200]}", [each.old.node, each.new.node])
            for each in cards.cards
        ]
        rows += [Question(each.node, "waiting", each.change[:300], [each.node]) for each in stats_.waiting]
        rows += [Question(each.id, "sort", f"{each.text[:200]}: {', '.join(each.subs)}", [each.id]) for each in view.nodes if each.subs]
    page = cut(rows, asked_.cursor, asked("review", asked_))
    text = (
        block("review", [line(f"{each.id[:8]} {each.kind}: {each.text}") for each in page.items])
        if page.items
        else "Nothing is to be decided."
    )
    return Answer(Questions(page.items, page.total, page.cursor), text + more(page.cursor, page.start + len(page.items), page.total))


@dataclass(frozen=True, slots=True)
class Place:
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Stats:
    where: str
    messages: int
    nodes: Annotated[list[Count], "Memories by kind."]
    edges: Annotated[list[Count], "Edges by type."]
    superseded: Annotated[int, "Facts that later ones replaced."]
    waiting: Annotated[int, "Changes by hand that wait."]
    due: Annotated[int, "Windows of messages still to be extracted by rules."]


async def stats(memory: Memory, asked_: Place) -> Answer:
    place = await memory.place(asked_.chat, asked_.scope)
    found: r.Stats = await memory.ask("stats", m.ChatOnly(place.name)) if place.known else r.Stats(0, 0, 0, 0)
    nodes, edges = _counts(found.nodes), _counts(found.edges)
    data = Stats(place.label, found.messages, nodes, edges, found.superseded, len(found.waiting), found.rules_due)
    return Answer(
        data,
        f"{place.label}: {found.messages} messages; "
        + (", ".join(f"{each.count} {each.name}" for each in nodes) or "nothing remembered")
        + ".",
    )


def _counts(found: dict[str, int]) -> list[Count]:
    return [Count(name, count) for name, count in found.items()]


WHY = Tool(
    "why",
    "Why it is believed",
    "Who made a memory, from which messages, and their very words.",
    WhyAsked,
    Why,
    why,
    reads=True,
    repeatable=True,
)
UNDO = Tool("undo", "Undo a change", "Take back one change by its commit; undoing the undo is a redo.", Undo, Changed, undo, destroys=True)
FORGET = Tool(
    "forget",
    "Forget a memory",
    "Hide a memory from recall and graph. `restore` or `undo` brings it back.",
    One,
    Changed,
    forget,
    destroys=True,
    repeatable=True,
)
RESTORE = Tool("restore", "Show a memory again", "Show a memory again that was hidden by `forget`.", One, Changed, restore, repeatable=True)
ALIAS = Tool(
    "alias",
    "Add another name",
    "Say that two names mean the same one: what is remembered of both is one.",
    Alias,
    Changed,
    alias,
    repeatable=True,
)
REVIEW = Tool(
    "review",
    "Open questions",
    "What waits for a person to decide: memories that contradict or repeat each other, disputed sorts, changes that wait.",
    Where,
    Questions,
    review,
    reads=True,
    repeatable=True,
)
STATS = Tool(
    "stats",
    "Statistics",
    "How much is remembered, by kind, and what is still to be extracted.",
    Place,
    Stats,
    stats,
    reads=True,
    repeatable=True,
)
