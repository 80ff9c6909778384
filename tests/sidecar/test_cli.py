"""The commands, run as processes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.sidecar.cli_kit import COMMAND, answered, environment, sample, tidelore, write_chat
from tidelore import __version__

# Each starts processes of its own.
pytestmark = pytest.mark.slow


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def filled(data: Path, tmp_path: Path) -> Path:
    """A store with one chat, "story"."""
    answered(data, "import", str(sample(tmp_path / "story.jsonl")), "--yes")
    return data


def test_without_a_command_and_with_help_it_is_explained(data: Path) -> None:
    assert (tidelore(data).returncode, tidelore(data).stdout) == (0, tidelore(data, "--help").stdout)
    shown = tidelore(data, "--help")
    assert shown.returncode == 0
    assert "import" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_the_version_is_that_of_the_package(data: Path) -> None:
    assert tidelore(data, "--version").stdout == f"tidelore {__version__}\n"


@pytest.mark.parametrize(
    ("variables", "word"),
    [
        ({}, "Usage"),
        ({"LANG": "zh_CN.UTF-8"}, "用法"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "Usage"),
        ({"LC_ALL": "en_GB.UTF-8", "TIDELORE_LANG": "zh"}, "用法"),
    ],
)
def test_the_language_follows_the_environment(data: Path, variables: dict[str, str], word: str) -> None:
    assert word in tidelore(data, "--help", env=variables).stdout


def test_the_language_option_wins_before_and_after_the_command(data: Path) -> None:
    for arguments in (["--lang", "zh", "chats"], ["chats", "--lang=zh"]):
        assert "还没有聊天" in tidelore(data, *arguments, env={"TIDELORE_LANG": "en"}).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["recall"],
        ["extract", "x", "--lag", "some"],
        ["extract", "x", "--range", "10..20"],
        ["chats", "--nonsense"],
        ["schema"],
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_sentence_with_what_to_do(data: Path, arguments: list[str]) -> None:
    done = tidelore(data, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 2
    assert "--help" in done.stderr


def test_an_error_is_a_sentence_and_a_hint_and_no_traceback(data: Path) -> None:
    done = tidelore(data, "recall", "anything")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert "tidelore import" in done.stderr
    assert not data.exists()


def test_an_error_for_programs_is_one_document(data: Path) -> None:
    assert answered(data, "recall", "anything", code=1)["error"].keys() == {"code", "message", "hint"}


def test_a_preview_writes_nothing_and_says_how_to_go_on(data: Path, tmp_path: Path) -> None:
    done = tidelore(data, "import", str(sample(tmp_path / "story.jsonl")))
    assert done.returncode == 0
    assert "--yes" in done.stdout
    assert not data.exists()


def test_an_import_makes_a_chat_that_can_be_asked(filled: Path) -> None:
    assert [(each["chat"], each["messages"], each["branch_of"]) for each in answered(filled, "chats")["chats"]] == [("story", 40, "")]
    found = answered(filled, "recall", "What colour was the thread on the old key?", "--trace")
    assert 14 in [each["index"] for card in found["cards"][:5] for each in card["evidence"]]
    assert found["trace"]["cards"]
    assert "#14" in tidelore(filled, "recall", "What colour was the thread on the old key?").stdout


def test_the_same_file_again_brings_nothing_new(filled: Path, tmp_path: Path) -> None:
    again = answered(filled, "import", str(tmp_path / "story.jsonl"), "--yes")
    assert again["written"] is False
    assert [(each["new"], each["gone"], each["changes"]) for each in again["chats"]] == [(0, 0, False)]
    assert "othing new" in tidelore(filled, "import", str(tmp_path / "story.jsonl")).stdout


def test_a_longer_version_of_a_chat_adds_to_it(filled: Path, tmp_path: Path) -> None:
    longer = answered(filled, "import", str(sample(tmp_path / "story.jsonl", 44)), "--yes")
    assert [(each["new"], each["gone"], each["stored"]) for each in longer["chats"]] == [(4, 0, 40)]
    assert [(each["chat"], each["messages"], each["branch_of"]) for each in answered(filled, "chats")["chats"]] == [("story", 44, "")]


def test_another_chat_of_the_same_name_does_not_replace_the_first(filled: Path, tmp_path: Path) -> None:
    other = write_chat(tmp_path / "story.jsonl", [("Bob", "Something else."), ("Ann", "Entirely."), ("Bob", "Quite.")], user="Ann")
    for _ in range(2):
        assert [each["chat"] for each in answered(filled, "import", str(other), "--yes")["chats"]] == ["story (2)"]
    assert [each["messages"] for each in answered(filled, "chats")["chats"]] == [40, 3]


def test_of_a_file_with_several_chats_one_can_be_taken(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "many.json"
    chats = [{"title": name, "messages": [{"role": "user", "content": f"I like {name}."}]} for name in ("Bergen", "Oslo")]
    file.write_text(json.dumps(chats), encoding="utf-8")
    titles = [each["title"] for each in answered(data, "import", str(file))["chats"]]
    taken = answered(data, "import", str(file), "--chat", titles[1], "--yes")
    assert [each["title"] for each in taken["chats"]] == [titles[1]]
    assert len(answered(data, "chats")["chats"]) == 1
    assert answered(data, "import", str(file), "--chat", "Trondheim", code=1)["error"]["code"] == "not_found"


def test_the_only_chat_of_a_file_can_be_given_a_name(data: Path, tmp_path: Path) -> None:
    answered(data, "import", str(sample(tmp_path / "story.jsonl", 4)), "--chat", "my own name", "--yes")
    assert [each["chat"] for each in answered(data, "chats")["chats"]] == ["my own name"]


def test_a_chat_is_known_by_a_part_of_its_name(filled: Path) -> None:
    assert answered(filled, "stats", "STO")["chat"] == "story"
    assert answered(filled, "stats", "nowhere", code=1)["error"]["code"] == "not_found"


def test_why_leads_to_the_very_words(filled: Path) -> None:
    card = answered(filled, "recall", "the thread on the old key", "--limit", "1")["cards"][0]
    why = answered(filled, "why", card["node"][:8])
    assert card["text"] in why["beliefs"][0]["messages"][0]["text"]
    assert "»" in tidelore(filled, "why", card["node"][:8]).stdout
    assert answered(filled, "node", card["node"])["id"] == card["node"]
    assert answered(filled, "why", "ffffffffffff", code=1)["error"]["code"] == "not_found"


def test_a_change_by_hand_can_be_taken_back(filled: Path) -> None:
    node = answered(filled, "recall", "the thread on the old key", "--limit", "1")["cards"][0]["node"]
    before = answered(filled, "node", node)
    changed = answered(filled, "edit", node, "text=The thread was blue.", "importance:=9", "note=")
    assert changed["text"] == "The thread was blue."
    assert answered(filled, "node", node)["fields"]["importance"] == 9
    assert answered(filled, "undo")["chat"] == "story"
    assert answered(filled, "node", node) == before
    retired = answered(filled, "retire", node)
    assert answered(filled, "node", node, code=1)["error"]["code"] == "not_found"
    answered(filled, "undo", retired["commit"])
    assert answered(filled, "node", node) == before


def test_an_alias_makes_two_names_one(filled: Path) -> None:
    done = answered(filled, "alias", "Marit Oakes", "Junebug")
    assert "Junebug" in answered(filled, "node", done["node"])["fields"]["aliases"]


def test_extraction_by_rules_reads_a_range_closed_on_both_ends(filled: Path) -> None:
    assert answered(filled, "extract", "story", "--range", "10-20")["windows"] == 11
    assert answered(filled, "plan", "story", "--by", "rules")["windows"] == []
    assert answered(filled, "plan", "story", "--lag", "0")["windows"][0] == {"first": 0, "last": 0}
    assert answered(filled, "extract", "story", "--range", "10-99", code=1)["error"]["code"] == "bad_input"


def test_extraction_by_a_model_that_is_not_set_says_how_to_set_one(filled: Path) -> None:
    assert "TIDELORE_MODEL_URL" in answered(filled, "extract", "story", "--by", "model", code=1)["error"]["hint"]


def test_a_model_that_cannot_be_reached_is_an_error_that_stores_nothing(filled: Path) -> None:
    arguments = ["--by", "model", "--model-url", "http://127.0.0.1:9/v1", "--model", "none", "--lag", "0"]
    done = answered(filled, "extract", "story", *arguments, code=1)
    assert done["interrupted"]
    assert done["windows"] == 0


def test_stats_and_graph_agree(filled: Path) -> None:
    stats, graph = answered(filled, "stats"), answered(filled, "graph")
    assert sum(stats["nodes"].values()) == len(graph["nodes"])
    assert sum(stats["edges"].values()) == len(graph["edges"])
    assert len(answered(filled, "graph", "--at", "3")["nodes"]) < len(graph["nodes"])


def test_the_graph_goes_into_a_file(filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "graph.graphml"
    done = answered(filled, "graph", "--format", "graphml", "--output", str(file))
    assert done["nodes"] == file.read_text("utf-8").count("<node ")
    assert "--force" in answered(filled, "graph", "--output", str(file), code=1)["error"]["hint"]
    assert file.read_text("utf-8").startswith("<?xml"), "what is there stays"
    answered(filled, "graph", "--output", str(file), "--force")
    assert file.read_text("utf-8").startswith("{")
    assert answered(filled, "graph", "--output", str(tmp_path / "no" / "where"), code=1)["error"]["code"] == "store_error"


def test_the_schema_can_be_taken_changed_and_put_back(data: Path, tmp_path: Path) -> None:
    schema = answered(data, "schema", "get")
    schema["kinds"]["fact"].append({"name": "vow", "meaning": "a promise given", "fields": []})
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(schema), encoding="utf-8")
    answered(data, "schema", "set", str(file))
    assert "vow" in [sub["name"] for sub in answered(data, "schema", "get")["kinds"]["fact"]]
    assert answered(data, "schema", "set", "-", input_=b'{"kinds": {}}')["kinds"].keys() == schema["kinds"].keys()
    assert answered(data, "schema", "set", "-", input_=b"{", code=1)["error"]["code"] == "bad_input"


def test_the_doctor_finds_nothing_and_changes_nothing(filled: Path) -> None:
    before = {path.name: path.read_bytes() for path in filled.iterdir() if path.suffix == ".db"}
    found = answered(filled, "doctor")
    assert found["ok"]
    assert {each["check"] for each in found["findings"]} >= {
        "python",
        "sqlite",
        "folder",
        "space",
        "store",
        "integrity",
        "format",
        "replica",
    }
    assert {path.name: path.read_bytes() for path in filled.iterdir() if path.suffix == ".db"} == before


def test_the_doctor_makes_no_folder(data: Path) -> None:
    assert tidelore(data, "doctor").returncode == 0
    assert not data.exists()


@pytest.mark.parametrize("content", [b"SQLite format 3\0 and then nothing", b"\0" * 5000, b"not a database at all" * 100])
def test_the_doctor_notices_a_damaged_store(data: Path, content: bytes) -> None:
    data.mkdir()
    (data / "tidelore.db").write_bytes(content)
    (data / "tidelore.db").chmod(0o600)
    found = answered(data, "doctor", code=1)
    assert [each["check"] for each in found["findings"] if each["level"] == "fail"] == ["store"]
    assert all(each["todo"] for each in found["findings"] if each["level"] != "ok")


def test_the_doctor_says_that_a_model_is_not_reached_and_shows_no_key(data: Path) -> None:
    secret = "sk-very-secret"
    env = {"TIDELORE_MODEL_URL": f"http://me:{secret}@127.0.0.1:9/v1?key={secret}", "TIDELORE_MODEL": "m", "TIDELORE_MODEL_KEY": secret}
    done = tidelore(data, "doctor", env=env)
    assert done.returncode == 1
    assert "127.0.0.1:9/v1" in done.stdout
    assert secret not in done.stdout + done.stderr


def test_a_reader_that_goes_away_is_no_error(filled: Path) -> None:
    with subprocess.Popen([*COMMAND, "graph"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(filled)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def _on_a_terminal(data: Path, *arguments: str, types: bytes = b"", env: dict[str, str] | None = None) -> str:
    """What a command shows on a terminal of 80 columns."""
    master, slave = pty.openpty()
    more = {"TERM": "xterm", "COLUMNS": "80", **(env or {})}
    process = subprocess.Popen([*COMMAND, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment(data, more))
    os.close(slave)
    if types:
        os.write(master, types)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(master)
    assert process.wait(60) == 0
    return shown.decode()


def test_at_a_terminal_a_person_is_asked(data: Path, tmp_path: Path) -> None:
    file = str(sample(tmp_path / "story.jsonl", 4))
    _on_a_terminal(data, "import", file, types=b"n\n")
    assert not data.exists()
    shown = _on_a_terminal(data, "import", file, types=b"y\n")
    assert "[y/N]" in shown
    assert [each["messages"] for each in answered(data, "chats")["chats"]] == [4]


def test_colour_is_for_terminals_and_can_be_refused(filled: Path) -> None:
    assert "\x1b[" in _on_a_terminal(filled, "stats")
    assert "\x1b[" not in _on_a_terminal(filled, "stats", env={"NO_COLOR": "1"})
    assert "\x1b[" not in tidelore(filled, "stats").stdout


def test_what_a_chat_holds_cannot_steer_the_terminal(data: Path, tmp_path: Path) -> None:
    nasty = "The secret word is \x1b]0;owned\x07\x1b[2Jlighthouse\u202e."
    answered(data, "import", str(write_chat(tmp_path / "x.jsonl", [("Ma\x1b[31mra", nasty), ("Marit Oakes", "Good.")])), "--yes")
    for command in (["recall", "what is the secret word lighthouse"], ["chats"], ["import", str(tmp_path / "x.jsonl")]):
        done = tidelore(data, *command)
        assert done.returncode == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout)


def test_ctrl_c_keeps_what_is_stored(data: Path, tmp_path: Path) -> None:
    file = write_chat(
        tmp_path / "long.jsonl", [(("Bob", "Ann")[at % 2], f"Line {at}: the lantern of Silas hangs in Bergen.") for at in range(6000)]
    )
    process = subprocess.Popen(
        [*COMMAND, "import", str(file), "--yes"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(data),
        start_new_session=True,
    )
    # The chat is stored before the rules read it, so this comes while they do.
    while process.poll() is None and not answered(data, "chats")["chats"]:
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert [(each["chat"], each["messages"], each["branch_of"]) for each in answered(data, "chats")["chats"]] == [("long", 6000, "")]
    left = len(answered(data, "plan", "long", "--by", "rules", "--lag", "0")["windows"])
    assert left > 0
    assert answered(data, "import", str(file), "--yes")["chats"][0]["extracted"] == left
