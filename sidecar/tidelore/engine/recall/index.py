"""The words of the memories, kept in step with the graph: what changed since the last query is indexed anew, nothing else."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from tidelore.engine.bulk import in_bulk
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.nodes import NodeState
from tidelore.engine.recall.core import core_rank
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
        self.core: set[str] = set()
        self.session_at: dict[int, int] = {}
        self.session_lengths: list[int] = [0]
        self.mean_idf = 0.0
        self._named: dict[str, set[str]] = {}
        self._frequencies: Counter[int] = Counter()
        self._links: dict[str, Links] = {}
        self._beside: dict[str, list[str]] = {}
        self._idf: dict[int, float] = {}
        self._length_at: Counter[int] = Counter()
        self._fresh = False

    @property
    def size(self) -> int:
        return len(self.documents)

    def refresh(self) -> None:
        """Take in what the graph changed since the last call."""
        if self._fresh and not self.graph.dirty:
            return
        dirty, self.graph.dirty = self.graph.dirty, set()
        with in_bulk():
            for id_ in dirty:
                self._drop(id_)
                node = self.graph.nodes.get(id_)
                if node is not None and node.shown:
                    self._add(node)
        self._fresh = True
        self._links.clear()
        self._beside.clear()
        self._idf.clear()
        words = sum(self._frequencies.values())
        total = sum(count * self.idf(frequency) for frequency, count in self._frequencies.items())
        self.mean_idf = total / words if words else 0.0
        self._measure_sessions()

    # ---- one document ----

    def _add(self, node: NodeState) -> None:
        if node.kind in ("entity", "thread"):
            self._add_names(node)
        if core_rank(self.graph, node) is not None:
            self.core.add(node.id)
        if node.kind not in CARD_KINDS and not (node.kind == "entity" and node.fields.keys() - NAME_FIELDS):
            return
        if node.kind == "fact" and self.graph.superseded(node):
            return
        document = self.documents[node.id] = self._document(node)
        self.speakers.update(document.speakers)
        self._length_at[document.order] += document.length
        for word, count in document.counts.items():
            row = self.postings.get(word)
            if row is None:
                row = self.postings[word] = {}
            self._count(len(row), len(row) + 1)
            row[node.id] = count
        for entity in document.entities:
            self.mentions.setdefault(entity, {})[node.id] = None

    def _document(self, node: NodeState) -> Document:
        text = _card_text(node)
        counts = Counter(tokens(text))
        keys = {key for key, _ in node.evidence}
        slots = {slot for part in node.parts for slot in part.placement.slots if slot.key in keys}
        first = min(slots, key=lambda slot: slot.order, default=None)
        others = {self.graph.edges[name].other(node.id) for name in node.edges}
        importance = node.fields.get("importance")
        return Document(
            node.id,
            node.kind,
            text,
            dict(counts),
            sum(counts.values()),
            first.order if first is not None else 0,
            frozenset(fold_name(slot.name) for slot in slots if slot.name),
            first.date if first is not None else "",
            text.rstrip().endswith(("?", "？", "؟")),
            tuple(sorted(filter(self._is_entity, others))),
            float(importance) / 10 if isinstance(importance, int | float) else 0.5,
        )

    def _drop(self, id_: str) -> None:
        self.core.discard(id_)
        for name in self._named.pop(id_, ()):
            self.names[name].discard(id_)
            if not self.names[name]:
                del self.names[name]
        document = self.documents.pop(id_, None)
        if document is None:
            return
        self._length_at[document.order] -= document.length
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
        """Which session each slot order is in, and how many words stand in each. What has no place is in the first."""
        slots = self.timeline.slots
        starts = [*session_starts(slots), len(slots)]
        self.session_at = {0: 0}
        self.session_lengths = []
        for session, (first, stop) in enumerate(pairwise(starts)):
            orders = self.timeline.orders[first:stop]
            self.session_at.update(dict.fromkeys(orders, session))
            self.session_lengths.append(sum(map(self._length_at.__getitem__, orders)))
        self.session_lengths[0] += self._length_at[0]

    def idf(self, frequency: int) -> float:
        """BM25's inverse document frequency, never negative."""
        value = self._idf.get(frequency)
        if value is None:
            value = self._idf[frequency] = math.log(1 + max(0.0, self.size - frequency + 0.5) / (frequency + 0.5))
        return value

    def leads(self, frequency: int) -> bool:
        """Whether a word or name in so many memories leads anywhere."""
        return frequency <= COMMON_SHARE * self.size or frequency <= 2

    def passages(self) -> dict[str, str]:
        """What an embedder gets of each memory: the moment before it and its own words (docs/recall.md: +10 to +25 for every model)."""
        out: dict[str, str] = {}
        last = ""
        for _, id_ in self.graph.sequence:
            document = self.documents.get(id_)
            if document is not None:
                out[id_] = f"{last}\n{document.text}" if last else document.text
                last = document.text
        return {id_: out.get(id_, document.text) for id_, document in self.documents.items()}

    def links(self, id_: str) -> Links:
        """What a memory leads to: words and names that are not too common, and of names those that are shown."""
        links = self._links.get(id_)
        if links is None:
            document = self.documents[id_]
            limit = max(2, int(COMMON_SHARE * self.size))
            postings, mentions, idf = self.postings, self.mentions, self.idf
            words = [(word, idf(count)) for word in document.counts if (count := len(postings[word])) <= limit]
            names = [(name, idf(count)) for name in document.entities if name in self._named and (count := len(mentions[name])) <= limit]
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
