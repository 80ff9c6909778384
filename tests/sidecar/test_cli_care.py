"""Memories put in order, decided, listed, moved and made anew on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import answered, sample, tidelore, write_chat

# Each starts processes of its own.
pytestmark = pytest.mark.slow

SAID = [
    ("Ann", "I live in Oslo. My cat is called Bo."),
    ("Bob", "Ann lives in Bergen."),
    ("Ann", "The lantern of Saltmarsh burns in the mill tonight."),
    ("Bob", "The lantern of Saltmarsh burns in the mill at dusk."),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A store with one chat, "talk"."""
    folder = tmp_path / "data"
    answered(folder, "import", str(write_chat(tmp_path / "talk.jsonl", SAID, "Ann")), "--yes")
    return folder


def _rows(data: Path, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answered(data, "list", *arguments)["nodes"]
    return found


def _moment(data: Path, words: str) -> str:
    (row,) = _rows(data, words, "--kind", "moment")
    return str(row["id"])


def test_memories_are_listed_merged_split_and_brought_back(data: Path) -> None:
    keep, other = _moment(data, "mill tonight"), _moment(data, "mill at dusk")
    done = answered(data, "merge", keep, other, "--text", "The lantern burns in the mill.")
    assert (done["text"], done["merged"]) == ("The lantern burns in the mill.", [other])
    assert "hidden" in tidelore(data, "list", "--state", "hidden").stdout
    answered(data, "undo", done["commit"])
    assert {row["id"] for row in _rows(data, "lantern", "--kind", "moment")} == {keep, other}
    assert "lantern" in tidelore(data, "redo").stdout
    said = tidelore(data, "split", keep, "The lantern burns.", "The lantern is in the mill.").stdout
    assert "2 memories of one" in said
    assert "undo" in said


def test_names_are_merged_and_come_apart(data: Path) -> None:
    answered(data, "merge", "Ann", "Bob", "--text", "Annabob")
    assert {row["text"] for row in _rows(data, "--kind", "entity")} & {"Ann", "Bob", "Annabob"} == {"Annabob"}
    answered(data, "split", "Annabob", "Bob")
    assert {row["text"] for row in _rows(data, "--kind", "entity")} & {"Ann", "Bob", "Annabob"} == {"Annabob", "Bob"}


def test_marks_are_set_seen_and_taken_back(data: Path) -> None:
    node = _moment(data, "mill tonight")
    assert "Pinned: The lantern" in tidelore(data, "pin", node).stdout
    assert "The lantern of Saltmarsh burns in the mill tonight." in answered(data, "recall", "Bergen")["core"]
    assert "(pinned)" in tidelore(data, "list", "tonight").stdout
    answered(data, "unpin", node)
    answered(data, "archive", node)
    assert "(archived)" in tidelore(data, "list", "tonight").stdout
    answered(data, "unarchive", node)
    answered(data, "pin", node)
    said = " ".join(tidelore(data, "private", node).stdout.split())
    assert "Private, so it goes into no prompt and no export: The lantern" in said
    assert "It is not pinned any more." in said
    shown = tidelore(data, "changes", "--limit", "1").stdout
    assert "made private, unpinned, a person" in shown
    assert "The lantern of Saltmarsh burns in the mill tonight." in shown
    assert "True" not in shown
    assert "nothing" not in shown
    assert "tonight" not in json.dumps([each["text"] for each in answered(data, "graph")["nodes"]])
    answered(data, "public", node)
    changes = answered(data, "changes")["changes"]
    assert [each["change"] for each in changes] == ["public", "private", "pin", "unarchive", "archive", "unpin", "pin"]
    told = tidelore(data, "changes", "--limit", "2", "--lang", "zh").stdout
    assert "取消私密" in told
    assert "设为私密、取消置顶" in told
    assert "5" in told
    assert "Taken back: not private any more: The lantern" in tidelore(data, "undo").stdout


def test_a_history_tells_versions_and_receipts(data: Path) -> None:
    node = _moment(data, "mill tonight")
    answered(data, "edit", node, "text=The lantern is out.")
    changes = tidelore(data, "changes").stdout
    assert "\n  The lantern is out." in changes
    assert "text: The lantern of Saltmarsh burns in the mill tonight. -> The lantern is out." in " ".join(changes.split())
    shown = tidelore(data, "history", node[:8]).stdout
    assert "edited, a person" in shown
    assert "text: The lantern is out." in shown
    assert answered(data, "history", node)["why"]["delivered"] is None
    assert answered(data, "history", "nobody-at-all", code=1)["error"]["code"] == "not_found"


def test_cards_are_shown_and_decided(data: Path) -> None:
    shown = tidelore(data, "cards").stdout
    assert "conflict: two people say different things" in shown
    assert "#0 Ann: I live in Oslo." in shown
    card = answered(data, "cards")["cards"][0]["id"]
    answered(data, "decide", card[:8], "old")
    assert "Nothing is to be decided." in tidelore(data, "cards").stdout
    assert answered(data, "decide", card, "old", code=1)["error"]["code"] == "not_found"
    answered(data, "undo")
    assert answered(data, "cards")["total"] == 1


def test_an_overview_tells_all_at_once(data: Path) -> None:
    shown = tidelore(data, "overview").stdout
    assert "to decide" in shown
    assert "the rules" in shown
    found = answered(data, "overview")
    assert (found["messages"], found["cards"], found["failed"]) == (4, 1, [])


def test_a_chat_moves_to_another_store(data: Path, tmp_path: Path) -> None:
    answered(data, "pin", _moment(data, "mill tonight"))
    file = tmp_path / "talk.tidelore.json"
    assert str(file) in "".join(tidelore(data, "export", "--output", str(file)).stdout.split())
    there = tmp_path / "there"
    dry = answered(there, "import", str(file))
    assert (dry["dry"], dry["chat"], dry["messages"]) == (True, "talk", 4)
    assert not (there / "tidelore.db").exists()
    assert "--yes" in tidelore(there, "import", str(file)).stdout
    answered(there, "import", str(file), "--yes")
    assert answered(there, "graph") == answered(data, "graph")
    assert "here already" in tidelore(there, "import", str(file), "--yes").stdout.lower()
    text = tidelore(data, "export", "--format", "markdown").stdout
    assert text.startswith("# talk\n")
    lines = tidelore(data, "export", "--format", "jsonl").stdout.splitlines()
    assert {json.loads(line)["type"] for line in lines} == {"entity"}


def test_a_file_of_the_memory_server_comes_into_a_chat(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text('{"type": "entity", "name": "Wend", "entityType": "person", "observations": ["digs graves"]}\n', "utf-8")
    shown = tidelore(data, "import", str(file), "--chat", "talk").stdout
    assert "new  digs graves" in shown
    assert _rows(data, "graves") == []
    done = answered(data, "import", str(file), "--chat", "talk", "--yes")
    assert [row["text"] for row in _rows(data, "graves")] == ["digs graves"]
    answered(data, "undo", done["commit"])
    assert _rows(data, "graves") == []


def test_settings_and_prompts_are_changed_and_taken_back(data: Path, tmp_path: Path) -> None:
    assert "extract.lag = 2  (default: 1)" in tidelore(data, "settings", "set", "extract.lag=2").stdout
    assert answered(data, "plan")["lag"] == 2
    answered(data, "settings", "reset", "extract.lag")
    assert answered(data, "settings", "set", "extract.lag=many", code=1)["error"]["code"] == "bad_input"
    assert all(not each["changed"] for each in answered(data, "settings", "list")["settings"])
    file = tmp_path / "mine.txt"
    file.write_text(tidelore(data, "prompt", "get", "extract.en").stdout, "utf-8")
    assert not answered(data, "prompt", "set", "extract.en", str(file))["changed"]
    file.write_text("Short: {schema}\n", "utf-8")
    answered(data, "prompt", "set", "extract.en", str(file))
    assert tidelore(data, "prompt", "get", "extract.en").stdout == "Short: {schema}\n"
    assert "changed" in tidelore(data, "prompt", "list").stdout
    answered(data, "prompt", "reset", "extract.en")
    assert answered(data, "prompt", "set", "extract.en", str(tmp_path / "none.txt"), code=1)["error"]["code"] == "not_found"


def test_indexes_are_made_anew(data: Path, tmp_path: Path) -> None:
    before = answered(data, "graph")
    done = answered(data, "rebuild")
    assert (done["chat"], done["degraded"]) == ("talk", [])
    assert answered(data, "graph") == before
    answered(data, "import", str(sample(tmp_path / "story.jsonl", 6)), "--yes")
    assert "made anew" in tidelore(data, "rebuild", "story").stdout
