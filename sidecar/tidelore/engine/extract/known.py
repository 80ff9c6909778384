"""Which nodes of the graph the memory model gets to see beside a window, under short keys."""

from __future__ import annotations

from collections.abc import Sequence

from tidelore.engine.chats import OpenChat
from tidelore.engine.extract.prompt import KnownNode
from tidelore.engine.graph import Graph
from tidelore.engine.nodes import NodeState
from tidelore.engine.recall.query import understand
from tidelore.engine.recall.score import candidates, score
from tidelore.engine.recall.spread import spread

NAMES = 8
MEMORIES = 8
LOOKED_AT = 60
# What may be updated by a later window; moments stay as they happened and only get edges.
KINDS = ("fact", "thread", "moment")


def known_nodes(chat: OpenChat, texts: Sequence[str]) -> list[KnownNode]:
    """Entities that the window names, then the memories nearest to its words: facts, threads, moments."""
    index = chat.index
    index.refresh()
    query = understand("\n".join(texts), index)
    mass = spread(query, index)
    ranked = score(query, index, candidates(query, index, mass, {}), mass, {}, None, LOOKED_AT)
    nodes = [chat.graph.nodes[id_] for id_ in query.entities][:NAMES]
    memories = [chat.graph.nodes[each.document.id] for each in ranked if each.document.kind in KINDS]
    nodes += sorted(memories, key=lambda node: KINDS.index(node.kind))[:MEMORIES] if memories else []
    unique = list({node.id: node for node in nodes if node.shown and not node.marked("private")}.values())
    return [_known(chat.graph, node, f"G{number}") for number, node in enumerate(unique, 1)]


def _known(graph: Graph, node: NodeState, key: str) -> KnownNode:
    fields = node.fields
    subject = graph.node(node.subject) if node.subject else None
    attribute = fields.get("attribute")
    return KnownNode(
        key,
        node.id,
        node.kind,
        node.sub,
        str(fields.get("name", "")),
        node.text,
        subject.text if subject is not None else "",
        attribute if isinstance(attribute, str) else "",
    )
