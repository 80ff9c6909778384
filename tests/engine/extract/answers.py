"""A window, what is known before it, and short ways to write and read an answer."""

from __future__ import annotations

import json
from typing import Any

from tidelore.engine.extract.answer import parse_answer
from tidelore.engine.extract.prompt import KnownNode, PromptMessage
from tidelore.engine.extract.resolve import Resolved, resolve
from tidelore.engine.model import EnsureEdge, EnsureNode
from tidelore.engine.schema import DEFAULT, Schema

WINDOW = [
    PromptMessage(1, "user", "Mara", "My co-worker Lin has a PhD. *We met* in “Bergen” — near the Old Harbour."),
    PromptMessage(2, "assistant", "Ilse", "I hate rain now, said Ilse. Please answer in Markdown."),
    PromptMessage(3, "user", "Mara", "Лину я не видела. 我在港口认识了小雨。"),
]
KNOWN = {
    "G1": KnownNode("G1", "id-rain", "fact", "preference", "", "Ilse loves rain", "Ilse", "weather"),
    "G2": KnownNode("G2", "id-oskar", "entity", "character", "Oskar"),
    "G3": KnownNode("G3", "id-met", "moment", "event", "", "They met"),
    "G4": KnownNode("G4", "id-note", "fact", "context", "", "Bergen is wet"),
    "G5": KnownNode("G5", "id-search", "thread", "plot", "The search"),
    "G6": KnownNode("G6", "id-digest", "digest", "synopsis", "", "So far"),
    "G7": KnownNode("G7", "id-ilse", "entity", "character", "Ilse"),
}
MET = [{"message": 1, "quote": "We met"}]
RAIN = [{"message": 2, "quote": "I hate rain now"}]


def run(*items: dict[str, Any], window: list[PromptMessage] | None = None, schema: Schema = DEFAULT) -> Resolved:
    return resolve(parse_answer(json.dumps({"operations": items})), window or WINDOW, KNOWN, schema)


def fact(text: str, evidence: Any = None, **more: Any) -> dict[str, Any]:
    return {"op": "node", "kind": "fact", "sub": "context", "text": text, "evidence": MET if evidence is None else evidence, **more}


def entity(name: str, **more: Any) -> dict[str, Any]:
    return {"op": "node", "kind": "entity", "sub": "character", "name": name, **more}


def edge(start: str, end: str, kind: str = "relates", **more: Any) -> dict[str, Any]:
    return {"op": "edge", "type": kind, "from": start, "to": end, **more}


def nodes(resolved: Resolved) -> list[EnsureNode]:
    return [operation for operation in resolved.operations if isinstance(operation, EnsureNode)]


def edges(resolved: Resolved) -> list[EnsureEdge]:
    return [operation for operation in resolved.operations if isinstance(operation, EnsureEdge)]


def stated(resolved: Resolved) -> list[EnsureNode]:
    """The nodes with words of their own, without those that are only implied."""
    return [node for node in nodes(resolved) if node.fields]


def codes(resolved: Resolved) -> list[str]:
    return [problem.partition(":")[0] for problem in resolved.problems]
