"""What an extraction will cost is known before it is asked for, and what a model answered stays to be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.engine.service_kit import Kit
from tidelore.engine.errors import ModelAnswer, ModelUnreachable
from tidelore.engine.text.counting import count_tokens

SENTENCE = "The lantern number {at} burns over the quay of Saltmarsh while {who} waits for the ferry, which is late as it always was."


def talk(count: int, times: int = 1) -> list[dict[str, Any]]:
    return [
        {
            "role": "assistant" if at % 2 else "user",
            "name": ("Mara", "Tobin")[at % 2],
            "text": " ".join([SENTENCE.format(at=at, who=("Mara", "Tobin")[at % 2])] * times),
        }
        for at in range(count)
    ]


class Model:
    """Notes its prompts and answers by a rule over the numbered messages."""

    name = "model"

    def __init__(self, rule: Callable[[str], str]) -> None:
        self.rule = rule
        self.spent = 0

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        del schema, budget
        answer = self.rule(messages[1]["content"])
        self.spent += sum(count_tokens(each["content"]) for each in messages) + count_tokens(answer)
        return answer


def a_fact_each(prompt: str) -> str:
    lines = [line for line in prompt.split("<messages>")[1].splitlines() if line.startswith("[")]
    return json.dumps(
        {
            "operations": [
                {
                    **{"op": "node", "key": f"n{number}", "kind": "fact", "sub": "context", "text": line.split(": ", 1)[1]},
                    **{"subject": "Mara", "importance": 5, "evidence": [{"message": number, "quote": "burns over the quay"}]},
                }
                for number, line in enumerate(lines, 1)
            ]
        }
    )


def planned(kit: Kit, **more: Any) -> int:
    return int(kit.call("extract.plan", chat="c", lag=0, **more)["tokens"])


@pytest.mark.parametrize(("count", "times", "exchanges"), [(40, 1, 1), (40, 1, 4), (10, 12, 1)])
def test_the_estimate_is_near_what_a_run_takes(count: int, times: int, exchanges: int) -> None:
    model = Model(a_fact_each)
    kit = Kit(complete=model)
    kit.show("c", talk(count, times))
    before = planned(kit, exchanges=exchanges)
    done = kit.call("extract.run", chat="c", by="model", lag=0, exchanges=exchanges)
    assert (done["remaining"], done["failed"]) == (0, [])
    assert model.spent / 1.6 < before < model.spent * 1.6
    assert planned(kit, exchanges=exchanges) == 0, "nothing is due any more"


def test_more_windows_and_longer_messages_cost_more() -> None:
    costs: list[int] = []
    for messages in (talk(2), talk(4), talk(40), talk(40, 3)):
        kit = Kit()
        kit.show("c", messages)
        costs.append(planned(kit))
    assert sorted(costs) == costs
    assert len(set(costs)) == 4
    kit = Kit()
    kit.show("c", talk(40))
    assert planned(kit, exchanges=5) < planned(kit), "fewer windows repeat the instructions less often"
    assert planned(kit, by="rules") == 0


def test_windows_set_aside_are_not_in_the_estimate() -> None:
    kit = Kit(complete=Model(lambda _: '{"operations": []}'))
    kit.show("c", talk(4))
    assert planned(kit) > 0
    kit.call("extract.run", chat="c", by="model", lag=0)
    assert planned(kit) == 0
    assert [each["raw"] for each in kit.call("extract.plan", chat="c", lag=0)["aside"]] == ["", ""]


def test_what_the_model_answered_can_be_read_of_a_failed_window_and_of_one_set_aside() -> None:
    kit = Kit(complete=Model(lambda _: "I would rather talk about ferries."))
    kit.show("c", talk(2))
    for _ in range(3):
        (failed,) = kit.call("extract.run", chat="c", by="model", lag=0)["failed"]
        assert failed["raw"] == "I would rather talk about ferries."
    for _ in range(2):
        (aside,) = kit.call("extract.plan", chat="c", lag=0)["aside"]
        assert (aside["raw"], aside["tries"]) == ("I would rather talk about ferries.", 3)
        kit.restart()
    rows = kit.run_sync(kit.store.ledger("attempt", "", 9))
    assert {row.body["raw"] for row in rows} == {aside["raw"]}


def test_the_last_answer_is_the_one_that_is_shown() -> None:
    answers = ["first", "second", "third"]
    kit = Kit(complete=Model(lambda _: answers.pop(0)))
    kit.show("c", talk(2))
    for _ in range(3):
        kit.call("extract.run", chat="c", by="model", lag=0)
    assert kit.call("extract.plan", chat="c", lag=0)["aside"][0]["raw"] == "third"


def raising(error: Exception) -> Callable[[str], str]:
    def rule(prompt: str) -> str:
        del prompt
        raise error

    return rule


def test_a_huge_answer_is_cut_wherever_it_comes_from() -> None:
    huge = "no " * 50_000
    for rule in (lambda _: huge, raising(ModelAnswer("The answer is cut off.", raw=huge))):
        kit = Kit(complete=Model(rule))
        kit.show("c", talk(2))
        (failed,) = kit.call("extract.run", chat="c", by="model", lag=0)["failed"]
        assert failed["raw"] == huge[:20_000]
        assert kit.run_sync(kit.store.ledger("attempt", "", 9))[0].body["raw"] == huge[:20_000]


def test_an_answer_of_thousands_of_memories_is_refused_with_its_reason_and_can_be_read() -> None:
    items = [
        {"op": "node", "kind": "fact", "text": f"Mara waits {at}", "evidence": [{"message": 1, "quote": "Mara"}]} for at in range(3000)
    ]
    endless = json.dumps({"operations": items})
    kit = Kit(complete=Model(lambda _: endless))
    kit.show("c", talk(2))
    done = kit.call("extract.run", chat="c", by="model", lag=0)
    assert (done["windows"], done["commits"]) == (0, 0)
    (failed,) = done["failed"]
    assert failed["error"] == "The model's answer is far longer than its messages could yield."
    assert failed["raw"] == endless[:20_000]


def test_a_model_that_cannot_be_reached_leaves_no_answer() -> None:
    kit = Kit(complete=Model(raising(ModelUnreachable("Nobody is there."))))
    kit.show("c", talk(2))
    done = kit.call("extract.run", chat="c", by="model", lag=0)
    assert (done["failed"], done["remaining"]) == ([], 1)
    assert done["interrupted"]
