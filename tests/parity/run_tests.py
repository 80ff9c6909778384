"""Runs test files of the engine inside Pyodide: run_tests.py EXAMPLES STEPS FILE..."""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from importlib.metadata import version
from typing import Any

import pytest

from tests.parity import native

native.install(version("hypothesis"))

from hypothesis import settings  # noqa: E402


class _NoFiles(selectors._BaseSelectorImpl):  # type: ignore[name-defined, misc]
    """There is nothing to select from: it only waits."""

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout:
            time.sleep(timeout)
        return []


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that runs until a coroutine ends, which the page's own cannot: there JavaScript's loop is the only one."""

    def __init__(self) -> None:
        super().__init__(_NoFiles())

    def _make_self_pipe(self) -> None:
        pass

    def _close_self_pipe(self) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


def _run(work: Any) -> Any:
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


class _Fewer:
    """Fewer examples for those machines that say how many they want."""

    def __init__(self, examples: int, steps: int) -> None:
        self._settings = {"max_examples": examples, "stateful_step_count": steps}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        for item in items:
            case = getattr(item, "cls", None)
            if isinstance(getattr(case, "settings", None), settings):
                case.settings = settings(case.settings, **self._settings)


def main(examples: str, steps: str, *files: str) -> int:
    asyncio.run = _run
    settings.register_profile(
        "pyodide", deadline=None, derandomize=True, database=None, max_examples=int(examples), stateful_step_count=int(steps)
    )
    options = ["-c", "/repository/pyproject.toml", "--rootdir", "/repository", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-s"]
    return int(pytest.main([*options, "--durations=5", *files], plugins=[_Fewer(int(examples), int(steps))]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
