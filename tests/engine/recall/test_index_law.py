"""The index that follows the changes of a chat equals one that is built at once, and recalls the same."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.engine.recall.vectors import FixedVectors
from tests.engine.rewrites import rewrite
from tidelore.engine.clock import Clock
from tidelore.engine.codec import evident_id, named_id, windowed, windowless
from tidelore.engine.extract.rules import extract
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.keys import Door
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, Evident, Message, Named, Operation, Own, Patch, Quote, Retire, Speaker
from tidelore.engine.pool import Pool
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.recall.run import Recall, Request, recall

CHAT = "main"
# Few texts that share names and words, so that messages recur, names come and go, and facts replace each other.
TEXTS = (
    "I live in Paris with Cleo.",
    "I live in Rome. Cleo stayed behind.",
    "I love tea.",
    "I hate tea, said Bob to Cleo.",
    "Bob saw the dragon near Paris?",
    "The dragon sleeps. Does Dora know it?",
    "Dora and Bob dance in Rome.",
    "Yes.",
    "龙在巴黎睡觉。",
    "",
)
NAMES = ("Ann", "Bob", "ANN", "")
DATES = ("", "2023-05-08T13:56", "2023-05-08T22:00", "2023-06-01", "not a date")
PEOPLE = ("Ann", "Bob", "Cleo", "Dora")
QUERIES = (
    "Where does Ann live?",
    "the dragon in Paris",
    "Who is Cleo?",
    "What does Bob think of tea in May 2023?",
    "龙",
    "Hello Ann",
    "Ann or Bob: " + "a long walk with tea and a dragon. " * 12 + "Where is Dora?",
)
MESSAGE = st.builds(
    Message, st.sampled_from(("user", "assistant")), st.sampled_from(TEXTS), st.sampled_from(NAMES), st.just(False), st.sampled_from(DATES)
)


class Standing:
    """A chat on a pool, with all that is worked out from it."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.timeline = Timeline(pool, CHAT)
        self.graph = Graph()
        self.index = Index(self.graph, self.timeline)

    def scratch(self) -> Standing:
        """The same chat, built at once, its commits learnt in another order and its slots numbered anew."""
        pool = Pool()
        for source in self.pool.sources.values():
            pool.add_source(source)
        for commit in sorted(self.pool.commits.values(), key=lambda each: each.id):
            pool.add_commit(commit)
        other = Standing(pool)
        entries = [slot.entry for slot in self.timeline.slots]
        other.graph.change(other.timeline.load([(entry, (at + 1) * 10) for at, entry in enumerate(entries)]))
        return other

    def shape(self) -> Any:
        index = self.index
        index.refresh()
        at = {0: -1, **{order: position for position, order in enumerate(self.timeline.orders)}}
        documents = {
            id_: (each.kind, each.text, each.counts, each.length, at[each.order], each.speakers, each.date, each.asks, each.entities)
            for id_, each in index.documents.items()
        }
        links = {id_: index.links(id_) for id_ in index.documents}
        return {
            "documents": documents,
            "importance": {id_: each.importance for id_, each in index.documents.items()},
            "postings": index.postings,
            "mentions": {name: set(row) for name, row in index.mentions.items()},
            "names": index.names,
            "speakers": dict(index.speakers),
            "core": index.core,
            "sessions": [(index.sessions.at[order], round(index.sessions.place(order), 9)) for order in (0, *self.timeline.orders)],
            "lengths": index.sessions.lengths,
            "idf": round(index.mean_idf, 9),
            "neighbours": {id_: index.neighbours(id_) for id_ in index.documents},
            "links": {id_: (dict(each.words), dict(each.names), round(each.weight, 9)) for id_, each in links.items()},
            "passages": index.passages(),
        }

    def recall(self, query: str, budget: int, preset: str, context_from: int | None, cosines: dict[str, float]) -> Recall:
        chosen = PRESETS[preset]
        request = Request(query, chosen, budget, chosen.limit, "en", "The dragon sleeps.", "", context_from)
        return asyncio.run(recall(request, [self.index], FixedVectors(cosines) if cosines else None))


def told(found: Recall) -> Any:
    """All that a recall says, the order of cards and decisions included."""
    cards = [(each.document.id, round(each.score, 8), each.named, round(each.share, 8)) for each in found.cards]
    decisions = [(each.scored.document.id, each.taken, each.reason) for each in found.decisions]
    return cards, decisions, found.core.text, found.recalled.text, found.query


def _operations(draw: Any, size: int) -> list[Operation]:
    out: list[Operation] = []
    message = draw(st.integers(0, size - 1))
    moment = Evident("moment", (message,), 7)
    person = Named(draw(st.sampled_from(PEOPLE)))
    for kind in draw(st.lists(st.sampled_from(("moment", "person", "fact", "rule", "thread", "digest")), max_size=4, unique=True)):
        if kind == "moment":
            importance = draw(st.sampled_from((1, 9, 99)))
            quotes = (Quote(message),) if draw(st.booleans()) else ()
            out.append(EnsureNode(moment, "event", {"text": "The dragon woke.", "importance": importance}, quotes))
            out.append(EnsureEdge("involved_in", person, moment))
        elif kind == "person":
            certainty = draw(st.sampled_from(("stated", "seen", "maybe")))
            fields = draw(st.sampled_from(({}, {"goal": "tea in Rome"}, {"aliases": ("Dora",)}, {"aliases": ("Boss", "Cleo")})))
            out.append(EnsureNode(person, "character", fields, (Quote(message),), certainty=certainty))
            out.append(EnsureEdge("relates", person, Named(draw(st.sampled_from(PEOPLE))), "knows"))
        elif kind == "fact":
            value = draw(st.sampled_from(("glad", "sad", "in Rome")))
            fact = Evident("fact", (message,), 7)
            subject = person if draw(st.booleans()) else Speaker(message)
            out.append(EnsureNode(fact, "state", {"text": f"Is {value}.", "attribute": "mood"}, (Quote(message),), subject))
        elif kind == "rule":
            fields = {"text": "No magic in Rome.", "status": draw(st.sampled_from(("active", "Revoked", "已废除")))}
            out.append(EnsureNode(Evident("fact", (message,), 8), "rule", fields, (Quote(message),)))
        elif kind == "thread":
            fields = {"text": "Find the dragon.", "status": draw(st.sampled_from(("active", "completed")))}
            out.append(EnsureNode(Named("The hunt", "thread"), "plot", fields, (Quote(message),)))
        else:
            out.append(EnsureNode(Own("digest", "s"), "synopsis", {"text": "Ann met a dragon."}, (Quote(message),)))
    return out


class IndexLaw(RuleBasedStateMachine):
    @initialize(messages=st.lists(MESSAGE, max_size=6))
    def begin(self, messages: list[Message]) -> None:
        self.clock = Clock()
        self.one = Standing(Pool())
        self.one.graph.change(self.one.timeline.load(()))
        self.show(messages)
        for at in range(len(self.one.timeline.keys)):
            self.add([self.by_rules(at)])

    def messages(self) -> list[Message]:
        sources = self.one.pool.sources
        return [Message(each.role, sources[each.key].text, each.name, each.hidden, each.date) for each in self.one.timeline.slots]

    def show(self, messages: list[Message]) -> None:
        door = Door()
        entries = [door.enter(message) for message in messages]
        for entry, message in zip(entries, messages, strict=True):
            self.one.pool.add_source(door.source(entry.key, message))
        self.one.graph.change(self.one.timeline.update(entries))

    def add(self, commits: list[Commit]) -> None:
        fresh = [commit for commit in commits if self.one.pool.add_commit(commit)]
        self.one.graph.change(self.one.timeline.grow(fresh))

    def by_rules(self, at: int) -> Commit:
        slot = self.one.timeline.slots[at]
        operations = extract(slot.role, self.one.pool.sources[slot.key].text)
        return windowed("rules", operations, (slot.key,), clock=self.clock.tick(0), replica="r")

    @rule(data=st.data())
    def edit_the_chat(self, data: Any) -> None:
        messages = self.messages()
        action = data.draw(st.sampled_from(("append", "insert", "replace", "delete", "cut", "move", "rename", "date", "hide", "back")))
        at = data.draw(st.integers(0, len(messages)))
        here = messages[at] if at < len(messages) else None
        if action == "append":
            messages += data.draw(st.lists(MESSAGE, min_size=1, max_size=4))
        elif action == "insert":
            messages.insert(at, data.draw(MESSAGE))
        elif action == "delete":
            del messages[at : at + data.draw(st.integers(1, 3))]
        elif action == "cut":
            del messages[at:]
        elif action == "rename":
            name = data.draw(st.sampled_from(NAMES))
            messages = [Message(each.role, each.text, name, each.hidden, each.date) if each.role == "user" else each for each in messages]
        elif action == "back":
            messages.reverse()
        elif here is not None:
            if action == "replace":
                messages[at] = data.draw(MESSAGE)
            elif action == "move":
                messages.insert(data.draw(st.integers(0, len(messages) - 1)), messages.pop(at))
            elif action == "date":
                messages[at] = Message(here.role, here.text, here.name, here.hidden, data.draw(st.sampled_from(DATES)))
            elif action == "hide":
                messages[at] = Message(here.role, here.text, here.name, not here.hidden, here.date)
        self.show(messages)

    @rule(data=st.data())
    def extract_by_rules(self, data: Any) -> None:
        if self.one.timeline.keys:
            self.add([self.by_rules(data.draw(st.integers(0, len(self.one.timeline.keys) - 1)))])

    @rule(data=st.data())
    def extract_by_model(self, data: Any) -> None:
        keys = self.one.timeline.keys
        if keys:
            first = data.draw(st.integers(0, len(keys) - 1))
            size = data.draw(st.integers(1, min(3, len(keys) - first)))
            operations = _operations(data.draw, size)
            self.add([windowed("model", operations, keys[first : first + size], clock=self.clock.tick(0), replica="r")])

    @rule(data=st.data())
    def write_by_hand(self, data: Any) -> None:
        pool, keys = self.one.pool, self.one.timeline.keys
        shown = sorted(node.id for node in self.one.graph.shown())
        facts = [id_ for id_ in shown if self.one.graph.nodes[id_].kind == "fact"]
        operations: list[Operation] = []
        undoes = ""
        kind = data.draw(st.sampled_from(("patch", "retire", "alias", "undo")))
        if kind == "alias":
            one, other = data.draw(st.sampled_from(PEOPLE)), data.draw(st.sampled_from(PEOPLE))
            operations.append(EnsureNode(Named(one), "character", {"aliases": (other,)}))
        elif kind == "undo" and pool.windowless:
            undoes = data.draw(st.sampled_from(pool.windowless)).id
        elif shown and kind in ("patch", "retire"):
            node = self.one.graph.nodes[data.draw(st.sampled_from(facts if facts and data.draw(st.booleans()) else shown))]
            field = "name" if node.kind in ("entity", "thread") else "text"
            value = data.draw(st.sampled_from(("a dragon of tea", "Bob")))
            operations.append(Retire(node.id, node.text) if kind == "retire" else Patch(node.id, field, node.fields.get(field), value))
        anchor = keys[-1] if keys else ""
        self.add([windowless("person", operations, clock=self.clock.tick(0), replica="r", chat=CHAT, anchor=anchor, undoes=undoes)])

    @rule(data=st.data())
    def put_in_order(self, data: Any) -> None:
        """Merge, split, mark and decide what is shown."""
        keys, clock = self.one.timeline.keys, self.clock.tick(0)
        operations, needs = rewrite(data.draw, self.one.graph, self.one.timeline, str(clock))
        anchor = keys[-1] if keys else ""
        self.add([windowless("person", operations, clock=clock, replica="r", chat=CHAT, anchor=anchor, needs=needs)])

    @rule(most=st.integers(0, 3))
    def take_some_in(self, most: int) -> None:
        waiting = len(self.one.graph.dirty)
        assert self.one.index.take_in(most) == max(0, waiting - most)

    @rule(data=st.data(), query=st.sampled_from(QUERIES), budget=st.sampled_from((60, 150, 1000)), preset=st.sampled_from(sorted(PRESETS)))
    def recall(self, data: Any, query: str, budget: int, preset: str) -> None:
        other = self.one.scratch()
        assert self.one.shape() == other.shape()
        context_from = data.draw(st.none() | st.integers(0, len(self.one.timeline.keys)))
        ids = sorted(self.one.index.documents)
        near = data.draw(st.lists(st.sampled_from(ids), max_size=3, unique=True)) if ids else []
        cosines = {id_: 0.9 - 0.25 * at for at, id_ in enumerate(near)}
        results = [told(each.recall(query, budget, preset, context_from, cosines)) for each in (self.one, other)]
        assert results[0] == results[1]

    def teardown(self) -> None:
        if hasattr(self, "one"):
            assert self.one.shape() == self.one.scratch().shape()
            self.show([])
            for placement in list(self.one.timeline.windowless.values()):
                if placement.commit.operations:
                    self.add([windowless("person", (), clock=self.clock.tick(0), replica="r", chat=CHAT, undoes=placement.commit.id)])
            index = self.one.index
            index.refresh()
            assert not index.documents
            assert not index.postings
            assert not index.mentions


TestIndexLaw = pytest.mark.req("LAW-1")(IndexLaw.TestCase)
TestIndexLaw.settings = settings(max_examples=200, stateful_step_count=25, deadline=None)


def test_a_retired_fact_makes_way_for_the_one_before_it() -> None:
    one = Standing(Pool())
    door = Door()
    messages = [Message("user", "I live in Paris.", "Ann"), Message("user", "I live in Rome.", "Ann")]
    entries = [door.enter(message) for message in messages]
    for entry, message in zip(entries, messages, strict=True):
        one.pool.add_source(door.source(entry.key, message))
    one.graph.change(one.timeline.update(entries))
    commits = [windowed("rules", extract("user", each.text), (door.enter(each).key,), clock=1, replica="r") for each in messages]
    one.graph.change(one.timeline.grow([commit for commit in commits if one.pool.add_commit(commit)]))
    paris, rome = (evident_id("fact", (entry.key,), 0) for entry in entries)
    one.index.refresh()
    assert rome in one.index.documents
    assert paris not in one.index.documents
    retire = windowless("person", [Retire(rome, "I live in Rome.")], clock=9, replica="r", chat=CHAT)
    one.pool.add_commit(retire)
    one.graph.change(one.timeline.grow([retire]))
    one.index.refresh()
    assert paris in one.index.documents
    assert rome not in one.index.documents
    assert named_id("entity", "chat", "Ann") in one.index.names["ann"]
