"""Forgetting a sentence forgets it in every memory that says it, and only it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows

CHAT = "c"
BROTHER = "My brother is called Sam."


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember(
        CHAT,
        rows(
            ("Ann", BROTHER),
            ("Bo", "That is a good name for a brother."),
            ("Ann", f"We went fishing at dawn. {BROTHER} He caught nothing."),
            ("Bo", "Sam sounds like a patient man."),
        ),
    )
    return kit


def everything(kit: Kit) -> list[str]:
    return [node["text"] for kind in ("moment", "fact") for node in kit.nodes(CHAT, kind)]


def fact_of(kit: Kit) -> str:
    return str(next(node["id"] for node in kit.nodes(CHAT, "fact") if node["text"] == BROTHER))


def test_alone_a_memory_is_hidden_and_the_others_go_on_saying_it(kit: Kit) -> None:
    done = kit.call("node.retire", chat=CHAT, node=fact_of(kit))
    assert done["siblings"] == []
    assert sum(BROTHER in text for text in everything(kit)) > 1


def test_with_its_siblings_no_memory_says_the_sentence_any_more(kit: Kit) -> None:
    done = kit.call("node.retire", chat=CHAT, node=fact_of(kit), siblings=True)
    assert not any("called Sam" in text for text in everything(kit))
    assert "We went fishing at dawn. He caught nothing." in everything(kit)
    assert "Sam sounds like a patient man." in everything(kit)
    rests = {sibling["text"]: sibling["rest"] for sibling in done["siblings"]}
    assert rests[BROTHER] == ""
    assert rests[f"We went fishing at dawn. {BROTHER} He caught nothing."] == "We went fishing at dawn. He caught nothing."
    recall = kit.recall(CHAT, "What is my brother called?")
    assert "called Sam" not in recall["recalled"] + recall["core"]


def test_one_undo_brings_all_of_them_back(kit: Kit) -> None:
    before: Any = kit.graph(CHAT)
    done = kit.call("node.retire", chat=CHAT, node=fact_of(kit), siblings=True)
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.graph(CHAT) == before


def test_case_and_marks_make_no_other_sentence() -> None:
    kit = Kit()
    kit.remember(CHAT, rows(("Ann", "I hate olives!"), ("Bo", "Noted."), ("Ann", "*I hate  OLIVES.* I hate rain.")))
    node = next(node["id"] for node in kit.nodes(CHAT, "moment") if node["text"] == "I hate olives!")
    kit.call("node.retire", chat=CHAT, node=node, siblings=True)
    assert not any("olives" in text.lower() for text in everything(kit))
    assert "I hate rain." in everything(kit)


def test_words_that_say_nothing_take_nothing_with_them() -> None:
    kit = Kit()
    kit.remember(CHAT, rows(("Ann", "Yes. The mill burned down."), ("Bo", "Yes. The bridge is gone.")))
    kit.call("node.write", chat=CHAT, text="Yes.")
    node = next(node["id"] for node in kit.nodes(CHAT, "fact") if node["text"] == "Yes.")
    assert kit.call("node.retire", chat=CHAT, node=node, siblings=True)["siblings"] == []
