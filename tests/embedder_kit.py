"""The files of the page's own embedding model, for tests: the installed package as the sidecar packs it, and numpy for Pyodide from an npm
package of the live tests (the wheel is BSD; nothing else of that package is used)."""

from __future__ import annotations

import hashlib
import shutil
from functools import cache
from pathlib import Path

import pytest

from tidelore.serve.embedder_files import packed, shipped_embedder

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "tests/live/node_modules/@bentopdf/pymupdf-wasm/assets"


@cache
def model_zip() -> bytes:
    data = packed()
    assert data is not None
    return data


def numpy_wheel() -> Path:
    """Of the locked hash. Fails where the packages of the live tests are not installed."""
    found = next((ASSETS / each.name for each in shipped_embedder().files if each.part == "numpy" and (ASSETS / each.name).exists()), None)
    if found is None:
        pytest.fail(
            "numpy for Pyodide is needed: run `sh tools/live.sh`, which installs it with the packages of the live tests.", pytrace=False
        )
    return found


def lay_files(folder: Path) -> Path:
    """One form of each part, as `make dist` lays them out."""
    folder.mkdir(parents=True, exist_ok=True)
    [made] = [each for each in shipped_embedder().files if each.packed]
    (folder / made.name).write_bytes(model_zip())
    wheel = numpy_wheel()
    shutil.copy2(wheel, folder)
    return folder


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
