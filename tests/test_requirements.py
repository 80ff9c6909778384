"""The requirement manifest is how the project knows what works, so it must be true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.requirements import Claim, Requirement, claims, claims_in, load, problems

DONE = Requirement("A1", "a page", "something that works", done=True)
PLANNED = Requirement("A2", "a page", "something to come", done=False)
# Put together, so that the markers in these samples are not taken for markers of this file.
MARK = "@pytest.mark." + "req"


def test_the_manifest_and_the_tests_agree() -> None:
    assert problems(load(), claims()) == []


def test_a_requirement_that_is_done_needs_a_test() -> None:
    assert problems([DONE, PLANNED], []) == ["A1: is marked done, but no test shows it"]
    assert problems([DONE, PLANNED], [Claim("A1", "tests/a.py", 1)]) == []


def test_a_planned_requirement_may_have_a_test_already() -> None:
    assert problems([PLANNED], [Claim("A2", "tests/a.py", 1)]) == []


def test_a_test_names_only_what_the_manifest_holds() -> None:
    assert problems([PLANNED], [Claim("A3", "tests/a.py", 7)]) == ["tests/a.py:7: A3 is not in the manifest"]


def test_an_id_stands_once_in_the_manifest() -> None:
    assert problems([PLANNED, PLANNED], []) == ["A2: stands twice in the manifest"]


def test_markers_are_found_on_functions_classes_modules_and_parameters() -> None:
    text = f"""
import pytest
from pytest import mark
pytestmark = [{MARK[1:]}("A1")]
{MARK}("A2", "A3")
class TestThing:
    {MARK}("A4")
    async def test_it(self): ...
@pytest.mark.parametrize("x", [pytest.param(1, marks={MARK[1:]}("A5"))])
@mark.{MARK[-3:]}("A6")
def test_more(x): ...
TestMachine = {MARK[1:]}("A7")(Machine.TestCase)
"""
    assert sorted(claim.id for claim in claims_in(text, "a.py")) == ["A1", "A2", "A3", "A4", "A5", "A6", "A7"]


@pytest.mark.parametrize("arguments", ["", "ID", "*IDS", "1", 'id="A1"'])
def test_an_id_that_is_not_written_out_is_refused(arguments: str) -> None:
    with pytest.raises(ValueError, match=r"a\.py:1"):
        list(claims_in(f"{MARK}({arguments})\ndef test_it(): ...", "a.py"))


@pytest.mark.parametrize(
    "row",
    [
        '{ id = "A1", source = "a page", done = true }',
        '{ id = "A1", source = "a page", text = "", done = true }',
        '{ id = "A1", source = "a page", text = "t", done = "yes" }',
        '{ id = "A1", source = "a page", text = "t", done = true, isue = 2 }',
    ],
)
def test_a_row_of_another_form_is_refused(tmp_path: Path, row: str) -> None:
    manifest = tmp_path / "requirements.toml"
    manifest.write_text(f"requirement = [\n  {row},\n]\n", encoding="utf-8")
    with pytest.raises(ValueError, match="'A1'"):
        load(manifest)
