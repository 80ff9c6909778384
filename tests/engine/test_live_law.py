"""The live set and the fold depend on pool and chat alone: after any history they equal what is built from scratch, on every replica."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.engine.rewrites import rewrite
from tidelore.engine.clock import Clock
from tidelore.engine.codec import evident_id, named_id, windowed, windowless
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.keys import Door, Entry
from tidelore.engine.model import (
    Commit,
    EnsureEdge,
    EnsureNode,
    Evident,
    Message,
    Named,
    Needs,
    Operation,
    Own,
    Patch,
    Quote,
    Retire,
    Speaker,
)
from tidelore.engine.params import to_json
from tidelore.engine.pool import Pool
from tidelore.engine.view import graph_counts, graph_view

# Few texts, some of them beginnings of others, so that messages repeat, windows recur and replies continue.
TEXTS = ("a", "a b", "a b c", "x", "x y", "Yes.", "Yes. And no.", "long day", "")
NAMES = ("Ann", "Bob", "Anna", "", "Ann Lee", "Bob Lee", "Captain Bob")
PEOPLE = ("Ann", "Bob", "Anna", "Lee", "Ann Lee")
BRANCH = "branch"
MAIN = "main"


class Replica:
    """One pool with a main chat and a branch of it, kept up to date in place."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.clock = Clock()
        self.pool = Pool()
        self.timelines = {MAIN: Timeline(self.pool, MAIN), BRANCH: Timeline(self.pool, BRANCH, [MAIN])}
        self.graphs = {chat: Graph() for chat in self.timelines}
        for chat, timeline in self.timelines.items():
            self.graphs[chat].change(timeline.load(()))

    def update(self, chat: str, messages: list[Message]) -> None:
        door = Door()
        entries = [door.enter(message) for message in messages]
        for entry, message in zip(entries, messages, strict=True):
            self.pool.add_source(door.source(entry.key, message))
        self.graphs[chat].change(self.timelines[chat].update(entries))

    def add(self, commits: list[Commit]) -> None:
        for commit in commits:
            self.clock.see(commit.clock)
        fresh = [commit for commit in commits if self.pool.add_commit(commit)]
        for chat, timeline in self.timelines.items():
            self.graphs[chat].change(timeline.grow(fresh))

    def scratch(self, chat: str) -> Any:
        """The same chat on the same pool, built at once."""
        pool = Pool()
        for source in self.pool.sources.values():
            pool.add_source(source)
        for commit in sorted(self.pool.commits.values(), key=lambda each: each.id):
            pool.add_commit(commit)
        timeline = Timeline(pool, chat, [MAIN] if chat == BRANCH else [])
        graph = Graph()
        entries = [slot.entry for slot in self.timelines[chat].slots]
        graph.change(timeline.load([(entry, (number + 1) * 1000) for number, entry in enumerate(entries)]))
        return _shape(timeline, graph)

    def entries(self, chat: str) -> list[Entry]:
        return [slot.entry for slot in self.timelines[chat].slots]


def _shape(timeline: Timeline, graph: Graph) -> Any:
    live = [
        (placement.commit.id, [timeline.index(slot) for slot in placement.slots])
        for placement in sorted(
            timeline.placements(), key=lambda each: (each.slots[-1].order if each.slots else 1 << 80, each.commit.clock, each.commit.id)
        )
    ]
    waiting = [(node, to_json(operation)) for node, _, operation in graph.waiting()]
    return {"live": live, "graph": to_json(graph_view(graph)), "waiting": waiting}


def _operations(draw: Any, size: int) -> list[Operation]:
    out: list[Operation] = []
    count = draw(st.integers(0, 3))
    for ordinal in range(count):
        message = draw(st.integers(0, size - 1))
        moment = Evident("moment", (message,), ordinal)
        out.append(EnsureNode(moment, "event", {"text": f"moment {ordinal}"}, (Quote(message),)))
        out.append(EnsureNode(Speaker(message), "character"))
        out.append(EnsureEdge("involved_in", Speaker(message), moment))
    if draw(st.booleans()):
        name = draw(st.sampled_from(PEOPLE))
        certainty = draw(st.sampled_from(("stated", "seen", "maybe")))
        fields = {"aliases": (draw(st.sampled_from(PEOPLE)),)} if draw(st.integers(0, 4)) == 0 else {}
        out.append(EnsureNode(Named(name), draw(st.sampled_from(("character", "location"))), fields, (Quote(0),), None, certainty))
        out.append(EnsureEdge("relates", Named(name), Named(draw(st.sampled_from(PEOPLE))), "knows"))
    if draw(st.booleans()):
        subject = Named(draw(st.sampled_from(PEOPLE))) if draw(st.booleans()) else Speaker(0)
        value = draw(st.sampled_from(("glad", "sad")))
        fact = Evident("fact", tuple(range(size)))
        out.append(EnsureNode(fact, "state", {"text": value, "attribute": "mood"}, (Quote(0),), subject))
    return out


class LiveLaw(RuleBasedStateMachine):
    """Two replicas that edit, extract and exchange at random."""

    @initialize()
    def begin(self) -> None:
        self.replicas = [Replica("one"), Replica("two")]
        self.screens: dict[str, list[Message]] = {MAIN: [], BRANCH: []}

    def _messages(self, replica: Replica, chat: str) -> list[Message]:
        sources = replica.pool.sources
        return [Message(entry.role, sources[entry.key].text, entry.name, entry.hidden, entry.date) for entry in replica.entries(chat)]

    @rule(data=st.data(), which=st.integers(0, 1), chat=st.sampled_from((MAIN, BRANCH)))
    def edit_the_chat(self, data: Any, which: int, chat: str) -> None:
        replica = self.replicas[which]
        messages = self._messages(replica, chat)
        message = st.builds(Message, st.sampled_from(("user", "assistant")), st.sampled_from(TEXTS), st.sampled_from(NAMES))
        action = data.draw(st.sampled_from(("append", "insert", "replace", "delete", "cut", "move", "rename", "hide", "copy", "all")))
        at = data.draw(st.integers(0, len(messages)))
        if action == "append":
            messages += data.draw(st.lists(message, min_size=1, max_size=4))
        elif action == "insert":
            messages.insert(at, data.draw(message))
        elif action == "replace" and at < len(messages):
            messages[at] = data.draw(message)
        elif action == "delete":
            del messages[at : at + data.draw(st.integers(1, 3))]
        elif action == "cut":
            del messages[at:]
        elif action == "move" and at < len(messages):
            messages.insert(data.draw(st.integers(0, len(messages) - 1)), messages.pop(at))
        elif action == "rename":
            name = data.draw(st.sampled_from(NAMES))
            messages = [Message(each.role, each.text, name, each.hidden) if each.role == "user" else each for each in messages]
        elif action == "hide" and at < len(messages):
            messages[at] = Message(messages[at].role, messages[at].text, messages[at].name, not messages[at].hidden)
        elif action == "copy":
            messages = self._messages(replica, MAIN if chat == BRANCH else BRANCH)[:at]
        elif action == "all":
            messages = data.draw(st.lists(message, max_size=6))
        replica.update(chat, messages)

    @rule(data=st.data(), which=st.integers(0, 1), chat=st.sampled_from((MAIN, BRANCH)), author=st.sampled_from(("rules", "model")))
    def extract(self, data: Any, which: int, chat: str, author: Any) -> None:
        replica = self.replicas[which]
        keys = replica.timelines[chat].keys
        if not keys:
            return
        first = data.draw(st.integers(0, len(keys) - 1))
        size = 1 if author == "rules" else data.draw(st.integers(1, min(4, len(keys) - first)))
        clock = data.draw(st.integers(1, 50)) if data.draw(st.booleans()) else replica.clock.tick(0)
        operations = _operations(data.draw, size)
        window = keys[first : first + size]
        generation = data.draw(st.integers(0, 2))
        replica.add([windowed(author, operations, window, clock=clock, replica=replica.name, generation=generation)])

    @rule(data=st.data(), which=st.integers(0, 1), chat=st.sampled_from((MAIN, BRANCH)))
    def write_by_hand(self, data: Any, which: int, chat: str) -> None:
        replica = self.replicas[which]
        keys = replica.timelines[chat].keys
        person = named_id("entity", "chat", data.draw(st.sampled_from(PEOPLE)))
        node = data.draw(st.sampled_from((person, evident_id("moment", tuple(keys[:1]), 0))))
        kind = data.draw(st.sampled_from(("patch", "retire", "note", "alias", "undo", "upkeep")))
        operations: list[Operation] = []
        undoes, needs = "", Needs()
        author: Any = "person"
        if kind == "patch":
            expects = data.draw(st.sampled_from((None, "moment 0", "Ann", "edited")))
            field = data.draw(st.sampled_from(("text", "name", "note")))
            operations.append(Patch(node, field, expects, data.draw(st.sampled_from((None, "edited")))))
        elif kind == "retire":
            operations.append(Retire(node, data.draw(st.sampled_from(("Ann", "moment 0", "Bob")))))
        elif kind == "note":
            operations.append(EnsureNode(Own("page", "t"), "letter", {"title": "note"}))
        elif kind == "alias":
            name, alias = data.draw(st.sampled_from(PEOPLE)), data.draw(st.sampled_from(PEOPLE))
            operations.append(EnsureNode(Named(name), "character", {"aliases": (alias,)}))
        elif kind == "undo" and replica.pool.windowless:
            undoes = data.draw(st.sampled_from(replica.pool.windowless)).id
        elif kind == "upkeep":
            author = "upkeep"
            some = tuple(data.draw(st.lists(st.sampled_from(keys), max_size=2))) if keys else ()
            others = [commit.id for commit in replica.pool.windowless]
            needs = Needs(some, tuple(data.draw(st.lists(st.sampled_from(others), max_size=1))) if others else ())
            operations.append(EnsureNode(Own("digest", "s"), "synopsis", {"text": "so far"}))
        replica.add(
            [
                windowless(
                    author,
                    operations,
                    clock=replica.clock.tick(0),
                    replica=replica.name,
                    chat="" if author == "upkeep" else chat,
                    anchor=keys[-1] if keys and author == "person" else "",
                    needs=needs,
                    undoes=undoes,
                )
            ]
        )

    @rule(data=st.data(), which=st.integers(0, 1), chat=st.sampled_from((MAIN, BRANCH)), author=st.sampled_from(("person", "import")))
    def put_in_order(self, data: Any, which: int, chat: str, author: Any) -> None:
        """Merge, split, mark and decide what is shown; where too little is shown, messages come that say enough."""
        replica = self.replicas[which]
        timeline = replica.timelines[chat]
        if sum(1 for _ in replica.graphs[chat].shown()) < 4:
            self._say_enough(replica, chat)
        clock = replica.clock.tick(0)
        operations, needs = rewrite(data.draw, replica.graphs[chat], timeline, f"{replica.name} {clock}")
        anchor = timeline.keys[-1] if timeline.keys else ""
        replica.add([windowless(author, operations, clock=clock, replica=replica.name, chat=chat, anchor=anchor, needs=needs)])

    def _say_enough(self, replica: Replica, chat: str) -> None:
        messages = self._messages(replica, chat)
        replica.update(chat, [*messages, Message("user", "a", "Ann"), Message("assistant", "x", "Bob")])
        for at, value in ((-2, "glad"), (-1, "sad")):
            moment, fact, free = Evident("moment", (0,), 9), Evident("fact", (0,), 9), Evident("fact", (0,), 8)
            operations: list[Operation] = [
                EnsureNode(moment, "event", {"text": f"was {value}"}, (Quote(0, value),)),
                EnsureNode(Named("Ann"), "character", {"aliases": ("Lee",)}, (Quote(0),)),
                EnsureNode(fact, "state", {"text": value, "attribute": "mood"}, (Quote(0),), Named("Ann")),
                EnsureNode(free, "context", {"text": f"is often {value}", "importance": 5}, (Quote(0),), Speaker(0)),
                EnsureEdge("involved_in", Named("Ann"), moment),
                EnsureEdge("supports", moment, free),
            ]
            key = replica.timelines[chat].keys[at]
            replica.add([windowed("model", operations, (key,), clock=replica.clock.tick(0), replica=replica.name, generation=1)])

    @rule(which=st.integers(0, 1))
    def exchange(self, which: int) -> None:
        """One direction at a time: sources and commits only."""
        source, target = self.replicas[which], self.replicas[1 - which]
        for each in source.pool.sources.values():
            target.pool.add_source(each)
        target.add(list(source.pool.commits.values()))

    @rule(chat=st.sampled_from((MAIN, BRANCH)))
    def exchange_everything(self, chat: str) -> None:
        """Replicas that have exchanged everything, and show the same chat, are equal."""
        one, two = self.replicas
        self.exchange(0)
        self.exchange(1)
        two.update(chat, self._messages(one, chat))
        assert _shape(one.timelines[chat], one.graphs[chat]) == _shape(two.timelines[chat], two.graphs[chat])

    @invariant()
    def equals_scratch(self) -> None:
        for replica in getattr(self, "replicas", ()):
            for chat, timeline in replica.timelines.items():
                assert _shape(timeline, replica.graphs[chat]) == replica.scratch(chat)

    @invariant()
    def edges_end_in_nodes_and_counts_are_those_of_the_view(self) -> None:
        for replica in getattr(self, "replicas", ()):
            for graph in replica.graphs.values():
                view = graph_view(graph)
                ids = {node.id for node in view.nodes}
                assert all(edge.start in ids and edge.end in ids for edge in view.edges)
                counts = graph_counts(graph)
                assert counts.nodes == Counter(node.kind for node in view.nodes)
                assert counts.edges == Counter(edge.type for edge in view.edges)
                assert counts.superseded == sum(node.state == "superseded" for node in view.nodes)

    def teardown(self) -> None:
        """Nothing of what was folded is left when all of it is taken out."""
        for replica in getattr(self, "replicas", ()):
            for chat in replica.timelines:
                for commit in list(replica.timelines[chat].windowless.values()):
                    replica.graphs[chat].change(_only_removed(commit))
                replica.timelines[chat].windowless.clear()
                replica.graphs[chat].change(replica.timelines[chat].update([]))
                graph = replica.graphs[chat]
                for placement in list(replica.timelines[chat].windowless.values()):
                    graph.change(_only_removed(placement))
                assert not graph.nodes
                assert not graph.edges
                assert not graph.sequence
                assert not graph.lines


def _only_removed(placement: Any) -> Any:
    from tidelore.engine.history import Change

    return Change(removed=[placement])


TestLiveLaw = pytest.mark.req("LAW-1")(pytest.mark.req("LAW-2")(LiveLaw.TestCase))
TestLiveLaw.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
