"""What was true and is no more gives way to what is true now; what a question is about need not be said in its words."""

from __future__ import annotations

import pytest

from tests.engine.service_kit import Kit, rows

SAID = rows(
    ("Mara", "My cat is called Biscuit. I live in Oslo."),
    ("Tobin", "Good to know, and well kept."),
    ("Mara", "The weather is odd this spring and the ferry is late again."),
    ("Tobin", "It always is."),
    ("Mara", "I live in Bergen now."),
    ("Tobin", "Bergen is wet."),
    ("Mara", "I work as a nurse in the harbour clinic."),
)
TEA = rows(
    ("沈青", "我是画家，想在这里住到花开。"),
    ("老板", "大理的云很好看。"),
    ("沈青", "老马说明天要下雨。"),
    ("老板", "茶馆的东边有间空房。"),
)


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("c", SAID)
    kit.remember("t", TEA)
    return kit


def test_the_new_home_comes_before_the_old_one(kit: Kit) -> None:
    texts = [card["text"] for card in kit.recall("c", "Where does Mara live now?")["cards"]]
    assert texts[0] == "I live in Bergen now."
    trace = kit.recall("c", "Where does Mara live now?")["trace"]
    assert next(card for card in trace["cards"] if "Oslo" in card["text"])["signals"]["outdated"] < 0


def test_when_the_new_home_is_edited_away_the_old_one_is_current_again(kit: Kit) -> None:
    kit.remember("c", SAID[:4])
    found = kit.recall("c", "Where does Mara live now?")
    assert "Oslo" in found["cards"][0]["text"]
    assert "outdated" not in found["trace"]["cards"][0]["signals"]


def test_a_fact_is_found_by_what_people_call_its_attribute(kit: Kit) -> None:
    assert "nurse" in kit.recall("c", "What is Mara's job?")["cards"][0]["text"]
    assert "nurse" in kit.recall("c", "What does Mara do for a living, what is her profession?")["cards"][0]["text"]


@pytest.mark.parametrize("talk", ["天气真好啊", "你吃饭了吗", "日本首都是哪里", "好的，那就这样吧"])
def test_small_talk_that_shares_single_characters_recalls_nothing(kit: Kit, talk: str) -> None:
    assert kit.recall("t", talk)["cards"] == []


@pytest.mark.parametrize(("asked", "words"), [("云", "云很好看"), ("空房", "有间空房"), ("大理", "大理的云")])
def test_one_character_and_one_word_still_find(kit: Kit, asked: str, words: str) -> None:
    assert words in kit.recall("t", asked)["cards"][0]["text"]
