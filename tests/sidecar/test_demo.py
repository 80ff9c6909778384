"""`tidelore demo`, what `make run` shows."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sidecar.cli_kit import COMMAND, answered, environment, story, tidelore
from tidelore.commands.measure import width
from tidelore.demo.scenarios import EXPECTED

# What would make the demo end by itself, or open a browser.
HEADED = {"CI", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}
# Each starts processes of its own.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return answered(tmp_path_factory.mktemp("demo"), "demo")


def test_the_document_has_the_promised_members_and_no_others(played: Any) -> None:
    assert played.keys() == {"stories"}
    assert [each["language"] for each in played["stories"]] == ["en", "zh"]
    for each in played["stories"]:
        assert each.keys() == {"language", "messages", "nodes", "edges", "questions", "scenarios"}
        assert each["messages"] == len(story(each["language"])["messages"])
        assert each["nodes"] > 100
        assert each["edges"] > 100


@pytest.mark.parametrize("number", [0, 1])
def test_every_question_finds_its_answer_among_the_first_five_cards(played: Any, number: int) -> None:
    told = played["stories"][number]
    asked = story(told["language"])["questions"]
    assert [each["question"] for each in told["questions"]] == [each["question"] for each in asked]
    for answer, question in zip(told["questions"], asked, strict=True):
        assert len(answer["cards"]) <= 5
        assert all(card.keys() == {"index", "text", "score"} for card in answer["cards"])
        assert answer["found"], question
        assert set(question["evidence"]) & {card["index"] for card in answer["cards"]}


@pytest.mark.parametrize("number", [0, 1])
def test_every_change_costs_what_the_design_says_and_gives_the_graph_from_scratch(played: Any, number: int) -> None:
    scenarios = played["stories"][number]["scenarios"]
    assert [each["name"] for each in scenarios] == ["swipe", "swipe back", "edit", "delete", "hide", "branch", "continue"]
    assert {each["name"]: each["model_calls"] for each in scenarios} == EXPECTED
    assert all(each["equals_scratch"] for each in scenarios)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_reads_well_at_80_columns_and_leaves_nothing_behind(tmp_path: Path, language: str) -> None:
    data, temporary = tmp_path / "data", tmp_path / "tmp"
    temporary.mkdir()
    done = tidelore(data, "demo", "--lang", language, env={"TMPDIR": str(temporary)})
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(width, done.stdout.splitlines())) <= 80
    assert not data.exists()
    assert list(temporary.iterdir()) == []


def test_on_a_terminal_the_panel_comes_after_the_report_and_ctrl_c_ends_it_and_removes_the_data(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    env = {name: value for name, value in environment(tmp_path / "data", {"TMPDIR": str(temporary)}).items() if name not in HEADED}
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, "demo"], stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True)
    os.close(theirs)
    try:
        said = read_until(ours, r"Ctrl-C stops it\.")
        address = re.search(r"http://\S+/console/#login=[\w-]+", said)
        assert address, said
        assert said.index("In short") < address.start()
        url, _, code = address[0].partition("console/#login=")
        with httpx.Client(base_url=url, headers={"Origin": url.rstrip("/")}, trust_env=False) as page:
            assert page.get("console/").status_code == 200
            found = page.post("console/login", json={"code": code}).json()
            assert found["chat"] == story("en")["title"]
            asked = {"jsonrpc": "2.0", "id": 1, "method": "chat.list", "params": {}}
            chats = page.post("rpc", json=asked, headers={"Authorization": f"Bearer {found['key']}"}).json()["result"]["chats"]
            assert {story(language)["title"] for language in ("en", "zh")} <= {each["chat"] for each in chats}
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert list(temporary.iterdir()) == []


def read_until(terminal: int, pattern: str) -> str:
    """What a process writes, until it has written this or ended."""
    said = b""
    # Linux says that the other end is closed by an error.
    with suppress(OSError):
        while not re.search(pattern, said.decode("utf-8", "replace")) and (more := os.read(terminal, 65536)):
            said += more
    return said.decode("utf-8", "replace")


@pytest.mark.parametrize(("arguments", "env"), [(["--no-serve"], {}), ([], {"CI": "true"})])
def test_on_a_terminal_it_ends_by_itself_where_nobody_watches_or_somebody_says_so(
    tmp_path: Path, arguments: list[str], env: dict[str, str]
) -> None:
    ours, theirs = pty.openpty()
    whole = environment(tmp_path / "data", env)
    process = subprocess.Popen(
        [*COMMAND, "demo", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=whole, start_new_session=True
    )
    os.close(theirs)
    try:
        said = read_until(ours, r"#login=")
        assert process.wait(60) == 0
        assert "#login=" not in said
        assert "In short" in said
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_the_data_can_be_kept_and_looked_at(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    answered(tmp_path / "data", "demo", "--keep", str(kept))
    titles = [story(language)["title"] for language in ("en", "zh")]
    chats = answered(tmp_path / "data", "chats", "--data", str(kept))["chats"]
    assert [each["chat"] for each in chats if not each["branch_of"]] == titles
    assert answered(tmp_path / "data", "demo", "--keep", str(kept), code=1)["error"]["code"] == "bad_input"
