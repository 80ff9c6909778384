"""Memories merged and split: one commit, undo brings all back, and nothing outlives the messages it rests on."""

from __future__ import annotations

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tidelore.engine.errors import BadInput, NotFound


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _facts(kit: CareKit) -> tuple[str, str]:
    return kit.fact(3, "The ferryman drowned last winter."), kit.fact(5, "The ferryman is dead.", attribute="fate")


@pytest.mark.req("LAW-UNDO")
def test_two_facts_become_one_and_an_undo_brings_both_back(kit: CareKit) -> None:
    old, new = _facts(kit)
    before = kit.all()
    done = kit.call("node.merge", chat=CHAT, keep=old, others=[new])
    assert (done["text"], done["merged"]) == ("The ferryman is dead.", [new])
    assert [node["text"] for node in kit.nodes(CHAT, "fact")] == ["The ferryman is dead."]
    assert kit.node(old)["fields"]["merged"] == [new]
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == before
    kit.call("redo", chat=CHAT)
    assert [node["id"] for node in kit.nodes(CHAT, "fact")] == [old]


def test_a_merged_memory_says_what_is_given_and_is_as_important_as_the_weightiest(kit: CareKit) -> None:
    old, new = kit.fact(3, "The ferryman drowned.", importance=4), kit.fact(5, "The ferryman is dead.", importance=9)
    kit.call("node.merge", chat=CHAT, keep=new, others=[old], text="The ferryman drowned last winter and is dead.")
    node = kit.node(new)
    assert (node["text"], node["fields"]["importance"]) == ("The ferryman drowned last winter and is dead.", 9)


def test_what_hung_together_with_the_others_hangs_together_with_the_one(kit: CareKit) -> None:
    old, new = _facts(kit)
    kit.call("edge.add", chat=CHAT, start=old, end="Mara", type="relates", label="saddens")
    kit.call("node.merge", chat=CHAT, keep=new, others=[old])
    assert any(edge["label"] == "saddens" and edge["from"] == new for edge in kit.graph(CHAT)["edges"])


def test_a_merge_is_no_more_when_a_message_behind_it_goes(kit: CareKit) -> None:
    old, new = _facts(kit)
    kit.call("node.merge", chat=CHAT, keep=new, others=[old], text="The sexton rows for the drowned ferryman.")
    kit.edit_story(5, "Nobody knows who rows.")
    # What rests on the message that still stands is back, and of the merged words nothing is left.
    assert [node["id"] for node in kit.nodes(CHAT, "fact")] == [old]
    assert "sexton rows" not in str(kit.all())
    kit.remember(CHAT, STORY)
    assert [node["text"] for node in kit.nodes(CHAT, "fact")] == ["The sexton rows for the drowned ferryman."]


def test_a_branch_without_one_of_the_messages_does_not_have_the_merge(kit: CareKit) -> None:
    old, new = _facts(kit)
    kit.call("node.merge", chat=CHAT, keep=new, others=[old])
    kit.remember("branch", STORY[:5], branch_of=CHAT)
    assert [node["id"] for node in kit.nodes("branch", "fact")] == [old]


def test_entities_merge_under_one_name_and_come_apart_by_an_undo(kit: CareKit) -> None:
    kit.fact(3, "The ferryman drowned last winter.", "Old Harl")
    kit.fact(5, "The ferryman is dead.", "Harl Tey")
    before = kit.all()
    done = kit.call("node.merge", chat=CHAT, keep="Old Harl", others=["Harl Tey"], text="Harl")
    node = kit.node(done["node"])
    assert (node["text"], node["fields"]["aliases"]) == ("Harl", ["Harl Tey"])
    state = kit.call("state.get", chat=CHAT, about="Harl Tey")
    assert {fact["text"] for fact in state["facts"]} == {"The ferryman drowned last winter.", "The ferryman is dead."}
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == before


def test_two_memories_that_were_written_by_hand_merge(kit: CareKit) -> None:
    one = kit.call("node.write", chat=CHAT, text="The toll is a copper.")["node"]
    other = kit.call("node.write", chat=CHAT, text="The toll is one copper piece.")
    kit.call("node.merge", chat=CHAT, keep=one, others=[other["node"]])
    assert kit.texts(CHAT, "fact") == ["The toll is one copper piece."]
    kit.call("undo", chat=CHAT, commit=other["commit"])
    assert kit.texts(CHAT, "fact") == ["The toll is a copper."]


@pytest.mark.parametrize("others", [[], ["Mara"], ["nobody at all"]])
def test_what_cannot_be_merged_is_refused(kit: CareKit, others: list[str]) -> None:
    old, _ = _facts(kit)
    with pytest.raises((BadInput, NotFound)):
        kit.call("node.merge", chat=CHAT, keep=old, others=others)
    with pytest.raises(BadInput, match="same memory"):
        kit.call("node.merge", chat=CHAT, keep=old, others=[old])


def test_a_merge_writes_no_secret(kit: CareKit) -> None:
    old, new = _facts(kit)
    done = kit.call("node.merge", chat=CHAT, keep=old, others=[new], text="The key is sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD.")
    assert "sk-abcdef" not in done["text"]


def test_a_split_memory_keeps_its_evidence_in_every_part(kit: CareKit) -> None:
    node = kit.fact(5, "The sexton rows the boat and took the oars.", "Sexton", importance=7)
    before = kit.all()
    done = kit.call("node.split", chat=CHAT, node=node, texts=["The sexton rows the boat.", "The sexton took the oars."])
    parts = [kit.node(id_) for id_ in (node, *done["nodes"])]
    assert [part["text"] for part in parts] == ["The sexton rows the boat.", "The sexton took the oars."]
    assert parts[0]["evidence"] == parts[1]["evidence"] != []
    assert [part["fields"]["importance"] for part in parts] == [7, 7]
    assert {fact["text"] for fact in kit.call("state.get", chat=CHAT, about="Sexton")["facts"]} == {part["text"] for part in parts}
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == before


def test_a_part_of_a_memory_goes_with_its_message(kit: CareKit) -> None:
    node = kit.fact(5, "The sexton rows the boat and took the oars.", "Sexton")
    kit.call("node.split", chat=CHAT, node=node, texts=["The sexton rows the boat.", "The sexton took the oars."])
    kit.edit_story(5, "Nobody knows who rows.")
    assert "oars" not in str(kit.graph(CHAT)["nodes"])


def test_a_part_is_recalled_with_the_speaker_and_the_place_of_its_message(kit: CareKit) -> None:
    node = kit.id_of(STORY[5]["text"])
    kit.call("node.split", chat=CHAT, node=node, texts=["The sexton does.", "He took the oars from the orchard."])
    (card,) = [each for each in kit.recall(CHAT, "Who came from the orchard?")["cards"] if "orchard" in each["text"]]
    assert (card["speaker"], card["evidence"][0]["index"]) == ("Tobin", 5)
    # The message moves: the part moves with it, as the part of a chat that is read anew.
    kit.show(CHAT, [STORY[5], *STORY[:5]])
    moved = kit.recall(CHAT, "Who came from the orchard, and who drowned at Alder Bridge?")["recalled"]
    assert moved.index("orchard") < moved.index("drowned")
    kit.restart()
    assert kit.recall(CHAT, "Who came from the orchard, and who drowned at Alder Bridge?")["recalled"] == moved


def test_names_that_do_not_mean_the_same_come_apart(kit: CareKit) -> None:
    kit.fact(3, "The ferryman drowned.", "Harl")
    kit.fact(5, "The sexton rows.", "Wend")
    merged = kit.call("node.merge", chat=CHAT, keep="Harl", others=["Wend"])
    together = kit.all()
    done = kit.call("node.split", chat=CHAT, node="Harl", names=["Wend"])
    facts = {name: [fact["text"] for fact in kit.call("state.get", chat=CHAT, about=name)["facts"]] for name in ("Harl", "Wend")}
    assert facts == {"Harl": ["The ferryman drowned."], "Wend": ["The sexton rows."]}
    assert "aliases" not in kit.node(merged["node"])["fields"]
    assert "aliases" not in kit.node(done["nodes"][0])["fields"]
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == together


def test_a_split_of_nothing_is_refused(kit: CareKit) -> None:
    old, _ = _facts(kit)
    for texts in ([], ["one alone"], ["one", " "]):
        with pytest.raises(BadInput):
            kit.call("node.split", chat=CHAT, node=old, texts=texts)
    with pytest.raises(BadInput, match="no other name"):
        kit.call("node.split", chat=CHAT, node="Mara", names=["Nobody"])
    with pytest.raises(BadInput, match="by its names"):
        kit.call("node.split", chat=CHAT, node="Mara", texts=["a", "b"])
