"""A chat is purged by one process while others know it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.fakes import ScriptedModel, answer
from tests.sidecar.test_two_writers import screen, services
from tidelore.engine.errors import NotFound
from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import Batch
from tidelore.engine.service import Service

POOL = "0f" * 16


async def show(service: Service, tag: str, chat: str = "c", **more: Any) -> None:
    await service.call("chat.update", {"chat": chat, "messages": screen(tag), "pool": POOL, **more})


async def graph(service: Service, chat: str = "c") -> Any:
    return await service.call("graph.get", {"chat": chat})


def test_another_process_forgets_a_purged_chat(tmp_path: Path) -> None:
    async def main() -> None:
        async with services(tmp_path) as (one, two):
            await show(one, "first")
            await one.call("extract.run", {"chat": "c", "lag": 0})
            assert (await graph(two))["nodes"]
            await one.call("chat.purge", {"chat": "c"})
            for method in ("graph.get", "extract.run", "chat.purge", "stats"):
                with pytest.raises(NotFound):
                    await two.call(method, {"chat": "c"})
            assert (await two.call("chat.list", {})) == {"chats": []}

    asyncio.run(main())


@pytest.mark.parametrize("tag", ["first", "other"])
def test_a_chat_that_was_purged_and_made_again_is_the_new_one_everywhere(tmp_path: Path, tag: str) -> None:
    """Name, pool, id and revision are as before: only what stands in it tells."""

    async def main() -> None:
        async with services(tmp_path, 3) as (one, two, fresh):
            await show(one, "first")
            await one.call("extract.run", {"chat": "c", "lag": 0})
            first = await graph(two)
            await one.call("chat.purge", {"chat": "c"})
            await show(one, tag)
            assert await graph(two) == {"nodes": [], "edges": []}, "what was remembered of the first is gone"
            assert (await two.call("extract.run", {"chat": "c", "lag": 0}))["windows"] == 5
            assert await graph(one) == await graph(two) == await graph(fresh)
            assert (await graph(two) == first) == (tag == "first")
            stats = [await service.call("stats", {"chat": "c"}) for service in (one, two, fresh)]
            assert stats[0] == stats[1] == stats[2]
            assert stats[0]["sources"] == 5

    asyncio.run(main())


@pytest.mark.req("P13")
def test_a_branch_in_another_process_outlives_its_parent(tmp_path: Path) -> None:
    async def main() -> None:
        async with services(tmp_path, 3) as (one, two, fresh):
            await show(one, "first")
            await one.call("extract.run", {"chat": "c", "lag": 0})
            node = (await graph(one))["nodes"][0]["id"]
            await one.call("node.edit", {"chat": "c", "node": node, "fields": {"note": "by hand"}})
            await show(two, "first", "branch", branch_of="c")
            before = await graph(two, "branch")
            assert "by hand" in str(before)
            await one.call("chat.purge", {"chat": "c"})
            assert await graph(two, "branch") == await graph(fresh, "branch") == before
            await two.call("chat.purge", {"chat": "branch"})
            assert await one.call("chat.list", {}) == {"chats": []}

    asyncio.run(main())


@pytest.mark.parametrize("says", ["a fact", "nothing", "rubbish"])
def test_an_extraction_of_a_chat_that_is_purged_meanwhile_stores_nothing(tmp_path: Path, says: str) -> None:
    async def main() -> None:
        async with services(tmp_path) as (one, two):
            await show(one, "first")

            async def rule(asked: Any) -> str:
                await one.call("chat.purge", {"chat": "c"})
                fact = {"op": "node", "kind": "fact", "sub": "context", "text": "A fact."}
                quote = {"evidence": [{"message": 1, "quote": asked.lines[0].text}]}
                return {"a fact": answer({**fact, **quote}), "nothing": answer(), "rubbish": "rubbish"}[says]

            two.complete = ScriptedModel(rule)
            with pytest.raises(NotFound):
                await two.call("extract.run", {"chat": "c", "by": "model", "lag": 0})
            held = await one.store.pool(POOL, 0)
            assert (list(held.sources), list(held.commits)) == ([], [])
            assert await one.store.ledger("attempt", "", 9) == []

    asyncio.run(main())


class Interrupted(MemoryStore):
    """Something else happens just before a write."""

    meanwhile: Callable[[], Coroutine[Any, Any, None]] | None = None

    async def write(self, batch: Batch) -> None:
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        await super().write(batch)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("chat.update", {"chat": "c", "messages": screen("second", 7)}),
        ("chat.update", {"chat": "branch", "messages": screen("first"), "branch_of": "c"}),
        ("entity.alias", {"chat": "c", "name": "Alice", "alias": "Captain"}),
        ("extract.run", {"chat": "c", "lag": 0}),
    ],
    ids=["an update", "a branch", "a change by hand", "an extraction"],
)
@pytest.mark.parametrize("read_again", [True, False])
def test_what_is_written_while_its_pool_is_given_up_is_not_missed(name: str, params: dict[str, Any], *, read_again: bool) -> None:
    """As when another process purges a chat on the pool, and a reader reads the pool anew before the write is there."""

    async def main() -> None:
        store = Interrupted()
        numbers = count(1)
        service = Service(store, numbers.__next__, lambda: f"{next(numbers):032x}")
        await show(service, "first")

        happened: list[str] = []

        async def given_up() -> None:
            happened.append(name)
            service.chats._pools.clear()
            if read_again:
                await service.call("stats", {"chat": "c"})

        store.meanwhile = given_up
        await service.call(name, params)
        assert happened == [name]
        fresh = Service(store, numbers.__next__, lambda: "")
        for chat in [each["chat"] for each in (await fresh.call("chat.list", {}))["chats"]]:
            for method in ("stats", "graph.get"):
                assert await service.call(method, {"chat": chat}) == await fresh.call(method, {"chat": chat})

    asyncio.run(main())


def test_purges_and_updates_of_many_at_once_end_in_one_state(tmp_path: Path) -> None:
    async def main() -> None:
        async with services(tmp_path, 3) as several:

            async def storm(service: Service, number: int) -> None:
                for turn in range(12):
                    await show(service, f"tag{number}{turn}", f"chat {turn % 2}")
                    try:
                        if (turn + number) % 3 == 0:
                            await service.call("chat.purge", {"chat": f"chat {turn % 2}"})
                        else:
                            await service.call("extract.run", {"chat": f"chat {turn % 2}", "lag": 0})
                    except NotFound:
                        pass

            await asyncio.gather(*(storm(service, number) for number, service in enumerate(several)))
            for number in range(2):
                await show(several[0], "the end", f"chat {number}")
                await several[0].call("extract.run", {"chat": f"chat {number}", "lag": 0})
            for number in range(2):
                graphs = [await graph(service, f"chat {number}") for service in several]
                assert graphs[0]["nodes"]
                assert graphs[0] == graphs[1] == graphs[2]
                stats = [await service.call("stats", {"chat": f"chat {number}"}) for service in several]
                assert stats[0] == stats[1] == stats[2]

    asyncio.run(main())
