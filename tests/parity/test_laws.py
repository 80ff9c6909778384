"""The engine's own tests, the laws among them, inside Pyodide with the wheel that the page loads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import chromium

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
LAWS = ("test_history_law.py", "test_live_law.py")
MACHINES, STEPS, EXAMPLES = "15", "20", "5"
# What the page's Python does not have, or what its wheel does not hold: tests that need it stay outside.
OUTSIDE = re.compile(r"^\s*(?:import|from) (?:numpy|socket|sqlite3|subprocess|threading|tests\.sidecar|tidelore\.(?!engine))", re.MULTILINE)


def _fit() -> list[Path]:
    """Test files of the engine that can run in the page."""
    return [path for path in sorted((ROOT / "tests" / "engine").rglob("test_*.py")) if not OUTSIDE.search(path.read_text("utf-8"))]


def _count(output: str) -> int:
    passed = re.search(r"(\d+) passed", output)
    assert passed is not None
    assert "failed" not in output
    return int(passed[1])


# So that no process of the test run is busy with them alone at the end.
PARTS = 4


def test_the_laws_are_among_the_tests_that_fit() -> None:
    assert {f"tests/engine/{law}" for law in LAWS} <= {path.relative_to(ROOT).as_posix() for path in _fit()}


@pytest.mark.req("LAW-1", "LAW-2")
@pytest.mark.parametrize("part", range(PARTS))
def test_the_tests_of_the_engine_hold_in_the_page(in_pyodide: Callable[..., str], part: int) -> None:
    files = [path.relative_to(ROOT).as_posix() for path in _fit()[part::PARTS]]
    output = in_pyodide("tests/parity/run_tests.py", MACHINES, STEPS, EXAMPLES, *(f"/repository/{name}" for name in files))
    assert _count(output) > 400


STORE_TESTS = ("tests/parity/run_tests.py", MACHINES, STEPS, EXAMPLES, "/repository/tests/parity/inside_store.py")


def test_a_page_store_does_what_every_store_must(in_pyodide: Callable[..., str]) -> None:
    assert _count(in_pyodide(*STORE_TESTS)) > 20


def test_the_browser_store_does_what_every_store_must(in_pyodide: Callable[..., str]) -> None:
    """On an IndexedDB in memory, under Node."""
    assert _count(in_pyodide(*STORE_TESTS, TIDELORE_STORE="fake")) > 20


def test_the_browser_store_does_what_every_store_must_in_chromium(in_pyodide: Callable[..., str]) -> None:
    assert _count(in_pyodide(*STORE_TESTS, TIDELORE_STORE=chromium.need())) > 20
