"""Files of ST-BME, all its format versions: what is in them as memories and edges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tidelore.engine.errors import BadInput
from tidelore.engine.importing.bundle import Bundle, Edge, Format, Node
from tidelore.engine.importing.st_bme_file import NEWEST, Found, changed, look, number
from tidelore.engine.importing.st_bme_nodes import Made, field_of, made, packed, plain, told
from tidelore.engine.importing.st_bme_states import Names, knowing, regions, segments, summaries
from tidelore.engine.model import EdgeType, FieldValue
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

_START = 65_536
_BOX = later(r'"(?:nodes|edges|tombstones)"\s*:\s*[\[{]|"(?:nodeCount|chunks|lastProcessedSeq)"\s*:')
_SIGN = later(
    r'"(?:seqRange|lastProcessedSeq|lastProcessedFloor|storyTime|storyTimeSpan|childIds|edgeType|accessCount|createdTime|nodeTypeSchema)"\s*:'
    r"|ST-?BME|st-?bme"
)
# A chat of SillyTavern is read as a chat, also where its metadata hold a graph.
_CHAT = later(r'"(?:user_name|is_user|mes)"\s*:')
_OURS = later(r'\s*\{\s*"tidelore"\s*:')
# Two memories of one batch were tied like this by themselves, so it says nothing.
_BY_ITSELF = 0.25
_EDGES: Mapping[str, tuple[EdgeType, str]] = {
    "related": ("relates", ""),
    "involvedin": ("involved_in", ""),
    "occurredat": ("occurred_at", ""),
    "advances": ("part_of", "advances"),
    "contradicts": ("contrasts", "contradicts"),
}
_INHIBITING = 255


def recognises(text: str) -> bool:
    start = text[:_START]
    if _OURS.match(start) or _CHAT.search(start):
        return False
    return start.lstrip("\ufeff \r\n\t")[:1] in ("{", "[") and bool(_BOX.search(start)) and bool(_SIGN.search(start))


def read(text: str) -> Bundle:
    """Raises BadInput for what is broken, and where no memory can be read."""
    try:
        return _bundle(look(text))
    except RecursionError as error:
        raise BadInput("The file is nested too deep.", "Export it again.") from error


def _bundle(found: Found) -> Bundle:
    left_out = found.left_out
    memories = _memories(found, left_out)
    told_apart, same, more = _versions(memories, left_out)
    names = Names({fold_name(each.node.name): each.node.key for each in told_apart if each.node.kind == "entity"})
    summary = summaries(found.states.get("summary"), left_out)
    nodes = {each.node.key: each.node for each in told_apart if not _is_repeated(each.node, summary.texts, left_out)}
    same = {id_: key for id_, key in same.items() if key in nodes}
    if summary.nodes:
        # Since there are summaries, the older sort of them is shown no more.
        nodes = {key: _put(node, archived=True) if node.sub == "synopsis" else node for key, node in nodes.items()}
    owned = {each.node.key: fold_name(each.scope.owner) for each in told_apart if each.scope.owner}
    knows = knowing(found.states.get("knowledge"), names, same, owned, left_out)
    between = [
        *regions(found.states.get("region"), names, left_out),
        *segments(found.states.get("timeline"), names, left_out),
        *knows.edges,
        *summary.edges,
        *more,
        *_contained(memories, same),
        *_placed(told_apart, names, nodes),
    ]
    stated, ended = _edges(found, same, left_out)
    nodes |= names.made | {node.key: node for node in summary.nodes}
    for key, aliases in names.aliases.items():
        if aliases and key in nodes:
            nodes[key] = _put(nodes[key], aliases=tuple(aliases))
    for key, seen in knows.visibility.items():
        nodes[key] = _beside(nodes[key], visibility=seen)
    for key, rows in ended.items():
        nodes[key] = _beside(nodes[key], ended=rows)
    if not nodes:
        raise BadInput("Not one memory of the file can be read.", "Left out: " + ", ".join(f"{why} ({n})" for why, n in left_out.items()))
    edges = {edge: edge for edge in between}
    for edge in stated:
        edges.setdefault(edge, edge)
    notes = _notes(found, sum(map(len, ended.values())))
    known = {fold_name(node.name): node.name for node in nodes.values() if node.kind == "entity"}
    whole = [_about(node, known) for node in nodes.values()]
    return Bundle(whole, list(edges.values()), {why: n for why, n in sorted(left_out.items()) if n}, notes, found.read_to)


def _memories(found: Found, left_out: Counter[str]) -> list[Made]:
    out: list[Made] = []
    for key, record in found.nodes.items():
        if key in found.deleted and found.deleted[key] >= changed(record):
            left_out["memory that was deleted"] += 1
            continue
        left_out["vectors"] += bool(record.get("embedding"))
        each = made(key, record)
        if isinstance(each, str):
            left_out[each] += 1
        else:
            out.append(each)
    return sorted(out, key=lambda each: (each.at, each.node.key))


def _versions(memories: Iterable[Made], left_out: Counter[str]) -> tuple[list[Made], dict[str, str], list[Edge]]:
    """One node for each name. What other versions of it say, of an earlier time, another place or another's eyes, are facts about it. Also
    the key of the node that each id leads to, and the edges of facts about threads."""
    groups: dict[tuple[str, str], list[Made]] = {}
    for each in memories:
        node = each.node
        groups.setdefault((node.kind, fold_name(node.name) if node.name else f"\0{node.key}"), []).append(each)
    out: list[Made] = []
    same: dict[str, str] = {}
    edges: list[Edge] = []
    for group in groups.values():
        first = max(group, key=lambda each: (not each.node.fields.get("archived"), not each.scope.owner, each.node.changed, each.node.key))
        said = {_told(first.node)}
        for each in group:
            same[each.node.key] = first.node.key
            words = _told(each.node)
            if each is first:
                out.append(each)
            elif words in said or not words:
                left_out["version that says nothing more"] += 1
            else:
                said.add(words)
                fact = _as_fact(each, first.node, words)
                out.append(replace(each, node=fact))
                if first.node.kind == "thread":
                    edges.append(Edge("part_of", fact.key, first.node.key))
    return out, same, edges


_NOT_TOLD = ("importance", "story_time", "archived", "tags", "known_by", "held_by")


def _told(node: Node) -> str:
    return told({name: value for name, value in node.fields.items() if name not in _NOT_TOLD})


def _as_fact(each: Made, first: Node, words: str) -> Node:
    owner: dict[str, FieldValue] = {"held_by": each.scope.owner} if each.scope.owner else {}
    name = first.name if first.kind == "entity" else ""
    text = f"{first.name}. {words}"
    sub = "belief" if owner else "state"
    key = f"{each.node.key} version"
    return replace(each.node, key=key, kind="fact", sub=sub, name="", text=text, about=name, fields={**each.node.fields, **owner})


def _is_repeated(node: Node, texts: frozenset[str], left_out: Counter[str]) -> bool:
    repeated = node.sub == "synopsis" and fold_name(node.text) in texts
    left_out["synopsis that a summary repeats"] += repeated
    return repeated


def _contained(memories: Iterable[Made], same: Mapping[str, str]) -> list[Edge]:
    """A memory that was made from others, by either end of the tie."""
    pairs = [(each.node.key, parent) for each in memories for parent in each.parents]
    pairs += [(child, each.node.key) for each in memories for child in each.children]
    return [
        Edge("part_of", same[child], same[parent])
        for child, parent in pairs
        if child in same and parent in same and same[child] != same[parent]
    ]


def _placed(memories: Iterable[Made], names: Names, nodes: Mapping[str, Node]) -> list[Edge]:
    """What happened in a region that is a memory, too."""
    rows = [(each.node.key, names.keys.get(fold_name(each.scope.region), "")) for each in memories if each.node.kind == "moment"]
    return [Edge("occurred_at", key, place) for key, place in rows if place in nodes and key in nodes]


def _edges(found: Found, same: Mapping[str, str], left_out: Counter[str]) -> tuple[list[Edge], dict[str, list[Any]]]:
    """The edges that hold; and those that have ended, as rows for the memory where they began."""
    out: list[Edge] = []
    ended: dict[str, list[Any]] = {}
    # The strongest of equal ones is the first.
    for raw in sorted(found.edges, key=lambda each: -number(each.get("strength"))):
        relation = raw.get("relation")
        word = relation.strip() if isinstance(relation, str) else ""
        start, end = same.get(raw["from"], ""), same.get(raw["to"], "")
        strength = number(raw.get("strength"))
        if isinstance(raw.get("id"), str) and raw["id"] in found.deleted:
            left_out["edge that was deleted"] += 1
        elif not start or not end:
            left_out["edge without its memories"] += 1
        elif start == end:
            left_out["edge from a memory to itself"] += 1
        elif raw.get("invalidAt") or raw.get("expiredAt"):
            ended.setdefault(start, []).append(dict(raw))
        elif plain(word) in ("", "related") and 0 < strength <= _BY_ITSELF:
            left_out["edge that was made by itself"] += 1
        else:
            out.append(_edge(raw, word, start, end))
    return out, ended


def _edge(raw: Mapping[str, Any], word: str, start: str, end: str) -> Edge:
    type_, label = _EDGES.get(plain(word), ("relates", word[:400]))
    if raw.get("edgeType") == _INHIBITING:
        type_, label = "contrasts", label or word
    fields: dict[str, FieldValue] = {}
    strength = field_of(raw.get("strength"))
    if isinstance(strength, int | float):
        fields["strength"] = strength
    rest = {
        name: value for name, value in raw.items() if name not in ("from", "to", "relation", "strength") and value not in (None, "", [], {})
    }
    if rest:
        fields["imported"] = packed({"from": "st-bme", **rest})
    return Edge(type_, start, end, label, fields)


def _about(node: Node, known: Mapping[str, str]) -> Node:
    """A belief about somebody who is named in the file, is about that one."""
    about = node.fields.get("about")
    if node.kind != "fact" or node.about or not isinstance(about, str):
        return node
    return replace(node, about=known.get(fold_name(about), ""))


def _put(node: Node, **fields: FieldValue) -> Node:
    return replace(node, fields={**node.fields, **fields})


def _beside(node: Node, **more: Any) -> Node:
    kept = json.loads(node.record) if node.record else {"from": "st-bme"}
    return replace(node, record=packed({**kept, **more}))


def _notes(found: Found, ended: int) -> list[str]:
    notes: list[str] = []
    if found.version > NEWEST:
        notes.append(f"The file has format version {found.version}, newer than {NEWEST}: look whether all of it is here.")
    if found.promised > len(found.nodes):
        notes.append(f"The file speaks of {found.promised} memories and holds {len(found.nodes)}: a file of the sync may be missing.")
    if ended:
        notes.append(f"{ended} edges had ended; they are kept with the memories where they began and lead nowhere.")
    return notes


FORMAT = Format("st-bme", recognises, read)
