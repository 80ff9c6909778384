"""Several memories become one, one becomes several: the operations of a single commit, worked out from the graph. Nothing is deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from tidelore.engine.codec import named_id
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.graph import Graph
from tidelore.engine.model import (
    EdgeType,
    EnsureEdge,
    EnsureNode,
    FieldValue,
    Known,
    Named,
    Needs,
    Operation,
    Own,
    Patch,
    Quote,
    Retire,
    Scope,
)
from tidelore.engine.nodes import NodeState
from tidelore.engine.text.unicode14 import fold_name

EDGES: Mapping[str, EdgeType] = {name: name for name in get_args(EdgeType)}
SCOPES: Mapping[str, Scope] = {name: name for name in get_args(Scope)}
# Edges that say how two memories stand to one another as texts; the one memory has its own.
NOT_MOVED = frozenset({"doubt", "replaces"})
# What a part of a memory shares with the whole.
SHARED = ("importance", "story_time", "known_by", "held_by", "private")


def own_field(node: NodeState) -> str:
    """The field that stands for a node: its name or its text."""
    return "name" if node.kind in ("entity", "thread") else "text"


def merge(graph: Graph, keep: NodeState, others: Sequence[NodeState], text: str) -> list[Operation]:
    """`others` go into `keep`. Raises BadInput for what is not of one kind, Conflict for an entity without a name of its own."""
    for other in others:
        if other.kind != keep.kind or (keep.kind == "entity" and other.scope != keep.scope):
            raise BadInput(
                f"{other.text[:60]!r} is {_of(other)}, {keep.text[:60]!r} is {_of(keep)}.",
                "Only what is of one kind can be merged.",
            )
    return _one_entity(keep, others, text) if keep.kind == "entity" else _one_text(graph, keep, others, text)


def _of(node: NodeState) -> str:
    return f"{'an' if node.kind == 'entity' else 'a'} {node.kind} ({node.scope})"


def _one_entity(keep: NodeState, others: Sequence[NodeState], text: str) -> list[Operation]:
    """All names lead to one node: whatever is said of one of them, now or later, is said of it."""
    name = _own_name(keep)
    out: list[Operation] = [EnsureNode(_named(keep, name), keep.sub, {"aliases": tuple(dict.fromkeys(map(_own_name, others)))})]
    if text and text != keep.text:
        out.append(Patch(keep.id, "name", keep.fields.get("name"), text))
    return out


def _own_name(node: NodeState) -> str:
    """The name that makes the id of an entity."""
    for part in reversed(node.parts):
        name = part.fields.get("name")
        if isinstance(name, str) and named_id("entity", part.scope, name) == node.id:
            return name
    raise Conflict(f"{node.text[:60]!r} goes by a name that another one has by now.", "Look at the names of both and merge again.")


def _named(node: NodeState, name: str) -> Named:
    return Named(name, "entity", SCOPES[node.scope])


def _one_text(graph: Graph, keep: NodeState, others: Sequence[NodeState], text: str) -> list[Operation]:
    newest = max((keep, *others), key=lambda node: (node.parts[-1].key, node.id))
    field, said = own_field(keep), text or newest.text
    out: list[Operation] = []
    if keep.text != said:
        out.append(Patch(keep.id, field, keep.fields.get(field), said))
    out += [Retire(other.id, other.text) for other in others]
    merged = tuple(dict.fromkeys((*_texts(keep.fields.get("merged")), *(other.id for other in others))))
    out.append(Patch(keep.id, "merged", keep.fields.get("merged"), merged))
    heavier = max((value for other in others if type(value := other.fields.get("importance")) is int), default=0)
    own = keep.fields.get("importance")
    if heavier > (own if type(own) is int else 0):
        out.append(Patch(keep.id, "importance", own, heavier))
    return [*out, *_moved_edges(graph, keep, others)]


def _moved_edges(graph: Graph, keep: NodeState, others: Sequence[NodeState]) -> list[Operation]:
    """What hung together with the others hangs together with the one."""
    group = {keep.id, *(other.id for other in others)}
    out: dict[tuple[str, str, str, str], Operation] = {}
    for other in others:
        for name in sorted(other.edges):
            edge = graph.edges[name]
            if edge.type in NOT_MOVED or edge.other(other.id) in group:
                continue
            start, end = (keep.id if id_ == other.id else id_ for id_ in (edge.start, edge.end))
            moved = (edge.type, start, end, edge.label)
            if moved not in graph.edges:
                out[moved] = EnsureEdge(EDGES[edge.type], Known(start), Known(end), edge.label, edge.fields)
    return list(out.values())


def split_text(node: NodeState, texts: Sequence[str], tokens: Sequence[str], needs: Needs) -> list[Operation]:
    """The first text stays the node itself, each other one is a new node with the same evidence; a token for each of those. `needs` are
    those of the commit: the quotes are counted in its keys."""
    field = own_field(node)
    out: list[Operation] = []
    if texts[0] != node.text:
        out.append(Patch(node.id, field, node.fields.get(field), texts[0]))
    places = {key: at for at, key in enumerate(needs.keys)}
    quotes = tuple(Quote(places[key], quote) for key, quote in node.evidence if key in places)
    shared: dict[str, FieldValue] = {name: value for name in SHARED if (value := node.fields.get(name)) is not None}
    subject = Known(node.subject) if node.subject else None
    for text, token in zip(texts[1:], tokens, strict=True):
        fields = {**shared, "text": text, "split_from": node.id}
        out.append(EnsureNode(_own(node, token), node.sub, fields, quotes, subject))
    return out


def split_ids(node: NodeState, tokens: Sequence[str]) -> list[Own]:
    """What the new nodes of `split_text` are known by."""
    return [_own(node, token) for token in tokens]


def _own(node: NodeState, token: str) -> Own:
    return Own(node.kind, token, SCOPES[node.scope])


def split_names(graph: Graph, node: NodeState, names: Sequence[str]) -> list[Operation]:
    """These names of an entity mean somebody else, each its own. Raises BadInput for a name that it does not have."""
    aliases = _texts(node.fields.get("aliases"))
    own = fold_name(_own_name(node))
    apart: dict[str, str] = {}
    for name in names:
        folded = fold_name(name)
        if folded == own:
            raise BadInput(f"{name!r} is the name itself.", "Name those of its other names that mean somebody else.")
        if graph.aliases.canonical(named_id("entity", node.scope, name)) != node.id:
            listed = ", ".join(map(repr, aliases)) or "none"
            raise BadInput(f"{node.text!r} has no other name {name!r}.", f"Its other names: {listed}.")
        apart.setdefault(folded, name.strip())
    out: list[Operation] = [EnsureNode(_named(node, name), node.sub, {"aliases": (name,)}) for name in apart.values()]
    left = tuple(name for name in aliases if fold_name(name) not in apart)
    if left != aliases:
        out.append(Patch(node.id, "aliases", aliases, left or None))
    return out


def _texts(value: FieldValue | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
