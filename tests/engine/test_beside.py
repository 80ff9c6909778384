"""A host that knows only the end of a chat, and recalls that read other chats too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput
from tidelore.engine.keys import message_key

SAID = rows(("Mara", "The lantern hangs in the mill of Pell Quay."), ("Tobin", "Then let us fetch the lantern at dawn."))


@given(st.lists(st.sampled_from("abcdef"), max_size=8), st.lists(st.sampled_from("abcdef"), max_size=8), st.data())
def test_keeping_a_beginning_and_sending_the_rest_is_the_same_as_sending_all(old: list[str], new: list[str], data: st.DataObject) -> None:
    keep = data.draw(st.integers(0, len(old)))
    restart = data.draw(st.booleans())
    kits = [Kit(), Kit()]
    for kit in kits:
        kit.call("chat.update", chat="c", messages=rows(*(("Ann", f"I like {word}.") for word in old)))
        kit.call("extract.run", chat="c", lag=0)
        if restart:
            kit.restart()
    whole = rows(*(("Ann", f"I like {word}.") for word in [*old[:keep], *new]))
    told = kits[0].call("chat.update", chat="c", messages=whole)
    part = kits[1].call("chat.update", chat="c", messages=whole[keep:], keep=keep)
    assert kits[0].call("chat.keys", chat="c") == kits[1].call("chat.keys", chat="c")
    assert kits[0].graph("c") == kits[1].graph("c")
    assert (told["messages"], told["inserted"], told["removed"]) == (part["messages"], part["inserted"], part["removed"])
    # And what comes after it finds the chat as it is.
    for kit in kits:
        kit.call("chat.update", chat="c", messages=[*whole, *SAID])
        kit.call("extract.run", chat="c", lag=0)
    assert kits[0].graph("c") == kits[1].graph("c")


def test_after_a_beginning_that_was_kept_a_difference_can_be_told_where_the_state_has_a_name() -> None:
    kit = Kit()
    kit.call("chat.update", chat="c", messages=SAID)
    more = rows(("Mara", "It is dark."))
    screen = kit.call("chat.update", chat="c", messages=more, keep=2)["screen"]
    assert kit.call("chat.splice", chat="c", screen=screen, at=2, remove=1, messages=[])["messages"] == 2
    kit.restart()
    assert kit.call("chat.update", chat="c", messages=more, keep=2)["screen"] == ""


@pytest.mark.parametrize("keep", [-1, 3])
def test_no_more_can_be_kept_than_there_is(keep: int) -> None:
    kit = Kit()
    kit.call("chat.update", chat="c", messages=SAID)
    with pytest.raises(BadInput):
        kit.call("chat.update", chat="c", messages=[], keep=keep)
    assert kit.call("chat.list")["chats"][0]["messages"] == 2


def test_the_keys_of_a_chat_are_those_of_its_messages_in_order() -> None:
    kit = Kit()
    kit.call("chat.update", chat="c", messages=SAID)
    assert kit.call("chat.keys", chat="c")["keys"] == [message_key(each["role"], each["text"]) for each in SAID]


def test_other_chats_are_read_where_they_are_named_and_there() -> None:
    kit = Kit()
    kit.remember("c", SAID)
    kit.remember("other", rows(("Mara", "A ferry crosses the sound at noon every day.")))
    question = "When does the ferry cross the sound?"
    assert kit.recall("c", question)["cards"] == []
    found = kit.recall("c", question, beside=["gone", "other", "other", "c"])
    assert [card["text"] for card in found["cards"]] == ["A ferry crosses the sound at noon every day."]
    checked = {"chat": "c", "nodes": found["nodes"], "state": found["state"]}
    assert kit.call("recall.check", **checked, beside=["other"])["stands"]
    assert kit.call("recall.check", **checked)["gone"] == found["nodes"]


@pytest.mark.parametrize("seconds", [-0.1, 61, float("nan")])
def test_patience_is_a_time_that_somebody_may_wait(seconds: float) -> None:
    kit = Kit()
    kit.remember("c", SAID)
    with pytest.raises(BadInput):
        kit.recall("c", "Where is the lantern?", patience=seconds)
