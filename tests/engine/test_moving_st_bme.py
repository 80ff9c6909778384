"""Moving in from ST-BME: every format version, once and without a loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, CareKit
from tests.engine.service_kit import Kit
from tests.engine.st_bme_kit import FILES, SAID, bring, bundle, chat_kit, edges, graph_file, node, text_of, whole


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "version1",
            {
                ("entity", "character", "Mira"),
                ("entity", "location", "Old Quay"),
                ("moment", "event", "Mira sees the harbour lamp go out."),
                ("fact", "rule", "Nobody lands after dark without paying."),
                ("thread", "plot", "Who put out the lamp?"),
                ("digest", "reflection", "Mira trusts what she sees."),
                ("digest", "synopsis", "A harbour goes dark."),
            },
        ),
        (
            "version9_zh",
            {
                ("entity", "character", "小禾"),
                ("entity", "character", "阿澄"),
                ("entity", "location", "老渡口"),
                ("entity", "location", "茶馆"),
                ("entity", "topic", "第二夜"),
                ("entity", "topic", "引魂灯"),
                ("moment", "event", "小禾看见渡口的灯灭了。"),
                ("fact", "belief", "阿澄以为灯是小禾吹灭的。"),
                ("fact", "rule", "天黑以后渡河须付一枚铜钱。"),
                ("thread", "plot", "谁灭了灯"),
                ("digest", "reflection", "小禾只信自己看见的。"),
                ("digest", "synopsis", "渡口的灯灭了，众人猜疑。"),
            },
        ),
    ],
)
def test_every_type_has_a_kind_and_its_word_as_a_sub(name: str, expected: set[tuple[str, str, str]]) -> None:
    kit = chat_kit()
    done = bring(kit, graph_file(name))
    assert {(each["kind"], each["sub"], each["text"]) for each in whole(kit)["nodes"]} == expected
    assert (done["format"], done["nodes"], done["known"]) == ("st-bme", len(expected), 0)


# What an older version lacks, the latest first. The steps are not tied to numbers: no reader may need them to be.
LATER: list[Callable[[Any], object]] = [
    lambda file: file.pop("summaryState"),
    lambda file: file.pop("timelineState"),
    lambda file: file.pop("regionState"),
    lambda file: file.pop("knowledgeState"),
    lambda file: [node.pop(name, None) for node in file["nodes"] for name in ("storyTime", "storyTimeSpan", "clusters")],
    lambda file: [node.pop("scope", None) for node in file["nodes"]],
    lambda file: [edge.pop(name, None) for edge in file["edges"] for name in ("validAt", "invalidAt", "expiredAt")],
    lambda file: [file.pop(name) for name in ("historyState", "batchJournal", "maintenanceJournal", "vectorIndexState", "tombstones")],
]


@pytest.mark.parametrize("version", range(1, 10))
def test_each_format_version_is_read_and_what_it_lacks_is_not_missed(version: int) -> None:
    file = {**graph_file(), "version": version}
    for take_away in LATER[: 9 - version]:
        take_away(file)
    found = bundle(file)
    texts = {each.name or each.text for each in found.nodes}
    assert {"Mira", "Old Quay", "Mira sees the harbour lamp go out.", "Who put out the lamp?", "Toll"} - texts == {"Toll"}
    assert "Nobody lands after dark without paying." in texts
    assert not texts & {"never to come", "as it was before"}
    assert ("The lamp is lost and found." in texts) == (version == 9)
    assert (("A deleted thing." in texts), found.notes == []) == ((version == 1), version <= 2)
    beliefs = [each for each in found.nodes if each.fields.get("held_by") == "Oren"]
    assert bool(beliefs) == (version >= 4)
    kit = chat_kit()
    assert bring(kit, file)["nodes"] == len(found.nodes)
    assert bring(kit, file)["commits"] == 0


def test_a_newer_format_is_read_as_far_as_it_is_known_and_says_so() -> None:
    found = bundle({**graph_file(), "version": 12})
    assert len(found.nodes) == len(bundle(graph_file()).nodes)
    assert any("12" in note for note in found.notes)


def test_points_of_view_are_kept_apart_and_knowledge_comes_as_edges() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    thinks = node(kit, "Oren thinks that Mira took the lamp.")
    assert {name: thinks["fields"][name] for name in ("held_by", "known_by", "emotion", "certainty")} == {
        "held_by": "Oren",
        "known_by": ["Oren"],
        "emotion": "anger",
        "certainty": "mistaken",
    }
    assert node(kit, "Ash hears a splash and tells nobody.")["fields"]["known_by"] == ["Ash"]
    assert node(kit, "Mira")["fields"]["state"] == "has found the lamp"
    other = node(kit, "Mira. state: is a thief")
    assert (other["sub"], other["fields"]["held_by"], other["state"]) == ("belief", "Oren", "current")
    assert node(kit, "Mira. state: sleeps in the loft")["state"] == "archived"
    lamp, rule = "Mira sees the harbour lamp go out.", "Nobody lands after dark without paying."
    assert {
        ("about", "Oren thinks that Mira took the lamp.", "Mira", ""),
        ("knows", "Mira", lamp, ""),
        ("knows", "Oren", lamp, "mistaken"),
        ("knows", "Oren", rule, ""),
        ("relates", "Ash hears a splash and tells nobody.", "Oren", "hidden from"),
    } <= edges(kit)
    assert ("knows", "Mira", rule, "") not in edges(kit)
    assert json.loads(node(kit, rule)["fields"]["imported"])["visibility"] == {"Mira": 0.6}


def test_story_time_regions_and_summaries_come_along() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    lamp = node(kit, "Mira sees the harbour lamp go out.")
    assert (lamp["fields"]["story_time"], lamp["state"], lamp["fields"]["importance"]) == ("the first night", "archived", 6)
    assert json.loads(lamp["fields"]["imported"])["storyTime"]["tense"] == "past"
    assert node(kit, "Who put out the lamp?")["fields"]["story_time"] == "the first night – the third night"
    assert node(kit, "On the first night the harbour lay dark.")["sub"] == "narrative"
    states = {each["text"]: (each["sub"], each["state"]) for each in whole(kit)["nodes"] if each["kind"] == "digest"}
    assert states == {
        "Mira trusts what she sees.": ("reflection", "current"),
        "A harbour goes dark.": ("synopsis", "archived"),
        "Mira searches the quay and finds the lamp.": ("synopsis", "current"),
        "The lamp is lost and found.": ("volume", "current"),
    }
    assert {
        ("part_of", "A harbour goes dark.", "The lamp is lost and found.", ""),
        ("part_of", "Mira sees the harbour lamp go out.", "On the first night the harbour lay dark.", ""),
        ("part_of", "the first night", "the feast week", ""),
        ("occurred_at", "Mira sees the harbour lamp go out.", "Old Quay", ""),
        ("relates", "Old Quay", "Fish Market", "adjacent"),
    } <= edges(kit)
    assert kit.call("state.get", chat="c", about="the quay")["name"] == "Old Quay"


def test_nothing_of_a_record_is_lost_and_no_column_takes_the_place_of_a_field() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    omen = node(kit, "Three gulls on the mast.")
    assert {name: omen["fields"].get(name) for name in ("attribute", "bme_attribute", "weight", "type")} == {
        "attribute": None,
        "bme_attribute": "ill",
        "weight": 3,
        "type": "omen",
    }
    mira = node(kit, "Mira")["fields"]
    assert (mira["favourite_song"], mira["inventory"], mira["tags"]) == ("The Long Pull", ["rope", "tin box"], ["harbour folk"])
    kept = json.loads(node(kit, "Mira sees the harbour lamp go out.")["fields"]["imported"])
    for name, value in graph_file()["nodes"][4].items():
        assert kept.get(name, value) == value
        assert name in {*kept, "fields", "archived", "importance"}
    assert json.loads(node(kit, "On the first night the harbour lay dark.")["fields"]["imported"])["ended"][0]["invalidAt"] == 1700000800000
    # What rides along is no words of the memory.
    card = kit.recall("c", "What of Mira?")
    assert "createdTime" not in json.dumps(card)


def test_what_is_left_out_is_counted_and_says_why() -> None:
    dry = bring(chat_kit(), graph_file("version1"), dry=True)
    assert dry["left_out"] == {"edge that was made by itself": 1, "edge without its memories": 1, "last recall": 1, "vectors": 1}
    whole = bring(chat_kit(), graph_file(), dry=True)
    assert whole["left_out"] == {
        "active region": 1,
        "fingerprints of messages": 1,
        "journal of batches": 2,
        "memory that was deleted": 1,
        "synopsis that a summary repeats": 1,
        "vectors": 1,
    }


def test_a_preview_writes_nothing_and_counts_what_then_comes() -> None:
    kit = chat_kit()
    before = whole(kit)
    dry = bring(kit, graph_file(), dry=True)
    assert whole(kit) == before
    done = bring(kit, graph_file())
    assert {**dry, "dry": False, "commit": done["commit"]} == done
    kit.call("undo", chat="c", commit=done["commit"])
    assert whole(kit) == before


def test_memories_rest_on_the_messages_of_their_floors() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    lamp = node(kit, "Mira sees the harbour lamp go out.")
    (belief,) = kit.call("why", chat="c", node=lamp["id"])["beliefs"]
    assert (belief["author"], [each["index"] for each in belief["messages"]]) == ("import", [0, 1])
    assert [each["text"] for each in belief["messages"]] == [SAID[0]["text"], SAID[1]["text"]]
    # It was made from more messages than anything rests on.
    assert node(kit, "On the first night the harbour lay dark.")["evidence"] == []
    # A restart reads the same from what is stored.
    before = whole(kit)
    kit.restart()
    assert whole(kit) == before


def test_an_edited_message_takes_no_imported_memory_away() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    texts = {each["text"] for each in whole(kit)["nodes"]}
    kit.show("c", [{**row, "text": row["text"] + "!"} if at == 1 else row for at, row in enumerate(SAID)])
    assert {each["text"] for each in whole(kit)["nodes"]} == texts
    # And can be changed by hand as before.
    keep, other = node(kit, "Three gulls on the mast."), node(kit, "Nobody lands after dark without paying.")
    kit.call("node.merge", chat="c", keep=keep["id"], others=[other["id"]])
    assert node(kit, "Nobody lands after dark without paying.")["state"] == "hidden"


@pytest.mark.parametrize("said", [SAID[:3], SAID[1:], [*SAID[:4], SAID[3], *SAID[4:5]][:5]], ids=["shorter", "shifted", "no reply there"])
def test_floors_of_another_chat_are_no_evidence(said: list[dict[str, Any]]) -> None:
    kit = Kit()
    kit.show("c", said)
    done = bring(kit, graph_file())
    assert all(each["evidence"] == [] for each in whole(kit)["nodes"])
    assert any("without evidence" in note for note in done["notes"])


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_same_file_twice_adds_nothing(name: str) -> None:
    kit = chat_kit()
    first = bring(kit, graph_file(name))
    before = whole(kit)
    for again in (bring(kit, graph_file(name)), bring(kit, graph_file(name), dry=True)):
        assert (again["nodes"], again["edges"], again["commits"], again["commit"]) == (0, 0, 0, "")
        assert again["known"] == first["nodes"] + first["edges"]
    assert whole(kit) == before


def _later(file: Any) -> Any:
    """The same chat some time after: one memory more, one state changed; recall has counted and raised importances."""
    for each in file["nodes"]:
        each["accessCount"] = 9
        each["importance"] = min(10, each.get("importance", 5) + 1)
    mira = next(each for each in file["nodes"] if each["id"] == "n-mira")
    mira["fields"]["state"] = "has gone to sea"
    mira["updatedAt"] = 1700001000000
    file["nodes"].append(
        {"id": "n-new", "type": "event", "level": 0, "seq": 5, "createdTime": 1700001000001, "fields": {"summary": "A sail is seen."}}
    )
    file["edges"].append({"id": "e9", "from": "n-mira", "to": "n-new", "relation": "involved_in", "strength": 0.8, "edgeType": 0})
    return file


def test_a_newer_export_brings_only_what_is_new_and_an_older_one_nothing() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    before = {each["id"]: each for each in whole(kit)["nodes"]}
    done = bring(kit, _later(graph_file()))
    assert (done["nodes"], done["edges"]) == (2, 1)
    assert {row["text"] for row in done["sample"] if row["new"]} <= {"Mira", "A sail is seen."}
    after = {each["id"]: each for each in whole(kit)["nodes"]}
    assert {after[id_]["text"] for id_ in after if after[id_] != before.get(id_)} == {"Mira", "A sail is seen."}
    assert node(kit, "Mira")["fields"]["state"] == "has gone to sea"
    assert bring(kit, graph_file())["commits"] == 0
    assert bring(kit, _later(graph_file()))["commits"] == 0


def test_what_a_person_did_since_stands() -> None:
    kit = chat_kit()
    bring(kit, graph_file())
    mira, toll = node(kit, "Mira"), node(kit, "Nobody lands after dark without paying.")
    kit.call("node.edit", chat="c", node=mira["id"], fields={"state": "keeps the light"})
    kit.call("node.retire", chat="c", node=toll["id"])
    file = _later(graph_file())
    next(node for node in file["nodes"] if node["id"] == "n-rule")["fields"]["constraint"] = "Nobody lands at all."
    assert bring(kit, file)["nodes"] == 1
    assert node(kit, "Mira")["fields"]["state"] == "keeps the light"
    assert node(kit, "Nobody lands after dark without paying.")["state"] == "hidden"
    assert kit.call("stats", chat="c")["waiting"] == []


def test_what_the_chat_says_of_somebody_is_not_written_over() -> None:
    kit = CareKit()
    kit.call("node.write", chat=CHAT, kind="entity", name="Mira", fields={"state": "rows the boat"})
    text = text_of(graph_file("version1"))
    kit.call("import", chat=CHAT, text=text)
    fields = kit.node(kit.id_of("Mira"))["fields"]
    assert (fields["state"], fields["goal"]) == ("rows the boat", "find the lamp")
    assert kit.call("import", chat=CHAT, text=text)["commits"] == 0


def test_what_was_forgotten_for_good_does_not_come_again_and_the_rest_does() -> None:
    kit = chat_kit()
    first = bring(kit, graph_file())
    gulls = "Three gulls on the mast."
    kit.call("node.purge", chat="c", node=node(kit, gulls)["id"])
    again = bring(kit, graph_file())
    assert again["left_out"]["memory that was forgotten for good"] == 1
    assert gulls not in json.dumps(whole(kit))
    assert len(whole(kit)["nodes"]) == first["nodes"] - 1
    assert bring(kit, graph_file())["commits"] == 0


def test_what_a_purged_message_said_does_not_come_back_through_a_file() -> None:
    kit = chat_kit()
    kit.call("extract.run", chat="c", by="rules", lag=0)
    (said,) = [each for each in whole(kit)["nodes"] if each["text"] == SAID[1]["text"]]
    kit.call("node.purge", chat="c", node=said["id"])
    done = bring(kit, graph_file())
    assert done["left_out"]["memory that was forgotten for good"] > 0
    assert "Mira sees the harbour lamp go out." not in {each["text"] for each in whole(kit)["nodes"]}
    assert node(kit, "Nobody lands after dark without paying.")["evidence"]


def test_a_branch_has_the_imported_memories_where_it_holds_what_was_last_said_then() -> None:
    kit = chat_kit()
    done = bring(kit, graph_file())
    kit.show("whole", SAID, branch_of="c")
    kit.show("earlier", SAID[:4], branch_of="c")
    assert (len(kit.graph("whole")["nodes"]), kit.graph("earlier")["nodes"]) == (done["nodes"], [])
