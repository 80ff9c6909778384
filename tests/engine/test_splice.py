"""A chat told as a difference: the same as telling the whole of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput, Conflict, NotFound

STORY = rows(
    ("Mara", "I live in Marrow Bay."),
    ("Tobin", "Alice brought the brass lantern to the Copper Heron Tavern."),
    ("Mara", "My cat is called Biscuit."),
    ("Tobin", "Biscuit stole a herring from the kitchen of the Copper Heron Tavern."),
)
WORDS = ["Alice met Tobin at the quay.", "My dog is called Bo.", "I live in Saltmarsh.", "Alice came back.", "My dog is called Rex."]


@pytest.fixture
def kit() -> Kit:
    return Kit()


def message(text: str, at: int = 0) -> dict[str, Any]:
    return {"role": "user" if at % 2 == 0 else "assistant", "text": text, "name": ("Mara", "Tobin")[at % 2]}


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.lists(st.sampled_from(WORDS), max_size=3)), max_size=6))
def test_any_run_of_splices_leaves_the_graph_of_the_whole_chat(steps: list[tuple[int, int, list[str]]]) -> None:
    kit, chat = Kit(), list(STORY)
    screen = kit.show("story", chat)["screen"]
    for at, remove, texts in steps:
        at = min(at, len(chat))
        remove = min(remove, len(chat) - at)
        new = [message(text, at + step) for step, text in enumerate(texts)]
        chat[at : at + remove] = new
        told = kit.call("chat.splice", chat="story", screen=screen, at=at, remove=remove, messages=new)
        screen = told["screen"]
        assert told["messages"] == len(chat)
        kit.call("extract.run", chat="story", lag=0)
    whole = Kit()
    whole.remember("story", chat)
    kit.call("extract.run", chat="story", lag=0)
    assert kit.graph("story") == whole.graph("story")


def test_a_state_that_is_not_the_last_one_is_a_conflict_and_changes_nothing(kit: Kit) -> None:
    first = kit.show("story", STORY)["screen"]
    kit.show("story", STORY[:2])
    with pytest.raises(Conflict, match="not known"):
        kit.call("chat.splice", chat="story", screen=first, at=0, remove=1, messages=[])
    assert kit.call("stats", chat="story")["messages"] == 2


@pytest.mark.parametrize("screen", ["", "0", "-1", "nine", "9" * 40])
def test_what_is_no_state_is_a_conflict(kit: Kit, screen: str) -> None:
    kit.show("story", STORY)
    with pytest.raises(Conflict):
        kit.call("chat.splice", chat="story", screen=screen, at=0, remove=0, messages=[])


def test_after_another_process_wrote_and_after_a_restart_the_state_is_not_known(kit: Kit) -> None:
    screen = kit.show("story", STORY)["screen"]
    kit.restart()
    with pytest.raises(Conflict):
        kit.call("chat.splice", chat="story", screen=screen, at=4, remove=0, messages=[message("And then?")])
    mine, other = kit, Kit("other", store=kit.store)
    screen = mine.show("story", STORY)["screen"]
    other.show("story", STORY[:3])
    with pytest.raises(Conflict):
        mine.call("chat.splice", chat="story", screen=screen, at=4, remove=0, messages=[message("And then?")])


def test_places_outside_the_chat_are_refused_and_change_nothing(kit: Kit) -> None:
    for at, remove in ((5, 0), (3, 2), (-1, 0), (0, -1)):
        screen = kit.show("story", STORY)["screen"]
        with pytest.raises(BadInput):
            kit.call("chat.splice", chat="story", screen=screen, at=at, remove=remove, messages=[])
    assert kit.call("stats", chat="story")["messages"] == 4


def test_with_messages_that_are_left_out_there_is_no_state_to_refer_to(kit: Kit) -> None:
    assert kit.show("story", [*STORY, {"role": "system", "text": "A note."}])["screen"] == ""


def test_a_chat_that_is_not_there_is_not_made(kit: Kit) -> None:
    with pytest.raises(NotFound):
        kit.call("chat.splice", chat="story", screen="1", at=0, remove=0, messages=[])
