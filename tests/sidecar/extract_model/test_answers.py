"""What becomes of the memory model's answers, good and bad."""

from __future__ import annotations

import json

import pytest

from tests.sidecar.extract_model.world import World, claims, failing_on, message, must_not_ask, raising, talk
from tests.sidecar.fakes import Asked, answer, fact, one_fact_each
from tidelore.engine.errors import ModelAnswer
from tidelore.engine.extract.prompt import ANSWER_SCHEMA

BAD_ANSWERS = [
    ("I'm sorry, but I cannot help with that request.", "refused"),
    ("asdf ;;; lorem", "nothing usable"),
    ('{"operations": [{"op": "node", "kind": "fact", "text": "[[qzx vbn]] {{wrt", "evidence": []}]}', ""),
    ("", "nothing usable"),
]


@pytest.mark.req("P39", "P43")
@pytest.mark.parametrize(("text", "reason"), BAD_ANSWERS)
def test_a_bad_answer_displaces_nothing_and_is_set_aside_with_its_reason(world: World, text: str, reason: str) -> None:
    world.say(talk(2))
    world.call("extract.run", by="rules", lag=0)
    before = world.call("graph.get")
    for tries in (1, 2, 3):
        assert world.plan() == [(0, 1)]
        done = world.extract(lambda _: text)
        assert (done["windows"], [each["first"] for each in done["failed"]]) == (0, [0])
        assert len(world.model.asked) == tries
    assert world.plan() == []
    ((aside),) = world.aside()
    assert (aside["first"], aside["last"], aside["tries"]) == (0, 1, 3)
    assert reason in aside["reason"]
    assert aside["reason"]
    world.extract(must_not_ask)
    assert world.call("graph.get") == before
    assert before["nodes"]


@pytest.mark.req("F3")
def test_nothing_to_remember_is_an_answer_and_is_not_asked_again(world: World) -> None:
    world.say(talk(2))
    world.call("extract.run", by="rules", lag=0)
    before = world.call("graph.get")
    done = world.extract(lambda _: '{"operations": []}')
    assert (done["empty"], done["windows"], done["failed"], done["remaining"]) == (1, 0, [], 0)
    assert [(each["first"], each["last"]) for each in world.aside()] == [(0, 1)]
    world.extract(must_not_ask)
    assert world.call("graph.get") == before


@pytest.mark.req("F3")
def test_words_of_the_prompt_are_not_remembered(world: World) -> None:
    world.say(talk(2))

    def echo(asked: Asked) -> str:
        line = next(line for line in asked.system.splitlines() if "greetings" in line)
        return answer(fact(line.lstrip("- "), 1, asked.texts[0]), fact("The anchor lies there.", 1, asked.texts[0]))

    done = world.extract(echo)
    assert world.nodes("fact") == ["The anchor lies there."]
    assert (done["dropped"], list(done["problems"])) == (1, ["prompt text"])


@pytest.mark.req("P65")
def test_retry_takes_up_what_was_set_aside(world: World) -> None:
    world.say(talk(4))
    for _ in range(3):
        world.extract(failing_on("Number 0:", lambda: "garbage", lambda _: '{"operations": []}'))
    assert [(each["first"], each["tries"]) for each in world.aside()] == [(0, 3), (2, 0)]
    assert world.call("stats")["aside"] == 1  # the other one is within the lag
    done = world.extract(one_fact_each, retry=True)
    assert (done["windows"], world.aside()) == (2, [])
    assert world.nodes("fact") == claims(0, 1, 2, 3)


def test_what_was_set_aside_is_known_after_a_restart(world: World) -> None:
    world.say(talk(2))
    for _ in range(3):
        world.extract(lambda _: "garbage")
    before = world.aside()
    world.restart()
    assert world.aside() == before != []
    world.extract(must_not_ask)
    assert world.extract(one_fact_each, retry=True)["windows"] == 1
    world.restart()
    assert (world.aside(), world.plan()) == ([], [])


def test_an_edit_gives_a_window_new_tries(world: World) -> None:
    world.say(talk(2))
    for _ in range(3):
        world.extract(lambda _: "garbage")
    world.say([message(0), message(1, "The barrel rolls.")])
    assert (world.plan(), world.aside()) == ([(0, 1)], [])


def test_a_window_that_fails_does_not_stop_the_later_ones(world: World) -> None:
    world.say(talk(10))
    done = world.extract(failing_on("Number 2:", raising(ModelAnswer("The model gave an empty answer.", raw="{}"))))
    assert (done["windows"], done["remaining"]) == (4, 1)
    assert done["failed"] == [{"first": 2, "last": 3, "error": "The model gave an empty answer.", "raw": "{}"}]
    assert len(world.model.asked) == 5


@pytest.mark.req("P33")
def test_a_schema_sent_back_is_asked_about_once_more(world: World) -> None:
    world.say(talk(2))
    answers = [json.dumps(ANSWER_SCHEMA), answer(fact("The anchor lies there.", 1, "anchor"))]
    assert world.extract(lambda _: answers.pop(0))["windows"] == 1
    assert len(world.model.asked) == 2


@pytest.mark.req("P33")
def test_a_schema_sent_back_twice_is_a_failure(world: World) -> None:
    world.say(talk(2))
    done = world.extract(lambda _: json.dumps(ANSWER_SCHEMA))
    assert len(world.model.asked) == 2
    assert "schema" in done["failed"][0]["error"]


@pytest.mark.req("P29", "B43", "P35")
def test_whole_items_of_a_spoiled_answer_are_kept_and_the_others_counted(world: World) -> None:
    world.say(talk(2))
    text = (
        "<think>First {maybe [a list?</think>Sure:\n```json\n"
        + answer(
            fact("The anchor lies on shelf 0.", 1, "the anchor lies on shelf 0"),
            fact("The barrel has no text.", 2, "the barrel") | {"text": None},
            fact("The barrel lies on shelf 1.", 2, "the barrel", subject=None, attribute=None),
            fact("This one is cut off", 2, "the barrel"),
        )[:-60]
    )
    done = world.extract(lambda _: text)
    assert world.nodes("fact") == ["The anchor lies on shelf 0.", "The barrel lies on shelf 1."]
    assert (done["windows"], done["dropped"]) == (1, 2)
    assert {"cut", "missing text"} <= done["problems"].keys()


@pytest.mark.req("B43")
def test_two_objects_in_a_row_are_both_read(world: World) -> None:
    world.say(talk(2))
    both = answer(fact("The anchor lies there.", 1, "anchor")) + "\n" + answer(fact("The barrel lies there.", 2, "barrel"))
    world.extract(lambda _: both)
    assert world.nodes("fact") == ["The anchor lies there.", "The barrel lies there."]


@pytest.mark.req("B15")
def test_good_operations_beside_an_unknown_one_are_one_commit_and_stay_so_when_asked_again(world: World) -> None:
    world.say(talk(2))
    mixed = answer(
        fact("The anchor lies there.", 1, "anchor"),
        fact("The barrel lies there.", 2, "barrel"),
        {"op": "transmogrify", "kind": "spell", "text": "Abracadabra", "evidence": [{"message": 1, "quote": "anchor"}]},
    )
    done = world.extract(lambda _: mixed)
    assert (done["commits"], done["dropped"]) == (1, 1)
    world.extract(lambda _: mixed, range=[0, 1])
    assert world.nodes("fact") == ["The anchor lies there.", "The barrel lies there."]


def test_an_answer_that_the_messages_do_not_support_is_a_failure(world: World) -> None:
    world.say(talk(2))
    done = world.extract(lambda _: answer(fact("The moon is a cheese.", 7, "made of cheese")))
    assert "supported" in done["failed"][0]["error"]
    assert world.nodes("fact") == []


def mood(asked: Asked) -> str:
    """An update of the mood that the model was shown, a new one at first."""
    word = asked.texts[0].split()[-1].rstrip(".")
    known = next((key for key, line in asked.known.items() if "mood" in line), "n1")
    return answer(fact(f"Mira feels {word}.", 1, asked.texts[0], key=known, sub="state", subject="speaker:1", attribute="mood", value=word))


@pytest.mark.req("B31")
def test_an_update_of_a_known_node_supersedes_it(world: World) -> None:
    chat = [message(0, "I feel glad."), message(1, "Good."), message(2, "By now I feel sad.")]
    world.say(chat)
    done = world.extract(mood)
    assert any("mood" in line for line in world.model.asked[1].known.values())
    assert (done["windows"], done["dropped"], done["problems"]) == (2, 0, {})
    assert world.nodes("fact") == ["Mira feels sad."]
    assert world.nodes("fact", "superseded") == ["Mira feels glad."]
    new, old = world.node("Mira feels sad."), world.node("Mira feels glad.")
    edges = {(edge["type"], edge["from"], edge["to"]) for edge in world.call("graph.get")["edges"]}
    assert ("replaces", new["id"], old["id"]) in edges


@pytest.mark.req("B31")
def test_an_update_by_short_key_alone_stays_in_the_line_of_the_known_fact(world: World) -> None:
    world.say([message(0, "I live in Bergen."), message(1, "Nice."), message(2, "I left Bergen and live in Oslo now.")])

    def home(asked: Asked) -> str:
        if not asked.known:
            return answer(fact("Mira lives in Bergen.", 1, "I live in Bergen", subject="Mira", attribute="home", sub="state"))
        return answer({"op": "node", "key": "G1", "text": "Mira lives in Oslo.", "evidence": [{"message": 1, "quote": "live in Oslo"}]})

    world.model.rule = home
    world.extract(lambda asked: home(asked) if not asked.known else home(asked).replace("G1", asked.key_of("lives in Bergen")))
    assert world.nodes("fact") == ["Mira lives in Oslo."]
    assert world.nodes("fact", "superseded") == ["Mira lives in Bergen."]


@pytest.mark.req("B33")
def test_ten_changes_of_a_mood_are_one_current_fact_with_a_history(world: World) -> None:
    words = "glad sad angry calm tired proud bored shy brave lonely".split()
    world.say([each for at, word in enumerate(words) for each in (message(2 * at, f"I feel {word}."), message(1, f"Noted, {word}."))])
    assert world.extract(mood)["windows"] == 10
    assert world.nodes("fact") == ["Mira feels lonely."]
    assert len(world.nodes("fact", "superseded")) == 9
    assert world.nodes("moment") == []
