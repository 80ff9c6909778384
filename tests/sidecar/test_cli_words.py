"""What the commands say: hints that can be pasted, results with their numbers, errors in the language of the interface."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.sidecar.cli_kit import answered, sample, tidelore, write_chat
from tidelore.commands.invocation import command

# Each starts processes of its own.
pytestmark = pytest.mark.slow

MODEL = {"TIDELORE_MODEL_URL": "http://127.0.0.1:9/v1", "TIDELORE_MODEL": "m"}
QUESTION = "the thread on the old key"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def filled(data: Path, tmp_path: Path) -> Path:
    """A store with one chat, "story"."""
    answered(data, "import", str(sample(tmp_path / "story.jsonl")), "--yes")
    return data


def _first(data: Path, *arguments: str) -> str:
    return str(answered(data, "recall", QUESTION, "--limit", "1", *arguments)["cards"][0]["node"])


def _branched(tmp_path: Path, data: Path, length: int) -> None:
    """A branch of "story" that was made after it."""
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "text": f"I keep {at} brass lanterns in the mill of Saltmarsh."} for at in range(length)]
    params = {"chat": "branch", "messages": messages, "branch_of": "story"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "chat.update", "params": params}
    assert "result" in tidelore(data, "rpc", input_=json.dumps(request).encode() + b"\n").stdout


def test_the_program_is_named_as_it_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my tools" / "bin" / "tidelore"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.defpath)
    assert command(str(program)) == "'my tools/bin/tidelore'"
    monkeypatch.chdir(program.parent)
    assert command("tidelore") == "./tidelore"
    monkeypatch.chdir("/")
    monkeypatch.setenv("PATH", str(program.parent))
    assert command(str(program)) == "tidelore"
    assert command("/x/tidelore/__main__.py", "/usr/bin/nowhere/python3").endswith("usr/bin/nowhere/python3 -m tidelore")


def test_a_suggested_command_is_on_one_line_and_names_the_data(filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a folder with a name that is long enough to be wrapped wherever it may be"
    name = "A chat's name that is long enough to be wrapped too"
    done = tidelore(filled, "import", str(tmp_path / "story.jsonl"), "--chat", name, "--yes", "--data", str(folder), env=MODEL)
    (line,) = [line for line in done.stdout.splitlines() if "extract" in line]
    assert line.endswith(f"-m tidelore --data '{folder}' extract 'A chat'\"'\"'s name that is long enough to be wrapped too' --by model")


def test_without_a_model_none_is_suggested(data: Path, tmp_path: Path) -> None:
    said = tidelore(data, "import", str(sample(tmp_path / "story.jsonl", 4)), "--yes").stdout
    assert "--by model" not in said
    assert "TIDELORE_MODEL_URL" in said


def test_the_result_of_an_import_says_what_came_and_what_went(filled: Path, tmp_path: Path) -> None:
    done = tidelore(filled, "import", str(sample(tmp_path / "story.jsonl", 17)), "--yes")
    assert "0 new, 23 gone" in done.stdout


def test_the_same_messages_under_another_name_are_known(filled: Path, tmp_path: Path) -> None:
    other = str(sample(tmp_path / "other.jsonl"))
    done = answered(filled, "import", other, "--yes")
    assert (done["written"], done["chats"][0]["same_as"], done["chats"][0]["changes"]) == (False, "story", False)
    assert 'equals the chat "story"' in tidelore(filled, "import", other).stdout
    assert answered(filled, "import", other, "--chat", "mine", "--yes")["written"]
    assert [each["chat"] for each in answered(filled, "chats")["chats"]] == ["story", "mine"]


def test_a_budget_that_is_too_small_is_not_the_same_as_no_match(filled: Path) -> None:
    assert "none fits into 10 tokens" in tidelore(filled, "recall", QUESTION, "--budget", "10").stdout
    assert "--preset story shows more" in tidelore(filled, "recall", "xyzzy", "--preset", "strict").stdout
    assert "goes with the question" in tidelore(filled, "recall", "xyzzy").stdout


def test_an_edit_shows_what_changed_and_an_undo_what_it_took_back(filled: Path) -> None:
    node = _first(filled)
    assert "importance: nothing -> 9" in tidelore(filled, "edit", node, "importance:=9").stdout
    assert "importance: 9 -> nothing" in tidelore(filled, "edit", node, "importance=").stdout
    assert "importance: 9 -> nothing" in tidelore(filled, "undo").stdout


@pytest.mark.parametrize("field", ["text=", "text= ", "text:=null"])
def test_a_memory_keeps_a_text(filled: Path, field: str) -> None:
    node = _first(filled)
    done = tidelore(filled, "edit", node, field)
    assert (done.returncode, f"retire {node}" in done.stderr) == (1, True)
    person = next(each["id"] for each in answered(filled, "graph")["nodes"] if each["kind"] == "entity")
    assert f"retire {person}" in tidelore(filled, "edit", person, "name=").stderr


def test_an_alias_needs_two_names_one_of_them_known(filled: Path) -> None:
    assert answered(filled, "alias", "Marit Oakes", "marit  oakes", code=1)["error"]["code"] == "bad_input"
    assert answered(filled, "alias", "Nobody", "Noone", code=1)["error"]["code"] == "not_found"
    assert "alias 'Marit Oakes' Nobody" in answered(filled, "alias", "Nobody", "Marit Oakes", code=1)["error"]["hint"]


def test_a_memory_is_found_in_whichever_chat_has_it(filled: Path, tmp_path: Path) -> None:
    node = _first(filled)
    answered(filled, "import", str(write_chat(tmp_path / "later.jsonl", [("Bob", "A word."), ("Ann", "And one more.")])), "--yes")
    assert answered(filled, "node", node)["chat"] == answered(filled, "why", node)["chat"] == "story"
    done = tidelore(filled, "edit", node, "importance:=9").stdout
    assert "--chat story" in done
    undo = next(line for line in done.splitlines() if " undo " in line).split()
    assert answered(filled, "undo", undo[undo.index("undo") + 1])["chat"] == "story"
    assert answered(filled, "retire", node)["chat"] == "story"
    assert answered(filled, "why", node, code=1)["error"]["code"] == "not_found"
    assert 'Recall from "later"' in tidelore(filled, "recall", "word", "--chat", "later").stdout
    assert "Recall from all 2 chats" in tidelore(filled, "recall", "word").stdout


@pytest.mark.parametrize(("length", "meant"), [(3, "story"), (50, "branch")])
def test_a_short_branch_is_not_the_chat_that_is_meant(filled: Path, tmp_path: Path, length: int, meant: str) -> None:
    _branched(tmp_path, filled, length)
    assert answered(filled, "stats")["chat"] == "story"  # what was not read yet holds no memory
    assert answered(filled, "plan")["chat"] == meant
    assert answered(filled, "extract")["chat"] == meant
    assert answered(filled, "stats")["chat"] == meant


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "nowhere.txt"], "没有文件 nowhere.txt"),
        (["import", "{empty}"], "是空的"),
        (["import", "{binary}"], "不是文本文件"),
        (["import", "{unknown}"], "没有可以读取的聊天"),
        (["graph", "--at", "999"], "没有这条消息"),
        (["extract", "--range", "20-10"], "终点在起点之前"),
        (["stats", "nowhere"], "没有名为“nowhere”的聊天"),
        (["node", "ffffffff"], "没有记忆 ffffffff"),
        (["undo"], "没有可以撤回的修改"),
        (["undo", "ffffffff"], "没有这次修改"),
        (["recall", "x", "--budget", "0"], "必须大于等于 1"),
    ],
)
def test_errors_are_chinese_where_the_interface_is(filled: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    files = {"empty": b"", "binary": b"\0\1\2", "unknown": b'{"a": 1}'}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    given = [each.format(**{name: tmp_path / name for name in files}) for each in arguments]
    done = tidelore(filled, *given, "--lang", "zh")
    assert done.returncode == 1
    assert said in "".join(done.stderr.split("\n")).replace("      ", "")
    assert ".list" not in done.stderr + tidelore(filled, *given).stderr
    assert "graph.get" not in tidelore(filled, *given).stderr


def test_words_of_the_engine_are_chinese_too(filled: Path) -> None:
    assert "片段/事件" in tidelore(filled, "node", _first(filled), "--lang", "zh").stdout


def test_an_id_needs_four_digits(filled: Path) -> None:
    assert "at least 4 digits" in tidelore(filled, "node", "1").stderr


def test_a_mistyped_command_brings_the_nearest(data: Path) -> None:
    assert 'Did you mean "recall"?' in tidelore(data, "recal", "x").stderr


def test_without_names_the_roles_speak(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Ho."}]), encoding="utf-8")
    assert "user, assistant" in tidelore(data, "import", str(file)).stdout


def test_windows_that_wait_are_counted_alike_everywhere(filled: Path, tmp_path: Path) -> None:
    due = answered(filled, "import", str(tmp_path / "story.jsonl"), "--yes")["chats"][0]["model_due"]
    assert due == answered(filled, "stats")["model_due"] == len(answered(filled, "plan")["windows"])
