"""A message that is as long as a book is read where the host says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.sidecar.fakes import clock, tokens
from tidelore.engine.extract.run import LONG
from tidelore.engine.service import Service
from tidelore.host.store import SqliteStore

T = TypeVar("T")


def test_the_rules_read_long_texts_aside_and_make_the_same_of_them(tmp_path: Path) -> None:
    long = "My aunt Bea keeps seven bee hives on the roof of the old mill. " * (LONG // 60)
    messages = [{"role": "user", "text": long}, {"role": "assistant", "text": "My brother Tom lives in Bergen."}]
    asked: list[str] = []

    async def elsewhere(work: Callable[..., T], /, *args: Any) -> T:
        asked.append(args[-1])
        return await asyncio.to_thread(work, *args)

    async def run(name: str, *, beside: bool) -> list[str]:
        store = SqliteStore(tmp_path / name)
        try:
            service = Service(store, clock(), tokens())
            if beside:
                service.chats.off_loop = elsewhere
            await service.call("chat.update", {"chat": "c", "messages": messages})
            await service.call("extract.run", {"chat": "c", "by": "rules", "lag": 0})
            return sorted(node["text"] for node in (await service.call("graph.get", {"chat": "c"}))["nodes"])
        finally:
            store.close()

    here, there = asyncio.run(run("here", beside=False)), asyncio.run(run("there", beside=True))
    assert here == there
    assert any("Bergen" in each for each in here)
    assert [len(each) >= LONG for each in asked] == [True]
