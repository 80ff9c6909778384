"""Runs the tests in JavaScript: hashes, sources of the runtime, the bridge, starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parity.conftest import ROOT, run

pytestmark = pytest.mark.slow
FILES = sorted(path.name for path in Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_javascript_tests(name: str, node: str, build: Path) -> None:
    done = run(node, "--test", "--test-reporter=spec", f"tests/parity/{name}", TIDELORE_WASM_BUILD=str(build))
    assert "\u2139 fail 0" in done.stdout
    assert "\u2139 skipped 0" in done.stdout


def test_types_are_right(node: str) -> None:
    run(node, ROOT / "node_modules/typescript/bin/tsc", "--project", ".")
