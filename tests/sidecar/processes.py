"""Other processes that use a data folder: scripts that are told what to do line by line, and `tidelore rpc`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60.0


def environment() -> dict[str, str]:
    paths = [str(ROOT / "sidecar"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONUTF8": "1"}


class Other:
    """A process that is told one line and answers one line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    @property
    def input(self) -> IO[str]:
        assert self.process.stdin is not None
        return self.process.stdin

    def tell(self, line: str) -> None:
        self.input.write(line + "\n")
        self.input.flush()

    def hear(self) -> str:
        """The next line, or empty when it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def ask(self, line: str) -> str:
        self.tell(line)
        return self.hear()


@contextmanager
def python(*arguments: str) -> Iterator[Other]:
    """`python *arguments`; it is killed at the end if it runs still."""
    command = [sys.executable, *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment(), cwd=ROOT
    )
    with process:
        try:
            yield Other(process)
        finally:
            process.kill()


def script(text: str, *arguments: str) -> str:
    """What a script prints. It must succeed."""
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment(), cwd=ROOT, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rpc(folder: Path) -> AbstractContextManager[Other]:
    """`tidelore rpc` on a folder."""
    return python("-m", "tidelore", "rpc", "--data", str(folder))


def call(other: Other, method: str, **params: Any) -> dict[str, Any]:
    """The response of a `tidelore rpc`, result or error."""
    response: dict[str, Any] = json.loads(other.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})))
    return response
