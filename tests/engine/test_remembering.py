"""One memory from all sides: its versions, who knows it, when and why it was last recalled."""

from __future__ import annotations

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tidelore.engine.errors import NotFound


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _versions(kit: CareKit, node: str) -> list[tuple[str, str, bool, str]]:
    rows = kit.call("node.history", chat=CHAT, node=node)["versions"]
    return [(row["change"], row["text"], row["live"], row["why_not"]) for row in rows]


def test_every_version_of_a_memory_is_told_with_who_when_and_whether_it_counts(kit: CareKit) -> None:
    node = kit.fact(3, "The ferryman drowned.")
    kit.call("node.edit", chat=CHAT, node=node, fields={"text": "The ferryman drowned last winter."})
    undone = kit.call("node.edit", chat=CHAT, node=node, fields={"text": "The ferryman never drowned."})
    kit.call("undo", chat=CHAT, commit=undone["commit"])
    assert _versions(kit, node) == [
        ("stated", "The ferryman drowned.", True, ""),
        ("edit", "The ferryman drowned last winter.", True, ""),
        ("edit", "The ferryman never drowned.", False, "undone"),
    ]
    first, second, _ = kit.call("node.history", chat=CHAT, node=node)["versions"]
    assert (first["author"], first["maker"], first["window"], second["author"]) == ("model", "scripted", [3], "person")
    assert 1_700_000_000_000 <= first["at"] < second["at"] < 1_700_000_001_000


def test_another_extraction_of_the_same_message_is_a_version_that_does_not_count(kit: CareKit) -> None:
    node = kit.fact(3, "The ferryman drowned.")
    assert kit.fact(3, "He was old.") != node
    assert _versions(kit, node) == [("stated", "The ferryman drowned.", True, ""), ("stated", "The ferryman drowned.", False, "replaced")]


def test_an_edit_that_waits_and_the_memory_of_a_swiped_message_are_told(kit: CareKit) -> None:
    node = kit.id_of("Mara")
    kit.call("node.edit", chat=CHAT, node=node, fields={"core_note": "rows well"})
    kit.tell(0)
    kit.call("node.retire", chat=CHAT, node=node)
    changes = [row for row in _versions(kit, node) if row[0] != "stated"]
    assert changes == [("edit", "", True, ""), ("hide", "Mara", True, "")]


def test_a_hidden_memory_has_a_history_by_the_beginning_of_its_id(kit: CareKit) -> None:
    node = kit.fact(3, "The ferryman drowned.")
    kit.call("node.retire", chat=CHAT, node=node)
    found = kit.call("node.history", chat=CHAT, node=node[:8])
    assert (found["node"], found["state"]) == (node, "hidden")
    with pytest.raises(NotFound, match="no memory"):
        kit.call("node.history", chat=CHAT, node="nobody")


def test_who_knows_it_is_told_and_who_was_there(kit: CareKit) -> None:
    node = kit.fact(3, "The ferryman drowned.", known_by=("Mara", "Tobin"))
    found = kit.call("node.why", chat=CHAT, node=node)
    assert (found["known_by"], found["present"]) == (["Mara", "Tobin"], ["Tobin"])
    assert kit.call("node.why", chat=CHAT, node=kit.id_of(STORY[0]["text"]))["known_by"] == []


def test_the_last_recall_says_why_a_memory_was_taken_or_not(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    assert kit.call("node.why", chat=CHAT, node=node)["recalled"] is None
    done = kit.recall(CHAT, "Who drowned last winter?")
    found = kit.call("node.why", chat=CHAT, node=node)["recalled"]
    assert (found["recall"], found["query"], found["taken"], found["block"]) == (
        done["recall"],
        "Who drowned last winter?",
        True,
        "recalled",
    )
    traced = next(card for card in done["trace"]["cards"] if card["node"] == node)
    assert (found["reason"], found["score"], found["signals"]) == (traced["reason"], traced["score"], traced["signals"])
    kit.recall(CHAT, "Who drowned last winter?", exclude=[node])
    found = kit.call("node.why", chat=CHAT, node=node)["recalled"]
    assert (found["taken"], found["reason"], found["block"]) == (False, "in context", "")


def test_what_is_pinned_was_recalled_as_core(kit: CareKit) -> None:
    node = kit.id_of(STORY[0]["text"])
    kit.call("node.pin", chat=CHAT, node=node)
    kit.recall(CHAT, "Who drowned last winter?")
    found = kit.call("node.why", chat=CHAT, node=node)["recalled"]
    assert (found["block"], found["taken"]) == ("core", True)


def test_a_receipt_keeps_the_reason_beyond_a_new_start(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    for _ in range(2):
        done = kit.recall(CHAT, "Who drowned last winter?")
        kit.call("recall.delivered", chat=CHAT, recall=done["recall"])
    before = kit.call("node.why", chat=CHAT, node=node)
    assert (before["delivered"]["recall"], before["delivered"]["times"]) == (done["recall"], 2)
    assert before["delivered"]["reason"] == before["recalled"]["reason"] != ""
    kit.restart()
    after = kit.call("node.why", chat=CHAT, node=node)
    assert (after["recalled"], after["delivered"]) == (None, before["delivered"])
