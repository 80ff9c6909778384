"""The extension under test, as a user has it: the files of a clone, without the repository behind it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "wasm"
PROBE = Path(__file__).parent / "probe"
NAME = "tidelore"


def copy_repository(target: Path) -> None:
    """The files of a clone, and the engine for the page, where it was built, in wasm/dist.

    A copy and no link: SillyTavern's own update and delete buttons must not reach the working tree.
    """
    copy_files(target)
    if BUILD.is_dir():
        shutil.copytree(BUILD, target / "wasm" / "dist", dirs_exist_ok=True)


def copy_files(target: Path) -> None:
    """The files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        source = ROOT / name
        if source.is_file():  # it may be deleted, and that not committed yet
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def copy_probe(target: Path) -> None:
    shutil.copytree(PROBE, target)
