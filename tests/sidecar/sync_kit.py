"""A sidecar beside SillyTavern, as real processes that are quick to start and can be killed: `tidelore serve` and `tidelore mirror` on one
store."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.sidecar.processes import Other, python
from tests.sidecar.serve.kit import Client, Server
from tests.sidecar.test_crash import said

KILLED = -signal.SIGKILL


@contextmanager
def forking() -> Iterator[Other]:
    """What the processes are forked from. They embed nothing: that is not what is looked at, and takes most of the time."""
    before = os.environ.get("TIDELORE_EMBEDDER")
    os.environ["TIDELORE_EMBEDDER"] = "none"
    try:
        with python("-m", "tests.sidecar.sync_driver") as other:
            assert said(other) == ("ready", {})
            yield other
    finally:
        del os.environ["TIDELORE_EMBEDDER"]
        if before is not None:
            os.environ["TIDELORE_EMBEDDER"] = before


@dataclass
class Running:
    """A process of ours; `said` is what it has put out since it was started."""

    zygote: Other
    arguments: list[str]
    out: Path
    pid: int = 0
    starts: int = 0

    def start(self) -> None:
        self.starts += 1
        out = self.out.with_name(f"{self.out.name}-{self.starts}")
        out.touch()
        self.zygote.tell(json.dumps({"arguments": self.arguments, "out": str(out)}))
        word, body = said(self.zygote)
        assert word == "pid"
        self.pid = body["pid"]

    def said(self) -> str:
        return self.out.with_name(f"{self.out.name}-{self.starts}").read_text("utf-8")

    def end(self, how: signal.Signals) -> None:
        if not self.pid:
            return
        os.kill(self.pid, how)
        self.zygote.tell(json.dumps({"dead": self.pid}))
        word, body = said(self.zygote)
        assert (word, body["code"]) == ("dead", KILLED if how == signal.SIGKILL else 0), self.said()
        self.pid = 0


class Sidecar:
    """One store with its two processes."""

    def __init__(self, zygote: Other, data: Path, user: Path) -> None:
        self.data = data
        data.mkdir()
        self.serve = Running(zygote, ["serve", "--port", "0", "--json", "--data", str(data)], data.with_suffix(".serve"))
        self.mirror = Running(zygote, ["mirror", "--user-data", str(user), "--json", "--data", str(data)], data.with_suffix(".mirror"))

    def start(self) -> None:
        """Those that do not run."""
        for each in (self.serve, self.mirror):
            if not each.pid:
                each.start()

    def is_ready(self) -> bool:
        return "\n" in self.serve.said()

    def server(self) -> Server:
        ready = json.loads(self.serve.said().splitlines()[0])
        return Server(ready["url"], ready["key"])

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        async with self.server().client() as client:
            yield client

    def end(self, how: signal.Signals) -> None:
        self.mirror.end(how)
        self.serve.end(how)
