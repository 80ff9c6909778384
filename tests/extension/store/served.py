"""The browser's store behind the engine's port to it, in a process of Node: no browser and no Pyodide between."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

from tests.parity.conftest import ROOT
from tidelore.engine.ports import Store

sys.path.append(str(ROOT / "wasm"))
from engine_channel import PortFailed
from engine_ports import PageStore


class Node:
    """The process; each store that is asked of it has a database of its own."""

    def __init__(self, node: str) -> None:
        script = Path(__file__).with_name("serve.mjs")
        self._process = subprocess.Popen([node, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self._stores = 0

    def ask(self, store: int, method: str, arguments: tuple[Any, ...]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"store": store, "method": method, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise PortFailed(answer["error"])
        return answer["result"]

    def store(self) -> Store:
        self._stores += 1
        return PageStore(_Channel(self, self._stores))  # type: ignore[arg-type]

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()


class _Asks(Protocol):
    def ask(self, store: int, method: str, arguments: tuple[Any, ...]) -> Any: ...


class _Channel:
    """What PageStore needs of a channel."""

    def __init__(self, node: _Asks, store: int) -> None:
        self._node, self._store = node, store

    async def ask(self, port: str, method: str, *arguments: Any, seconds: float, late: Exception) -> Any:
        del port, seconds, late
        return self._node.ask(self._store, method, arguments)
