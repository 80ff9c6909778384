"""When the collector of cycles runs in the page's worker."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.parity.conftest import ROOT

if TYPE_CHECKING:
    from engine_garbage import Collector

ENOUGH = 5000


class Cycle:
    def __init__(self) -> None:
        self.self = self


def garbage(count: int = ENOUGH) -> weakref.ref[Cycle]:
    """One of so many cycles that nobody holds."""
    first, *_ = [weakref.ref(Cycle()) for _ in range(count)]
    return first


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    monkeypatch.syspath_prepend(str(ROOT / "wasm"))
    from engine_garbage import Collector

    gc.collect()
    yield Collector(ENOUGH, seconds=0)
    gc.enable()
    gc.collect()


async def turns() -> None:
    """As many turns of the loop as a walk that is due at once would need."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_it_does_not_run_by_itself(collector: Collector) -> None:
    collector.busy()
    assert garbage(10 * ENOUGH)() is not None


def test_it_runs_when_no_call_is_left_and_much_has_come(collector: Collector) -> None:
    async def work() -> bool:
        one = garbage()
        collector.idle()
        await turns()
        return one() is None

    assert asyncio.run(work())


def test_a_call_that_begins_puts_it_off(collector: Collector) -> None:
    async def work() -> list[bool]:
        one = garbage()
        collector.idle()
        collector.busy()
        await turns()
        before = one() is None
        collector.idle()
        await turns()
        return [before, one() is None]

    assert asyncio.run(work()) == [False, True]


def test_it_does_not_run_for_little(collector: Collector) -> None:
    async def work() -> bool:
        one = garbage(10)
        collector.idle()
        await turns()
        return one() is None

    assert not asyncio.run(work())


def test_as_much_as_stayed_must_come_before_it_runs_again(collector: Collector) -> None:
    async def work() -> list[bool]:
        stays: list[list[int]] = [[] for _ in range(3 * ENOUGH)]
        collector.idle()
        await turns()
        one = garbage(2 * ENOUGH)
        collector.idle()
        await turns()
        soon = one() is None
        other = garbage(2 * ENOUGH)
        collector.idle()
        await turns()
        return [soon, other() is None, len(stays) == 3 * ENOUGH]

    assert asyncio.run(work()) == [False, True, True]
