"""Store, files and starts in a real browser, also without a secure context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import chromium
from tests.parity.conftest import run

pytestmark = pytest.mark.slow
PLACES = (("local", True), ("named", False))


def _visits(page: str, node: str, build: Path, folder: Path) -> dict[str, Any]:
    done = run(node, "tests/extension/store/visits.mjs", chromium.need(), folder, build, page)
    said: dict[str, Any] = json.loads(done.stdout)
    for place, secure in PLACES:
        assert "error" not in said[place], said[place]["error"]
        assert said[place]["secure"] is secure
    return said


def test_a_start_uses_what_an_earlier_one_kept_and_mends_it(node: str, build: Path, tmp_path: Path) -> None:
    said = _visits("starts.html", node, build, tmp_path)
    for place, _ in PLACES:
        starts = {start["name"]: start for start in said[place]["starts"]}
        assert {start["store"] for start in starts.values()} == {"indexeddb"}
        how = {name: start["how"] for name, start in starts.items()}
        assert how == {
            "first": "plain",
            "second": "snapshot",
            "damaged": "plain",
            "mending": "plain",
            "mended": "snapshot",
            "dist": "snapshot",
        }
        assert {"source sidecar taken", "files kept", "keep kept"} <= set(starts["first"]["events"])
        assert starts["second"]["events"] == ["source kept taken", "source extension taken", "snapshot restored"]
        assert "snapshot failed" in starts["damaged"]["events"]
        assert "source sidecar taken" not in starts["dist"]["events"]
        assert "Biscuit, 林晚 😀." in said[place]["card"], "what the first start stored is there at the second"


def test_two_tabs_on_one_database_lose_nothing_and_hear_of_each_other(node: str, build: Path, tmp_path: Path) -> None:
    said = _visits("tabs.html", node, build, tmp_path)
    for place, _ in PLACES:
        assert set(said[place]["rejected"]) <= {"conflict"}
        one, other = said[place]["seen"]
        assert one == other
        assert one["chats"] == ["c: 3", "own 0: 3", "own 1: 3"]
        assert len(one["nodes"]) > 3


@pytest.mark.req("P21")
def test_a_browser_that_refuses_storage_leads_to_one_notice_and_work_in_memory(node: str, build: Path, tmp_path: Path) -> None:
    said = _visits("denied.html", node, build, tmp_path)
    for place, _ in PLACES:
        assert said[place]["store"] == "memory"
        assert [(notice["step"], notice["outcome"]) for notice in said[place]["notices"]] == [("store", "memory")]
        assert "refuses" in said[place]["notices"][0]["detail"]
        assert "Biscuit" in said[place]["card"]
