"""The tool names of Serein, Tideline and MemTether, called as prompts that were written for them call them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.sidecar.mcp.kit import Tools, over_http, text
from tests.sidecar.serve.kit import serving
from tidelore.serve.mcp.surface import SETS, pick

NAMES = {
    "serein": "recall_memory read_memory find_arc read_arc_materials write_scene edit_scene set_scene_status set_memory_state annotate"
    " read_diary write_diary revise_diary comment_diary delete_diary propose_memory list_candidates review_memory pipeline_next"
    " pipeline_submit pipeline_rebuild source_message_search source_message_read promote_event_to_scene list_event_mailbox"
    " read_event_mailbox save_event_mailbox_draft read_favorites memo_create memo_list memo_update window_shadow_read window_shadow_write"
    " dream_read resume narrative_volume handoff save_memory list_source_messages read_source_messages",
    "tideline": "memory_write memory_recall memory_search memory_write_profile memory_read_profiles memory_write_self_concept"
    " memory_read_self_concept memory_write_thread memory_read_threads memory_write_snapshot memory_read_snapshot memory_graph"
    " memory_attention_heatmap memory_soft_clusters context_record context_search context_timeline memory_amend memory_traj_promote",
    "memtether": "add_memories search_memory list_memories correct_memory retire_memory pin_memory as_of_query timeline profile feedback",
}


@pytest.fixture
def tools() -> Tools:
    made = Tools()
    made.memory.clock = lambda: 1_760_000_000.0
    return made


@pytest.mark.parametrize("of", NAMES)
def test_every_name_of_the_other_server_answers(of: str) -> None:
    assert {tool.name for tool in SETS[of]} == set(NAMES[of].split())


@pytest.mark.parametrize("tool", [tool for of in NAMES for tool in SETS[of] if tool.absent], ids=lambda tool: tool.name)
def test_a_name_without_anything_behind_it_says_what_to_do(tools: Tools, tool: Any) -> None:
    result = tools(tool.name, anything={"at": "all"})
    assert result.is_error
    assert text(result).startswith(f"not_there_yet: `{tool.name}` is not there yet.\n")
    assert len(text(result).splitlines()[1]) > 20


@pytest.mark.slow
def test_what_is_not_there_is_not_listed_but_answered(tmp_path: Any) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, over_http(server.url, server.key, tools="all") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {tool.name for tool in pick(["all"]).values() if not tool.absent}
            result = await client.call_tool("dream_read", {"index": 1})
            assert result.is_error
            assert "not_there_yet" in text(result)

    asyncio.run(main())


# ---- Serein ----


def _scene(tools: Tools, content: str = "We met at the harbour.", **more: Any) -> str:
    id_: str = tools.data("write_scene", content=content, cues=["harbour"], **more)["id"]
    return id_


@pytest.mark.req("S14")
@pytest.mark.parametrize("cues", [[], list("abcdefghi"), ["a", " "], ["x" * 81]])
def test_a_scene_needs_one_to_eight_cues(tools: Tools, cues: list[str]) -> None:
    assert "cue" in text(tools("write_scene", content="x", cues=cues))


@pytest.mark.req("S15")
def test_only_given_fields_of_a_scene_change_and_nothing_else_is_edited_as_one(tools: Tools) -> None:
    id_ = _scene(tools, title="Harbour")
    tools.data("edit_scene", scene_id=f"scene:{id_}", expected_updated_at="x", content="We met at the pier.")
    (read,) = tools.data("read_memory", identifier=f"scene:{id_}", with_evidence=True)["memories"]
    fields = {each["name"]: each["value"] for each in read["fields"]}
    assert (read["text"], fields["title"], fields["cues"]) == ("We met at the pier.", "Harbour", "harbour")
    fact = tools.data("write", text="A fact.")["id"]
    for wrong in (fact, "ffffffff"):
        assert tools("edit_scene", scene_id=wrong, expected_updated_at="x", content="y").is_error
    state: dict[str, Any] = {"scene_id": id_, "expected_updated_at": "x"}
    tools.data("set_scene_status", **state, status="archived")
    assert tools.data("recall_memory", query="pier")["memories"] == []
    assert tools.data("read_memory", identifier=id_)["memories"][0]["text"] == "We met at the pier."
    tools.data("set_scene_status", **state, status="active")
    assert tools.data("recall_memory", query="pier")["memories"]
    for _ in range(2):
        tools.data("set_scene_status", **state, status="deleted")
        tools.data("set_scene_status", **state, status="active")
    tools.data("set_scene_status", **state, status="deleted")
    assert tools("edit_scene", scene_id=id_, expected_updated_at="x", content="y").is_error


@pytest.mark.req("S2")
def test_every_version_of_a_scene_is_read_by_its_number(tools: Tools) -> None:
    id_ = _scene(tools, "One.")
    for content in ("Two.", "Three."):
        tools.data("edit_scene", scene_id=id_, expected_updated_at="x", content=content)
    tools.data("set_memory_state", operation_id="o", document_id=id_, expected_revision=3, favorite=True)
    for number, content in enumerate(("One.", "Two.", "Three."), 1):
        assert tools.data("read_memory", identifier=id_, revision=number)["memories"][0]["text"] == content
    assert "There are 3" in text(tools("read_memory", identifier=id_, revision=4))


@pytest.mark.req("S11")
def test_a_note_leaves_the_words_of_a_memory_alone(tools: Tools) -> None:
    id_ = _scene(tools)
    tools.data("annotate", memory_id=id_, content="The best day.", author="Mira")
    tools.data("annotate", memory_id=id_, content="It rained.")
    (read,) = tools.data("read_memory", identifier=id_)["memories"]
    notes = next(each["value"] for each in read["fields"] if each["name"] == "notes")
    assert (read["text"], notes) == ("We met at the harbour.", "Mira: The best day.\nassistant: It rained.")


@pytest.mark.req("S12")
def test_favourites_have_a_list_and_change_nothing_else(tools: Tools) -> None:
    first, second = _scene(tools, "Harbour one.", favorite=True), _scene(tools, "Harbour two.")
    ranks = [each["id"] for each in tools.data("recall_memory", query="harbour", fallback=True)["memories"]]
    assert [each["id"] for each in tools.data("read_favorites", kind="scene")["items"]] == [first]
    tools.data("set_memory_state", operation_id="o", document_id=second, expected_revision=1, favorite=True)
    tools.data("set_memory_state", operation_id="p", document_id=first, expected_revision=1, favorite=False)
    assert [each["id"] for each in tools.data("read_favorites")["items"]] == [second]
    assert [each["id"] for each in tools.data("recall_memory", query="harbour")["memories"]] == ranks
    assert [each["id"] for each in tools.data("recall_memory", query="harbour", exclude_ids=[f"scene:{ranks[0]}"])["memories"]] == ranks[1:]


def test_originals_are_found_by_words_and_days_and_read_with_neighbours_of_the_same_chat(tools: Tools) -> None:
    rows = [{"role": "user", "text": f"The clock says {at}.", "date": f"2026-01-0{at + 1}T20:00:00Z"} for at in range(5)]
    for chat in ("a", "b#1"):
        asyncio.run(tools.service.call("chat.update", {"chat": chat, "messages": rows}))
    # 20:00 in UTC is the next day there.
    found = tools.data("source_message_search", query="clock", date="2026-01-03")["messages"]
    assert {each["id"] for each in found} == {"raw:a#1", "raw:b#1#1"}
    assert len(tools.data("source_message_search", date="2026-01-03/2026-01-04")["messages"]) == 4
    assert tools("source_message_search").is_error
    pages = tools.pages("source_message_search", query="clock", limit=3)
    assert len({each["id"] for page in pages for each in page["messages"]}) == 10
    read = tools.data("source_message_read", ids=["raw:b#1#4"], neighbor_before=1, neighbor_after=2)["messages"]
    assert [(each["id"], each["wanted"]) for each in read] == [("raw:b#1#3", False), ("raw:b#1#4", True)]
    for wrong in ("raw:7", "raw:a#x", "raw:nowhere#1", "raw:a#99"):
        assert tools("source_message_read", ids=[wrong]).is_error


@pytest.mark.req("S79")
def test_the_diary_is_listed_searched_revised_and_commented(tools: Tools) -> None:
    id_ = tools.data("write_diary", content="I saw the harbour.", date="2026-01-02", title="Day one")["id"]
    tools.data("comment_diary", diary_id=id_, content="Lovely.")
    tools.data("revise_diary", diary_id=id_, content="I saw the pier.")
    assert tools.data("recall", query="harbour pier")["memories"] == []
    (page,) = tools.data("read_diary", date="2026-01-02")["items"]
    assert (page["text"], page["notes"], page["title"]) == ("I saw the pier.", ["ai: Lovely."], "Day one")
    assert tools.data("read_diary", query="harbour")["items"] == []
    assert tools("read_diary", query="x", diary_id=id_).is_error
    tools.data("delete_diary", diary_id=id_)
    assert tools.data("read_diary")["items"] == []


def test_a_page_that_should_be_locked_is_refused_and_not_stored_open(tools: Tools) -> None:
    assert text(tools("write_diary", content="Not yet.", unlock_at="2099-01-01T00:00:00+08:00")).startswith("not_there_yet: ")
    assert tools.data("read_diary")["items"] == []


def test_a_memo_whose_time_nobody_would_keep_is_refused(tools: Tools) -> None:
    for more in ({"repeat_rule": "daily"}, {"interval_rounds": 6}, {"cooldown_minutes": 5}):
        assert tools("memo_create", title="Oil", content="Buy oil.", **more).is_error
    id_ = tools.data("memo_create", title="Oil", content="Buy oil.")["id"]
    tools.data("memo_update", of="serein", memo_id=id_, status="archived")
    assert tools.data("memo_list", of="serein", status="active")["items"] == []


@pytest.mark.req("S58")
def test_a_window_hands_over_and_the_newest_is_read_first(tools: Tools) -> None:
    for day in (1, 2):
        tools.memory.clock = lambda day=day: 1_760_000_000.0 + day * 86_400  # type: ignore[misc]
        tools.data("window_shadow_write", user_view=f"Kind {day}.", self_view="Calm.", recent_events="We sailed.")
    assert tools.data("window_shadow_read")["items"][0]["text"].startswith("Kind 2.")
    assert tools.data("window_shadow_read", index=2)["items"][0]["text"].startswith("Kind 1.")
    assert tools.data("window_shadow_read", index=3)["items"] == []
    assert tools("window_shadow_write", user_view="x", self_view=" ", recent_events="y").is_error


@pytest.mark.req("S57")
def test_a_note_under_a_key_is_replaced_unless_another_version_stands_there(tools: Tools) -> None:
    tools.data("handoff", key="work", text="One.", expected_revision=0)
    tools.data("handoff", key="work", text="Two.", expected_revision=1)
    assert "conflict" in text(tools("handoff", key="work", text="Three.", expected_revision=1))
    assert [each["text"] for each in tools.data("handoff", key="work")["items"]] == ["Two."]
    assert tools.data("handoff", key="other")["items"] == []
    assert tools("handoff", key="x" * 201, text="y").is_error


# ---- Tideline ----


@pytest.mark.req("T1")
def test_a_gesture_is_all_that_a_memory_needs(tools: Tools) -> None:
    tools.data("memory_write", gesture="I understood why she waits.", tags=["Mira", "等待"], importance=5, narrative_type="gesture")
    tools.data("memory_write", gesture="We sailed.", context="It was windy.", moment="At noon.", cognition_direction="Where to next?")
    tools.data("memory_write", content="Free text, as it was once.")
    assert tools("memory_write", gesture=" ").is_error
    assert tools("memory_write", gesture="x", importance=6).is_error
    found = tools.data("memory_search", query="Was it windy when we sailed?")["memories"]
    assert "We sailed.\nIt was windy.\nAt noon.\nWhere to next?" in [each["text"] for each in found]


@pytest.mark.req("T15")
def test_the_latest_memories_are_browsed_by_type_and_any_tag(tools: Tools) -> None:
    for at, tags in enumerate((["Mira"], ["等待"], ["Mira", "sea"], [])):
        tools.memory.clock = lambda at=at: 1_760_000_000.0 + at  # type: ignore[misc]
        tools.data("memory_write", gesture=f"Number {at}.", tags=tags, narrative_type="moment" if at % 2 else "gesture")

    def texts(**asked: Any) -> list[str]:
        return [each["text"] for each in tools.data("memory_recall", **asked)["items"]]

    assert texts(limit=2) == ["Number 3.", "Number 2."]
    assert texts(tags=["等待"]) == ["Number 1."]
    assert texts(tags=["sea", "等待"]) == ["Number 2.", "Number 1."]
    assert texts(narrative_type="moment") == ["Number 3.", "Number 1."]
    assert texts(query="Number 2") != []
    pages = tools.pages("memory_recall", limit=3, cursor_name="next_cursor")
    assert [len(page["items"]) for page in pages] == [3, 1]


def test_a_search_keeps_to_the_days_that_are_asked_for(tools: Tools) -> None:
    for day in (1, 2, 3):
        tools.memory.clock = lambda day=day: 1_767_225_600.0 + (day - 1) * 86_400  # type: ignore[misc]
        tools.data("memory_write", gesture=f"The clock of day {day}.")
    asked: dict[str, Any] = {"query": "clock", "limit": 9}
    assert len(tools.data("memory_search", **asked)["memories"]) == 3
    assert [each["text"] for each in tools.data("memory_search", **asked, since="2026-01-03")["memories"]] == ["The clock of day 3."]
    found = tools("memory_search", **asked, until="2026-01-02")
    assert {each["text"] for each in found.structured_content["memories"]} == {"The clock of day 1.", "The clock of day 2."}
    assert "day 3" not in text(found)


@pytest.mark.req("T33")
def test_a_profile_is_replaced_for_its_entity_and_kind_and_its_history_kept(tools: Tools) -> None:
    first = tools.data("memory_write_profile", entity="Mira", profile_type="impression", content="Shy.")["id"]
    tools.data("memory_write_profile", entity="Mira", profile_type="fact", content="Sells clocks.")
    tools.data("memory_write_profile", entity="Silas", profile_type="impression", content="Loud.")
    assert tools.data("memory_write_profile", entity="Mira", profile_type="impression", content="Bold.")["id"] == first
    assert {each["text"] for each in tools.data("memory_read_profiles", entity="mira")["items"]} == {"Bold.", "Sells clocks."}
    assert len(tools.data("memory_read_profiles")["items"]) == 3
    assert [each["text"] for each in tools.data("history", id=first)["steps"]] == ["Shy.", "Bold."]


@pytest.mark.req("T34")
def test_the_self_has_three_fields(tools: Tools) -> None:
    for name, content in (("fact", "I am Ada."), ("terrain", "I hurry."), ("self_reflection", "Why?"), ("terrain", "I wait.")):
        tools.data("memory_write_self_concept", field=name, content=content)
    read = {each["title"]: each["text"] for each in tools.data("memory_read_self_concept")["items"]}
    assert read == {"fact": "I am Ada.", "terrain": "I wait.", "self_reflection": "Why?"}
    assert tools("memory_write_self_concept", field="soul", content="x").is_error


@pytest.mark.req("T35")
def test_the_newest_snapshot_is_read(tools: Tools) -> None:
    for day in (1, 2):
        tools.memory.clock = lambda day=day: 1_760_000_000.0 + day * 86_400  # type: ignore[misc]
        tools.data("memory_write_snapshot", content=f"Day {day}.")
    assert [each["text"] for each in tools.data("memory_read_snapshot")["items"]] == ["Day 2."]
    assert [each["text"] for each in tools.data("memory_read_snapshot", limit=5)["items"]] == ["Day 2.", "Day 1."]


def test_a_thread_is_changed_by_its_id_and_the_weightiest_comes_first(tools: Tools) -> None:
    light = tools.data("memory_write_thread", content="Why is the sea salt?", importance=1)["id"]
    heavy = tools.data("memory_write_thread", content="Who took the key?", importance=5, emotional=5)["id"]
    assert [each["id"] for each in tools.data("memory_read_threads")["items"]] == [heavy, light]
    tools.data("memory_write_thread", thread_id=heavy, status="explored")
    assert [each["id"] for each in tools.data("memory_read_threads")["items"]] == [light]
    assert [each["id"] for each in tools.data("memory_read_threads", status="explored")["items"]] == [heavy]
    assert len(tools.data("memory_read_threads", status="all")["items"]) == 2
    tools.data("memory_write_thread", thread_id=light, content="Why is the sea so salt?")
    assert tools.data("memory_read_threads")["items"][0]["text"] == "Why is the sea so salt?"
    assert tools("memory_write_thread", thread_id="ffffffff", status="open").is_error


@pytest.mark.req("T14")
def test_turns_are_recorded_word_for_word_searched_and_paged(tools: Tools) -> None:
    said = [f"Turn {at} of the harbour." for at in range(25)]
    for at, content in enumerate(said):
        made = tools.data("context_record", content=content, metadata='{"role": "assistant", "name": "Bob"}' if at % 2 else "")
        assert made["id"] == f"tideline#{at}"
    first = tools.data("context_timeline", limit=20)
    second = tools.data("context_timeline", limit=20, offset=20)
    assert [each["text"] for each in (*first["messages"], *second["messages"])] == said[::-1]
    assert {each["role"] for each in first["messages"]} == {"user", "assistant"}
    assert [each["text"] for each in tools.data("context_search", query="Turn 7")["messages"]] == [said[7]]
    assert tools("context_record", content="x", metadata="[]").is_error
    results = tools.together(*(("context_record", {"content": f"At once {at}."}) for at in range(8)))
    assert len({(result.structured_content or {})["id"] for result in results}) == 8


def test_amendments_are_layers_over_the_words_of_a_memory(tools: Tools) -> None:
    id_ = tools.data("memory_write", gesture="She lied.")["id"]
    tools.data("memory_amend", narrative_id=id_, amendment="She did not know.", reason="She told me.")
    tools.data("memory_amend", narrative_id=id_, amendment="Nobody knew.")
    (item,) = tools.data("memory_recall")["items"]
    assert item["text"] == "She lied."
    assert item["notes"] == ["2025-10-09: She did not know. (She told me.)", "2025-10-09: Nobody knew."]


def test_what_joins_two_is_read_by_their_names(tools: Tools) -> None:
    for name in ("Mira", "Silas", "Olga"):
        tools.data("write", kind="entity", name=name)
    tools.data("link", **{"from": "Mira", "to": "Silas"}, label="sister of")
    tools.data("link", **{"from": "Olga", "to": "Silas"}, type="knows")
    pair = tools.data("memory_graph", pair="Mira，Silas")
    assert {each["text"] for each in pair["nodes"]} == {"Mira", "Silas"}
    assert [each["label"] for each in pair["edges"]] == ["sister of"]
    assert tools.data("memory_graph", entity="Olga")["nodes_total"] == 2
    assert tools("memory_graph", pair="Mira").is_error


# ---- MemTether ----


@pytest.mark.req("M28")
def test_what_was_corrected_stays_readable_in_its_timeline_and_is_not_recalled(tools: Tools) -> None:
    uid = tools.data("add_memories", text="The flight leaves at nine.", memory_type="task")["id"]
    tools.data("correct_memory", uid=uid, text="The flight leaves at ten.")
    told = [each["text"] for each in tools.data("timeline", uid=uid)["steps"]]
    assert told == ["The flight leaves at nine.", "The flight leaves at ten."]
    assert [each["text"] for each in tools.data("search_memory", query="flight")["memories"]] == ["The flight leaves at ten."]
    assert [each["kind"] for each in tools.data("list_memories")["items"]] == ["task"]
    tools.data("retire_memory", uid=uid)
    assert tools.data("search_memory", query="flight")["memories"] == []


@pytest.mark.req("M33")
def test_what_is_pinned_is_always_told(tools: Tools) -> None:
    uid = tools.data("add_memories", text="The door code is on the fridge.")["id"]
    asked: dict[str, Any] = {"query": "Something else entirely"}
    assert "fridge" not in text(tools("recall", **asked))
    tools.data("pin_memory", uid=uid)
    assert "fridge" in text(tools("recall", **asked))
    tools.data("pin_memory", uid=uid, off=True)
    assert "fridge" not in text(tools("recall", **asked))


def test_the_names_of_two_servers_that_are_alike_follow_the_one_that_is_named_last() -> None:
    assert pick(["more", "serein"])["memo_update"] is not pick(["serein", "more"])["memo_update"]
    assert pick(["all"])["memo_update"] is pick(["more"])["memo_update"]
