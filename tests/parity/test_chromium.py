"""The engine in a real browser, where there is one: the worker, its blobs and its snapshot, also without a secure context."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.parity.conftest import run

pytestmark = pytest.mark.slow
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_the_engine_runs_in_chromium(node: str, build: Path, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    done = run(node, "tests/parity/chromium.mjs", CHROMIUM, tmp_path, build, TIDELORE_WASM_BUILD=str(build))
    told = json.loads(done.stdout)
    for place, secure in (("local", True), ("named", False)):
        snapshot, plain = told[place]
        assert (snapshot["how"], plain["how"]) == ("snapshot", "plain")
        assert snapshot["secure"] is plain["secure"] is secure
        for each in (snapshot, plain):
            assert "Biscuit, 林晚 😀." in each["card"]
            assert each["closed"] == "closed"
            assert set(each["outcomes"]) <= {"taken", "restored", "started"}
