"""The product's own recall on a conversation: as a chat, through the rule extractor, by `recall.run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any

from tidelore.engine.errors import ModelError
from tidelore.engine.memory import MemoryStore
from tidelore.engine.service import QUIET, Service
from tidelore.engine.text.counting import count_tokens
from tidelore.evaluation.baselines import all_of
from tidelore.evaluation.dataset import Conversation, Question
from tidelore.evaluation.figures import Outcome, table
from tidelore.host.embedders import Embedder
from tidelore.host.vectors import MatrixVectors

BUDGETS = (500, 1000, 2000)
_ALL = 1_000_000
_DEEP = 50
PATIENCE = 60.0


@dataclass(slots=True)
class Report:
    """`outcomes` of the product, and of each baseline by its name."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    baselines: dict[str, list[Outcome]] = field(default_factory=dict[str, list[Outcome]])

    def document(self) -> dict[str, object]:
        return {**table(self.outcomes), "baselines": {name: table(rows) for name, rows in self.baselines.items()}}


async def evaluate(
    conversations: Sequence[Conversation], embedder: Embedder | None, progress: Callable[[int, int], None] = QUIET.progress
) -> Report:
    """Questions without evidence are left out. Raises ModelError."""
    report = Report()
    total = sum(len(each.questions) for each in conversations)
    done = count(1)
    for conversation in conversations:
        service = await _remembered(conversation, embedder)
        for question in conversation.questions:
            if question.evidence:
                report.outcomes.append(await _ask(service, conversation, question))
            progress(next(done), total)
        for name, rankings in (await all_of(conversation, embedder)).items():
            rows = report.baselines.setdefault(name, [])
            for question, ranked in zip(conversation.questions, rankings, strict=True):
                if question.evidence:
                    rows.append(Outcome(conversation.id, question.category, question.evidence, ranked, 0.0))
    return report


async def _remembered(conversation: Conversation, embedder: Embedder | None) -> Service:
    numbers = count(1)
    vectors = MatrixVectors(embedder, None, query_seconds=PATIENCE) if embedder is not None else None
    service = Service(MemoryStore(), lambda: next(numbers), lambda: f"{next(numbers):032x}", vectors=vectors, embed_seconds=3600.0)
    await service.call("chat.update", {"chat": "c", "messages": conversation.messages()})
    extracted = await service.call("extract.run", {"chat": "c", "lag": 0})
    _check(extracted)
    return service


async def _ask(service: Service, conversation: Conversation, question: Question) -> Outcome:
    params = {"chat": "c", "query": question.text, "limit": _DEEP, "budget": _ALL, "patience": PATIENCE, "trace": False}
    begin = perf_counter()
    found = await service.call("recall.run", params)
    milliseconds = (perf_counter() - begin) * 1000
    _check(found)
    within = {}
    for budget in BUDGETS:
        fitted = await service.call("recall.run", {**params, "limit": 1000, "budget": budget})
        within[budget] = frozenset(_turns(conversation, fitted["cards"]))
    ranked = _turns(conversation, found["cards"])
    cost = sum(count_tokens(card["text"]) for card in found["cards"][:10])
    return Outcome(conversation.id, question.category, question.evidence, ranked, milliseconds, cost, within)


def _turns(conversation: Conversation, cards: Sequence[Mapping[str, Any]]) -> list[str]:
    """The messages that the cards rest on, in rank order."""
    ids = (conversation.turns[each["index"]].id for card in cards for each in card["evidence"] if each["index"] is not None)
    return list(dict.fromkeys(ids))


def _check(answer: Mapping[str, Any]) -> None:
    """Figures of a recall that did without its embedder would be those of another system."""
    if answer["degraded"]:
        raise ModelError(answer["degraded"][0], "Nothing was measured.")
