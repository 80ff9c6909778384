"""The file of the reference memory server of the Model Context Protocol: a line for each entity with its observations, and for each
relation. Without an official schema: keys as its releases write them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tidelore.engine.errors import BadInput
from tidelore.engine.importing.bundle import Bundle, Edge, Format, Node
from tidelore.engine.shallow import shallow
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

# What kinds of things people name so; all others are topics, with the word kept in the field `type`.
SUBS = {
    **dict.fromkeys(("person", "people", "character", "user", "human", "contact", "人物", "人", "用户"), "character"),
    **dict.fromkeys(("place", "location", "city", "country", "venue", "地点"), "location"),
    **dict.fromkeys(("organization", "organisation", "company", "team", "group", "组织", "公司"), "organisation"),
    **dict.fromkeys(("object", "item", "thing", "tool", "product", "物品"), "item"),
    **dict.fromkeys(("project", "repository", "项目"), "project"),
    **dict.fromkeys(("work", "book", "film", "song", "game", "作品"), "work"),
}
LONGEST_NAME = 400
_BEGINS = later(r'\s*\{\s*"type"\s*:\s*"(entity|relation)"\s*,\s*"(name|from)"\s*:')


def recognises(text: str) -> bool:
    first = next((line for line in text.split("\n") if line.strip()), "")
    try:
        value = json.loads(shallow(first))
    except (ValueError, RecursionError):
        # Of a long file only the beginning is looked at, and the first line may be longer.
        return _BEGINS.match(text) is not None
    return isinstance(value, dict) and value.get("type") in ("entity", "relation")


def read(text: str) -> Bundle:
    """Raises BadInput for a line that is no JSON object, or where nothing can be read."""
    nodes: dict[str, Node] = {}
    edges: dict[Edge, None] = {}
    left_out: Counter[str] = Counter()
    for number, value in _lines(text):
        match value:
            case {"type": "entity", "name": str(name)} if name.strip():
                for node in _entity(name.strip()[:LONGEST_NAME], value, left_out):
                    nodes.setdefault(node.key, node)
            case {"type": "relation", "from": str(start), "to": str(end), "relationType": str(label)}:
                edges[Edge("relates", _key(start.strip()), _key(end.strip()), label.strip()[:LONGEST_NAME])] = None
            case {"type": "entity" | "relation"}:
                raise BadInput(f"Line {number} lacks a name or an end.", "The file is broken there; correct or remove that line.")
            case _:
                left_out["unknown line"] += 1
    for edge in list(edges):
        if edge.start not in nodes or edge.end not in nodes:
            del edges[edge]
            left_out["relation without its entities"] += 1
        elif edge.start == edge.end:
            del edges[edge]
            left_out["relation of an entity to itself"] += 1
    if not nodes:
        raise BadInput("The file holds no entity.", 'Its lines read {"type": "entity", "name": ..., "observations": [...]}.')
    return Bundle(list(nodes.values()), list(edges), dict(left_out))


def _lines(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # Only line feeds part lines: other separators stand inside texts, where JSON lets them.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(shallow(line))
        except (ValueError, RecursionError) as error:
            raise BadInput(f"Line {number} is not JSON.", "Each line of this format is one JSON object.") from error
        if not isinstance(value, dict):
            raise BadInput(f"Line {number} is not an object.", "Each line of this format is one JSON object.")
        yield number, value


def _entity(name: str, value: Mapping[str, Any], left_out: Counter[str]) -> Iterator[Node]:
    kind = value.get("entityType")
    word = kind.strip() if isinstance(kind, str) else ""
    sub = SUBS.get(word.casefold(), "topic")
    yield Node(_key(name), "entity", sub, name, fields={"type": word} if word.casefold() not in ("", sub) else {})
    observations = value.get("observations")
    if observations is not None and not isinstance(observations, list):
        observations = [observations]
    for text in observations or []:
        if isinstance(text, str) and text.strip():
            yield Node(f"{_key(name)}\n{text.strip()}", "fact", "context", text=text.strip(), about=name)
        else:
            left_out["observation without text"] += 1


def _key(name: str) -> str:
    return fold_name(name[:LONGEST_NAME])


FORMAT = Format("jsonl", recognises, read)
