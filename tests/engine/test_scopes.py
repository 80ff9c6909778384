"""What a person or a tool writes, in a chat or under a scope that holds beyond one chat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput

SAID = rows(("Mara", "The lantern hangs in the mill of Pell Quay."), ("Tobin", "Then let us fetch the lantern at dawn."))


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("c", SAID)
    return kit


def test_a_note_in_a_chat_is_recalled_there_and_nowhere_else(kit: Kit) -> None:
    kit.remember("other", rows(("Mara", "A ferry crosses the sound at noon every day.")))
    done = kit.call("node.write", chat="c", text="Mara is afraid of the harbour bell.", about="Mara")
    assert done["chat"] == "c"
    assert kit.recall("c", "What is Mara afraid of, the bell?")["cards"][0]["node"] == done["node"]
    assert "bell" not in str(kit.graph("other"))
    kit.restart()
    assert kit.call("node.get", chat="c", node=done["node"])["text"] == "Mara is afraid of the harbour bell."
    kit.call("undo", chat="c", commit=done["commit"])
    assert "bell" not in str(kit.graph("c"))


def test_a_scope_is_read_by_every_chat_that_names_it(kit: Kit) -> None:
    kit.call("node.write", scope="profile", text="The reader of these stories dislikes cliffhangers.", sub="preference")
    kit.call("node.write", scope="character:Tobin", text="Tobin lost two fingers to a rope.", about="Tobin")
    question = "How did Tobin lose two fingers, to a rope?"
    assert not any("fingers" in card["text"] for card in kit.recall("c", question)["cards"])
    cards = kit.recall("c", question, scopes=["character:Tobin"])["cards"]
    assert (cards[0]["text"], cards[0]["scope"]) == ("Tobin lost two fingers to a rope.", "character")
    assert not any("fingers" in card["text"] for card in kit.recall("c", question, scopes=["character:Mara", "profile"])["cards"])
    assert "cliffhangers" in kit.recall("c", "Does the reader like cliffhangers?", scopes=["profile"])["recalled"]


def test_scopes_are_listed_apart_from_chats_and_answer_to_the_other_methods(kit: Kit) -> None:
    done = kit.call("node.write", scope="persona:Mara", text="Mara sings off key.", about="Mara", fields={"attribute": "singing"})
    later = kit.call("node.write", scope="persona:Mara", text="Mara sings well by now.", about="Mara", fields={"attribute": "singing"})
    assert [chat["chat"] for chat in kit.call("chat.list")["chats"]] == ["c"]
    assert kit.call("scope.list")["scopes"] == [{"scope": "persona:Mara", "chat": done["chat"]}]
    states = {node["text"]: node["state"] for node in kit.nodes(done["chat"], "fact")}
    assert states == {"Mara sings off key.": "superseded", "Mara sings well by now.": "current"}
    kit.call("node.edit", chat=done["chat"], node=later["node"], fields={"text": "Mara sings like a lark."})
    assert kit.recall("c", "How does Mara sing, like a lark?", scopes=["persona:Mara"])["cards"][0]["text"] == "Mara sings like a lark."
    kit.call("undo", chat=done["chat"])
    assert kit.call("node.get", chat=done["chat"], node=later["node"])["text"] == "Mara sings well by now."


def test_rules_and_threads_written_by_hand_stand_in_the_core(kit: Kit) -> None:
    kit.call("node.write", scope="profile", text="Magic costs a memory each time.", sub="rule")
    kit.call("node.write", chat="c", kind="thread", name="The missing ledger", text="Who took it?")
    core = kit.recall("c", "Where is the lantern?", scopes=["profile"])["core"]
    assert "The missing ledger: Who took it?" in core
    assert "Magic costs" in core


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"text": "x"}, "Where does it belong"),
        ({"text": "x", "chat": "c", "scope": "profile"}, "Where does it belong"),
        ({"text": "x", "scope": "village"}, "no scope"),
        ({"text": "x", "scope": "character:"}, "no scope"),
        ({"text": "x", "scope": "profile:me"}, "no scope"),
        ({"text": " ", "chat": "c"}, "nothing to remember"),
        ({"text": "x", "chat": "c", "sub": "dragon"}, "no sub"),
        ({"text": "x", "chat": "c", "kind": "entity"}, "no name"),
        ({"text": "x", "chat": "c", "fields": {"a": {}}}, "cannot hold"),
    ],
)
def test_a_write_that_makes_no_sense_is_refused(kit: Kit, params: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as raised:
        kit.call("node.write", **params)
    assert words in raised.value.sentence
    assert kit.call("scope.list")["scopes"] == []


def test_no_chat_of_a_caller_looks_like_a_scope(kit: Kit) -> None:
    with pytest.raises(BadInput):
        kit.show("\x1fprofile", SAID)
