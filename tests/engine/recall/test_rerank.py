"""The memory model judges the best candidates: what it finds too weak is not recalled, and what happens when it fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput, ModelUnreachable
from tidelore.engine.recall.rerank import GATE, JUDGED, SCHEMA

CHAT = rows(
    ("Mara", "The brass key opens the crypt below Brightwater."),
    ("Sena", "Old Corvin gave me the brass key at the lighthouse."),
    ("Mara", "Brass is cheap this year, says the smith."),
    ("Sena", "I sold my violin to pay for the voyage."),
)
QUERY = "What does the brass key open?"


class Model:
    """Gives each memory the score that `score` finds for its line, or does what `fails` does."""

    name = "judge"

    def __init__(self, score: Callable[[str], object] = lambda _: 1.0, fails: Callable[[], Any] | None = None) -> None:
        self.score, self.fails = score, fails
        self.asked: list[dict[str, Any]] = []
        self.schemas: list[Mapping[str, Any]] = []

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        self.schemas.append(schema)
        self.asked.append(json.loads(messages[-1]["content"]))
        if self.fails is not None:
            answer = self.fails()
            return str(answer) if isinstance(answer, str) else str(await answer)
        shown = self.asked[-1]["memories"]
        return json.dumps({"memories": [{"key": key, "score": self.score(text)} for key, text in shown.items()]})


def of(model: Model | None) -> Kit:
    kit = Kit(complete=model)
    kit.remember("c", CHAT)
    return kit


def texts(found: Any) -> list[str]:
    return [card["text"] for card in found["cards"]]


@pytest.mark.req("S30")
@pytest.mark.parametrize("preset", ["story", "strict", "wake", "plain"])
def test_only_what_the_model_judges_well_is_recalled_best_first(preset: str) -> None:
    scores = {"crypt": 0.7, "lighthouse": 0.9, "cheap": GATE - 0.01}
    model = Model(lambda text: next((score for word, score in scores.items() if word in text), 0.0))
    found = of(model).recall("c", QUERY, preset=preset, rerank=5)
    assert texts(found) == ["Old Corvin gave me the brass key at the lighthouse.", "The brass key opens the crypt below Brightwater."]
    reasons = {card["text"]: card["reason"] for card in found["trace"]["cards"]}
    assert reasons["Brass is cheap this year, says the smith."] == "weak"
    assert reasons["The brass key opens the crypt below Brightwater."] == "judged"
    assert model.schemas == [SCHEMA]
    assert found["degraded"] == []


def test_a_score_at_the_gate_is_enough() -> None:
    assert len(texts(of(Model(lambda _: GATE)).recall("c", QUERY, rerank=5))) >= 2


def test_the_model_sees_the_words_of_the_user_and_the_lines_as_data() -> None:
    model = Model()
    of(model).recall("c", QUERY, rerank=5)
    asked = model.asked[0]
    assert asked["words of the user"] == QUERY
    assert list(asked["memories"]) == [f"R{number}" for number in range(1, len(asked["memories"]) + 1)]
    assert any("Mara: The brass key opens the crypt" in text for text in asked["memories"].values())


def test_no_more_than_so_many_are_judged() -> None:
    model = Model()
    kit = Kit(complete=model)
    kit.remember("c", rows(*(("AB"[at % 2], f"The harbour lamp number {at} was lit.") for at in range(JUDGED * 2))))
    kit.recall("c", "Which harbour lamp was lit?", rerank=5)
    assert len(model.asked[0]["memories"]) == JUDGED


async def late() -> str:
    await asyncio.Event().wait()
    return ""


async def unreachable() -> str:
    raise ModelUnreachable("The model is not there.")


FAILURES: dict[str, Callable[[], Any]] = {
    "late": late,
    "unreachable": unreachable,
    "refusal": lambda: "I cannot help with that.",
    "nothing": lambda: "",
    "chatter": lambda: "R1 seems fine to me.",
    "other keys": lambda: '{"memories": [{"key": "R99", "score": 1}]}',
    "no numbers": lambda: '{"memories": [{"key": "R1", "score": "high"}, {"key": "R2", "score": true}, {"key": "R3", "score": null}]}',
}


@pytest.mark.req("S31")
@pytest.mark.parametrize("failure", FAILURES)
def test_when_the_model_fails_strict_recalls_nothing_and_story_goes_by_its_scores(failure: str) -> None:
    kit = of(Model(fails=FAILURES[failure]))
    seconds = 0.01 if failure == "late" else 5
    strict = kit.recall("c", QUERY, preset="strict", rerank=seconds)
    assert (strict["cards"], strict["recalled"]) == ([], "")
    assert [reason.split(":")[0] for reason in strict["degraded"]] == ["rerank"]
    story = kit.recall("c", QUERY, rerank=seconds)
    assert texts(story) == texts(kit.recall("c", QUERY))
    assert texts(story)
    assert [reason.split(":")[0] for reason in story["degraded"]] == ["rerank"]


@pytest.mark.req("S31")
def test_without_a_model_to_judge_strict_recalls_nothing_where_it_was_asked_to_judge() -> None:
    kit = of(None)
    assert kit.recall("c", QUERY, preset="strict", rerank=5)["cards"] == []
    assert texts(kit.recall("c", QUERY, preset="strict"))


def test_a_memory_that_the_model_passes_over_is_not_recalled() -> None:
    kit = of(Model(fails=lambda: '<think>[a</think>```json\n{"memories": [{"key": "R1", "score": 0.9}, {"key": "R2", "sc'))
    assert len(kit.recall("c", QUERY, rerank=5)["cards"]) == 1


@pytest.mark.parametrize("score", [2, "0.9", 1e308])
def test_scores_of_another_form_are_read_where_they_can_be(score: object) -> None:
    assert texts(of(Model(lambda _: score)).recall("c", QUERY, rerank=5))


@pytest.mark.parametrize("query", ["Hello!", "What is the capital of Mongolia?"])
def test_where_nothing_speaks_for_a_memory_no_model_is_asked(query: str) -> None:
    model = Model()
    assert of(model).recall("c", query, rerank=5)["cards"] == []
    assert model.asked == []


def test_what_is_in_the_prompt_anyway_is_not_judged() -> None:
    model = Model()
    of(model).recall("c", QUERY, context_from=1, rerank=5)
    assert len(model.asked[0]["memories"]) == 1


def test_a_cooled_memory_keeps_its_place_whatever_the_model_says() -> None:
    kit = of(Model())
    first = kit.recall("c", QUERY, preset="strict", rerank=5)["cards"]
    again = kit.recall("c", QUERY, preset="strict", rerank=5, delivered=[first[0]["node"]])["cards"]
    assert [card["node"] for card in again] == [card["node"] for card in first[1:]]


def test_it_is_off_by_default_and_can_be_set_for_all_recalls() -> None:
    model = Model(lambda _: 0.0)
    kit = of(model)
    assert texts(kit.recall("c", QUERY))
    assert model.asked == []
    kit.call("settings.set", values={"recall.rerank": 3})
    assert texts(kit.recall("c", QUERY)) == []
    assert texts(kit.recall("c", QUERY, rerank=0))


def test_a_chat_that_changes_while_the_model_thinks_is_recalled_as_it_is_then() -> None:
    async def meanwhile() -> str:
        await kit.service.call("chat.update", {"chat": "c", "messages": CHAT[1:]})
        return '{"memories": [{"key": "R1", "score": 1}, {"key": "R2", "score": 1}, {"key": "R3", "score": 1}]}'

    model = Model(fails=meanwhile)
    kit = of(model)
    assert "The brass key opens the crypt below Brightwater." not in texts(kit.recall("c", QUERY, rerank=5))


@pytest.mark.parametrize("seconds", [-1, 61])
def test_seconds_out_of_bounds_are_refused(seconds: float) -> None:
    with pytest.raises(BadInput, match="rerank"):
        of(None).recall("c", QUERY, rerank=seconds)
