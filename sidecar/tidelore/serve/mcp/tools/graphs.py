"""graph: nodes and edges in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine.errors import NotFound
from tidelore.engine.scopes import scope_chat
from tidelore.engine.text.unicode14 import fold_name
from tidelore.engine.view import EdgeView, GraphView, NodeView
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.recalling import shown_places
from tidelore.serve.mcp.wording import block, line, more

LONGEST = 300


@dataclass(frozen=True, slots=True)
class Graph:
    about: Annotated[str, "Only this one and its neighbours. " + w.NODE] = ""
    kind: Annotated[Literal["all", "entity", "moment", "fact", "thread", "digest", "page"], "Only nodes of this kind."] = "all"
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""
    cursor: Annotated[str, w.CURSOR] = ""


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    kind: str
    sub: str
    text: Annotated[str, "Its words or name; long ones are cut, `read` gives the whole."]
    state: str


@dataclass(frozen=True, slots=True)
class Edge:
    """Comes on the page of the later one of its ends."""

    start: Annotated[str, "A node's id."]
    end: Annotated[str, "A node's id."]
    type: str
    label: str


@dataclass(frozen=True, slots=True)
class GraphPage:
    where: str
    nodes: Annotated[list[Node], "Entities first, those with the most edges before others."]
    edges: list[Edge]
    nodes_total: Annotated[int, "How many nodes on all pages."]
    edges_total: Annotated[int, "How many edges on all pages."]
    cursor: Annotated[str, w.NEXT] = ""


async def graph(memory: Memory, asked_: Graph) -> Answer:
    view, where = await _view(memory, asked_)
    nodes, edges = _chosen(view, asked_)
    rows = list(_in_order(nodes, edges))
    page = cut(rows, asked_.cursor, asked("graph", asked_))
    shown_nodes = [each for each in page.items if isinstance(each, Node)]
    shown_edges = [each for each in page.items if isinstance(each, Edge)]
    data = GraphPage(where, shown_nodes, shown_edges, len(nodes), len(edges), page.cursor)
    names = {each.id: each.text for each in nodes}
    lines = [line(f"{each.id[:8]} {each.kind}/{each.sub}: {_short(each.text)}") for each in shown_nodes]
    lines += [
        line(f"{_short(names[each.start], 60)} -> {each.label or each.type} -> {_short(names[each.end], 60)}") for each in shown_edges
    ]
    head = f"{len(nodes)} nodes and {len(edges)} edges in {where}.\n"
    return Answer(data, head + block("graph", lines) + more(page.cursor, page.start + len(page.items), page.total))


async def _view(memory: Memory, asked_: Graph) -> tuple[GraphView, str]:
    """What is shown, and where it is from. A call that names no place sees what recall reads: a node that stands in several places once,
    as the first of them has it."""
    if asked_.chat or asked_.scope:
        place = await memory.place(asked_.chat, asked_.scope)
        return await memory.ask("graph.get", m.GraphGet(place.name)) if place.known else GraphView([], []), place.label
    everywhere = await memory.everywhere()
    if everywhere is None:
        return GraphView([], []), (await memory.place("", "")).label
    nodes: dict[str, NodeView] = {}
    edges: dict[tuple[str, str, str, str], EdgeView] = {}
    for name in dict.fromkeys([everywhere.chat, *map(scope_chat, everywhere.scopes), *reversed(everywhere.beside)]):
        found: GraphView = await memory.ask("graph.get", m.GraphGet(name))
        for node in found.nodes:
            nodes.setdefault(node.id, node)
        for edge in found.edges:
            edges.setdefault((edge.start, edge.end, edge.type, edge.label), edge)
    return GraphView(list(nodes.values()), list(edges.values())), shown_places(everywhere.labels())


def _chosen(view: GraphView, asked_: Graph) -> tuple[list[NodeView], list[EdgeView]]:
    nodes = view.nodes
    if asked_.about:
        wanted = fold_name(asked_.about)
        centre = {each.id for each in nodes if each.id == asked_.about or wanted in _names(each)}
        if not centre and len(asked_.about) >= 8:
            centre = {each.id for each in nodes if each.id.startswith(asked_.about)}
        if not centre:
            raise NotFound(f"Nothing called {asked_.about[:80]!r} is in this graph.", "Leave `about` out to see what there is.")
        near = centre | {end for each in view.edges for end in (each.start, each.end) if each.start in centre or each.end in centre}
        nodes = [each for each in nodes if each.id in near]
    if asked_.kind != "all":
        nodes = [each for each in nodes if each.kind == asked_.kind]
    ids = {each.id for each in nodes}
    return nodes, [each for each in view.edges if each.start in ids and each.end in ids]


def _names(node: NodeView) -> set[str]:
    if node.kind not in ("entity", "thread"):
        return set()
    return {fold_name(str(name)) for name in (node.text, node.fields.get("name", ""), *node.fields.get("aliases", ()))}


def _in_order(nodes: list[NodeView], edges: list[EdgeView]) -> Iterator[Node | Edge]:
    """Each node, then the edges between it and those before."""
    degrees = Counter(end for each in edges for end in (each.start, each.end))
    ordered = sorted(nodes, key=lambda each: (each.kind != "entity", -degrees[each.id], each.id))
    place = {each.id: at for at, each in enumerate(ordered)}
    waiting: dict[int, list[EdgeView]] = {}
    for each in edges:
        waiting.setdefault(max(place[each.start], place[each.end]), []).append(each)
    for at, node in enumerate(ordered):
        yield Node(node.id, node.kind, node.sub, _short(node.text, LONGEST), node.state)
        for each in waiting.get(at, ()):
            yield Edge(each.start, each.end, each.type, _short(each.label, LONGEST))


def _short(text: str, most: int = 160) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


GRAPH = Tool(
    "graph",
    "Memory graph",
    "People, places, facts and moments as nodes, and how they hang together as edges, page by page, with totals.",
    Graph,
    GraphPage,
    graph,
    reads=True,
    repeatable=True,
)
