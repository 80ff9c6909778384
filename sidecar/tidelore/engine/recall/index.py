"""The words of the memories, kept in step with the graph: what changed since the last query is indexed anew, nothing else."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass

from tidelore.engine.graph import Graph
from tidelore.engine.history import Slot, Timeline
from tidelore.engine.nodes import NodeState
from tidelore.engine.recall.sessions import session_starts
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold_name

# A word in more than this share of the memories leads nowhere (benchmark recipe, docs/recall.md).
COMMON_SHARE = 0.2
CARD_KINDS = frozenset({"moment", "fact", "thread", "digest"})
# An entity becomes a card when something is known of it beside its names.
NAME_FIELDS = frozenset({"name", "aliases"})


@dataclass(frozen=True, slots=True)
class Document:
    """A memory that can become a card. `order` is the slot order of its place (0: none), `speakers` are folded names."""

    id: str
    kind: str
    text: str
    counts: dict[str, int]
    length: int
    order: int
    speakers: frozenset[str]
    date: str
    asks: bool
    entities: tuple[str, ...]
    importance: float


@dataclass(frozen=True, slots=True)
class Links:
    """What a memory leads to, each with its inverse document frequency; `weight` is their sum."""

    words: list[tuple[str, float]]
    names: list[tuple[str, float]]
    weight: float


class Index:
    """Postings, document frequencies and links for one chat's graph."""

    def __init__(self, graph: Graph, timeline: Timeline) -> None:
        self.graph = graph
        self.timeline = timeline
        self.documents: dict[str, Document] = {}
        self.postings: dict[str, dict[str, int]] = {}
        self.mentions: dict[str, dict[str, None]] = {}
        self.names: dict[str, set[str]] = {}
        self.speakers: Counter[str] = Counter()
        self._named: dict[str, set[str]] = {}
        self._frequencies: Counter[int] = Counter()
        self._bounds: list[int] = [0]
        self.session_lengths: list[int] = [0]
        self._stale = True
        self.changed: set[str] = set()
        self._links: dict[str, Links] = {}
        self._beside: dict[str, list[str]] = {}
        self._mean_idf = 0.0

    @property
    def size(self) -> int:
        return len(self.documents)

    def refresh(self) -> None:
        """Take in what the graph changed since the last call."""
        if not self.graph.dirty and not self._stale:
            return
        dirty, self.graph.dirty = self.graph.dirty, set()
        for id_ in dirty:
            self._drop(id_)
            node = self.graph.nodes.get(id_)
            if node is not None and node.shown:
                self._add(node)
        self.changed |= dirty
        self._stale = False
        self._links.clear()
        self._beside.clear()
        words = sum(self._frequencies.values())
        self._mean_idf = sum(count * self.idf(frequency) for frequency, count in self._frequencies.items()) / words if words else 0.0
        self._measure_sessions()

    # ---- one document ----

    def _add(self, node: NodeState) -> None:
        if node.kind in ("entity", "thread"):
            self._add_names(node)
        if node.kind not in CARD_KINDS and not (node.kind == "entity" and node.fields.keys() - NAME_FIELDS):
            return
        if node.kind == "fact" and self.graph.superseded(node):
            return
        text = _card_text(node)
        counts = Counter(tokens(text))
        slots = self._slots(node)
        order = slots[0].order if slots else 0
        entities = tuple(sorted(edge.other(node.id) for edge in self.graph.edges_of(node) if self._is_entity(edge.other(node.id))))
        importance = node.fields.get("importance")
        self.documents[node.id] = Document(
            node.id,
            node.kind,
            text,
            dict(counts),
            sum(counts.values()),
            order,
            frozenset(fold_name(slot.name) for slot in slots if slot.name),
            slots[0].date if slots else "",
            text.rstrip().endswith(("?", "？", "؟")),
            entities,
            float(importance) / 10 if isinstance(importance, int | float) else 0.5,
        )
        self.speakers.update(self.documents[node.id].speakers)
        for word, count in counts.items():
            row = self.postings.setdefault(word, {})
            self._count(len(row), len(row) + 1)
            row[node.id] = count
        for entity in entities:
            self.mentions.setdefault(entity, {})[node.id] = None

    def _drop(self, id_: str) -> None:
        for name in self._named.pop(id_, ()):
            self.names[name].discard(id_)
            if not self.names[name]:
                del self.names[name]
        document = self.documents.pop(id_, None)
        if document is None:
            return
        for name in document.speakers:
            self.speakers[name] -= 1
            if not self.speakers[name]:
                del self.speakers[name]
        for word in document.counts:
            row = self.postings[word]
            self._count(len(row), len(row) - 1)
            del row[id_]
            if not row:
                del self.postings[word]
        for entity in document.entities:
            del self.mentions[entity][id_]
            if not self.mentions[entity]:
                del self.mentions[entity]

    def _count(self, before: int, after: int) -> None:
        if before:
            self._frequencies[before] -= 1
            if not self._frequencies[before]:
                del self._frequencies[before]
        if after:
            self._frequencies[after] += 1

    def _add_names(self, node: NodeState) -> None:
        aliases = node.fields.get("aliases")
        names = {fold_name(name) for name in (node.text, *(aliases if isinstance(aliases, tuple) else ()))} - {""}
        self._named[node.id] = names
        for name in names:
            self.names.setdefault(name, set()).add(node.id)

    def _is_entity(self, id_: str) -> bool:
        node = self.graph.nodes[id_]
        return bool(node.parts) and node.kind in ("entity", "thread")

    def _slots(self, node: NodeState) -> list[Slot]:
        """Where the evidence of a node stands, in order."""
        slots = {slot for key, _ in node.evidence for slot in self.timeline.places.get(key, ())}
        return sorted(slots, key=lambda slot: slot.order)

    # ---- over all documents ----

    def neighbours(self, id_: str) -> list[str]:
        """The moments before and after a moment, at every place where it stands."""
        known = self._beside.get(id_)
        if known is not None:
            return known
        sequence = self.graph.sequence
        out: list[str] = []
        for part in self.graph.nodes[id_].parts if self.documents[id_].kind == "moment" else ():
            at = bisect_left(sequence, (part.key, id_))
            for step in (-1, 1):
                to = at + step
                while 0 <= to < len(sequence) and (sequence[to][1] == id_ or sequence[to][1] not in self.documents):
                    to += step
                if 0 <= to < len(sequence):
                    out.append(sequence[to][1])
        self._beside[id_] = out
        return out

    def _measure_sessions(self) -> None:
        self._bounds = [self.timeline.orders[at] for at in session_starts(self.timeline.slots)] or [0]
        self.session_lengths = [0] * len(self._bounds)
        for document in self.documents.values():
            self.session_lengths[self.session(document)] += document.length

    def session(self, document: Document) -> int:
        """The number of the session in which a memory stands."""
        return max(0, bisect_right(self._bounds, document.order) - 1)

    def idf(self, frequency: int) -> float:
        """BM25's inverse document frequency, never negative."""
        return math.log(1 + max(0.0, self.size - frequency + 0.5) / (frequency + 0.5))

    def leads(self, frequency: int) -> bool:
        """Whether a word or name in so many memories leads anywhere."""
        return frequency <= COMMON_SHARE * self.size or frequency <= 2

    @property
    def mean_idf(self) -> float:
        return self._mean_idf

    def links(self, id_: str) -> Links:
        links = self._links.get(id_)
        if links is None:
            document = self.documents[id_]
            words = [(word, self.idf(len(self.postings[word]))) for word in document.counts if self.leads(len(self.postings[word]))]
            names = [(name, self.idf(len(self.mentions[name]))) for name in document.entities if self.leads(len(self.mentions[name]))]
            links = self._links[id_] = Links(words, names, sum(idf for _, idf in words) + sum(idf for _, idf in names))
        return links


def _card_text(node: NodeState) -> str:
    """What a card says: its text; of an entity or thread the name and all that is known of it."""
    fields = node.fields
    if node.kind in ("moment", "fact", "digest"):
        return node.text
    parts = [node.text]
    for name, value in fields.items():
        if name not in NAME_FIELDS and name not in ("importance", "text", "title"):
            parts.append(f"{name}: {'; '.join(value) if isinstance(value, tuple) else value}")
    return ". ".join(parts)
