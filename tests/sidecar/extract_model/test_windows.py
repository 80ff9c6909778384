"""Which windows the memory model is asked about, and when again."""

from __future__ import annotations

import pytest

from tests.sidecar.extract_model.world import World, again, claims, failing_on, message, must_not_ask, talk
from tests.sidecar.fakes import answer, fact, one_fact_each


def test_windows_are_whole_exchanges(world: World) -> None:
    texts = [message(0, "One.")["text"], "Two.", "Three.", "Four.", "Five."]
    roles = ["assistant", "user", "user", "assistant", "user"]
    chat = [{"role": role, "name": role, "text": f"{text} There is a lamp."} for role, text in zip(roles, texts, strict=True)]
    world.say(chat)
    assert world.plan() == [(0, 0), (1, 3), (4, 4)]
    done = world.extract()
    assert world.model.windows == [[chat[0]["text"]], [each["text"] for each in chat[1:4]], [chat[4]["text"]]]
    assert (done["windows"], done["commits"], done["remaining"]) == (3, 3, 0)


def test_several_exchanges_make_one_window_when_asked(world: World) -> None:
    world.say(talk(7))
    assert world.plan(exchanges=2) == [(0, 3), (4, 6)]
    assert world.extract(exchanges=3)["windows"] == 2


@pytest.mark.req("P3")
def test_the_newest_exchange_is_left_alone(world: World) -> None:
    world.say(talk(7))
    done = world.extract(lag=None)
    assert world.model.windows == [[each["text"] for each in talk(7)[at : at + 2]] for at in (0, 2, 4)]
    assert done["remaining"] == 0
    assert world.nodes("fact") == claims(0, 1, 2, 3, 4, 5)
    world.say(talk(8))
    assert world.call("extract.plan")["windows"] == []
    world.say(talk(9))
    assert world.call("extract.plan")["windows"] == [{"first": 6, "last": 7}]


@pytest.mark.req("F11")
def test_the_model_sees_who_speaks_and_a_fact_keeps_its_speaker(world: World) -> None:
    chat = [message(0, "The sluice leaks."), message(1, "Then I mend it.", "Ana"), message(2, "I hold the lamp.", "Ben")]
    world.say(chat)
    world.extract(
        lambda asked: answer(
            *(fact(f"Said: {line.text}", line.number, line.text, subject=f"speaker:{line.number}") for line in asked.lines)
        )
    )
    assert [(line.name, line.role) for line in world.model.asked[0].lines] == [("Mira", "user"), ("Ana", "assistant")]
    edges = world.call("graph.get")["edges"]
    names = {node["id"]: node["text"] for node in world.call("graph.get")["nodes"]}
    about = {(names[edge["from"]], names[edge["to"]]) for edge in edges if edge["type"] == "about"}
    assert about == {("Said: The sluice leaks.", "Mira"), ("Said: Then I mend it.", "Ana"), ("Said: I hold the lamp.", "Ben")}


@pytest.mark.req("B49")
def test_a_range_is_closed_at_both_ends_and_takes_whole_windows(world: World) -> None:
    world.say(talk(40))
    world.extract()
    world.model.asked.clear()
    done = world.extract(again, range=[11, 20])
    assert world.model.windows == [[each["text"] for each in talk(40)[at : at + 2]] for at in range(10, 22, 2)]
    assert (done["windows"], done["remaining"]) == (6, 0)
    assert world.generations() == [0] * 10 + [1] * 12 + [0] * 18
    kept = claims(*range(10), *range(22, 40))
    assert world.nodes("fact") == sorted(kept + [f"Anew: {each['text']}" for each in talk(40)[10:22]])


@pytest.mark.req("B49")
def test_one_message_is_a_range(world: World) -> None:
    world.say(talk(6))
    world.extract()
    world.model.asked.clear()
    world.extract(again, range=[2, 2])
    world.extract(again, range=[3, 3])
    assert world.model.windows == [[each["text"] for each in talk(6)[2:4]]] * 2
    assert world.generations() == [0, 0, 2, 2, 0, 0]


def test_a_range_asks_once_about_an_exchange_that_stands_twice(world: World) -> None:
    world.say([*talk(4), *talk(2)])
    world.extract()
    world.model.asked.clear()
    assert world.extract(again, range=[0, 5])["windows"] == 2
    assert world.generations() == [1] * 6


@pytest.mark.req("LAW-EDIT")
def test_an_edit_of_an_old_message_costs_one_call(world: World) -> None:
    world.say(talk(60))
    world.extract()
    world.model.asked.clear()
    edited = talk(60)
    edited[3] = message(3, "The dagger was never here.")
    world.say(edited)
    assert world.plan() == [(2, 3)]
    world.extract()
    assert world.model.windows == [[edited[2]["text"], edited[3]["text"]]]
    assert world.nodes("fact") == sorted([*claims(*(at for at in range(60) if at != 3)), "Tom said: The dagger was never here."])


def test_a_gap_in_the_middle_is_filled_alone(world: World) -> None:
    world.say(talk(20))
    world.extract(failing_on("Number 8:", lambda: "I cannot help with that."))
    assert world.generations() == [0] * 8 + [-1, -1] + [0] * 10
    world.model.asked.clear()
    world.extract(one_fact_each)
    assert world.model.windows == [[each["text"] for each in talk(20)[8:10]]]
    assert world.nodes("fact") == claims(*range(20))


@pytest.mark.req("LAW-SWIPE")
def test_a_swipe_and_back_asks_once_for_each_variant(world: World) -> None:
    first, second = talk(4), [*talk(3), message(3, "The dagger is gone.")]
    for chat in (first, second, first, second):
        world.say(chat)
        world.extract()
    assert len(world.model.asked) == 3
    assert world.nodes("fact") == sorted([*claims(0, 1, 2), "Tom said: The dagger is gone."])


def test_one_commit_covers_every_place_where_its_exchange_stands(world: World) -> None:
    world.say([*talk(4), *talk(2)])
    done = world.extract()
    assert len(world.model.asked) == 2
    assert (done["windows"], done["remaining"]) == (2, 0)
    assert world.generations() == [0] * 6
    world.say([*talk(4), *talk(2), message(6), message(7), *talk(2)])
    assert world.plan() == [(6, 7)]


@pytest.mark.req("LAW-RENAME")
def test_a_speaker_renamed_afterwards_costs_nothing(world: World) -> None:
    world.say(talk(4))
    world.extract(
        lambda asked: answer(
            *(fact(f"Kept: {line.text}", line.number, line.text, subject=f"speaker:{line.number}") for line in asked.lines)
        )
    )
    assert "Mira" in world.nodes("entity")
    world.say([{**each, "name": "Queen Mira" if each["name"] == "Mira" else "Tom"} for each in talk(4)])
    assert world.nodes("entity") == ["Queen Mira", "Tom"]
    world.extract(must_not_ask)
