"""The graph as people and programs see it: nodes and edges by id, without clocks, commits or pools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tidelore.engine.codec import edge_id
from tidelore.engine.graph import Graph
from tidelore.engine.nodes import EdgeName, EdgeState, NodeState

STATES = ("current", "superseded", "archived", "hidden")

# `continues` (between neighbours in time) and `replaces` (between facts of one line) are worked out here, never written down.


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """`source` is a message key; `quote` is empty when the whole message is the evidence."""

    source: str
    quote: str


@dataclass(frozen=True, slots=True)
class NodeView:
    """`state`: "current"; "superseded" for a fact that a later one replaced; "archived" for what recall leaves alone; "hidden" for what was
    hidden by hand or went into another memory. `subs` lists what extractions disagree on."""

    id: str
    kind: str
    sub: str
    scope: str
    text: str
    fields: dict[str, Any]
    state: str
    subs: list[str]
    evidence: list[EvidenceView]


@dataclass(frozen=True, slots=True)
class EdgeView:
    """`from` and `to` are node ids."""

    id: str
    type: str
    start: str
    end: str
    label: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class GraphView:
    nodes: list[NodeView]
    edges: list[EdgeView]


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much is shown: nodes by kind, edges by type, and how many of the facts a later one has replaced."""

    nodes: dict[str, int]
    edges: dict[str, int]
    superseded: int


def node_view(graph: Graph, node: NodeState) -> NodeView:
    subs = node.subs
    return NodeView(
        node.id,
        node.kind,
        node.sub,
        node.scope,
        node.text,
        {name: list(value) if isinstance(value, tuple) else value for name, value in sorted(node.fields.items())},
        state_of(graph, node),
        sorted(subs) if len(subs) > 1 else [],
        [EvidenceView(source, quote) for source, quote in node.evidence],
    )


def state_of(graph: Graph, node: NodeState) -> str:
    """One of STATES."""
    if node.retired:
        return "hidden"
    if graph.superseded(node):
        return "superseded"
    return "archived" if node.marked("archived") else "current"


def edge_view(edge: EdgeState) -> EdgeView:
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in sorted(edge.fields.items())}
    return EdgeView(edge.id, edge.type, edge.start, edge.end, edge.label, fields)


def _derived(graph: Graph) -> Iterator[EdgeName]:
    last = ""
    for _, node in graph.sequence:
        if graph.nodes[node].shown:
            if last and last != node:
                yield ("continues", node, last, "")
            last = node
    for line in graph.lines:
        for older, newer in pairwise(graph.along(line)):
            if graph.nodes[older].marked("stands"):
                continue
            yield ("replaces", newer, older, "")


def graph_view(graph: Graph, wanted: Iterable[NodeState] | None = None) -> GraphView:
    """All that is shown, or the wanted nodes and the edges between them, sorted by id."""
    nodes = {node.id: node_view(graph, node) for node in (graph.shown() if wanted is None else wanted)}
    edges = {edge.id: edge_view(edge) for edge in graph.edges.values() if edge.start in nodes and edge.end in nodes}
    for name in _derived(graph):
        if name[1] in nodes and name[2] in nodes:
            id_ = edge_id(*name)
            edges[id_] = EdgeView(id_, *name, {})
    return GraphView([nodes[id_] for id_ in sorted(nodes)], [edges[id_] for id_ in sorted(edges)])


def graph_counts(graph: Graph) -> GraphCounts:
    """What `graph_view` would list, only counted."""
    nodes = {node.id: node for node in graph.shown()}
    edges = {name for name in graph.edges if name[1] in nodes and name[2] in nodes}
    edges.update(_derived(graph))
    return GraphCounts(
        dict(sorted(Counter(node.kind for node in nodes.values()).items())),
        dict(sorted(Counter(name[0] for name in edges).items())),
        sum(1 for node in nodes.values() if graph.superseded(node)),
    )
