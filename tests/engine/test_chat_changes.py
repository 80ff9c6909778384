"""What a user does to a chat and what becomes of its memory: the table of section 1 of the design, and reports about other tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput, NotFound

STORY = rows(
    ("Mara", "I live in Marrow Bay, in the house with the green door."),
    ("Tobin", "*Tobin nods.* Alice brought the brass lantern to the Copper Heron Tavern yesterday."),
    ("Mara", "Then let us ask Alice about the lantern before dark."),
    ("Tobin", "The ferry to Saltmarsh leaves at noon, and Alice is on it."),
    ("Mara", "My cat is called Biscuit."),
    ("Tobin", "*He laughs.* Biscuit stole a herring from the kitchen of the Copper Heron Tavern."),
)


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("story", STORY)
    return kit


def scratch(messages: list[dict[str, Any]]) -> Any:
    fresh = Kit("fresh")
    fresh.remember("story", messages)
    return fresh.graph("story")


@pytest.mark.req("LAW-SWIPE", "P1", "P11")
def test_a_swipe_back_brings_the_first_memories_back_at_once(kit: Kit) -> None:
    before = kit.graph("story")
    other = [*STORY[:-1], {**STORY[-1], "text": "*He frowns.* There are no cats aboard the Grey Widow."}]
    kit.remember("story", other)
    assert kit.graph("story") == scratch(other)
    assert "herring" not in str(kit.graph("story"))
    assert "herring" not in str(kit.recall("story", "What did Biscuit steal from the kitchen?"))
    kit.show("story", STORY)
    assert kit.graph("story") == before


@pytest.mark.req("LAW-EDIT", "P9")
def test_an_edit_takes_only_what_rests_on_that_message(kit: Kit) -> None:
    edited = [dict(message) for message in STORY]
    edited[1]["text"] = "*Tobin shrugs.* Nobody has seen the lantern."
    result = kit.show("story", edited)
    assert (result["commits_out"], result["inserted"], result["removed"]) == (1, 1, 1)
    assert [window["first"] for window in kit.call("extract.plan", chat="story", by="rules", lag=0)["windows"]] == [1]
    kit.call("extract.run", chat="story", lag=0)
    assert kit.graph("story") == scratch(edited)
    assert "Alice" in [node["text"] for node in kit.nodes("story", "entity")], "later messages still hold her"


def test_a_list_that_the_caller_changes_in_place_is_compared_with_what_it_was() -> None:
    kit = Kit()
    said = [dict(message) for message in STORY]
    kit.remember("story", said)
    said[0]["text"] = "I live in Saltmarsh, under the bridge."
    assert kit.show("story", said)["commits_out"] == 1
    del said[2:]
    assert kit.show("story", said)["removed"] == 4


@pytest.mark.req("P9")
def test_messages_of_one_date_are_told_apart_and_an_edit_without_a_new_date_is_seen() -> None:
    kit = Kit()
    said = [{**message, "date": "2026-11-29T21:40"} for message in STORY]
    kit.remember("story", said)
    assert len(kit.nodes("story", "moment")) == len(STORY)
    said[0] = {**said[0], "text": "I live in Saltmarsh, under the bridge."}
    assert kit.show("story", said)["commits_out"] == 1


@pytest.mark.req("B1")
@pytest.mark.parametrize(("before", "after"), [("😀", "😠"), ("👍🏻", "👍🏿"), ("𠮷野家", "𠮶野家")])
def test_an_edit_of_one_sign_beyond_the_basic_plane_is_seen(before: str, after: str) -> None:
    kit = Kit()
    kit.remember("c", rows(("Mara", f"The sign at the gate of the mill says {before}")))
    result = kit.show("c", rows(("Mara", f"The sign at the gate of the mill says {after}")))
    assert (result["inserted"], result["removed"]) == (1, 1)


@pytest.mark.req("P7")
def test_after_an_earlier_delete_the_right_memories_go() -> None:
    texts = [f"Chest number {number} holds the {thing}." for number, thing in enumerate("axe bow cup dye elk fan gem hat ink jar".split())]
    messages = rows(*((("Mara", "Tobin")[at % 2], text) for at, text in enumerate(texts)))
    kit = Kit()
    kit.remember("c", messages)
    without = messages[:2] + messages[3:]
    kit.show("c", without)
    del without[6]  # the one that was number 7
    kit.show("c", without)
    assert kit.texts("c", "moment").count("Chest number 7 holds the hat.") == 0
    assert sorted(kit.texts("c", "moment")) == sorted(text for at, text in enumerate(texts) if at not in (2, 7))


@pytest.mark.req("LAW-BRANCH", "P13")
def test_a_branch_holds_what_its_own_messages_support_and_the_parent_is_untouched(kit: Kit) -> None:
    before = kit.graph("story")
    kit.show("branch", STORY[:4], branch_of="story")
    assert kit.call("extract.plan", chat="branch", by="rules", lag=0)["windows"] == [], "the pool has them already"
    assert kit.graph("branch") == scratch(STORY[:4])
    kit.remember("branch", [*STORY[:4], *rows(("Mara", "We set fire to the Copper Heron Tavern."))])
    assert kit.graph("story") == before
    kit.show("story", [])
    assert kit.graph("branch")["nodes"], "a parent that is emptied or deleted takes nothing from its branch"


@pytest.mark.req("P5")
def test_an_extraction_that_ends_after_a_fork_lives_only_where_its_messages_stand(kit: Kit) -> None:
    kit.show("branch", STORY[:2], branch_of="story")
    later = [*STORY, *rows(("Mara", "The Grey Widow sank off Saltmarsh."))]
    kit.remember("story", later)
    assert "sank" in str(kit.graph("story"))
    assert kit.graph("branch") == scratch(STORY[:2])


@pytest.mark.req("LAW-RENAME")
def test_a_rename_of_chat_character_or_persona_loses_nothing(kit: Kit) -> None:
    renamed = [{**message, "name": {"Mara": "Maren", "Tobin": "Old Tobin"}[message["name"]]} for message in STORY]
    result = kit.show("story", renamed)
    assert result["inserted"] == 0
    assert kit.call("extract.plan", chat="story", by="rules", lag=0)["windows"] == []
    assert kit.graph("story") == scratch(renamed)
    assert "Mara" not in kit.texts("story", "entity")
    kit.call("entity.alias", chat="story", name="Maren", alias="Mara")
    kit.remember("story", [*renamed, *rows(("Maren", "They used to call me Mara, and Mara of Marrow Bay I was."))])
    assert [node for node in kit.nodes("story", "entity") if node["text"] in ("Mara", "Maren")] == [
        node for node in kit.nodes("story", "entity") if node["fields"].get("aliases") == ["Mara"]
    ]


@pytest.mark.req("LAW-CONTINUE")
def test_a_continued_reply_keeps_its_memories_until_the_longer_text_is_extracted(kit: Kit) -> None:
    before = kit.texts("story", "moment")
    longer = [*STORY[:-1], {**STORY[-1], "text": STORY[-1]["text"] + " Then he slept on the roof of the mill."}]
    kit.show("story", longer)
    assert kit.texts("story", "moment") == before
    assert [w["first"] for w in kit.call("extract.plan", chat="story", by="rules", lag=0)["windows"]] == [5]
    kit.call("extract.run", chat="story", lag=0)
    assert kit.graph("story") == scratch(longer)
    assert "roof of the mill" in str(kit.graph("story"))


def test_a_beginning_counts_only_where_the_rest_of_its_window_stands_before_it() -> None:
    kit = Kit()
    kit.remember("c", rows(("Mara", "The key is in the well."), ("Tobin", "Good, I shall fetch a rope.")))
    kit.show("c", rows(("Mara", "Nothing of the kind."), ("Tobin", "Other words altogether here.")))
    assert kit.graph("c") == {"nodes": [], "edges": []}


@pytest.mark.req("P17")
def test_an_empty_chat_deletes_nothing(kit: Kit) -> None:
    before = kit.graph("story")
    kit.show("story", [])
    assert kit.graph("story") == {"nodes": [], "edges": []}
    kit.remember("story", rows(("Tobin", "A new greeting over the old file, with a door and a lamp."), user="Mara"))
    kit.show("story", STORY)
    assert kit.graph("story") == before
    assert kit.call("extract.plan", chat="story", by="rules", lag=0)["windows"] == []


def test_hiding_moving_and_copying_need_no_extraction(kit: Kit) -> None:
    hidden = [{**message, "hidden": at == 1} for at, message in enumerate(STORY)]
    before = kit.graph("story")
    kit.show("story", hidden)
    assert kit.graph("story") == before
    moved = [STORY[2], STORY[3], STORY[0], STORY[1], STORY[4], STORY[5]]
    kit.show("story", moved)
    assert kit.graph("story") == scratch(moved)
    copied = [*STORY, *STORY[:2]]
    kit.show("story", copied)
    assert kit.call("extract.plan", chat="story", by="rules", lag=0)["windows"] == []
    assert kit.graph("story") == scratch(copied)


@pytest.mark.req("B29", "F29")
def test_a_greeting_that_sets_the_scene_is_extracted_once_whoever_speaks_first() -> None:
    greeting = (
        "The mill of Pell Quay stands alone at the end of the causeway, and Corwin, its keeper, has not spoken to a soul since spring."
    )
    other = "Snow lies on the quay of Varn. Corwin, the keeper, waits for a ship that is nine days late."
    kit = Kit()
    kit.remember("c", rows(("Corwin", greeting), user="Mara"))
    first = kit.graph("c")
    assert greeting in kit.texts("c", "moment")
    kit.remember("c", rows(("Corwin", other), user="Mara"))
    assert kit.texts("c", "moment") == [other]
    kit.remember("c", rows(("Corwin", greeting), user="Mara"))
    assert kit.graph("c") == first


@pytest.mark.req("F1", "P45")
def test_system_and_tool_messages_are_never_a_source() -> None:
    kit = Kit()
    secret = {"role": "system", "name": "", "text": "You are Tobin, a sailor from Varn who fears cats."}
    tool = {"role": "tool", "name": "search", "text": "Varn: population 300"}
    result = kit.show("c", [secret, *STORY[:2], tool, *STORY[2:]])
    assert result["skipped"] == {"system": 1, "tool": 1}
    assert result["messages"] == len(STORY)
    kit.call("extract.run", chat="c", lag=0)
    assert "Varn" not in str(kit.graph("c"))
    assert kit.graph("c") == scratch(STORY)
    again = kit.show("c", [secret, *STORY[:2], tool, *STORY[2:]])
    assert (again["inserted"], again["removed"], again["messages"]) == (0, 0, len(STORY))


@pytest.mark.req("F23", "M17")
def test_secrets_are_masked_before_anything_is_stored() -> None:
    kit = Kit()
    kit.remember("c", rows(("Mara", "My card is 4111 1111 1111 1111 and the order number is 00123456789.")))
    assert "4111" not in str(kit.graph("c"))
    assert "00123456789" in str(kit.graph("c"))
    chat = kit.run_sync(kit.service.chats.open("c"))
    assert all("4111" not in source.text for source in chat.pool.sources.values())


@pytest.mark.req("LAW-WHY")
def test_why_goes_down_to_the_very_words(kit: Kit) -> None:
    biscuit = next(node for node in kit.nodes("story", "entity") if node["text"] == "Biscuit")
    why = kit.call("why", chat="story", node=biscuit["id"])
    assert {belief["author"] for belief in why["beliefs"]} == {"rules"}
    quoted = [(message["index"], message["quote"]) for belief in why["beliefs"] for message in belief["messages"]]
    assert all(quote in STORY[index]["text"] for index, quote in quoted)
    assert {index for index, _ in quoted} == {4, 5}


@pytest.mark.req("P59")
def test_one_name_with_two_sorts_is_one_node_and_the_conflict_is_noted() -> None:
    kit = Kit()
    kit.remember(
        "c", rows(("Mara", "Sing 《Old Tobin》 once more, the one with the whale."), ("old tobin", "I shall sing it by the stove."))
    )
    nodes = [node for node in kit.nodes("c", "entity") if node["text"].lower() == "old tobin"]
    assert len(nodes) == 1
    assert nodes[0]["subs"] == ["character", "work"]


@pytest.mark.req("P27")
def test_a_bulk_extraction_rewrites_and_hides_nothing() -> None:
    messages = rows(*((("Mara", "Tobin")[at % 2], f"On day {at} we counted {at * 7} gulls above the mill.") for at in range(500)))
    kit = Kit()
    kit.remember("c", messages)
    assert sorted(kit.texts("c", "moment")) == sorted(message["text"] for message in messages)
    assert kit.call("stats", chat="c")["superseded"] == 0


class TestByHand:
    """A person's changes lie on top of what is extracted, wait while their target is gone, and can be undone."""

    def moment(self, kit: Kit, index: int) -> str:
        text = STORY[index]["text"]
        return str(next(node["id"] for node in kit.nodes("story", "moment") if node["text"] == text))

    @pytest.mark.req("LAW-UNDO")
    def test_an_edit_is_undone_and_done_again(self, kit: Kit) -> None:
        before = kit.graph("story")
        node = self.moment(kit, 3)
        done = kit.call("node.edit", chat="story", node=node, fields={"text": "The ferry leaves at dawn."})
        after = kit.graph("story")
        assert kit.call("node.get", chat="story", node=node)["text"] == "The ferry leaves at dawn."
        undone = kit.call("undo", chat="story", commit=done["commit"])
        assert kit.graph("story") == before
        kit.call("undo", chat="story", commit=undone["commit"])
        assert kit.graph("story") == after
        kit.call("undo", chat="story")
        assert kit.graph("story") == before

    def test_a_change_waits_while_its_message_is_away(self, kit: Kit) -> None:
        node = self.moment(kit, 3)
        kit.call("node.edit", chat="story", node=node, fields={"text": "The ferry leaves at dawn."})
        after = kit.graph("story")
        kit.show("story", STORY[:3])
        (waiting,) = kit.call("stats", chat="story")["waiting"]
        assert (waiting["node"], waiting["change"]) == (node, "edit")
        assert [(edit["field"], edit["after"]) for edit in waiting["edits"]] == [("text", "The ferry leaves at dawn.")]
        with pytest.raises(NotFound):
            kit.call("node.get", chat="story", node=node)
        kit.show("story", STORY)
        assert kit.graph("story") == after

    def test_what_is_forgotten_and_away_waits_in_its_own_words(self, kit: Kit) -> None:
        node = self.moment(kit, 3)
        text = kit.call("node.get", chat="story", node=node)["text"]
        kit.call("node.retire", chat="story", node=node)
        kit.show("story", STORY[:3])
        (waiting,) = kit.call("stats", chat="story")["waiting"]
        assert (waiting["change"], waiting["subject"], waiting["edits"]) == ("hide", text, [])

    @pytest.mark.req("B27")
    def test_an_edge_to_a_hidden_node_goes_with_it_and_comes_back(self, kit: Kit) -> None:
        before = kit.graph("story")
        node = self.moment(kit, 1)
        assert any(node in (edge["from"], edge["to"]) for edge in before["edges"])
        kit.call("node.retire", chat="story", node=node)
        assert not any(node in (edge["from"], edge["to"]) for edge in kit.graph("story")["edges"])
        kit.call("undo", chat="story")
        assert kit.graph("story") == before

    def test_a_branch_has_the_changes_made_before_it_and_its_own_touch_only_itself(self, kit: Kit) -> None:
        node = self.moment(kit, 1)
        kit.call("node.edit", chat="story", node=node, fields={"text": "changed in the parent"})
        kit.show("branch", STORY, branch_of="story")
        kit.show("short", STORY[:2], branch_of="story")
        assert kit.call("node.get", chat="branch", node=node)["text"] == "changed in the parent"
        assert kit.call("node.get", chat="short", node=node)["text"] != "changed in the parent", "its anchor does not stand there"
        parent = kit.graph("story")
        kit.call("node.edit", chat="branch", node=node, fields={"text": "changed in the branch"})
        assert kit.graph("story") == parent
        commit = kit.call("why", chat="story", node=node)
        assert commit["beliefs"][-1]["author"] == "person"
        kit.call("undo", chat="branch")
        kit.call("undo", chat="branch", commit=self.newest_of_parent(kit))
        assert kit.call("node.get", chat="branch", node=node)["text"] == STORY[1]["text"]
        assert kit.graph("story") == parent, "what is undone in a branch stays in its parent"

    @staticmethod
    def newest_of_parent(kit: Kit) -> str:
        chat = kit.run_sync(kit.service.chats.open("story"))
        return next(commit.id for commit in chat.pool.windowless if commit.chat == chat.record.id)

    def test_the_graph_as_of_a_message_is_the_graph_of_the_chat_until_there(self, kit: Kit) -> None:
        for index in range(len(STORY)):
            assert kit.graph("story", at=index) == scratch(STORY[: index + 1])


def test_a_message_that_no_file_could_hold_is_refused_and_nothing_is_lost() -> None:
    kit = Kit()
    kit.remember("c", STORY)
    before = kit.graph("c")
    with pytest.raises(BadInput, match="the most"):
        kit.show("c", [*STORY, {"role": "user", "name": "Mira", "text": "x" * 10_000_001}])
    assert kit.graph("c") == before
