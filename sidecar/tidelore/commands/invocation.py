"""How a person can call this program again: hints are there to be pasted."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

NAME = "tidelore"


def command(program: str, interpreter: str = sys.executable) -> str:
    """`tidelore` where that is this program (`program` as in sys.argv[0]), else its path, else the module for this Python."""
    path = Path(program)
    if path.stem != NAME:
        return f"{_named(Path(interpreter))} -m {NAME}"
    return _named(path)


def _named(path: Path) -> str:
    """By its name alone where PATH leads to it, else from the current folder when it is inside."""
    found = shutil.which(path.name)
    if found and os.path.abspath(found) == os.path.abspath(path):
        return path.name
    try:
        inside = os.path.relpath(os.path.abspath(path), os.getcwd())
    except (OSError, ValueError):  # no current folder any more, or another drive
        return quoted(str(path))
    if inside.startswith(os.pardir):
        return quoted(os.path.abspath(path))
    return quoted(inside if os.sep in inside else os.path.join(os.curdir, inside))


def quoted(text: str) -> str:
    """For a shell, also where it begins with a dash."""
    return shlex.quote(text)
