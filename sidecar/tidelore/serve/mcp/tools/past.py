"""history and attention: how a memory came to read as it does, and which memories were in prompts lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.view import GraphView, NodeView
from tidelore.serve.mcp.memory import Memory, Place
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.wording import block, line, more

MOST_HOPS = 20
_DAY_MS = 86_400_000
_RECEIPTS = 200
_SHOWN = 50
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class HistoryAsked:
    id: Annotated[str, w.ID]
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a memory's past."""

    what: Annotated[
        Literal["earlier", "version", "hidden", "later"],
        "earlier: a fact that this one replaced; version: how this memory read; hidden: it was hidden; later: a fact that replaced it.",
    ]
    id: Annotated[str, "The memory of this step."]
    text: Annotated[str, "How it read; long ones are cut."]
    author: Annotated[str, "Who made it so: rules, model, person, tool, import or upkeep; empty for another fact."] = ""


@dataclass(frozen=True, slots=True)
class History:
    id: str
    text: Annotated[str, "How it reads now."]
    steps: Annotated[list[Step], "Oldest first."]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def history(memory: Memory, asked_: HistoryAsked) -> Answer:
    place, view = await memory.node(asked_.id, asked_.chat, asked_.scope)
    earlier, later = await _line(memory, place, view)
    rows = [Step("earlier", each.id, each.text[:_LONGEST]) for each in earlier]
    rows += await versions(memory, place, view)
    rows += [Step("later", each.id, each.text[:_LONGEST]) for each in later]
    page = cut(rows, asked_.cursor, asked("history", asked_))
    text = block("history", [line(f"({each.what}) {each.text}", each.author) for each in page.items])
    data = History(view.id, view.text[:2000], page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


async def versions(memory: Memory, place: Place, view: NodeView) -> list[Step]:
    """How a memory read, first to last; what is said again in the same words is no version."""
    found: r.Why = await memory.ask("why", m.NodeOnly(place.name, view.id))
    name = "name" if view.kind in ("entity", "thread") else "text"
    out: list[Step] = []
    for each in found.beliefs:
        if "retired" in each.fields:
            out.append(Step("hidden", view.id, str(each.fields["retired"])[:_LONGEST], each.author))
        elif name in each.fields and (not out or out[-1].text != str(each.fields[name])[:_LONGEST]):
            out.append(Step("version", view.id, str(each.fields[name])[:_LONGEST], each.author))
    return out


async def _line(memory: Memory, place: Place, view: NodeView) -> tuple[list[NodeView], list[NodeView]]:
    """The facts of the same line before and after this one, oldest first. A chain is followed for twenty steps at most."""
    if view.kind != "fact":
        return [], []
    graph: GraphView = await memory.ask("graph.get", m.GraphGet(place.name))
    nodes = {each.id: each for each in graph.nodes}
    older = {each.start: each.end for each in graph.edges if each.type == "replaces"}
    newer = {end: start for start, end in older.items()}

    def along(way: dict[str, str]) -> list[NodeView]:
        out, at = list[NodeView](), way.get(view.id, "")
        while at and len(out) < MOST_HOPS:
            out.append(nodes[at])
            at = way.get(at, "")
        return out

    return along(older)[::-1], along(newer)


@dataclass(frozen=True, slots=True)
class AttentionAsked:
    days: Annotated[int, "How far back, 1 to 365."] = 7
    window: Annotated[str, "Of this window alone."] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory that was in prompts."""

    id: str
    answers: Annotated[int, "In how many answers it was."]
    share: Annotated[float, "In which share of all answers, 0 to 1."]
    text: Annotated[str, "Its words; empty where it is not there any more."]


@dataclass(frozen=True, slots=True)
class Attention:
    answers: Annotated[int, "How many answers there were; of the newest 200 at most."]
    deliveries: Annotated[int, "How many memories were in them, each counted every time."]
    memories: Annotated[list[Seen], "The most frequent first."]
    total: Annotated[int, "How many on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def attention(memory: Memory, asked_: AttentionAsked) -> Answer:
    if not 1 <= asked_.days <= 365:
        raise BadInput(f"days is {asked_.days}.", "It is a number from 1 to 365.")
    found: r.Deliveries = await memory.ask("recall.deliveries", m.RecallDeliveries(asked_.window, _RECEIPTS))
    since = memory.clock() * 1000 - asked_.days * _DAY_MS
    receipts = [each for each in found.deliveries if each.at >= since]
    counts = Counter(node for each in receipts for node in set(each.nodes))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]
    texts = await _texts(memory, [node for node, _ in ranked])
    rows = [Seen(node, count, round(count / len(receipts), 3), texts.get(node, "")) for node, count in ranked]
    page = cut(rows, asked_.cursor, asked("attention", asked_))
    head = f"{len(receipts)} answers with {sum(counts.values())} memories in {asked_.days} days.\n"
    text = head + (block("attention", [line(f"{each.id[:8]} {each.answers}x: {each.text}") for each in page.items]) if rows else "")
    data = Attention(len(receipts), sum(counts.values()), page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


async def _texts(memory: Memory, nodes: Sequence[str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for node in nodes:
        try:
            _, view = await memory.node(node, "", "")
        except NotFound:
            continue
        out[node] = view.text[:300]
    return out


HISTORY = Tool(
    "history",
    "History of a memory",
    "How a memory came to read as it does: its versions, the facts that it replaced, and those that replaced it.",
    HistoryAsked,
    History,
    history,
    reads=True,
    repeatable=True,
)
ATTENTION = Tool(
    "attention",
    "What was in prompts lately",
    "Which memories were delivered with answers lately, and how often: by memory and by answer.",
    AttentionAsked,
    Attention,
    attention,
    reads=True,
    repeatable=True,
)
