"""In a chat of some length a question that nothing answers brings no card, though single words of it occur."""

from __future__ import annotations

import pytest

from tests.engine.service_kit import Kit, rows

THINGS = "ferry storm lamp ledger violin harbour key crypt smith fence soup tooth".split()
DEEDS = ("was mended", "cost too much", "stood in the yard", "went missing", "made us laugh", "smelled of tar")


@pytest.fixture(name="kit", scope="module")
def a_kit() -> Kit:
    kit = Kit()
    said = [f"The {thing} of my cousin {deed}, I think." for deed in DEEDS for thing in THINGS]
    said[30] = "I bought the Bergen telescope from old Corvin."
    kit.remember("c", rows(*(("Ann" if at % 2 else "Bob", text) for at, text in enumerate(said))))
    return kit


QUESTIONS = [
    "Which mountain did Caroline climb with her sister, and how many were missing?",
    "Which mountain range did Caroline cross to mend a broken friendship with her sister?",
    "Which song makes Caroline laugh during long drives along rivers?",
]


@pytest.mark.parametrize("query", QUESTIONS)
def test_a_question_about_a_stranger_brings_nothing(kit: Kit, query: str) -> None:
    found = kit.recall("c", query)
    assert found["cards"] == []
    assert {card["reason"] for card in found["trace"]["cards"]} == {"weak"}


@pytest.mark.parametrize("query", QUESTIONS)
def test_in_a_small_chat_it_may_still_bring_what_shares_its_words(query: str) -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "The missing ledger made us laugh."), ("Bob", "I can mend it.")))
    assert kit.recall("c", query)["cards"]


@pytest.mark.parametrize("query", ["Who is Corvin?", "corvin", "What do you know of Corvin and Caroline?"])
def test_an_exact_name_recalls_all_the_same(kit: Kit, query: str) -> None:
    assert any("Corvin" in card["text"] for card in kit.recall("c", query)["cards"])


@pytest.mark.parametrize(
    "query", ["What happened to the violin?", "the telescope", "Did the soup cost much?", "Where is the telescope from?"]
)
def test_what_a_memory_answers_is_recalled(kit: Kit, query: str) -> None:
    words = {"violin", "telescope", "soup"} & set(query.rstrip("?").split())
    assert any(word in kit.recall("c", query)["cards"][0]["text"] for word in words)
