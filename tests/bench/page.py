"""The engine in a page, measured in Chromium: python -m tests.bench.page. Says why where Node or Chromium is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests import chromium
from tests.bench.world import World
from tidelore.engine.codec import canonical, content_out
from tidelore.engine.model import Commit
from tidelore.engine.sync.burial import commit_marks

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "wasm"
WORLD = ROOT / "build" / "bench" / "world.json"
MESSAGES = 5000
# What people say of themselves and others, so that the rules have something to find.
SAYINGS = (
    "My cat is called {0}.",
    "{0} is my sister, and she lives in {1}.",
    '"We leave for {1} at dawn," said {0}.',
    "I really love {2}, but I am afraid of {3}.",
    "{0} looked up from the {2} and shook his head.",
)


def row(commit: Commit) -> dict[str, Any]:
    """A commit as a store of the page keeps it."""
    content = canonical(content_out(commit))
    marks = {"marks": commit_marks(commit), "windowless": not commit.window}
    return {"id": commit.id, "clock": f"{commit.clock:020d}", "replica": commit.replica, "maker": commit.maker, "content": content, **marks}


def spoken(world: World, at: int) -> dict[str, Any]:
    saying = SAYINGS[at % len(SAYINGS)]
    said = saying.format(world.random.choice(world.people), world.random.choice(world.places), world.word(), world.word())
    return {**world.messages[at], "text": f"{world.sentence(12)} {said} {world.sentence(9)}"}


def write_world(path: Path) -> None:
    """`messages`, `commits` (one a message, two nodes each), `spoken`: messages for the rules, `queries`."""
    world = World(MESSAGES)
    commits = [row(world.commit(message, clock)) for clock, message in enumerate(world.messages, 1)]
    queries = [f"{world.random.choice(world.people)} {world.sentence(8)}" for _ in range(60)]
    told = [spoken(world, at) for at in range(MESSAGES)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"messages": world.messages, "commits": commits, "spoken": told, "queries": queries}), encoding="utf-8")


def main() -> None:
    node, browser = shutil.which("node"), chromium.find()
    missing = [name for name, there in (("Node.js", node), ("Chromium", browser), ("build/wasm: make wasm", BUILD.exists())) if not there]
    if node is None or browser is None or missing:
        print(f"\nin the page: not measured, there is no {', no '.join(missing)}")
        return
    write_world(WORLD)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"\nin the page, Chromium, {os.cpu_count()} cores{load}", flush=True)
    script = Path(__file__).with_suffix(".mjs")
    sys.exit(subprocess.run([node, script, browser, BUILD, *sys.argv[1:]], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
