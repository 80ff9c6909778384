"""Recall follows the chat: what was swiped away, replaced, hidden or retired."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows

BEFORE = (
    ("Ann", "We reached the gate of Brightwater."),
    ("Bob", "The guard wants a password."),
    ("Ann", "I whisper the password to him."),
)


def texts(found: Any) -> list[str]:
    return [card["text"] for card in found["cards"]]


def test_nothing_of_a_chat_without_memories_is_recalled() -> None:
    kit = Kit()
    kit.show("c", rows(*BEFORE))
    found = kit.recall("c", "the password of Brightwater")
    assert (found["cards"], found["core"], found["recalled"], found["tokens"]) == ([], "", "", 0)
    kit.show("empty", [])
    assert kit.recall("empty", "the password of Brightwater")["cards"] == []


@pytest.mark.req("P1")
@pytest.mark.parametrize("edited", [False, True])
def test_nothing_of_a_reply_that_is_swiped_away_is_recalled(edited: bool) -> None:
    kit = Kit()
    rejected = "The guard Zyrrakh laughs and draws the Moonblade. I am a vampire."
    kit.remember("c", rows(*BEFORE, ("Bob", rejected)))
    assert "Zyrrakh" in json.dumps(kit.recall("c", "Zyrrakh, the Moonblade, the vampire")["cards"])
    if edited:
        node = next(each for each in kit.nodes("c", "moment") if each["text"] == rejected)
        kit.call("node.edit", chat="c", node=node["id"], fields={"text": "Zyrrakh draws the Moonblade at the gate."})
    for messages in (rows(*BEFORE), rows(*BEFORE, ("Bob", "The guard nods and opens the gate."))):
        kit.show("c", messages)
        found = kit.recall("c", "Zyrrakh, the Moonblade, the vampire at the gate")
        told = json.dumps([found["cards"], found["core"], found["recalled"], found["trace"]["cards"], found["trace"]["names"]])
        for word in ("Zyrrakh", "Moonblade", "vampire"):
            assert word not in told
        assert texts(found) != []
    kit.show("c", rows(*BEFORE, ("Bob", rejected)))
    assert "Zyrrakh" in json.dumps(kit.recall("c", "Zyrrakh")["cards"])


@pytest.mark.req("F5", "B33")
@pytest.mark.parametrize(
    ("told", "query", "current", "old"),
    [
        (("I live in Paris.", "I live in Rome."), "Where does Ann live?", "I live in Rome.", "I live in Paris."),
        (("I love coffee.", "I hate coffee."), "Does Ann like coffee?", "I hate coffee.", "I love coffee."),
        (("我住在北京。", "我住在上海。"), "Ann住在哪里？", "我住在上海。", "我住在北京。"),
    ],
)
def test_of_facts_that_replace_each_other_only_the_current_one_is_recalled(
    told: tuple[str, str], query: str, current: str, old: str
) -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", told[0]), ("Bob", "I see."), ("Ann", told[1]), ("Bob", "All right then.")))
    assert sorted(kit.texts("c", "fact")) == sorted(told)
    found = kit.recall("c", query, trace=True)
    kinds = {(card["kind"], card["text"]) for card in found["cards"]}
    assert ("fact", old) not in kinds
    assert current in texts(found)
    index = next(iter(kit.service.chats._pools.values())).chats
    documents = next(iter(index.values())).index.documents.values()
    assert [document.text for document in documents if document.kind == "fact"] == [current]


@pytest.mark.req("B33")
def test_of_ten_moods_one_is_recalled_as_a_fact() -> None:
    kit = Kit()
    moods = "happy sad angry tired calm bored proud afraid lonely jealous".split()
    said = [pair for mood in moods for pair in (("Ann", f"I am {mood}."), ("Bob", f"I hear that you are {mood}, friend."))]
    kit.remember("c", rows(*said))
    documents = next(iter(next(iter(kit.service.chats._pools.values())).chats.values())).index
    kit.recall("c", "How does Ann feel?")
    facts = [document.text for document in documents.documents.values() if document.kind == "fact"]
    assert len(facts) <= 1


@pytest.mark.req("F5", "F7")
def test_what_is_said_of_someone_is_found_by_their_name() -> None:
    kit = Kit()
    kit.remember(
        "c",
        rows(
            ("Ann", "Corvin lives in Brightwater."),
            ("Bob", "The weather has been foul for weeks, and the nets are torn."),
            ("Ann", "Somebody ought to mend them before the herring comes."),
        ),
    )
    for query in ("Where does Corvin live?", "Corvin?", "Who is Corvin?"):
        assert texts(kit.recall("c", query))[0] == "Corvin lives in Brightwater."


@pytest.mark.req("F11")
def test_who_said_it_decides_between_like_memories() -> None:
    kit = Kit()
    said = [
        ("Ann", "My favourite fruit is the plum of the north."),
        ("Bob", "My favourite fruit is the pear of the south."),
        ("Cleo", "My favourite fruit is the fig of the east."),
        ("Ann", "The cart is broken."),
        ("Bob", "Then mend it before the market."),
        ("Cleo", "Nobody has a hammer here."),
    ]
    kit.remember("c", rows(*said, user="Ann"))
    for name, fruit in (("Ann", "plum"), ("Bob", "pear"), ("Cleo", "fig")):
        card = kit.recall("c", f"What is {name}'s favourite fruit?")["cards"][0]
        assert (card["speaker"], fruit in card["text"]) == (name, True)


def test_what_was_retired_is_not_recalled_until_that_is_undone() -> None:
    kit = Kit()
    kit.remember("c", rows(*BEFORE))
    node = next(each for each in kit.nodes("c", "moment") if "gate" in each["text"])
    change = kit.call("node.retire", chat="c", node=node["id"])
    found = kit.recall("c", "the gate of Brightwater")
    assert node["id"] not in {card["node"] for card in (*found["cards"], *found["trace"]["cards"])}
    kit.call("undo", chat="c", commit=change["commit"])
    assert kit.recall("c", "the gate of Brightwater")["cards"][0]["node"] == node["id"]


def test_when_the_current_fact_is_retired_the_one_before_it_is_recalled_again() -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "I live in Paris."), ("Bob", "I see."), ("Ann", "I live in Rome."), ("Bob", "All right then.")))
    kit.recall("c", "Where does Ann live?")
    rome = next(node for node in kit.nodes("c", "fact") if "Rome" in node["text"])
    kit.call("node.retire", chat="c", node=rome["id"])
    index = next(iter(next(iter(kit.service.chats._pools.values())).chats.values())).index
    kit.recall("c", "Where does Ann live?")
    assert [each.text for each in index.documents.values() if each.kind == "fact"] == ["I live in Paris."]


def test_an_edit_by_hand_is_recalled_by_its_new_words() -> None:
    kit = Kit()
    kit.remember("c", rows(*BEFORE))
    node = next(each for each in kit.nodes("c", "moment") if "gate" in each["text"])
    kit.call("node.edit", chat="c", node=node["id"], fields={"text": "They came to the portal of Silverlake."})
    assert texts(kit.recall("c", "the portal of Silverlake"))[0] == "They came to the portal of Silverlake."
    assert "Brightwater" not in json.dumps(kit.recall("c", "Brightwater")["cards"])


@pytest.mark.req("LAW-RENAME")
def test_after_a_rename_both_names_recall() -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "I buried the chest under the oak."), ("Bob", "Nobody will look there."), ("Ann", "Let us go home.")))
    kit.call("entity.alias", chat="c", name="Annabel", alias="Ann")
    for query in ("Who is Ann?", "Who is Annabel?"):
        assert kit.recall("c", query)["cards"][0]["speaker"] == "Ann"


def test_hidden_messages_are_recalled() -> None:
    kit = Kit()
    kit.remember("c", [{**row, "hidden": True} for row in rows(*BEFORE)])
    assert texts(kit.recall("c", "the gate of Brightwater"))[0] == "We reached the gate of Brightwater."
