"""Memories as a text for people: who and what there is, what is known of them, what happened, what is open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tidelore.engine.graph import Graph
from tidelore.engine.nodes import NodeState
from tidelore.engine.recall.core import NAME_FIELDS
from tidelore.engine.text.patterns import later

# In the language of the chat, like the head of a memory block.
HEADINGS = {
    "en": {
        "entity": "People, places and things",
        "fact": "What else is known",
        "moment": "What happened",
        "thread": "Threads",
        "digest": "Summaries",
        "page": "Pages",
        "archived": "Archived",
        "aliases": "also",
        "message": "message",
    },
    "zh": {
        "entity": "人物、地点与事物",
        "fact": "其他已知的事",
        "moment": "发生过的事",
        "thread": "线索",
        "digest": "摘要",
        "page": "页",
        "archived": "已归档",
        "aliases": "又名",
        "message": "楼层",
    },
}
_LEFT = NAME_FIELDS | {"importance", "suggested_aliases", "text", "title", "attribute", "value"}
# What begins a line of Markdown, and signs inside it that would change how the words look.
_SIGNS = later(r"([\\`*_\[\]<>|])")


def write(graph: Graph, nodes: Sequence[NodeState], title: str, language: str, place: Callable[[NodeState], int | None]) -> tuple[str, int]:
    """The text, and how many memories are in it. `place`: the index of the message that one rests on first."""
    words = HEADINGS.get(language, HEADINGS["en"])
    shown = sorted((node for node in nodes if not graph.superseded(node)), key=lambda each: (each.parts[0].key, each.id))
    live = [node for node in shown if not node.marked("archived")]
    entities = [node for node in live if node.kind == "entity"]
    told = {node.id for node in entities}
    facts: dict[str, list[NodeState]] = {}
    for node in live:
        if node.kind == "fact":
            subject = graph.aliases.canonical(node.subject) if node.subject else ""
            facts.setdefault(subject if subject in told else "", []).append(node)

    def line(node: NodeState) -> str:
        at = place(node)
        where = f" ({words['message']} {at})" if at is not None else ""
        known = "; ".join(f"{_plain(name)}: {_plain(_value(value))}" for name, value in sorted(node.fields.items()) if name not in _LEFT)
        return f"- {_plain(node.text)}{f' [{known}]' if known else ''}{where}"

    out = [f"# {_plain(title)}"]
    if entities:
        out.append(f"## {words['entity']}")
        for node in entities:
            out.append(_entity(node, words["aliases"], [line(fact) for fact in facts.get(node.id, ())]))
    sections: list[tuple[str, Iterable[NodeState]]] = [("fact", facts.get("", ()))]
    sections += [(kind, [node for node in live if node.kind == kind]) for kind in ("moment", "thread", "digest", "page")]
    sections.append(("archived", [node for node in shown if node.marked("archived")]))
    for kind, members in sections:
        lines = [line(node) for node in members]
        if lines:
            out += [f"## {words[kind]}", "\n".join(lines)]
    return "\n\n".join(out) + "\n", len(shown)


def _entity(node: NodeState, also: str, facts: Sequence[str]) -> str:
    aliases = node.fields.get("aliases")
    names = f" ({also}: {', '.join(map(_plain, aliases))})" if isinstance(aliases, tuple) and aliases else ""
    fields = [f"- {_plain(name)}: {_plain(_value(value))}" for name, value in sorted(node.fields.items()) if name not in _LEFT]
    head = f"### {_plain(node.text)}{names}"
    return "\n".join([head, "", *fields, *facts]) if fields or facts else head


def _value(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _plain(text: str) -> str:
    """On one line, with no sign that Markdown would take for its own."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
