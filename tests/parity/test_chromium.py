"""The engine in a real browser, where there is one: the worker, its blobs and its snapshot, also without a secure context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import chromium
from tests.parity.conftest import run

pytestmark = pytest.mark.slow


def test_the_engine_runs_in_chromium(node: str, build: Path, tmp_path: Path) -> None:
    done = run(node, "tests/parity/chromium.mjs", chromium.need(), tmp_path, build, TIDELORE_WASM_BUILD=str(build))
    told = json.loads(done.stdout)
    for place, secure in (("local", True), ("named", False)):
        snapshot, plain = told[place]
        assert (snapshot["how"], plain["how"]) == ("snapshot", "plain")
        assert snapshot["secure"] is plain["secure"] is secure
        for each in (snapshot, plain):
            assert "Biscuit, 林晚 😀." in each["card"]
            assert each["closed"] == "closed"
            assert set(each["outcomes"]) <= {"taken", "restored", "started"}
