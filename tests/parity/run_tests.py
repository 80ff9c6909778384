"""Runs test files of the engine inside Pyodide: run_tests.py MACHINES STEPS EXAMPLES FILE...

MACHINES and STEPS are for state machines, EXAMPLES for other property tests.
"""

from __future__ import annotations

import sys
from importlib.metadata import version

import pytest

from tests.parity import loop, native


class _Fewer:
    """The profile `pyodide`: the same few examples each time, also for those machines that say how many they want."""

    def __init__(self, machines: int, steps: int, examples: int) -> None:
        self._machines, self._steps = machines, steps
        self._examples = examples

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        # Not at the top: a module that is imported before pytest starts cannot have its assertions rewritten, which is a warning.
        from hypothesis import settings

        settings.register_profile("pyodide", deadline=None, derandomize=True, database=None, max_examples=self._examples)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from hypothesis import settings

        for item in items:
            case = getattr(item, "cls", None)
            known = getattr(case, "settings", None)
            if case is not None and isinstance(known, settings):
                case.settings = settings(known, max_examples=self._machines, stateful_step_count=self._steps)


def main(machines: str, steps: str, examples: str, *arguments: str) -> int:
    loop.install()
    native.install(version("hypothesis"))
    options = ["-c", "/repository/pyproject.toml", "--rootdir", "/repository", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-s"]
    # They need what Pyodide does not have: signals, sockets, other processes.
    options += ["-p", "no:rerunfailures", "-p", "no:xdist", "-o", "timeout=0"]
    return int(pytest.main([*options, *arguments], plugins=[_Fewer(int(machines), int(steps), int(examples))]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
