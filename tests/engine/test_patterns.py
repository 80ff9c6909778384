"""Patterns that are compiled at their first use: all of them can be, and they do what compiled ones do."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

import tidelore.engine
from tidelore.engine.text import patterns
from tidelore.engine.text.patterns import compile_all, later


def test_every_pattern_of_the_engine_compiles() -> None:
    for module in walk_packages(tidelore.engine.__path__, "tidelore.engine."):
        import_module(module.name)
    compile_all()


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    lazy, compiled = later(r"(?P<a>b+)|c", re.IGNORECASE), re.compile(r"(?P<a>b+)|c", re.IGNORECASE)
    for text in ("", "aBBc", "c"):
        assert lazy.sub("-", text) == compiled.sub("-", text)
        assert [found.span("a") for found in lazy.finditer(text)] == [found.span("a") for found in compiled.finditer(text)]
        assert lazy.split(text) == compiled.split(text)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
    with pytest.raises(AttributeError):
        _ = lazy.nothing  # type: ignore[attr-defined]


def test_a_pattern_that_is_none_is_told_when_it_is_used() -> None:
    broken = later("(")
    with pytest.raises(re.error):
        broken.search("")
    patterns._ALL.remove(broken)  # type: ignore[arg-type]
