"""An event loop for tests inside Pyodide, where JavaScript's loop is the only one and `asyncio.run` cannot wait."""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Coroutine
from typing import Any


class _NoFiles(selectors._BaseSelectorImpl):
    """There is nothing to select from: it only waits."""

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout:
            time.sleep(timeout)
        return []


class _Loop(asyncio.SelectorEventLoop):
    """Runs until a coroutine ends."""

    def __init__(self) -> None:
        super().__init__(_NoFiles())

    def _make_self_pipe(self) -> None:
        pass

    def _close_self_pipe(self) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


def install() -> None:
    """`asyncio.run` waits from now on, as elsewhere."""
    asyncio._set_running_loop(None)
    asyncio.run = _run  # type: ignore[assignment]
