"""What can be undone, in which words; undo and redo of everything that a person does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tidelore.engine.errors import Conflict, NotFound


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _changes(kit: CareKit, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kit.call("undo.list", chat=CHAT, **more)["changes"]
    return found


def _card(kit: CareKit) -> str:
    return str(kit.call("cards.list", chat=CHAT)["cards"][0]["id"])


MEMORY_FILE = '{"type": "entity", "name": "Wend", "entityType": "person", "observations": ["digs graves"]}'
DONE: dict[str, Callable[[CareKit, str], Any]] = {
    "edit": lambda kit, node: kit.call("node.edit", chat=CHAT, node=node, fields={"importance": 9}),
    "hide": lambda kit, node: kit.call("node.retire", chat=CHAT, node=node),
    "write": lambda kit, _: kit.call("node.write", chat=CHAT, text="The toll is a copper."),
    "link": lambda kit, node: kit.call("edge.add", chat=CHAT, start=node, end="Mara", label="worries"),
    "alias": lambda kit, _: kit.call("entity.alias", chat=CHAT, name="Mara", alias="Old Mara"),
    "merge": lambda kit, node: kit.call("node.merge", chat=CHAT, keep=node, others=[kit.id_of(STORY[5]["text"])]),
    "split": lambda kit, node: kit.call("node.split", chat=CHAT, node=node, texts=["He drowned.", "He was the ferryman."]),
    "pin": lambda kit, node: kit.call("node.pin", chat=CHAT, node=node),
    "archive": lambda kit, node: kit.call("node.archive", chat=CHAT, node=node),
    "private": lambda kit, node: kit.call("node.private", chat=CHAT, node=node),
    "decide": lambda kit, _: kit.call("cards.decide", chat=CHAT, card=_card(kit), choice="keep_old"),
    "import": lambda kit, _: kit.call("import", chat=CHAT, text=MEMORY_FILE),
}


@pytest.mark.req("LAW-UNDO", "P27")
@pytest.mark.parametrize("change", DONE)
def test_everything_a_person_does_is_listed_undone_and_redone(kit: CareKit, change: str) -> None:
    node = kit.id_of(STORY[3]["text"])
    kit.fact(2, "The boat has a black sail.", "Boat")
    kit.fact(4, "The boat has one black sail.", "Boat")
    before = kit.all()
    commit = DONE[change](kit, node)["commit"]
    after = kit.all()
    (row,) = _changes(kit)
    assert (row["commit"], row["change"], row["undone"]) == (commit, change, False)
    assert row["text"]
    assert after != before
    kit.call("undo", chat=CHAT)
    assert kit.all() == before
    (row,) = _changes(kit)
    assert (row["commit"], row["undone"]) == (commit, True)
    kit.call("redo", chat=CHAT)
    assert kit.all() == after
    (row,) = _changes(kit)
    assert (row["undone"], row["undo"]) == (False, "")


@pytest.mark.parametrize(("first", "second"), [("pin", "unpin"), ("archive", "unarchive"), ("private", "public")])
def test_taking_a_mark_back_has_a_name_of_its_own(kit: CareKit, first: str, second: str) -> None:
    node = kit.id_of(STORY[3]["text"])
    before = kit.all()
    kit.call(f"node.{first}", chat=CHAT, node=node)
    kit.call(f"node.{second}", chat=CHAT, node=node)
    assert [row["change"] for row in _changes(kit)] == [second, first]
    assert kit.all() == before


def test_changes_come_newest_first_a_page_at_a_time(kit: CareKit) -> None:
    written = [kit.call("node.write", chat=CHAT, text=f"Note {number}.")["commit"] for number in range(5)]
    page = kit.call("undo.list", chat=CHAT, limit=2)
    seen = [row["commit"] for row in page["changes"]]
    assert page["total"] == 5
    while page["next"]:
        page = kit.call("undo.list", chat=CHAT, limit=2, before=page["next"])
        seen += [row["commit"] for row in page["changes"]]
    assert seen == written[::-1]


def test_changes_of_tools_are_told_apart(kit: CareKit) -> None:
    kit.call("node.write", chat=CHAT, text="By a tool.", author="tool")
    kit.call("node.write", chat=CHAT, text="By a person.")
    assert [row["author"] for row in _changes(kit)] == ["person", "tool"]
    assert [row["text"] for row in _changes(kit, authors=["tool"])] == ["text: By a tool."]


def test_several_undos_are_redone_in_turn(kit: CareKit) -> None:
    for number in range(3):
        kit.call("node.write", chat=CHAT, text=f"Note {number}.")
    for _ in range(3):
        kit.call("undo", chat=CHAT)
    assert kit.texts(CHAT, "fact") == []
    kit.call("redo", chat=CHAT)
    assert kit.texts(CHAT, "fact") == ["Note 0."]
    kit.call("redo", chat=CHAT)
    kit.call("redo", chat=CHAT)
    assert sorted(kit.texts(CHAT, "fact")) == ["Note 0.", "Note 1.", "Note 2."]
    with pytest.raises(NotFound, match="nothing to redo"):
        kit.call("redo", chat=CHAT)


def test_one_that_is_named_is_redone(kit: CareKit) -> None:
    first = kit.call("node.write", chat=CHAT, text="Note 0.")["commit"]
    second = kit.call("node.write", chat=CHAT, text="Note 1.")["commit"]
    with pytest.raises(Conflict, match="not undone"):
        kit.call("redo", chat=CHAT, commit=first)
    kit.call("undo", chat=CHAT, commit=first)
    kit.call("undo", chat=CHAT, commit=second)
    done = kit.call("redo", chat=CHAT, commit=first[:8])
    assert done["text"] == "text: Note 0."
    assert kit.texts(CHAT, "fact") == ["Note 0."]


def test_a_branch_lists_what_holds_in_it_and_undoes_for_itself_alone(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    kit.call("node.pin", chat=CHAT, node=node)
    kit.remember("branch", STORY, branch_of=CHAT)
    (row,) = kit.call("undo.list", chat="branch")["changes"]
    kit.call("undo", chat="branch", commit=row["commit"])
    assert kit.call("undo.list", chat="branch")["changes"][0]["undone"]
    assert not _changes(kit)[0]["undone"]


def test_a_change_that_waits_says_so(kit: CareKit) -> None:
    kit.call("node.pin", chat=CHAT, node=kit.id_of(STORY[3]["text"]))
    assert not _changes(kit)[0]["waiting"]
    kit.edit_story(3, "He never drowned.")
    assert _changes(kit)[0]["waiting"]


def test_a_change_names_its_memory_and_what_reads_otherwise_since(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    kit.call("node.pin", chat=CHAT, node=node)
    kit.call("node.private", chat=CHAT, node=node)
    kit.call("node.edit", chat=CHAT, node=node, fields={"text": "He drowned.", "importance": 9})
    edited, private, pinned = _changes(kit)
    assert [row["subject"] for row in (edited, private, pinned)] == ["He drowned."] * 3
    assert edited["edits"] == [
        {"field": "text", "before": STORY[3]["text"], "after": "He drowned."},
        {"field": "importance", "before": None, "after": 9},
    ]
    # Marking private unpins, and the change says so.
    assert private["edits"] == [{"field": "private", "before": None, "after": True}, {"field": "pinned", "before": True, "after": None}]
    assert pinned["edits"] == [{"field": "pinned", "before": None, "after": True}]


def test_a_change_names_its_memory_also_where_it_does_not_stand(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    kit.call("node.retire", chat=CHAT, node=node)
    (row,) = _changes(kit)
    assert (row["change"], row["subject"], row["edits"]) == ("hide", STORY[3]["text"], [])
    kit.call("node.write", chat=CHAT, text="The toll is a copper.")
    done = kit.call("undo", chat=CHAT)
    assert (done["change"], done["subject"], done["edits"]) == ("write", "The toll is a copper.", [])
    assert _changes(kit)[0]["subject"] == "The toll is a copper."


def test_what_is_brought_back_is_told_as_the_change_itself(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    done = kit.call("node.pin", chat=CHAT, node=node)
    undone = kit.call("undo", chat=CHAT, commit=done["commit"])
    redone = kit.call("undo", chat=CHAT, commit=undone["commit"])
    assert (undone["change"], undone["subject"]) == (redone["change"], redone["subject"]) == ("pin", STORY[3]["text"])


def test_a_merge_tells_no_marks_that_are_not_for_people(kit: CareKit) -> None:
    DONE["merge"](kit, kit.id_of(STORY[3]["text"]))
    assert not {each["field"] for row in _changes(kit) for each in row["edits"]} & {"merged", "stands", "split_from", "imported"}
