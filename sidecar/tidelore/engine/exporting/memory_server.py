"""The file of the reference memory server of the Model Context Protocol: entities with what is known of them, and relations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from tidelore.engine.graph import Graph
from tidelore.engine.nodes import NodeState
from tidelore.engine.recall.core import NAME_FIELDS

# Fields of an entity that are no knowledge of their own.
_LEFT = NAME_FIELDS | {"type", "importance", "suggested_aliases"}


def write(graph: Graph, nodes: Sequence[NodeState]) -> tuple[str, int, int, dict[str, int]]:
    """The text, how many nodes and edges are in it, and what the format cannot hold, by kind. `nodes`: those that may go along."""
    wanted = {node.id: node for node in nodes}
    entities = sorted((node for node in nodes if node.kind == "entity"), key=lambda each: (each.parts[0].key, each.id))
    facts: dict[str, list[NodeState]] = {}
    for node in sorted((each for each in nodes if each.kind == "fact"), key=lambda each: (each.parts[0].key, each.id)):
        subject = graph.aliases.canonical(node.subject) if node.subject else ""
        if subject in wanted and not graph.superseded(node):
            facts.setdefault(subject, []).append(node)
    lines = [_entity(node, facts.get(node.id, ())) for node in entities]
    relations = []
    for name in sorted(graph.edges):
        edge = graph.edges[name]
        one, other = wanted.get(edge.start), wanted.get(edge.end)
        if one is not None and other is not None and one.kind == other.kind == "entity" and edge.type not in ("doubt", "replaces"):
            relations.append({"type": "relation", "from": one.text, "to": other.text, "relationType": edge.label or edge.type})
    held = len(entities) + sum(map(len, facts.values()))
    left_out = Counter(node.kind for node in nodes if node.kind not in ("entity", "fact"))
    left_out["fact"] = sum(1 for node in nodes if node.kind == "fact") - sum(map(len, facts.values()))
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in (*lines, *relations))
    return text, held, len(relations), {kind: count for kind, count in sorted(left_out.items()) if count}


def _entity(node: NodeState, facts: Sequence[NodeState]) -> dict[str, object]:
    known = [
        f"{name}: {'; '.join(value) if isinstance(value, tuple) else value}"
        for name, value in sorted(node.fields.items())
        if name not in _LEFT and not (name == "text" and value == node.text)
    ]
    kind = node.fields.get("type")
    return {
        "type": "entity",
        "name": node.text,
        "entityType": kind if isinstance(kind, str) else node.sub,
        "observations": [*known, *dict.fromkeys(fact.text for fact in facts)],
    }
