"""Rewrites of what is remembered, drawn at random from what a graph shows: the operations that the methods of the service would commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tidelore.engine.errors import TideloreError
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.model import EnsureEdge, Known, Needs, Operation, Patch, Retire
from tidelore.engine.nodes import SWITCHES, NodeState
from tidelore.engine.upkeep.doubts import Doubt
from tidelore.engine.upkeep.grounds import needs_of
from tidelore.engine.upkeep.merging import merge, split_names, split_text

KINDS = ("mark", "merge", "split", "apart", "decide")


def rewrite(draw: Any, graph: Graph, timeline: Timeline, token: str) -> tuple[Sequence[Operation], Needs]:
    """Operations and needs of one commit; nothing where the graph shows nothing that could be rewritten so. `token` is another one for
    each commit."""
    shown = sorted(graph.shown(), key=lambda node: node.id)
    if not shown:
        return (), Needs()
    node = draw(st.sampled_from(shown))
    alike = [each for each in shown if each.kind == node.kind and each.scope == node.scope and each is not node]
    try:
        return _drawn(draw, graph, timeline, token, node, alike)
    except TideloreError:
        return (), Needs()


def _drawn(
    draw: Any, graph: Graph, timeline: Timeline, token: str, node: NodeState, alike: Sequence[NodeState]
) -> tuple[Sequence[Operation], Needs]:
    kind = draw(st.sampled_from(KINDS))
    if kind == "mark":
        flag = draw(st.sampled_from(sorted(SWITCHES)))
        return [Patch(node.id, flag, node.fields.get(flag), None if node.marked(flag) else True)], Needs()
    if kind == "apart" and node.kind == "entity":
        names = node.fields.get("aliases")
        return split_names(graph, node, [draw(st.sampled_from(names))]) if isinstance(names, tuple) else (), Needs()
    if kind == "split" and node.kind != "entity":
        needs = needs_of([node], timeline)
        return split_text(node, [f"{node.text} part", "the rest"], [token], needs), needs
    if not alike:
        return (), Needs()
    other = draw(st.sampled_from(alike))
    needs = Needs() if node.kind == "entity" else needs_of([node, other], timeline)
    if kind == "merge":
        return merge(graph, node, [other], draw(st.sampled_from(("", "both")))), needs
    closed = {"decided": "keep_old", "of": Doubt("duplicate", "words", node, other).of}
    return [Retire(other.id, other.text), EnsureEdge("doubt", Known(node.id), Known(other.id), "", closed)], needs
