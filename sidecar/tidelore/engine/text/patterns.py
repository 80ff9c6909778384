"""Regular expressions of a module, compiled when they are first used: there are hundreds, and most commands need a few."""

from __future__ import annotations

import re
from typing import Any, cast

_ALL: list[_Later] = []


class _Later:
    """Stands for the pattern. What is looked up once is at hand from then on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._said = (pattern, flags)
        self._compiled: re.Pattern[str] | None = None
        _ALL.append(self)

    def __getattr__(self, name: str) -> Any:
        # Not asked of a pattern, so that copying and the like do not go astray.
        if name.startswith("_"):
            raise AttributeError(name)
        if self._compiled is None:
            self._compiled = re.compile(*self._said)
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, which checks the pattern when it is first used. For what lasts as long as the program, at the top of a module."""
    return cast("re.Pattern[str]", _Later(pattern, flags))


def compile_all() -> None:
    """Now, where a program goes on for long, and no first message is to wait for it. Raises re.error for a pattern that is none."""
    for each in _ALL:
        for name in ("search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
            getattr(each, name)
