"""Runs the tests in JavaScript: chat in step, injection, jobs; models, embedders, the sidecar."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.parity.conftest import ROOT, node, run

__all__ = ["node"]
pytestmark = pytest.mark.slow
FILES = sorted(path.name for path in Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_javascript_tests(name: str, node: str) -> None:
    done = run(
        *(node, "--test", "--test-timeout=300000", "--test-reporter=spec", f"tests/extension/{name}"),
        TIDELORE_PYTHON=sys.executable,
        PYTHONPATH=str(ROOT / "sidecar"),
    )
    assert "\u2139 fail 0" in done.stdout
    assert "\u2139 skipped 0" in done.stdout
