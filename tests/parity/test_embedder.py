"""The embedding model of the page and that of the sidecar are the same."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.embedder_kit import lay_files
from tests.parity.conftest import ROOT
from tidelore.host.local_embedder import LONGEST, LocalEmbedder

pytestmark = pytest.mark.slow

TEXTS = [
    "Mara hid the brass key under the third stone of the well.",
    "她把钥匙藏在井边的第三块石头下面。",
    "Où as-tu caché la clé ?",
    "ключ под камнем",
    "مفتاح البئر",
    "鍵はどこですか。🗝️",
    "",
    "a",
    "The lighthouse has been dark since the storm. " * 8,
    # Cut to one word by both, and quickly: spaces are one token.
    "lantern" + " " * LONGEST + "never read",
]


def embedded(node: str, build: Path, folder: Path, batches: list[list[str]]) -> dict[str, Any]:
    done = subprocess.run(
        [node, "tests/parity/embedder.mjs", str(build), str(folder)],
        cwd=ROOT,
        input=json.dumps(batches),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_page_makes_the_vectors_that_the_sidecar_makes(node: str, build: Path, tmp_path: Path) -> None:
    async def here() -> Any:
        embedder = LocalEmbedder()
        await embedder.loaded()
        try:
            return await embedder.embed(TEXTS, "document")
        finally:
            await embedder.aclose()

    said = embedded(node, build, lay_files(tmp_path), [TEXTS])
    assert "error" not in said, said
    there = np.asarray(said["vectors"], np.float32).reshape(len(TEXTS), -1)
    assert there.shape == (len(TEXTS), 512)
    assert np.abs(there - asyncio.run(here())).max() < 1e-6
    assert said["progress"][0] == said["progress"][1] > 30_000_000
    assert said["info"]["heap"] < 300_000_000


def test_a_file_with_another_hash_is_refused_and_nothing_is_run(node: str, build: Path, tmp_path: Path) -> None:
    folder = lay_files(tmp_path)
    [model] = folder.glob("*.zip")
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    said = embedded(node, build, folder, [TEXTS[:1]])
    assert said["error"]["code"] == "embedder_missing"
    assert f"source folder {model.name} refused" in said["events"]
    assert "vectors" not in said
