"""The edges of an answer: what its ends mean, and which entities they bring in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelore.engine.extract.item import Link
from tidelore.engine.extract.own_words import short
from tidelore.engine.extract.people import People
from tidelore.engine.extract.prompt import KnownNode
from tidelore.engine.extract.words import edge_type
from tidelore.engine.model import EdgeType, EnsureEdge, EnsureNode, Known, Named, Ref, Speaker
from tidelore.engine.schema import Schema

_LONGEST_LABEL = 80


class Bad(Exception):
    """Why an item cannot be kept, as "code: detail"."""


class Links:
    """Collects edges, each once. An entity that is meant but not stated is `implied`: the commit then states it in passing."""

    def __init__(self, people: People, known: Mapping[str, KnownNode]) -> None:
        self._people = people
        self._known = {fold_key(key): node for key, node in known.items()}
        self._by_key: dict[str, Ref] = {}
        self._stated: dict[Ref, None] = {}
        self._implied: dict[Named | Speaker, str] = {}
        self._edges: dict[tuple[EdgeType, Ref, Ref, str], EnsureEdge] = {}

    @property
    def edges(self) -> tuple[EnsureEdge, ...]:
        return tuple(self._edges.values())

    def known(self, key: str) -> KnownNode | None:
        """The node of the graph that a short key means."""
        return self._known.get(fold_key(key)) if key else None

    def state(self, ref: Ref, keys: Sequence[str]) -> None:
        """A node of the answer and the keys that the answer gave it. Of two nodes under one key the first has it."""
        self._stated.setdefault(ref)
        for key in keys:
            if key and fold_key(key) not in self._known:
                self._by_key.setdefault(fold_key(key), ref)

    def end(self, word: str, evidence: Sequence[int], guess: str = "character") -> Ref | None:
        """What a key or name means; None where nothing is known by it. An entity that is only meant gets the sub `guess`."""
        ref = self._meant(word, evidence)
        if ref not in self._stated and (isinstance(ref, Speaker) or (isinstance(ref, Named) and ref.kind == "entity")):
            self._implied.setdefault(ref, guess)
        return ref

    def add(self, link: Link, evidence: Sequence[int], own: Ref | None = None) -> None:
        """Adds an edge; one without a start begins at `own`. Raises Bad."""
        kind = edge_type(link.type or "relates")
        if kind is None:
            raise Bad(f"unknown edge type: {short(link.type)}")
        start = self._meant(link.start, evidence) if link.start else own
        end = self._meant(link.end, evidence)
        if start is None or end is None or start == end:
            raise Bad(f"unresolvable end: {short(f'{link.start} -> {link.end}')}")
        label = " ".join(link.label.split())[:_LONGEST_LABEL] if kind == "relates" else ""
        if (kind, start, end, label) in self._edges:
            raise Bad(f"duplicate: edge {kind} {short(f'{link.start} -> {link.end}')}")
        self._edges[kind, start, end, label] = EnsureEdge(kind, start, end, label)
        if link.start:
            self.end(link.start, evidence)
        self.end(link.end, evidence, "location" if kind == "occurred_at" else "character")

    def follow(self, kind: EdgeType, start: Ref, id_: str) -> None:
        """An edge from a new node to the known one that it carries on."""
        self._edges.setdefault((kind, start, Known(id_), ""), EnsureEdge(kind, start, Known(id_)))

    def implied(self, schema: Schema) -> list[EnsureNode]:
        """The nodes of entities that are meant but not stated, where their name stands in the window."""
        nodes = (self._people.implied(ref, guess, schema) for ref, guess in self._implied.items() if ref not in self._stated)
        return [node for node in nodes if node.evidence]

    def _meant(self, word: str, evidence: Sequence[int]) -> Ref | None:
        key = fold_key(word)
        if key in self._by_key:
            return self._by_key[key]
        if node := self._known.get(key):
            if node.kind == "entity":
                return self._people.entity(node.name)
            return self._people.thread(node.name) if node.kind == "thread" else Known(node.id)
        thread = self._people.thread(word)
        if thread in self._stated:
            return thread
        return self._people.entity(word, evidence)


def fold_key(key: str) -> str:
    """A key without what models put around it."""
    return key.strip(" \t\n[]()#<>\"'").upper()
