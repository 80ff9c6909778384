"""A recall that was recorded may be used again while the chat on screen still supports it, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows

SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove of the mill."),
    ("Mara", "I live in Saltmarsh."),
    ("Tobin", "The ferry leaves at dawn."),
)
QUERY = "What did Biscuit steal in the mill, and where does Mara live?"


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("c", SAID)
    kit.call("node.write", chat="c", kind="fact", sub="rule", text="Nobody speaks of the whale.")
    kit.call("node.write", chat="c", kind="thread", name="The lost key", text="Who took it?")
    return kit


def recorded(kit: Kit, **more: Any) -> dict[str, Any]:
    found = kit.recall("c", QUERY, **more)
    return {"nodes": found["nodes"], "state": found["state"]}


def check(kit: Kit, held: dict[str, Any], **more: Any) -> tuple[bool, list[str]]:
    found = kit.call("recall.check", chat="c", **held, **more)
    return found["stands"], found["gone"]


def node_of(kit: Kit, words: str) -> str:
    return str(next(node["id"] for node in kit.graph("c")["nodes"] if words in str(node["fields"])))


def test_the_nodes_are_those_of_core_and_cards(kit: Kit) -> None:
    found = kit.recall("c", QUERY)
    cards = [card["node"] for card in found["cards"]]
    assert cards
    assert set(found["nodes"]) == {*cards, node_of(kit, "whale"), node_of(kit, "lost key")}
    assert len(found["nodes"]) == len(set(found["nodes"]))


def test_a_recall_stands_while_its_memories_read_the_same(kit: Kit) -> None:
    held = recorded(kit)
    assert check(kit, held) == (True, [])
    kit.restart()
    assert check(kit, held) == (True, [])
    assert check(kit, {**held, "nodes": held["nodes"][::-1]}) == (True, []), "their order does not count"
    kit.remember("c", [*SAID, *rows(("Mara", "The moon is bright over the harbour tonight."))])
    assert check(kit, held) == (True, []), "what came after it is no matter"
    kit.remember("c", SAID)
    assert check(kit, held) == (True, [])
    assert recorded(kit) == held


def test_a_recall_falls_with_the_message_that_it_rests_on_and_stands_again_with_it(kit: Kit) -> None:
    held = recorded(kit)
    stolen = node_of(kit, "stole a herring")
    assert stolen in held["nodes"]
    kit.show("c", [SAID[0], *SAID[2:]])
    stands, gone = check(kit, held)
    assert not stands
    assert stolen in gone
    assert set(gone) < set(held["nodes"])
    kit.show("c", SAID)
    assert check(kit, held) == (True, [])


@pytest.mark.parametrize("words", ["stole a herring", "whale", "lost key"], ids=["a card", "a rule", "a thread"])
def test_an_edit_by_hand_ends_it_and_an_undo_brings_it_back(kit: Kit, words: str) -> None:
    held = recorded(kit)
    node = node_of(kit, words)
    assert node in held["nodes"]
    done = kit.call("node.edit", chat="c", node=node, fields={"text": "Something else entirely."})
    assert check(kit, held) == (False, [])
    kit.call("undo", chat="c", commit=done["commit"])
    assert check(kit, held) == (True, [])
    done = kit.call("node.retire", chat="c", node=node)
    assert check(kit, held) == (False, [node])
    kit.call("undo", chat="c", commit=done["commit"])
    assert check(kit, held) == (True, [])


def test_a_thread_that_closes_is_not_in_the_core_any_more(kit: Kit) -> None:
    held = recorded(kit)
    kit.call("node.edit", chat="c", node=node_of(kit, "lost key"), fields={"status": "resolved"})
    assert not check(kit, held)[0]


def test_a_fact_that_a_later_one_replaced_is_gone() -> None:
    kit = Kit()
    kit.show("c", SAID)
    kit.call("node.write", chat="c", about="Mara", text="Mara lives in Saltmarsh.", fields={"attribute": "home"})
    held = recorded(kit)
    old = node_of(kit, "lives in Saltmarsh")
    assert held["nodes"] == [old]
    done = kit.call("node.write", chat="c", about="Mara", text="Mara lives in Greyford.", fields={"attribute": "home"})
    assert check(kit, held) == (False, [old])
    kit.call("undo", chat="c", commit=done["commit"])
    assert check(kit, held) == (True, [])


def test_a_speaker_with_another_name_is_another_text(kit: Kit) -> None:
    held = recorded(kit)
    kit.show("c", [{**each, "name": "Old Tobin" if each["name"] == "Tobin" else each["name"]} for each in SAID])
    assert not check(kit, held)[0]


def test_memories_of_a_scope_count_when_it_is_read(kit: Kit) -> None:
    written = kit.call("node.write", scope="profile", text="Biscuit is afraid of the mill.")
    held = recorded(kit, scopes=["profile"])
    assert written["node"] in held["nodes"]
    assert check(kit, held, scopes=["profile"]) == (True, [])
    assert check(kit, held) == (False, [written["node"]])
    kit.call("node.retire", chat=written["chat"], node=written["node"])
    assert check(kit, held, scopes=["profile"]) == (False, [written["node"]])


def blocks(kit: Kit, found: dict[str, Any], **more: Any) -> tuple[str, str]:
    """Both texts, made again of what stands."""
    asked = {"nodes": found["nodes"], "state": found["state"], "cards": [card["node"] for card in found["cards"]]}
    made = kit.call("recall.check", chat="c", **{**asked, **more})
    return made["core"], made["recalled"]


@pytest.mark.parametrize("budget", [90, 900], ids=["tight", "wide"])
def test_both_texts_are_made_again_of_their_memories_byte_for_byte(kit: Kit, budget: int) -> None:
    for number in range(6):
        kit.call("node.write", chat="c", kind="fact", sub="rule", text=f"Rule {number}: Biscuit never leaves the mill by night.")
    found = kit.recall("c", QUERY, budget=budget)
    assert found["recalled"]
    assert blocks(kit, found) == (found["core"], found["recalled"])
    kit.restart()
    assert blocks(kit, found) == (found["core"], found["recalled"])
    assert blocks(kit, found, nodes=found["nodes"][::-1]) == (found["core"], found["recalled"])


def test_memories_of_a_scope_are_made_again_beside_the_chats_own(kit: Kit) -> None:
    kit.call("node.write", scope="profile", text="Biscuit is afraid of the mill.")
    kit.call("node.write", scope="profile", kind="fact", sub="rule", text="Nobody enters the mill.")
    found = kit.recall("c", QUERY, scopes=["profile"])
    assert "Nobody enters" in found["core"]
    assert "afraid of the mill" in found["recalled"]
    assert blocks(kit, found, scopes=["profile"]) == (found["core"], found["recalled"])


def test_no_text_is_made_of_what_does_not_stand_or_was_not_asked_for(kit: Kit) -> None:
    found = kit.recall("c", QUERY)
    assert blocks(kit, found, state="0" * 32) == ("", "")
    assert blocks(kit, found, nodes=[*found["nodes"], "no such node"]) == ("", "")
    assert blocks(kit, found, cards=None) == ("", "")


def test_no_memory_comes_in_by_the_list_of_cards(kit: Kit) -> None:
    found = kit.recall("c", QUERY)
    empty = kit.recall("c", QUERY, budget=1)
    assert empty["nodes"] == []
    assert blocks(kit, empty, cards=found["nodes"]) == ("", "")


def test_nothing_recalled_stands_and_what_never_was_does_not(kit: Kit) -> None:
    empty = Kit()
    empty.show("c", SAID)
    held = recorded(empty)
    assert held["nodes"] == []
    assert check(empty, held) == (True, [])
    assert check(kit, {"nodes": ["no such node"], "state": held["state"]}) == (False, ["no such node"])
    assert check(kit, {**recorded(kit), "state": "0" * 32}) == (False, [])


def test_checking_records_and_changes_nothing(kit: Kit) -> None:
    held, before = recorded(kit), kit.graph("c")
    check(kit, held)
    assert kit.graph("c") == before
    assert kit.run_sync(kit.store.ledger("delivery", "", 9)) == []
