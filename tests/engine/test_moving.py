"""Memories to files and from files: preview, no doubles, nothing lost on the way to another Tidelore."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tests.engine.service_kit import Kit
from tidelore.engine.errors import BadInput, Conflict

LINES = "\n".join(
    json.dumps(each, ensure_ascii=False)
    for each in (
        {"type": "entity", "name": "Wend", "entityType": "person", "observations": ["digs graves", "rows at night"]},
        {"type": "entity", "name": "St. Ob", "entityType": "chapel", "observations": []},
        {"type": "relation", "from": "Wend", "to": "St. Ob", "relationType": "works at"},
        {"type": "relation", "from": "Wend", "to": "Nobody", "relationType": "knows"},
        {"type": "comment", "text": "?"},
    )
)


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _by_hand(kit: CareKit) -> None:
    """Everything a person can do, so that it is in the file."""
    kit.fact(2, "The ferryman wants a copper.")
    kit.fact(4, "The ferryman asks a copper.")
    kit.call("node.merge", chat=CHAT, keep=kit.id_of("The ferryman wants a copper."), others=[kit.id_of("The ferryman asks a copper.")])
    kit.call("node.pin", chat=CHAT, node=kit.id_of(STORY[0]["text"]))
    kit.call("node.private", chat=CHAT, node=kit.id_of(STORY[5]["text"]))
    kit.call("node.write", chat=CHAT, text="The toll is a copper.")
    undone = kit.call("node.write", chat=CHAT, text="The toll is a crown.")
    kit.call("undo", chat=CHAT, commit=undone["commit"])


@pytest.mark.parametrize("name", [CHAT, "another name"])
def test_a_chat_goes_on_elsewhere_as_it_was(kit: CareKit, name: str) -> None:
    _by_hand(kit)
    file = kit.call("export", chat=CHAT)
    assert (file["name"], file["messages"]) == ("c.tidelore.json", 6)
    there = Kit("there")
    dry = there.call("import", chat=name, text=file["text"], dry=True)
    assert (dry["messages"], dry["known"], there.call("chat.list")["chats"]) == (6, 0, [])
    done = there.call("import", chat=name, text=file["text"])
    assert (done["messages"], done["commits"]) == (6, dry["commits"])
    wanted = {"private": True, "states": ["current", "superseded", "archived", "hidden"]}
    assert there.call("graph.get", chat=name, **wanted) == kit.call("graph.get", chat=CHAT, **wanted)
    assert there.recall(name, "Who drowned?")["core"] == kit.recall(CHAT, "Who drowned?")["core"]
    again = there.call("import", chat=name, text=file["text"])
    assert (again["messages"], again["commits"], again["known"]) == (0, 0, done["commits"])
    assert there.call("export", chat=name)["text"].count('"content"') == file["text"].count('"content"')


def test_secrets_and_what_was_cut_out_change_no_key_on_the_way(kit: CareKit) -> None:
    said = [{"role": "user", "name": "Mara", "text": "My key is sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD and I live in Oslo."}]
    kit.remember("secret", said)
    text = kit.call("export", chat="secret")["text"]
    assert "sk-abcdef" not in text
    there = Kit("there")
    there.call("import", chat="secret", text=text)
    assert there.graph("secret") == kit.graph("secret")
    # The host shows the chat as it is on screen: nothing is new, and nothing is lost.
    changed = there.show("secret", said)
    assert (changed["inserted"], changed["removed"]) == (0, 0)
    assert there.graph("secret") == kit.graph("secret")


def test_what_was_done_since_comes_along_the_next_time(kit: CareKit) -> None:
    there = Kit("there")
    there.call("import", chat=CHAT, text=kit.call("export", chat=CHAT)["text"])
    kit.call("node.write", chat=CHAT, text="The toll is a copper.")
    done = there.call("import", chat=CHAT, text=kit.call("export", chat=CHAT)["text"])
    assert (done["commits"], there.texts(CHAT, "fact")) == (1, ["The toll is a copper."])


def test_another_chat_of_the_same_name_is_left_alone(kit: CareKit) -> None:
    there = CareKit(replica="there")
    with pytest.raises(Conflict, match="another one"):
        there.call("import", chat=CHAT, text=kit.call("export", chat=CHAT)["text"])
    there.call("import", chat="from the other", text=kit.call("export", chat=CHAT)["text"])
    assert there.texts("from the other", "moment") == kit.texts(CHAT, "moment")


def test_two_exports_of_the_same_are_the_same(kit: CareKit) -> None:
    text = kit.call("export", chat=CHAT)["text"]
    kit.restart()
    assert kit.call("export", chat=CHAT)["text"] == text


@pytest.mark.parametrize(
    "break_",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"tidelore":1', '"tidelore":99'),
        lambda text: text.replace('"pool":"', '"pool":"no pool '),
        lambda text: text.replace('"role":"user"', '"role":"villain"'),
        lambda text: text.replace('"author":', '"writer":', 1),
        lambda text: text.replace('"sources":[[', '"sources":[[1,'),
        lambda text: "",
        lambda text: "some words that are no file",
    ],
)
def test_a_file_that_is_broken_is_refused_and_writes_nothing(kit: CareKit, break_: Callable[[str], str]) -> None:
    there = Kit("there")
    with pytest.raises(BadInput) as refused:
        there.call("import", chat=CHAT, text=break_(kit.call("export", chat=CHAT)["text"]))
    assert refused.value.hint
    assert there.call("chat.list")["chats"] == []


def test_a_file_of_the_memory_server_comes_as_one_change(kit: CareKit) -> None:
    before = kit.all()
    dry = kit.call("import", chat=CHAT, text=LINES, dry=True)
    assert kit.all() == before
    done = kit.call("import", chat=CHAT, text=LINES)
    assert (done["format"], done["nodes"], done["edges"], done["known"]) == ("jsonl", 4, 1, 0)
    assert {**dry, "dry": False, "commit": done["commit"]} == done
    assert done["left_out"] == {"relation without its entities": 1, "unknown line": 1}
    assert [fact["text"] for fact in kit.call("state.get", chat=CHAT, about="wend")["facts"]] == ["rows at night", "digs graves"]
    assert ("St. Ob", "works at") in {(each["text"], each["label"]) for each in kit.call("state.get", chat=CHAT, about="Wend")["relations"]}
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == before


def test_the_same_file_twice_is_nothing_new_and_what_was_hidden_stays_hidden(kit: CareKit) -> None:
    kit.call("import", chat=CHAT, text=LINES)
    kit.call("node.retire", chat=CHAT, node=kit.id_of("digs graves"))
    before = kit.all()
    again = kit.call("import", chat=CHAT, text=LINES)
    assert (again["nodes"], again["edges"], again["known"], again["commit"]) == (0, 0, 5, "")
    assert not any(row["new"] for row in again["sample"])
    assert kit.all() == before
    more = LINES.replace("digs graves", "keeps bees")
    assert kit.call("import", chat=CHAT, text=more)["nodes"] == 1


def test_a_new_chat_is_made_for_a_file_of_memories() -> None:
    kit = Kit()
    assert kit.call("import", chat="new", text=LINES, dry=True)["nodes"] == 4
    assert kit.call("chat.list")["chats"] == []
    kit.call("import", chat="new", text=LINES)
    assert sorted(kit.texts("new", "entity")) == ["St. Ob", "Wend"]


def test_what_the_memory_server_would_read_comes_back_from_it(kit: CareKit) -> None:
    kit.fact(3, "The ferryman drowned.", "Harl")
    kit.fact(5, "The sexton rows.", "Wend")
    kit.call("edge.add", chat=CHAT, start="Wend", end="Harl", label="buried")
    file = kit.call("export", chat=CHAT, format="jsonl")
    assert file["left_out"] == {"moment": 4}
    lines = [json.loads(line) for line in file["text"].splitlines()]
    harl = next(line for line in lines if line.get("name") == "Harl")
    assert harl == {"type": "entity", "name": "Harl", "entityType": "character", "observations": ["The ferryman drowned."]}
    assert {"type": "relation", "from": "Wend", "to": "Harl", "relationType": "buried"} in lines
    there = Kit("there")
    there.call("import", chat="mine", text=file["text"])
    assert sorted(there.call("export", chat="mine", format="jsonl")["text"].splitlines()) == sorted(file["text"].splitlines())
    # Where it came from, all of it is known.
    assert kit.call("import", chat=CHAT, text=file["text"])["nodes"] == 0


@pytest.mark.req("S13")
def test_memories_are_exported_as_a_text_for_people(kit: CareKit) -> None:
    kit.fact(3, "The ferryman drowned *last* winter.", "Harl", known_by=("Tobin",))
    kit.fact(0, "It burns.", "Lantern", attribute="light")
    kit.fact(4, "It is out.", "Lantern", attribute="light")
    kit.call("node.archive", chat=CHAT, node=kit.id_of(STORY[2]["text"]))
    file = kit.call("export", chat=CHAT, format="markdown")
    text = file["text"]
    assert text.startswith("# c\n\n## People, places and things\n")
    assert "### Harl\n\n- The ferryman drowned \\*last\\* winter. [known\\_by: Tobin] (message 3)" in text
    assert "It is out." in text
    assert "It burns." not in text
    assert file["left_out"] == {"superseded": 1}
    happened, archived = text.split("## What happened")[1].split("## Archived")
    assert STORY[2]["text"] in archived
    assert STORY[2]["text"] not in happened
    assert next(line for line in happened.splitlines() if line.startswith("- ")) == f"- {STORY[1]['text']} (message 1)"


def test_a_chinese_chat_has_chinese_headings() -> None:
    kit = Kit()
    kit.remember("故事", [{"role": "user", "name": "小禾", "text": "船夫去年冬天在桥边淹死了，渡口从此没有人。"}])
    assert "## 发生过的事" in kit.call("export", chat="故事", format="markdown")["text"]


def test_no_word_of_a_memory_becomes_a_heading_of_the_file(kit: CareKit) -> None:
    kit.call("node.write", chat=CHAT, text="harmless\n# A heading\n- an item <script>alert(1)</script>")
    lines = kit.call("export", chat=CHAT, format="markdown")["text"].splitlines()
    assert [line for line in lines if line.startswith("# ")] == ["# c"]
    assert not any("<script>" in line.replace("\\<", "") for line in lines)


@pytest.mark.parametrize("format_", ["tidelore", "markdown", "jsonl"])
def test_a_scope_is_exported_like_a_chat(format_: str) -> None:
    kit = Kit()
    chat: Any = kit.call("node.write", scope="profile", text="Likes copper kettles.", about="Mara")["chat"]
    kit.call("node.write", scope="profile", kind="entity", name="Mara")
    file = kit.call("export", chat=chat, format=format_)
    assert "Likes copper kettles." in file["text"]
    assert file["name"].startswith("profile.")


@pytest.mark.parametrize(
    "text", ['{"type": "entity", "observations": []}', '{"type": "relation", "from": "a"}', '{"type": "entity", "name": "A"}\n[1]']
)
def test_a_line_that_cannot_be_read_is_named(kit: CareKit, text: str) -> None:
    with pytest.raises(BadInput, match=r"Line [12]"):
        kit.call("import", chat=CHAT, text=text)
    with pytest.raises(BadInput, match="no format"):
        kit.call("import", chat=CHAT, text=LINES, format="st-unknown")
