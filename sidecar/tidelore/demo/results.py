"""What the demo found out about a story, and the making of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tidelore.demo.scenarios import Scenario
from tidelore.demo.story import Question, Story
from tidelore.engine.service import Service

CARDS = 5
_TELLING = ("fact", "thread")
_BRANCHES = 4


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and the first cards of its recall, as JSON of the service. `at`: message index of each card's evidence."""

    question: Question
    cards: Sequence[dict[str, Any]]
    at: Sequence[Sequence[int]]
    trace: dict[str, Any]

    @property
    def hits(self) -> list[int]:
        """Which cards rest on a message that holds the answer."""
        return [number for number, places in enumerate(self.at) if set(places) & set(self.question.evidence)]

    @property
    def found(self) -> bool:
        return bool(self.hits)


@dataclass(frozen=True, slots=True)
class Branch:
    """An edge to another node, which rests on the message at `index`."""

    edge: str
    node: dict[str, Any]
    index: int | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A node with some of what hangs on it; `more` is the rest."""

    centre: dict[str, Any]
    branches: Sequence[Branch]
    more: int


@dataclass(frozen=True, slots=True)
class Remembered:
    """The graph of a story in numbers. `hubs`: entities with most edges; `piece`: the surroundings of one that is not a speaker;
    `facts`: facts with their first message."""

    seconds: float
    nodes: int
    edges: int
    kinds: dict[str, int]
    hubs: Sequence[tuple[dict[str, Any], int]]
    piece: Piece | None
    facts: Sequence[tuple[dict[str, Any], int | None]]


@dataclass(frozen=True, slots=True)
class StoryResult:
    story: Story
    remembered: Remembered
    answers: Sequence[Answered]
    why: dict[str, Any]
    scenarios: Sequence[Scenario]

    @property
    def holds(self) -> bool:
        return all(each.found for each in self.answers) and all(each.holds for each in self.scenarios)

    def to_json(self) -> dict[str, Any]:
        return {
            "language": self.story.language,
            "messages": len(self.story.messages()),
            "nodes": self.remembered.nodes,
            "edges": self.remembered.edges,
            "questions": [_question(each) for each in self.answers],
            "scenarios": [
                {"name": each.name, "model_calls": each.model_calls, "equals_scratch": each.equals_scratch} for each in self.scenarios
            ],
        }


def _question(answered: Answered) -> dict[str, Any]:
    cards = [
        {"index": at[0] if at else None, "text": card["text"], "score": card["score"]}
        for card, at in zip(answered.cards, answered.at, strict=True)
    ]
    return {"question": answered.question.text, "found": answered.found, "cards": cards}


async def remember(service: Service, story: Story) -> Remembered:
    """Puts a story into the store and lets the rules remember it."""
    begun = time.perf_counter()
    await service.call("chat.update", {"chat": story.title, "messages": story.messages()})
    await service.call("extract.run", {"chat": story.title, "by": "rules", "lag": 0})
    seconds = time.perf_counter() - begun
    graph = await service.call("graph.get", {"chat": story.title})
    nodes = {node["id"]: node for node in graph["nodes"]}
    degree = Counter(end for edge in graph["edges"] for end in (edge["from"], edge["to"]))
    entities = sorted((node for node in nodes.values() if node["kind"] == "entity"), key=lambda node: (-degree[node["id"]], node["id"]))
    facts = [(node, await _first_place(service, story, node)) for node in nodes.values() if node["kind"] in _TELLING]
    facts.sort(key=lambda item: (item[1] is None, item[1], item[0]["id"]))
    kinds = Counter(node["kind"] for node in nodes.values())
    hubs = [(node, degree[node["id"]]) for node in entities]
    piece = await _piece(service, story, graph, nodes, [node for node, _ in hubs])
    return Remembered(seconds, len(nodes), len(graph["edges"]), dict(kinds.most_common()), hubs, piece, facts)


async def _piece(
    service: Service, story: Story, graph: dict[str, Any], nodes: dict[str, dict[str, Any]], hubs: Sequence[dict[str, Any]]
) -> Piece | None:
    speakers = [message["name"] for message in story.messages()]
    centre = next((node for node in hubs if not any(node["text"] in name for name in speakers)), None)
    if centre is None:
        return None
    around = [edge for edge in graph["edges"] if centre["id"] in (edge["from"], edge["to"])]
    branches: list[Branch] = []
    for edge in around:
        other = nodes[edge["from"] if edge["to"] == centre["id"] else edge["to"]]
        branches.append(Branch(edge["type"], other, await _first_place(service, story, other)))
    branches.sort(key=lambda branch: (branch.index is None, branch.index, branch.node["id"]))
    return Piece(centre, branches[:_BRANCHES], max(0, len(branches) - _BRANCHES))


async def _first_place(service: Service, story: Story, node: dict[str, Any]) -> int | None:
    why = await service.call("why", {"chat": story.title, "node": node["id"]})
    places = [message["index"] for belief in why["beliefs"] for message in belief["messages"] if message["index"] is not None]
    return min(places, default=None)


async def ask(service: Service, story: Story, question: Question) -> Answered:
    found = await service.call("recall.run", {"chat": story.title, "query": question.text})
    cards = found["cards"][:CARDS]
    at = [[each["index"] for each in card["evidence"] if each["index"] is not None] for card in cards]
    return Answered(question, cards, at, found["trace"])
