"""What ST-BME keeps beside its memories: who knows what, regions, story time, summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidelore.engine.codec import digest
from tidelore.engine.importing.bundle import Edge, Node
from tidelore.engine.importing.memory_server import LONGEST_NAME
from tidelore.engine.importing.st_bme_file import changed, number
from tidelore.engine.importing.st_bme_nodes import LONGEST_TEXT, ids_of, line_of, packed, plain, story_time
from tidelore.engine.model import FieldValue
from tidelore.engine.text.unicode14 import fold_name

_DEEPEST = 5
_FOLDED = frozenset({"folded", "archived", "inactive", "replaced", "rolled", "rolledup", "superseded"})


@dataclass(frozen=True, slots=True)
class Summary:
    """`texts`: the folded words of all entries."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    texts: frozenset[str]


@dataclass(slots=True)
class Names:
    """Who and what the file speaks of by name: keys by folded name. What is not there yet is made when it is asked for."""

    keys: dict[str, str]
    made: dict[str, Node] = field(default_factory=dict[str, Node])
    aliases: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def key(self, name: str, sub: str, **more: Any) -> str:
        """`more`: of the node, where it is made."""
        folded = fold_name(name)
        if folded not in self.keys:
            key = self.keys[folded] = f"name {folded}"
            self.made[key] = Node(key, "entity", sub, name[:LONGEST_NAME], **more)
        return self.keys[folded]

    def also(self, key: str, names: Sequence[str]) -> None:
        """Other names of one; those that are another's own name are left where they are."""
        known = self.aliases.setdefault(key, [])
        known += [name for name in names if fold_name(name) and fold_name(name) not in self.keys and name not in known]


@dataclass(slots=True)
class Knowing:
    """`visibility`: how far owners see a memory that they are not said to know, by its key and their name."""

    edges: list[Edge] = field(default_factory=list[Edge])
    visibility: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])


def knowing(state: Any, names: Names, same: Mapping[str, str], owned: Mapping[str, str], left_out: Counter[str]) -> Knowing:
    """`same`: keys of nodes by the ids of the file. `owned`: the folded name of the owner of what is one's point of view, by key."""
    out = Knowing()
    for name, lists in _owners(state, left_out):
        owner = names.key(name, "character")
        names.also(owner, lists.aliases)
        hidden = {same[id_] for id_ in lists.hidden if id_ in same}
        mistaken = {same[id_] for id_ in lists.mistaken if id_ in same}
        known = {same[id_] for id_ in (*lists.known, *lists.manual) if id_ in same} - hidden - mistaken
        seen = {same[id_]: value for id_, value in lists.visibility.items() if id_ in same}
        for key in sorted((known | mistaken | hidden | seen.keys()) - {owner}):
            if owned.get(key) == fold_name(name):
                continue
            fields: dict[str, FieldValue] = {"visibility": seen[key]} if key in seen else {}
            if key in hidden:
                out.edges.append(Edge("relates", key, owner, "hidden from", fields))
            elif key in known or key in mistaken:
                out.edges.append(Edge("knows", owner, key, "mistaken" if key in mistaken else "", fields))
            else:
                out.visibility.setdefault(key, {})[name] = seen[key]
    return out


@dataclass(slots=True)
class _Lists:
    known: list[str] = field(default_factory=list[str])
    manual: list[str] = field(default_factory=list[str])
    hidden: list[str] = field(default_factory=list[str])
    mistaken: list[str] = field(default_factory=list[str])
    aliases: list[str] = field(default_factory=list[str])
    visibility: dict[str, float] = field(default_factory=dict[str, float])


def _owners(state: Any, left_out: Counter[str]) -> Iterator[tuple[str, _Lists]]:
    for key, value in _inside(state, lambda each: any("known" in plain(name) or "visib" in plain(name) for name in each)):
        lists = _Lists()
        for name, each in value.items():
            word = plain(name)
            if "alias" in word:
                lists.aliases += map(line_of, ids_of(each))
            elif "hidden" in word:
                lists.hidden += ids_of(each)
            elif "mistaken" in word:
                lists.mistaken += ids_of(each)
            elif "visib" in word and isinstance(each, dict):
                lists.visibility |= {id_: score for id_, raw in each.items() if (score := _score(raw)) is not None}
            elif "known" in word:
                (lists.manual if "manual" in word else lists.known).extend(ids_of(each))
        named = {plain(name): line_of(each) for name, each in value.items()}
        # Without a name of its own, the owner's key is kind and name, with an id behind where two share a name.
        owner = named.get("ownername") or named.get("displayname") or named.get("name") or line_of(key.split(":")[1] if ":" in key else key)
        if owner:
            yield owner[:LONGEST_NAME], lists
        else:
            left_out["knowledge of nobody"] += 1


def regions(state: Any, names: Names, left_out: Counter[str]) -> list[Edge]:
    """Regions lie beside each other; a region that is no memory of its own becomes a place."""
    edges: dict[Edge, None] = {}
    for name, value in state.items() if isinstance(state, dict) else ():
        word = plain(name)
        if "adjacen" in word and isinstance(value, dict):
            for region, near in value.items():
                for other in _near(near):
                    if line_of(region) and fold_name(region) != fold_name(other):
                        start, end = sorted((names.key(line_of(region), "location"), names.key(other, "location")))
                        edges[Edge("relates", start, end, "adjacent")] = None
        elif "alias" in word and isinstance(value, dict):
            for one, other in value.items():
                if isinstance(other, str) and line_of(other) and line_of(one):
                    names.also(names.key(line_of(other), "location"), [line_of(one)])
                elif isinstance(other, list) and line_of(one):
                    names.also(names.key(line_of(one), "location"), [line_of(each) for each in ids_of(other)])
        elif value not in (None, "", [], {}) and ("active" in word or "recent" in word):
            left_out["active region"] += 1
    return list(edges)


def _near(value: object) -> list[str]:
    if isinstance(value, dict):
        inner = value.get("adjacent")
        return _near(inner) if inner is not None else [line for each in value if (line := line_of(each))]
    return [line for each in ids_of(value) if (line := line_of(each))]


def segments(state: Any, names: Names, left_out: Counter[str]) -> list[Edge]:
    """Stretches of story time, by name."""
    keys: dict[str, str] = {}
    parents: dict[str, str] = {}
    for key, value in _inside(state, lambda each: "label" in each):
        label = line_of(value.get("label"))
        if not label:
            left_out["segment of story time without a label"] += 1
            continue
        id_ = line_of(value.get("id")) or line_of(value.get("segmentId")) or key or label
        record = packed({"from": "st-bme", "segment": id_, **{name: each for name, each in value.items() if name not in ("id", "label")}})
        keys[id_] = keys[label] = node = names.key(label, "topic", id=f"st-bme segment {id_}", record=record)
        names.also(node, [line_of(each) for each in ids_of(value.get("aliases"))])
        parents[node] = next((line for each in ("parent", "parentId", "parentSegmentId") if (line := line_of(value.get(each)))), "")
    return [Edge("part_of", node, keys[parent]) for node, parent in parents.items() if parent in keys and keys[parent] != node]


def summaries(state: Any, left_out: Counter[str]) -> Summary:
    """Small summaries are synopses, summaries of summaries are volumes. What went into a larger one is archived."""
    found = {
        _id(value, key): value
        for key, value in _inside(state, lambda each: any(isinstance(each.get(name), str) for name in ("text", "summary", "content")))
    }
    active = _active(state)
    lowest = min((number(value.get("level")) for value in found.values()), default=0)
    nodes: dict[str, Node] = {}
    edges: dict[Edge, None] = {}
    for id_, value in found.items():
        text = next(each.strip() for name in ("text", "summary", "content") if isinstance(each := value.get(name), str))
        if not text or len(text) > LONGEST_TEXT or not id_:
            left_out["summary without words" if len(text) <= LONGEST_TEXT else "memory that is too long"] += 1
            continue
        fields: dict[str, FieldValue] = {}
        if when := story_time(value) or story_time({"storyTimeSpan": value.get("storySpan")}):
            fields["story_time"] = when
        if not (id_ in active if active is not None else _is_open(value)):
            fields["archived"] = True
        sub = "synopsis" if number(value.get("level")) <= lowest else "volume"
        kept = {name: each for name, each in value.items() if name not in ("id", "text", "embedding") and each not in (None, "", [], {})}
        record = packed({"from": "st-bme", "summary": id_, **kept})
        key = f"summary {id_}"
        nodes[key] = Node(key, "digest", sub, text=text, fields=fields, id=f"st-bme {key}", record=record, changed=changed(value))
        for name, each in value.items():
            if "summar" in plain(name) and ("source" in plain(name) or "child" in plain(name)):
                edges |= {Edge("part_of", f"summary {child}", key): None for child in ids_of(each) if child != id_}
    whole = [edge for edge in edges if edge.start in nodes and edge.end in nodes]
    return Summary(list(nodes.values()), whole, frozenset(fold_name(node.text) for node in nodes.values()))


def _id(value: Mapping[str, Any], key: str) -> str:
    """Of a summary; one without an id is known by all that it says."""
    id_ = value.get("id")
    return line_of(id_) or (str(id_) if type(id_) is int else "") or line_of(key) or digest(packed(value))


def _active(state: Any) -> set[str] | None:
    for name, value in state.items() if isinstance(state, dict) else ():
        if ("active" in plain(name) or "frontier" in plain(name)) and isinstance(value, list) and value:
            return {*ids_of(value), *(line_of(each.get("id")) for each in value if isinstance(each, dict))}
    return None


def _is_open(value: Mapping[str, Any]) -> bool:
    status = value.get("status")
    closed = isinstance(status, str) and plain(status) in _FOLDED
    return not closed and value.get("folded") is not True and value.get("archived") is not True and value.get("active") is not False


def _inside(state: Any, wanted: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The records in a state that have what is wanted, wherever they lie, with the keys under which they do."""
    todo: list[tuple[str, Any, int]] = [("", state, 0)]
    while todo:
        key, value, depth = todo.pop(0)
        if depth > _DEEPEST:
            continue
        if isinstance(value, dict):
            if wanted(value) and depth:
                yield key, value
            else:
                todo += [(name, each, depth + 1) for name, each in value.items()]
        elif isinstance(value, list):
            todo += [("", each, depth + 1) for each in value]


def _score(value: object) -> float | None:
    raw = value.get("score") if isinstance(value, dict) else value
    return min(max(float(raw), 0.0), 1.0) if isinstance(raw, int | float) and not isinstance(raw, bool) and raw == number(raw) else None
