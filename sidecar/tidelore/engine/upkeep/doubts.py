"""What there is to decide: pairs of memories that contradict or say the same. Found when asked for, without a model, and never stored;
only what a person decided is, as a `doubt` edge that is closed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from tidelore.engine.codec import canonical, digest, named_id
from tidelore.engine.graph import Graph
from tidelore.engine.model import FieldValue
from tidelore.engine.nodes import NodeState
from tidelore.engine.recall.index import Index
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold_name
from tidelore.engine.upkeep.alike import ALIKE_IN_MEANING, NEAR, likeness, pairs, same_marks

Kind = Literal["conflict", "duplicate"]
Reason = Literal["speakers", "message", "words", "meaning", "name", "doubt"]
# What changes by itself contradicts only what was said so shortly before that nothing can have happened meanwhile.
CHANGING = frozenset({"state", "task"})
SHORTLY = 2
# Of one subject at most so many facts are compared by vectors.
MOST_COMPARED = 64


@dataclass(frozen=True, slots=True)
class Doubt:
    """`old` and `new` by when they were said last. `likeness` is 0 to 1 for duplicates. `edge`: the label of the `doubt` edge."""

    kind: Kind
    reason: Reason
    old: NodeState
    new: NodeState
    likeness: float = 0.0
    label: str = ""

    @property
    def id(self) -> str:
        return digest("card", self.kind, *sorted((self.old.id, self.new.id)))

    @property
    def of(self) -> str:
        """What it is made from: another text or other evidence of either is another question. An entity has more evidence with every
        mention, so of one its name counts alone."""
        rows = sorted([each.id, each.text, *sorted(_cited(each))] for each in (self.old, self.new))
        return digest("doubt", canonical(rows))


def _cited(node: NodeState) -> set[str]:
    return set() if node.kind == "entity" else {key for key, _ in node.evidence}


def doubts(index: Index, alike: float, cosines: Mapping[tuple[str, str], float]) -> list[Doubt]:
    """All that are open: conflicts first, then by place, newest first. The index is in step with its graph. `cosines` of pairs of ids in
    order, as far as there are vectors."""
    graph = index.graph
    found: dict[frozenset[str], Doubt] = {}
    for doubt in (*_doubted(graph), *_conflicts(index), *_duplicates(index, alike, cosines), *_suggested(graph)):
        found.setdefault(frozenset((doubt.old.id, doubt.new.id)), doubt)
    open_ = [doubt for doubt in found.values() if not decided(graph, doubt)]
    return sorted(open_, key=lambda doubt: (doubt.kind == "duplicate", *(-value for value in doubt.new.parts[-1].key[:2]), doubt.id))


def decided(graph: Graph, doubt: Doubt) -> bool:
    """Whether somebody decided it, as both read now."""
    for start, end in ((doubt.old.id, doubt.new.id), (doubt.new.id, doubt.old.id)):
        for name in graph.nodes[start].edges:
            if name[0] == "doubt" and name[1] == start and name[2] == end and graph.edges[name].fields.get("of") == doubt.of:
                return True
    return False


def _in_order(one: NodeState, other: NodeState) -> tuple[NodeState, NodeState]:
    first, second = sorted((one, other), key=lambda node: (node.parts[-1].key, node.id))
    return first, second


def _doubted(graph: Graph) -> Iterator[Doubt]:
    """Open `doubt` edges: somebody said so."""
    for name in sorted(graph.edges):
        edge = graph.edges[name]
        if edge.type == "doubt" and any("decided" not in fields for _, fields in edge.parts):
            one, other = graph.nodes[edge.start], graph.nodes[edge.end]
            if one.shown and other.shown and not (one.apart or other.apart):
                yield Doubt("conflict", "doubt", *_in_order(one, other), label=edge.label)


def _conflicts(index: Index) -> Iterator[Doubt]:
    """In a line the latest fact is current. That is no question where one person changed their mind or time went by; it is one where
    somebody else said so, or where both stand in one message."""
    graph = index.graph
    for line in sorted(graph.lines):
        along = [graph.nodes[id_] for id_ in graph.along(line)]
        along = [node for node in along if not node.apart]
        if len(along) < 2:
            continue
        new = along[-1]
        old = next((node for node in reversed(along[:-1]) if _value(node) != _value(new)), None)
        if old is None or old.marked("stands") or _held_by(old) != _held_by(new) or not (_spoken(old) and _spoken(new)):
            continue
        if {key for key, _ in old.evidence} & {key for key, _ in new.evidence}:
            yield Doubt("conflict", "message", old, new)
        elif _others_said(index, old, new) and (new.sub not in CHANGING or _between(index, old, new) <= SHORTLY):
            yield Doubt("conflict", "speakers", old, new)


def _spoken(node: NodeState) -> bool:
    """Whether messages say so: who writes a fact down by hand has decided."""
    return bool(node.parts[-1].placement.slots)


def _value(node: NodeState) -> tuple[str, ...]:
    value = node.fields.get("value")
    return tuple(tokens(value if isinstance(value, str) and value else node.text))


def _held_by(node: NodeState) -> FieldValue | None:
    return node.fields.get("held_by")


def _others_said(index: Index, old: NodeState, new: NodeState) -> bool:
    one, other = speakers(index, old).keys(), speakers(index, new).keys()
    return bool(one and other) and one.isdisjoint(other)


def speakers(index: Index, node: NodeState) -> dict[str, str]:
    """Who said it: folded names to names as on screen, in order of place."""
    slots = sorted(index.cited(node), key=lambda slot: slot.order)
    out: dict[str, str] = {}
    for slot in slots:
        if slot.name or slot.role:
            out.setdefault(fold_name(slot.name) or slot.role, slot.name or slot.role)
    return out


def _between(index: Index, old: NodeState, new: NodeState) -> int:
    """How many messages lie from the last that says the one to the first that says the other."""
    before = max(map(index.timeline.index, index.cited(old)))
    after = min((at for at in map(index.timeline.index, index.cited(new)) if at > before), default=before)
    return after - before


def groups(index: Index) -> Iterator[list[NodeState]]:
    """Facts that recall knows, by whom they are about."""
    by_subject: dict[str, list[NodeState]] = {}
    for id_ in sorted(index.documents):
        node = index.graph.nodes[id_]
        if node.kind == "fact":
            by_subject.setdefault(node.subject, []).append(node)
    return (group for _, group in sorted(by_subject.items()) if len(group) > 1)


def _duplicates(index: Index, alike: float, cosines: Mapping[tuple[str, str], float]) -> Iterator[Doubt]:
    for group in groups(index):
        nodes = {node.id: node for node in group}
        words = {id_: index.documents[id_].counts.keys() for id_ in nodes}
        for one, other, share in pairs(words, alike):
            if _may_be_one(index, nodes[one], nodes[other]):
                yield Doubt("duplicate", "words", *_in_order(nodes[one], nodes[other]), round(share, 3))
        for one, other in combinations(nodes, 2) if len(nodes) <= MOST_COMPARED else ():
            cosine = cosines.get((one, other), 0.0)
            near = cosine >= NEAR and likeness(words[one], words[other]) >= ALIKE_IN_MEANING
            if near and _may_be_one(index, nodes[one], nodes[other]):
                yield Doubt("duplicate", "meaning", *_in_order(nodes[one], nodes[other]), round(cosine, 3))


def _may_be_one(index: Index, one: NodeState, other: NodeState) -> bool:
    """Nothing in them says that they are two things: another attribute, another holder, another number, name or negation, other people
    that they hang together with."""
    attributes = {one.fields.get("attribute"), other.fields.get("attribute")} - {None, ""}
    return (
        len(attributes) < 2
        and _held_by(one) == _held_by(other)
        and same_marks(one.text, other.text)
        and _named(index, one.id) == _named(index, other.id)
    )


def _named(index: Index, id_: str) -> Collection[str]:
    return set(index.documents[id_].entities)


def _suggested(graph: Graph) -> Iterator[Doubt]:
    """The memory model may only suggest that two names mean one: whether they do is for a person to say."""
    for node in sorted(graph.shown(), key=lambda each: each.id):
        names = node.fields.get("suggested_aliases") if node.kind == "entity" else None
        for name in names if isinstance(names, tuple) else ():
            other = graph.node(named_id("entity", node.scope, name))
            if other is not None and other is not node and other.kind == "entity" and not (node.apart or other.apart):
                yield Doubt("duplicate", "name", *_in_order(node, other), 1.0)


def compared(index: Index) -> Iterable[list[str]]:
    """The ids whose cosines `doubts` can use, a group at a time."""
    return ([node.id for node in group] for group in groups(index) if len(group) <= MOST_COMPARED)
