"""What comes in the midst of a call: another writer, another call, a cancellation, a write that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Coroutine, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.sidecar.test_two_writers import screen, services
from tidelore.engine.errors import NotFound, TideloreError
from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import Batch, ChatRecord, ChatRows, PoolRows
from tidelore.engine.service import Service

T = TypeVar("T")


class Between(MemoryStore):
    """A store to which something is written just after the reads numbered `at`; `changes` is the version, counted up for another's
    writes."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = self.changes = 0
        self.at: Container[int] = ()
        self.write_now: Callable[[], Coroutine[Any, Any, Any]] | None = None
        self.numbers = count(1)

    async def version(self) -> int:
        return self.changes

    async def read(self, rows: T) -> T:
        self.reads += 1
        if self.reads in self.at and self.write_now is not None:
            await self.write_now()
        return rows

    async def pool(self, pool: str, cursor: int) -> PoolRows:
        return await self.read(await super().pool(pool, cursor))

    async def chat(self, chat: str) -> ChatRows:
        return await self.read(await super().chat(chat))

    async def chats(self) -> Sequence[ChatRecord]:
        return await self.read(await super().chats())

    def service(self) -> Service:
        return Service(self, count(1).__next__, lambda: f"token {next(self.numbers)}")


@pytest.mark.req("P85")
@pytest.mark.parametrize("reads", [range(1, 40), *([at] for at in range(1, 9))], ids=str)
@pytest.mark.parametrize("fresh", [True, False], ids=["a new reader", "a reader that knows the chat"])
def test_a_chat_that_another_writes_while_it_is_read_is_read_whole(reads: Sequence[int], *, fresh: bool) -> None:
    async def main() -> None:
        store = Between()
        other, reader = store.service(), store.service()

        async def show() -> None:
            store.changes += 1
            other.chats._version = store.changes
            await other.call("chat.update", {"chat": "c", "messages": screen(f"tag{store.changes}", 3 + store.changes % 4)})

        await other.call("chat.update", {"chat": "c", "messages": screen("first")})
        if not fresh:
            await reader.call("graph.get", {"chat": "c"})
            await show()
        store.write_now, store.at = show, [store.reads + read for read in reads]
        await reader.call("extract.run", {"chat": "c", "lag": 0})
        store.at = ()
        await reader.call("extract.run", {"chat": "c", "lag": 0})
        scratch = store.service()
        for method in ("stats", "graph.get"):
            assert await reader.call(method, {"chat": "c"}) == await scratch.call(method, {"chat": "c"})
        assert (await reader.call("stats", {"chat": "c"}))["rules_due"] == 0

    asyncio.run(main())


@pytest.mark.req("P85")
@pytest.mark.parametrize("after", range(1, 5))
def test_a_chat_that_is_made_while_the_others_are_read_is_not_forgotten(after: int) -> None:
    async def main() -> None:
        store = Between()
        service = store.service()
        await service.call("chat.update", {"chat": "c", "messages": screen("first")})
        store.changes += 1  # so all is read again; in between comes another call to the same service
        store.write_now = lambda: service.call("chat.update", {"chat": "new", "messages": screen("new")})
        first = store.reads
        store.at = [first + after]
        await service.call("stats", {"chat": "c"})
        if store.reads < first + after:
            await service.call("chat.update", {"chat": "new", "messages": screen("new")})
        assert (await service.call("stats", {"chat": "new"}))["messages"] == 5
        assert len((await service.call("chat.list", {}))["chats"]) == 2

    asyncio.run(main())


@pytest.mark.req("LAW-3")
@pytest.mark.parametrize("steps", range(12))
def test_an_update_that_was_cancelled_is_never_taken_for_stored(tmp_path: Path, steps: int) -> None:
    """It is cancelled after so many turns of the event loop; whatever was reached, the next calls tell what is stored."""

    async def main() -> None:
        async with services(tmp_path) as (one, two):
            await one.call("chat.update", {"chat": "c", "messages": screen("first")})
            for name, params in (
                ("chat.update", {"chat": "c", "messages": screen("second", 7)}),
                ("chat.update", {"chat": "new", "messages": screen("second", 7)}),
                ("entity.alias", {"chat": "c", "name": "Alice", "alias": "Captain"}),
            ):
                task = asyncio.create_task(one.call(name, params))
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                for chat in ("c", "new"):
                    assert await said(one, chat) == await said(two, chat)
                await one.call(name, params)
                for chat in ("c", "new"):
                    assert await said(one, chat) == await said(two, chat)

    asyncio.run(main())


async def said(service: Service, chat: str) -> Any:
    try:
        return await service.call("stats", {"chat": chat}), await service.call("graph.get", {"chat": chat})
    except NotFound as error:
        return error.code


@pytest.mark.req("LAW-3")
def test_after_a_write_that_failed_the_service_shows_what_is_stored() -> None:
    class Failing(MemoryStore):
        error: TideloreError | None = None

        async def write(self, batch: Batch) -> None:
            if self.error is not None:
                raise self.error
            await super().write(batch)

    async def main() -> None:
        store = Failing()
        numbers = count(1)
        service = Service(store, numbers.__next__, lambda: f"token {next(numbers)}")
        await service.call("chat.update", {"chat": "c", "messages": screen("first")})
        await service.call("extract.run", {"chat": "c", "lag": 0})
        before = await said(service, "c")
        node = before[1]["nodes"][0]["id"]
        for name, params in (
            ("chat.update", {"chat": "c", "messages": screen("second")}),
            ("chat.update", {"chat": "new", "messages": screen("second")}),
            ("entity.alias", {"chat": "c", "name": "Alice", "alias": "Captain"}),
            ("node.edit", {"chat": "c", "node": node, "fields": {"note": "new"}}),
            ("recall.delivered", {"chat": "c", "recall": "r", "nodes": [node]}),
        ):
            store.error = TideloreError("The disk is full.")
            with pytest.raises(TideloreError, match="full"):
                await service.call(name, params)
            assert (await said(service, "c"), await said(service, "new")) == (before, "not_found")
            store.error = None
        assert await said(Service(store, numbers.__next__, lambda: ""), "c") == before
        await service.call("chat.update", {"chat": "c", "messages": screen("second")})
        assert await said(service, "c") == await said(Service(store, numbers.__next__, lambda: ""), "c")

    asyncio.run(main())
