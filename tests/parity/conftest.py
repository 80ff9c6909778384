"""Node, the build for the page, and scripts that run inside Pyodide."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "wasm"
CACHE = ROOT / "build" / "wasm-cache"


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The output of a command that must end well."""
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env={**os.environ, **environment}
    )
    if done.returncode:
        pytest.fail(f"{command[0]} {command[1]} ended with {done.returncode}\n{done.stdout[-20000:]}\n{done.stderr[-5000:]}", pytrace=False)
    return done


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None or not (ROOT / "node_modules" / ".tidelore-ready").exists():
        pytest.fail("Node.js and the locked npm packages are needed: run `make wasm`, which says what is missing.", pytrace=False)
    return found


@pytest.fixture(scope="session")
def build(node: str) -> Path:
    """build/wasm, made of the sources as they are now."""
    run(node, "wasm/build.mjs")
    return BUILD


@pytest.fixture(scope="session")
def in_pyodide(node: str, build: Path) -> Callable[..., str]:
    """Runs a script of the repository inside Pyodide and gives its output."""
    CACHE.mkdir(exist_ok=True)
    site = sysconfig.get_path("purelib")

    def inside(script: str, *arguments: str, **environment: str) -> str:
        return run(node, "tests/parity/pyodide.mjs", build, site, CACHE, script, *arguments, **environment).stdout

    return inside


@pytest.fixture(scope="session")
def in_cpython() -> Callable[..., str]:
    def here(script: str, *arguments: str) -> str:
        return run(sys.executable, ROOT / script, *arguments).stdout

    return here
