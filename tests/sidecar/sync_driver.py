"""A process that forks a `tidelore ...` for each line it is told: starting Python anew for each of many would take most of the time.

It answers `pid` with the number of the child, whose output goes to the file that was named, or `dead` with how a child has ended."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Any

from tidelore.cli import main as tidelore


def say(word: str, body: dict[str, Any]) -> None:
    os.write(1, f"{word} {json.dumps(body)}\n".encode())


def run(arguments: list[str], out: str) -> None:
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(file, 1)
    os.dup2(file, 2)
    code = 70
    try:
        code = tidelore(arguments)
    finally:
        os._exit(code)


def main() -> None:
    # What `serve` would import when it starts.
    import_module("tidelore.serve.process")
    say("ready", {})
    for line in sys.stdin:
        order = json.loads(line)
        if "dead" in order:
            _, status = os.waitpid(order["dead"], 0)
            say("dead", {"code": os.waitstatus_to_exitcode(status)})
            continue
        child = os.fork()
        if child == 0:
            run(order["arguments"], order["out"])
        say("pid", {"pid": child})


if __name__ == "__main__":
    main()
