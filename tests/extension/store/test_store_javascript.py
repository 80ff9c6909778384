"""Runs the tests in JavaScript: the page's store, its files, its vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.conftest import run

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
FILES = sorted(path.name for path in HERE.glob("*.test.mjs"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_javascript_tests(name: str, node: str) -> None:
    done = run(node, "--test", "--test-reporter=spec", HERE / name)
    assert "\u2139 fail 0" in done.stdout
    assert "\u2139 skipped 0" in done.stdout
