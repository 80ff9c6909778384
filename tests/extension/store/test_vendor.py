"""Third-party code in the extension: what the table says, what lies there, and what the packages hold are the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.parity.conftest import ROOT, run

VENDOR = ROOT / "extension" / "vendor"
TABLE: list[dict[str, Any]] = json.loads((VENDOR / "vendor.json").read_text("utf-8"))
LICENCES = {"MIT", "Apache-2.0", "BSD-3-Clause", "BSD-2-Clause", "MPL-2.0", "ISC"}


def test_every_file_is_in_the_table_with_its_hash() -> None:
    files = [file for entry in TABLE for file in entry["files"]]
    types = {path.name for path in VENDOR.glob("*.d.mts")}
    assert {path.name for path in VENDOR.iterdir()} - types == {"vendor.json", *(file["file"] for file in files)}
    for file in files:
        assert hashlib.sha256((VENDOR / file["file"]).read_bytes()).hexdigest() == file["sha256"], (
            "run `make vendor` and look at what changed"
        )


@pytest.mark.parametrize("entry", TABLE, ids=[entry["name"] for entry in TABLE])
def test_a_package_ships_with_its_licence_at_the_version_that_is_locked(entry: dict[str, Any]) -> None:
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"][f"node_modules/{entry['name']}"]
    assert (entry["version"], entry["licence"]) == (locked["version"], locked["license"])
    assert entry["licence"] in LICENCES
    assert any("licen" in file["file"].lower() for file in entry["files"])


@pytest.mark.slow
def test_what_is_there_is_what_the_packages_give(tmp_path: Path, node: str) -> None:
    run(node, "tools/vendor.mjs", str(tmp_path))
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (VENDOR / path.name).read_bytes(), path.name


def test_what_a_bundle_holds_is_free_and_ships_with_its_licence() -> None:
    for file in (file for entry in TABLE for file in entry["files"] if "bundle" in file):
        for name, _, licence in (held.split(" ") for held in file["holds"]):
            assert licence in LICENCES
            short = {"graphology-layout-forceatlas2": "forceatlas2"}.get(name, name)
            assert (VENDOR / f"{short}.LICENSE").exists(), name
