"""The words of the memories, kept in step with the graph: what changed since the last query is indexed anew, nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from itertools import islice

from tidelore.engine.bulk import in_bulk
from tidelore.engine.graph import Graph
from tidelore.engine.history import Slot, Timeline
from tidelore.engine.nodes import NodeState, line_of
from tidelore.engine.recall.asked import names_in, tells_time
from tidelore.engine.recall.attributes import asked_by
from tidelore.engine.recall.core import NAME_FIELDS, card_text, core_rank
from tidelore.engine.recall.document import Document, Links
from tidelore.engine.recall.idf import Idf
from tidelore.engine.recall.presets import Weights
from tidelore.engine.recall.sessions import Sessions
from tidelore.engine.text.sentences import sentences
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold_name

# A word in more than this share of the memories leads nowhere (benchmark recipe, docs/recall.md).
COMMON_SHARE = 0.2
# In a small chat words are weighed as if there were so many memories: else the one thing it speaks of would count as common.
FEWEST = 50
CARD_KINDS = frozenset({"moment", "fact", "thread", "digest"})
# What may stand after a question mark.
CLOSING = "\"'”’»」』）)*_~ \n"
QUESTION_MARKS = ("?", "？", "؟", "\u037e", "⁇", "⁈", "⁉", "՞", "፧")


class _SessionOf(dict[str, int]):
    """The session of each memory, looked up when it is asked for."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self._index = index

    def __missing__(self, id_: str) -> int:
        session = self[id_] = self._index.sessions.at[self._index.documents[id_].order]
        return session


class Index:
    """Postings, document frequencies and links for one chat's graph. `revision` counts the changes taken in. `still` holds, by weights,
    what each memory scores whatever the query (score.py)."""

    def __init__(self, graph: Graph, timeline: Timeline) -> None:
        self.graph = graph
        self.timeline = timeline
        self.documents: dict[str, Document] = {}
        self.postings: dict[str, dict[str, int]] = {}
        self.mentions: dict[str, dict[str, None]] = {}
        self.names: dict[str, set[str]] = {}
        self.speakers: Counter[str] = Counter()
        self.core: set[str] = set()
        self.sessions = Sessions()
        self.mean_idf = 0.0
        self.revision = 0
        self.outdated: dict[str, set[str]] = {}
        self._outdates: dict[str, list[str]] = {}
        self._named: dict[str, set[str]] = {}
        self._floating: set[str] = set()
        self._ahead = False
        self.still: dict[Weights, dict[str, float]] = {}
        self.session_of = _SessionOf(self)
        self._links: dict[str, Links] = {}
        self._beside: dict[str, list[str]] = {}
        self._following: dict[str, str] | None = None
        self._preceding: dict[str, str] | None = None
        self._idf = Idf(FEWEST)
        self._in_sessions: dict[str, dict[int, int]] = {}
        self._ids: frozenset[str] | None = None
        # How many words stand in so many memories.
        self._frequencies: Counter[int] = Counter()
        self._shown = -1

    @property
    def size(self) -> int:
        return len(self.documents)

    @property
    def ids(self) -> frozenset[str]:
        """Of all documents; the same object until they change, so that whoever looks up something by it can tell at once."""
        if self._ids is None:
            self._ids = frozenset(self.documents)
        return self._ids

    @property
    def _weighed(self) -> int:
        return max(FEWEST, len(self.documents))

    def refresh(self) -> None:
        """Take in what the graph and the chat changed since the last call."""
        if self.timeline.shown == self._shown and not self.graph.dirty and not self._ahead:
            return
        timeline = self.timeline
        self._shown = timeline.shown
        first, timeline.others_from = timeline.others_from, len(timeline.slots)
        # Sessions rest on messages that nothing was remembered of, too, so the graph alone does not tell.
        if first < len(timeline.slots) or self.sessions.size != len(timeline.slots):
            # They have no place of their own, so the graph does not tell when messages that they quote have moved or changed hands.
            self.graph.dirty |= self._floating
        elif not self.graph.dirty and not self._ahead:
            return
        self.revision += 1
        dirty, self.graph.dirty = self.graph.dirty, set()
        self._take_in(dirty)
        self._ahead = False
        self.still.clear()
        self.session_of.clear()
        self._links.clear()
        self._beside.clear()
        self._following = self._preceding = None
        self._idf = Idf(self._weighed)
        self._in_sessions.clear()
        self._ids = None
        words = len(self.postings)
        self._frequencies = +self._frequencies
        total = sum(count * self.idf(frequency) for frequency, count in sorted(self._frequencies.items()))
        self.mean_idf = total / words if words else 0.0
        self.sessions.measure(timeline.slots, first)

    def take_in(self, most: int) -> int:
        """Take in `most` nodes that the graph changed, so that the next `refresh` has less to do. Answers how many are left."""
        part = set(islice(self.graph.dirty, most))
        self.graph.dirty -= part
        self._ahead = self._ahead or bool(part)
        self._take_in(part)
        return len(self.graph.dirty)

    def _take_in(self, dirty: set[str]) -> None:
        with in_bulk():
            for id_ in self._with_lines(dirty):
                self._drop(id_)
                node = self.graph.nodes.get(id_)
                if node is not None and node.shown:
                    self._add(node)

    def _with_lines(self, dirty: set[str]) -> set[str]:
        """These nodes, and the facts of their lines: which one is current may have changed."""
        out = set(dirty)
        for id_ in dirty:
            node = self.graph.nodes.get(id_)
            if node is not None and node.parts and node.kind == "fact":
                for line in filter(None, map(line_of, node.parts)):
                    out |= self.graph.lines.get(line, set())
        return out

    # ---- one document ----

    def _add(self, node: NodeState) -> None:
        if node.kind in ("entity", "thread"):
            self._add_names(node)
        if node.apart:
            return
        if core_rank(self.graph, node) is not None:
            self.core.add(node.id)
        if node.kind not in CARD_KINDS and not (node.kind == "entity" and node.fields.keys() - NAME_FIELDS):
            return
        if node.kind == "fact" and self.graph.superseded(node):
            for key, _ in node.evidence:
                self.outdated.setdefault(key, set()).add(node.id)
            self._outdates[node.id] = [key for key, _ in node.evidence]
            return
        document = self.documents[node.id] = self._document(node)
        self.speakers.update(document.speakers)
        self.sessions.count(document.order, document.length)
        id_, postings, frequencies = node.id, self.postings, self._frequencies
        for word, count in document.counts.items():
            row = postings.get(word)
            if row is None:
                row = postings[word] = {}
            else:
                frequencies[len(row)] -= 1
            row[id_] = count
            frequencies[len(row)] += 1
        for entity in document.entities:
            self.mentions.setdefault(entity, {})[node.id] = None

    def _document(self, node: NodeState) -> Document:
        text = card_text(node)
        counts = Counter(tokens(text))
        length = sum(counts.values())
        attribute = node.fields.get("attribute")
        if node.kind == "fact" and isinstance(attribute, str):
            counts.update(asked_by(attribute))
        slots = self.cited(node)
        if slots and not any(part.placement.slots for part in node.parts):
            self._floating.add(node.id)
        first = min(slots, key=lambda slot: slot.order, default=None)
        entities = {id_ for name in node.edges if self._is_entity(id_ := self.graph.edges[name].other(node.id))}
        if self._is_entity(node.id):
            entities.add(node.id)
        return Document(
            node.id,
            node.kind,
            text,
            dict(counts),
            length,
            first.order if first is not None else 0,
            frozenset(fold_name(slot.name) for slot in slots if slot.name),
            first.date if first is not None else "",
            asks(text),
            only_asks(text),
            tells_time(text),
            names_in(text),
            tuple(sorted(entities)),
            len(counts) + len(entities),
            node.id if node.kind in ("entity", "thread") else node.subject,
            _importance(node),
            frozenset(key for key, _ in node.evidence),
        )

    def cited(self, node: NodeState) -> set[Slot]:
        """The messages that a node rests on, where they stand: those it quotes, else all of its windows."""
        keys = {key for key, _ in node.evidence}
        slots = {slot for part in node.parts for slot in part.placement.slots}
        if not slots:
            return {slot for key in keys for slot in self.timeline.places.get(key, ())}
        return {slot for slot in slots if slot.key in keys} or slots

    def _drop(self, id_: str) -> None:
        self.core.discard(id_)
        self._floating.discard(id_)
        for key in self._outdates.pop(id_, ()):
            facts = self.outdated.get(key, set())
            facts.discard(id_)
            if not facts:
                self.outdated.pop(key, None)
        for name in self._named.pop(id_, ()):
            self.names[name].discard(id_)
            if not self.names[name]:
                del self.names[name]
        document = self.documents.pop(id_, None)
        if document is None:
            return
        self.sessions.count(document.order, -document.length)
        for name in document.speakers:
            self.speakers[name] -= 1
            if not self.speakers[name]:
                del self.speakers[name]
        for word in document.counts:
            row = self.postings[word]
            self._frequencies[len(row)] -= 1
            del row[id_]
            if row:
                self._frequencies[len(row)] += 1
            else:
                del self.postings[word]
        for entity in document.entities:
            del self.mentions[entity][id_]
            if not self.mentions[entity]:
                del self.mentions[entity]

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
                while 0 <= to < len(sequence) and sequence[to][1] not in self.documents:
                    to += step
                # In a run of equal moments only the ends have a neighbour.
                if 0 <= to < len(sequence) and sequence[to][1] != id_:
                    out.append(sequence[to][1])
        self._beside[id_] = out
        return out

    def idf(self, frequency: int) -> float:
        """BM25's inverse document frequency, never negative."""
        return self._idf[frequency]

    def in_sessions(self, word: str) -> Mapping[int, int]:
        """How often a word that some memory holds stands in each session."""
        found = self._in_sessions.get(word)
        if found is None:
            found = {}
            session_of = self.session_of
            for id_, times in self.postings[word].items():
                session = session_of[id_]
                found[session] = found.get(session, 0) + times
            self._in_sessions[word] = found
        return found

    def leads(self, frequency: int) -> bool:
        """Whether a word in so many memories leads anywhere."""
        return frequency <= COMMON_SHARE * self._weighed

    def name_leads(self, frequency: int) -> bool:
        """The same for a name: that of someone who takes part in most of a chat, however small, does not."""
        return frequency <= max(2, COMMON_SHARE * self.size)

    def passages(self) -> dict[str, str]:
        """What an embedder gets of each memory: the moment before it in its session and its own words (docs/recall.md: +10 to +25 for
        every model)."""
        documents = self.documents
        before = {later: documents[earlier].text for later, earlier in self.preceding.items()}
        return {id_: f"{before[id_]}\n{each.text}" if before.get(id_) else each.text for id_, each in documents.items()}

    @property
    def preceding(self) -> Mapping[str, str]:
        """The moment before each moment in its session."""
        if self._preceding is None:
            self._preceding = {later: earlier for earlier, later in self.following.items()}
        return self._preceding

    @property
    def following(self) -> Mapping[str, str]:
        """The moment that comes after each moment in its session; of one that stands at several places, after the last of them."""
        if self._following is None:
            documents, session_at = self.documents, self.sessions.at
            self._following = {}
            last, session = "", -1
            for _, id_ in self.graph.sequence:
                document = documents.get(id_)
                if document is None:
                    continue
                now = session_at[document.order]
                if last and now == session and last != id_:
                    self._following[last] = id_
                last, session = id_, now
        return self._following

    def links(self, id_: str) -> Links:
        """What a memory leads to: words and names that are not too common, and of names those that are shown."""
        links = self._links.get(id_)
        if links is None:
            document = self.documents[id_]
            limit, most = COMMON_SHARE * self._weighed, max(2, COMMON_SHARE * self.size)
            postings, mentions, idf = self.postings, self.mentions, self._idf
            words = [(word, idf[count]) for word in document.counts if (count := len(postings[word])) <= limit]
            names = [(name, idf[count]) for name in document.entities if name in self._named and (count := len(mentions[name])) <= most]
            links = self._links[id_] = Links(words, names, sum(idf for _, idf in words) + sum(idf for _, idf in names))
        return links


def asks(text: str) -> bool:
    """Whether a text ends with a question."""
    return text.rstrip(CLOSING).endswith(QUESTION_MARKS)


def only_asks(text: str) -> bool:
    """Whether a text is one question and nothing else. Where there are several, one of them may tell something along the way."""
    return asks(text) and len(sentences(text)) == 1


def _importance(node: NodeState) -> float:
    """0 to 1; the middle where none is given."""
    value = node.fields.get("importance")
    return min(max(value, 0), 10) / 10 if isinstance(value, int | float) and value == value else 0.5
