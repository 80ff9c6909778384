"""The two sample stories give the same on CPython and on Pyodide: ids, texts, order, packed text; scores to 1e-9."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow
TOLERANCE = 1e-9


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Where two JSON values are not the same; numbers may differ by the tolerance."""
    if isinstance(one, float) and isinstance(other, float):
        return [] if math.isclose(one, other, rel_tol=0, abs_tol=TOLERANCE) else [f"{where}: {one!r} and {other!r}"]
    if type(one) is not type(other):
        return [f"{where}: {one!r} and {other!r}"]
    if isinstance(one, dict):
        if list(one) != list(other):
            return [f"{where}: members {list(one)} and {list(other)}"]
        return [found for name in one for found in differences(one[name], other[name], f"{where}.{name}")]
    if isinstance(one, list):
        if len(one) != len(other):
            return [f"{where}: {len(one)} and {len(other)} items"]
        return [found for at in range(len(one)) for found in differences(one[at], other[at], f"{where}[{at}]")]
    return [] if one == other else [f"{where}: {one!r} and {other!r}"]


def test_differences_are_noticed() -> None:
    assert differences({"a": [1.0, "x"]}, {"a": [1.0 + 1e-10, "x"]}) == []
    assert differences({"a": [1.0, "x"]}, {"a": [1.0 + 1e-8, "y"]}) == [".a[0]: 1.0 and 1.00000001", ".a[1]: 'x' and 'y'"]
    assert differences({"a": 1, "b": 2}, {"b": 2, "a": 1}) == [": members ['a', 'b'] and ['b', 'a']"]
    assert differences([1], [1.0]) == ["[0]: 1 and 1.0"]


def test_both_stories_are_the_same_in_both_pythons(in_cpython: Callable[..., str], in_pyodide: Callable[..., str]) -> None:
    here, page = (json.loads(run("tests/parity/story.py")) for run in (in_cpython, in_pyodide))
    assert differences(here, page) == []
    for told in here.values():
        assert len(told["graphs"][0]["nodes"]) > 100
        assert all(found["cards"] and found["recalled"] and not found["degraded"] for found in told["recalls"])
