"""Several chats and the scopes beyond them on the command line: what is found without a name, and how a scope is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import answered, tidelore, write_chat

# Each starts processes of its own.
pytestmark = pytest.mark.slow

HARBOUR = [("Ann", "The brass key hangs behind the clock in the harbour office."), ("Bob", "I will not touch the brass key.")]


def _rpc(data: Path, method: str, **params: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.loads(tidelore(data, "rpc", input_=json.dumps(request).encode() + b"\n").stdout)["result"]


def _write(data: Path, text: str, scope: str = "profile") -> str:
    """What a client writes without a chat; the id of the memory."""
    fields = {"text": text}
    return str(_rpc(data, "node.write", scope=scope, kind="fact", author="tool", fields=fields)["node"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A chat "harbour" with memories, then one of a client that holds none, and a fact in the scope "profile"."""
    folder = tmp_path / "data"
    answered(folder, "import", str(write_chat(tmp_path / "harbour.jsonl", HARBOUR, "Ann")), "--yes")
    _rpc(folder, "chat.update", chat="gateway:main#1", messages=[{"role": "user", "text": "ok"}])
    return folder


@pytest.fixture
def fact(data: Path) -> str:
    return _write(data, "The flight to Hangzhou leaves on Monday.")


def test_a_memory_of_a_scope_is_shown_and_managed_like_any_other(data: Path, fact: str) -> None:
    for verb in ("node", "why", "history"):
        assert answered(data, verb, fact)["chat"] == "profile"
        shown = tidelore(data, verb, fact[:8]).stdout
        assert "Hangzhou" in shown
        assert "\x1f" not in shown
    assert answered(data, "edit", fact, "text=The flight leaves on Tuesday.")["chat"] == "profile"
    other = _write(data, "The train leaves on Friday.")
    assert answered(data, "merge", fact, other, "--text", "One.")["merged"] == [other]
    said = tidelore(data, "retire", fact).stdout
    assert 'in "profile"' in said
    assert "--chat profile" in said
    assert "Hangzhou" not in tidelore(data, "list", "--chat", "profile").stdout


def test_a_scope_is_named_where_a_chat_is(data: Path, fact: str) -> None:
    mira = _write(data, "Mira fears the lighthouse.", "character:Mira")
    assert [row["id"] for row in answered(data, "list", "--chat", "profile")["nodes"]] == [fact]
    assert [row["id"] for row in answered(data, "list", "--chat", "character:Mira")["nodes"]] == [mira]
    found = answered(data, "recall", "When does the flight to Hangzhou leave?", "--chat", "profile")
    assert (found["chat"], [card["node"] for card in found["cards"]]) == ("profile", [fact])
    assert 'Recall from "profile"' in tidelore(data, "recall", "the flight", "--chat", "profile").stdout
    assert "Hangzhou" in tidelore(data, "export", "profile", "--format", "markdown").stdout
    assert "Hangzhou" in answered(data, "export", "profile")["text"]
    assert answered(data, "stats", "profile")["chat"] == "profile"
    assert answered(data, "overview", "--chat", "profile")["chat"] == "profile"
    assert answered(data, "cards", "--chat", "profile")["chat"] == "profile"
    assert answered(data, "chats")["scopes"] == ["profile", "character:Mira"]
    assert "character:Mira" in tidelore(data, "chats").stdout
    assert answered(data, "list", "--chat", "persona:Nobody", code=1)["error"]["code"] == "not_found"


def test_scopes_alone_are_enough(tmp_path: Path) -> None:
    data = tmp_path / "data"
    fact = _write(data, "The flight to Hangzhou leaves on Monday.")
    assert [card["node"] for card in answered(data, "recall", "the flight to Hangzhou")["cards"]] == [fact]
    assert answered(data, "stats")["chat"] == "profile"


def test_the_chat_that_is_meant_is_the_newest_with_a_memory(data: Path) -> None:
    for verb in ("stats", "overview", "cards", "list", "changes"):
        assert answered(data, verb)["chat"] == "harbour", verb


def test_recall_without_a_chat_asks_all_of_them_and_says_where_each_memory_is_from(data: Path, fact: str, tmp_path: Path) -> None:
    later = [("Ann", "The lantern of Saltmarsh burns in the mill."), ("Bob", "Let it burn in the mill.")]
    answered(data, "import", str(write_chat(tmp_path / "later.jsonl", later, "Ann")), "--yes")
    key = answered(data, "recall", "Where does the brass key hang?")
    assert key["cards"][0]["chat"] == "harbour"
    assert answered(data, "recall", "When does the flight to Hangzhou leave?")["cards"][0]["chat"] == "profile"
    shown = tidelore(data, "recall", "brass key, the flight to Hangzhou and the lantern of Saltmarsh").stdout
    assert "Recall from all 3 chats" in shown
    assert {"harbour", "later", "profile"} <= set(shown.replace('"', " ").split())
    assert "\x1f" not in shown
    alone = answered(data, "recall", "Where does the brass key hang?", "--chat", "later")
    assert "brass" not in json.dumps(alone["cards"])
    assert {card["chat"] for card in alone["cards"]} <= {"later"}
    assert "回忆" in tidelore(data, "recall", "brass key", "--lang", "zh").stdout


def test_undo_without_a_name_takes_back_the_newest_change_wherever_it_was_made(data: Path, fact: str, tmp_path: Path) -> None:
    key = answered(data, "list", "brass key hangs", "--kind", "moment")["nodes"][0]["id"]
    answered(
        data,
        "import",
        str(write_chat(tmp_path / "later.jsonl", [("Ann", "The lantern burns in the mill."), ("Bob", "So it does.")])),
        "--yes",
    )
    answered(data, "retire", key)
    said = tidelore(data, "undo").stdout
    assert "brass key" in said
    assert 'in the chat "harbour"' in said
    answered(data, "retire", fact)
    assert answered(data, "undo")["chat"] == "profile"
    assert answered(data, "node", fact)["chat"] == "profile"
    answered(data, "retire", key)
    answered(data, "undo")
    assert answered(data, "redo")["chat"] in {"harbour", "profile"}
    assert answered(data, "undo", "--chat", "later", code=1)["error"]["code"] == "not_found"


def test_with_nothing_changed_by_hand_undo_says_so_of_all_chats(data: Path) -> None:
    done = tidelore(data, "undo")
    assert done.returncode == 1
    assert "in this chat" not in done.stderr


@pytest.mark.parametrize("verb", ["stats", "overview", "plan", "extract", "cards", "export", "rebuild"])
def test_a_chat_can_be_named_by_the_option_wherever_it_can_be_named(data: Path, verb: str) -> None:
    assert answered(data, verb, "--chat", "gateway") == answered(data, verb, "gateway")


def test_an_export_replaces_no_file_unless_it_is_told_to(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("precious", "utf-8")
    assert "--force" in answered(data, "export", "--output", str(file), code=1)["error"]["hint"]
    assert file.read_text("utf-8") == "precious"
    answered(data, "export", "--output", str(file), "--force")
    assert file.read_text("utf-8") != "precious"


def test_numbers_stand_before_the_right_form(data: Path) -> None:
    assert "2 moments" in tidelore(data, "overview", "harbour").stdout


@pytest.mark.parametrize("verb", ["demo", "doctor", "serve", "profile list", "service status"])
def test_help_offers_no_profile_where_none_is_taken(tmp_path: Path, verb: str) -> None:
    assert "--profile" not in tidelore(tmp_path, *verb.split(), "--help").stdout
    done = tidelore(tmp_path, *verb.split(), "--profile", "berta")
    assert done.returncode == 2
    assert "--help" in done.stderr
    assert "--profile" in tidelore(tmp_path, "recall", "--help").stdout


def test_all_commands_are_explained_in_one_style(tmp_path: Path) -> None:
    for language in ("en", "zh"):
        texts = json.loads((Path(__file__).parents[2] / "sidecar/tidelore/locales" / f"{language}.json").read_text("utf-8"))
        said = {key: text for key, text in texts.items() if key.startswith("help.") and key not in ("help.tidelore", "help.epilog")}
        assert [key for key, text in said.items() if text.endswith((".", "。"))] == []


def test_the_doctor_names_the_profile_and_tells_of_loose_keys_once(data: Path) -> None:
    answered(data, "profile", "add", "berta")
    assert "(profile default)" in next(each["message"] for each in answered(data, "doctor")["findings"] if each["check"] == "chats")
    keys = data / "keys.toml"
    keys.write_text('CLOUD_KEY = "sk-not-a-key"\n', "utf-8")
    keys.chmod(0o644)
    wrong = [each for each in answered(data, "doctor", code=1)["findings"] if each["level"] == "fail"]
    assert len(wrong) == 1
    assert f"chmod 600 {keys}" in wrong[0]["todo"]
    assert "key --new" not in wrong[0]["todo"]


@pytest.fixture
def moved_in(tmp_path: Path) -> Path:
    """A file of the MCP memory server."""
    rows: list[dict[str, object]] = [
        {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["plays the cello"]},
        {"type": "entity", "name": "Ulm", "entityType": "city", "observations": []},
        {"type": "relation", "from": "Ann", "to": "Ulm", "relationType": "lives in"},
    ]
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return file


def test_memories_that_were_read_in_without_messages_are_recalled_whichever_chat_is_the_newest(data: Path, moved_in: Path) -> None:
    answered(data, "import", str(moved_in), "--yes")
    later = moved_in.with_name("later.txt")
    later.write_text("Bo: The boat leaves at dawn.\nCy: I know.\n", "utf-8")
    answered(data, "import", str(later), "--yes")
    assert "plays the cello" in json.dumps(answered(data, "recall", "Who plays the cello?")["cards"])
    assert [each["holds"] for each in answered(data, "chats")["chats"] if each["chat"] == "memory"] == [True]


def test_a_file_of_memories_goes_into_a_scope_and_a_chat_does_not(data: Path, moved_in: Path) -> None:
    done = answered(data, "import", str(moved_in), "--chat", "profile", "--yes")
    assert (done["chat"], done["nodes"]) == ("profile", 3)
    assert "profile" in answered(data, "chats")["scopes"]
    assert all(each["chat"] != "profile" for each in answered(data, "chats")["chats"])
    assert "plays the cello" in json.dumps(answered(data, "list", "cello", "--chat", "profile")["nodes"])
    assert answered(data, "import", str(moved_in), "--chat", "profile", "--yes")["nodes"] == 0
    talk = moved_in.with_name("talk.txt")
    talk.write_text("Bo: The boat leaves at dawn.\nCy: I know.\n", "utf-8")
    assert "scope" in answered(data, "import", str(talk), "--chat", "character:Mira", "--yes", code=1)["error"]["message"]


def test_settings_that_are_no_toml_are_told_as_that(data: Path) -> None:
    (data / "config.toml").write_text("bad = [", "utf-8")
    error = answered(data, "chats", code=1)["error"]
    assert "TOML" in error["message"]
    assert "docs/sidecar.md" in error["hint"]
