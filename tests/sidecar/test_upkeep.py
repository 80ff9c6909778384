"""Space, vectors, profiles that go, and imports while the embedder is away."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import COMMAND, answered, environment, sample, story, tidelore
from tests.sidecar.model_server import Reply, Request, failed, serving
from tests.sidecar.serve.kit import process
from tidelore.host.compaction import compact
from tidelore.host.store import SqliteStore

pytestmark = pytest.mark.slow
MARK = "tallow-lantern-of-the-purge"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def vectors(request: Request) -> Reply:
    return Reply(json.dumps({"data": [{"index": at, "embedding": [1.0, 0.5]} for at in range(len(request.body["input"]))]}))


def holders(folder: Path, text: str) -> list[str]:
    """The files under a folder that hold a text."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes())


def purge(data: Path, chat: str) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "chat.purge", "params": {"chat": chat}})
    done = tidelore(data, "rpc", input_=line.encode() + b"\n")
    assert '"result"' in done.stdout, done


@pytest.mark.req("P97")
def test_the_space_of_a_hundred_thousand_rows_is_given_back_by_a_compaction(data: Path) -> None:
    SqliteStore(data).close()
    path = data / "tidelore.db"
    with closing(sqlite3.connect(path)) as db:
        rows = ((at, "pool", f"key {at}", "user", f"message {at} of many " * 5) for at in range(1, 100_001))
        with db:
            db.executemany("insert into sources values (?, ?, ?, ?, ?)", rows)
        with db:
            db.execute("delete from sources where sequence > 10")
    found = answered(data, "doctor")
    [loose] = [each for each in found["findings"] if each["check"] == "loose"]
    assert (loose["level"], "compact" in loose["todo"]) == ("warn", True)
    big = path.stat().st_size
    done = answered(data, "compact")
    assert done["before"] >= big > 10_000_000
    assert done["after"] < 500_000
    assert path.stat().st_size < 500_000
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("select count(*), max(sequence) from sources").fetchone() == (10, 10)
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    assert "loose" not in {each["check"] for each in answered(data, "doctor")["findings"]}


@pytest.mark.req("P97")
def test_a_sidecar_that_runs_goes_on_after_a_compaction(data: Path, tmp_path: Path) -> None:
    import httpx

    answered(data, "import", str(sample(tmp_path / "a.jsonl")), "--yes", "--chat", "a")
    with process(data) as (_, said):
        headers = {"Authorization": f"Bearer {said['key']}"}
        with httpx.Client(base_url=said["url"], headers=headers, trust_env=False) as http:

            def call(method: str, **params: Any) -> Any:
                return http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()["result"]

            before = call("graph.get", chat="a")
            compact(data)
            assert call("graph.get", chat="a") == before
            made = http.post("/v1/memory/write", json={"content": "Written after the compaction."})
            assert made.status_code == 200
    assert answered(data, "doctor")["findings"]
    assert answered(data, "chats")["chats"]


def test_what_is_no_store_is_not_compacted(data: Path) -> None:
    assert answered(data, "compact", code=1)["error"]["code"] == "not_found"
    data.mkdir()
    with closing(sqlite3.connect(data / "tidelore.db")) as db:
        db.execute("create table mine (x)")
    before = (data / "tidelore.db").read_bytes()
    assert answered(data, "compact", code=1)["error"]["code"] == "store_error"
    assert (data / "tidelore.db").read_bytes() == before


@pytest.mark.req("P93")
def test_a_removed_profile_leaves_no_file_and_every_file_was_named_before(data: Path, tmp_path: Path) -> None:
    file = sample(tmp_path / "a.jsonl")
    file.write_text(file.read_text().replace("Marit Oakes", MARK))
    answered(data, "profile", "add", "berta")
    with serving(vectors) as server:
        (data / "config.toml").write_text(f'[embedder]\nurl = "{server.url}"\nname = "small"\n')
        answered(data, "import", str(file), "--yes", "--profile", "berta")
    folder = data / "profiles" / "berta"
    assert "tidelore.db" in holders(folder, MARK)
    assert (folder / "vectors.json").exists()
    grant = {"origin": "http://127.0.0.1:8000", "client": "page", "profile": "berta", "key": "0" * 64, "at": 0}
    (data / "paired.json").write_text(json.dumps({"paired": [grant]}))
    asked = answered(data, "profile", "remove", "berta", code=1)
    assert asked["removed"] is False
    assert asked["pages"] == ["http://127.0.0.1:8000"]
    assert set(asked["files"]) == {str(path) for path in folder.rglob("*") if path.is_file()}
    shown = tidelore(data, "profile", "remove", "berta")
    assert shown.returncode == 1
    assert str(folder / "tidelore.db") in shown.stdout.replace("\n", "").replace("  ", "")
    assert "SillyTavern" in shown.stdout, "what this command cannot reach is named too"
    assert folder.exists()
    assert answered(data, "profile", "remove", "berta", "--yes")["removed"] is True
    assert not folder.exists()
    assert holders(data, MARK) == []
    assert json.loads((data / "paired.json").read_text()) == {"paired": []}
    assert [each["name"] for each in answered(data, "profile", "list")["profiles"]] == ["default"]


@pytest.mark.req("P93")
def test_the_default_profile_can_be_removed_and_the_others_stay(data: Path, tmp_path: Path) -> None:
    answered(data, "profile", "add", "berta")
    file = str(sample(tmp_path / "a.jsonl"))
    for more in ([], ["--profile", "berta"]):
        answered(data, "import", file, "--yes", *more)
    key = answered(data, "key")["key"]
    (data / "config.toml").write_text("[serve]\nport = 0\n")
    done = answered(data, "profile", "remove", "default", "--yes")
    assert {Path(name).name for name in done["files"]} >= {"key", "tidelore.db"}
    assert sorted(path.name for path in data.iterdir()) == ["config.toml", "profiles", "serve.lock"]
    assert answered(data, "chats", "--profile", "berta")["chats"]
    assert answered(data, "key")["key"] != key


def test_a_profile_that_is_served_is_not_removed(data: Path) -> None:
    answered(data, "profile", "add", "berta")
    with process(data):
        assert answered(data, "profile", "remove", "berta", "--yes", code=1)["error"]["code"] == "already_running"
    assert (data / "profiles" / "berta").is_dir()
    assert answered(data, "profile", "remove", "nobody", "--yes", code=1)["error"]["code"] == "not_found"
    assert answered(data, "profile", "remove", "../x", "--yes", code=1)["error"]["code"] == "bad_input"


@pytest.mark.parametrize(("typed", "gone"), [("berta", True), ("y", False), ("", False)])
def test_at_a_terminal_the_name_must_be_typed(data: Path, typed: str, gone: bool) -> None:
    answered(data, "profile", "add", "berta")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "profile", "remove", "berta"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(data), start_new_session=True
    ) as done:
        os.close(theirs)
        os.write(ours, typed.encode() + b"\n")
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the terminal is closed
            pass
        assert done.wait(60) == (0 if gone else 1), said
    os.close(ours)
    assert (data / "profiles" / "berta").exists() != gone


def test_the_verbs_work_on_the_profile_that_is_named(data: Path, tmp_path: Path) -> None:
    file = str(sample(tmp_path / "a.jsonl"))
    assert answered(data, "import", file, "--yes", "--profile", "berta", code=1)["error"]["code"] == "not_found"
    answered(data, "profile", "add", "berta")
    answered(data, "--profile", "berta", "import", file, "--yes", "--chat", "hers")
    assert [each["chat"] for each in answered(data, "chats", env={"TIDELORE_PROFILE": "berta"})["chats"]] == ["hers"]
    assert answered(data, "chats")["chats"] == []
    assert answered(data, "recall", "clock", "--profile", "berta")["chat"] == "hers"
    assert tidelore(data, "serve", "--profile", "berta").returncode == 2
    hint = tidelore(data, "recall", "x", "--profile", "default").stderr
    assert "--profile default" in hint, "hints are there to be pasted"


def facts(count: int) -> str:
    roles = ("user", "assistant")
    lines = [json.dumps({"role": roles[at % 2], "content": f"My cousin Olga{at} lives in Bergen."}) for at in range(count)]
    return "\n".join(lines) + "\n"


@pytest.mark.req("P95")
def test_an_import_while_the_embedder_is_away_says_how_many_are_pending_and_they_can_be_made_up_for(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "fifty.jsonl"
    file.write_text(facts(50))
    data.mkdir()
    with serving(lambda _: failed(500, "down")) as server:
        (data / "config.toml").write_text(f'[embedder]\nurl = "{server.url}"\nname = "small"\n')
        done = answered(data, "import", str(file), "--yes", "--user", "Ann")
        assert (done["chats"][0]["new"], done["written"]) == (50, True)
        assert done["pending"] >= 50
        assert any("embedder" in reason for reason in done["degraded"])
        other = tmp_path / "other"
        other.mkdir()
        (other / "config.toml").write_text((data / "config.toml").read_text())
        said = tidelore(other, "import", str(file), "--yes", "--user", "Ann").stdout
        assert f"{done['pending']} memories have no vector yet" in " ".join(said.split())
        server.rule = vectors
        made = answered(data, "embed")
        assert made["degraded"] == []
        assert sum(each["texts"] for each in made["chats"]) >= done["pending"]
        assert answered(data, "import", str(file), "--yes", "--user", "Ann")["pending"] == 0


def test_embed_says_why_it_cannot(data: Path, tmp_path: Path) -> None:
    answered(data, "import", str(sample(tmp_path / "a.jsonl")), "--yes")
    (data / "config.toml").write_text('[embedder]\nname = "none"\n')
    assert answered(data, "embed", code=1)["error"]["code"] == "bad_input"
    with serving(lambda _: failed(401, "no")) as server:
        (data / "config.toml").write_text(f'[embedder]\nurl = "{server.url}"\nname = "small"\n')
        assert answered(data, "embed", code=1)["degraded"]


def test_recall_of_the_command_line_uses_the_embedder_of_the_settings(data: Path, tmp_path: Path) -> None:
    file = sample(tmp_path / "a.jsonl")
    with serving(vectors) as server:
        data.mkdir()
        (data / "config.toml").write_text(f'[embedder]\nurl = "{server.url}"\nname = "small"\n')
        answered(data, "import", str(file), "--yes")
        before = len(server.requests)
        answered(data, "recall", story()["messages"][3]["text"][:60])
        assert len(server.requests) == before + 1


def test_the_browser_is_shown_the_panel(data: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "opened"
    os.mkfifo(pipe)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{pipe}"\n')
    browser.chmod(0o755)
    with process(data, "--open", env={"BROWSER": f"{browser} %s"}) as (_, said), pipe.open() as opened:
        assert opened.read().strip().startswith(said["url"] + "/console/#login=")
