"""`tidelore demo`, what `make run` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import answered, story, tidelore
from tidelore.commands.measure import width
from tidelore.demo.scenarios import EXPECTED

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


def test_the_data_can_be_kept_and_looked_at(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    answered(tmp_path / "data", "demo", "--keep", str(kept))
    titles = [story(language)["title"] for language in ("en", "zh")]
    chats = answered(tmp_path / "data", "chats", "--data", str(kept))["chats"]
    assert [each["chat"] for each in chats if not each["branch_of"]] == titles
    assert answered(tmp_path / "data", "demo", "--keep", str(kept), code=1)["error"]["code"] == "bad_input"
