"""Replicas whose stores are files: what is exchanged is on disk when it is answered, and purged words are nowhere in the folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.engine.service_kit import rows
from tests.engine.sync.kit import Folder, over_the_wire
from tidelore.engine.codec import windowed
from tidelore.engine.errors import NotFound
from tidelore.engine.model import Commit, EnsureNode, Evident, Quote, Source
from tidelore.engine.ports import Batch, Store
from tidelore.engine.service import Service
from tidelore.host.open import open_service

POOL = "0f" * 16
SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove."),
    ("Mara", "Then she is forgiven."),
)


@asynccontextmanager
async def opened(*folders: Path) -> AsyncIterator[list[Service]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_service(folder)) for folder in folders]


async def fetch(to: Service, source: Service) -> int:
    new = 0
    while True:
        found = await source.call("sync.pull", over_the_wire(await to.call("sync.vector", {})))
        new += int((await to.call("sync.push", over_the_wire(found)))["new"])
        if not found["more"]:
            return new


async def show(service: Service, extract: bool = True) -> None:
    await service.call("chat.update", {"chat": "c", "messages": SAID, "pool": POOL})
    if extract:
        await service.call("extract.run", {"chat": "c", "lag": 0})


async def moments(service: Service) -> dict[str, str]:
    nodes = (await service.call("graph.get", {"chat": "c"}))["nodes"]
    return {node["text"]: node["id"] for node in nodes if node["kind"] == "moment"}


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def test_what_was_acknowledged_is_there_after_a_restart_and_goes_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "one", tmp_path / "other") as (one, other):
            await show(one)
            assert await fetch(other, one) == 7
            before = await other.call("sync.vector", {})
        async with opened(tmp_path / "one", tmp_path / "other") as (one, other):
            assert await other.call("sync.vector", {}) == before
            assert await fetch(other, one) == 0
            await show(other, extract=False)
            assert await moments(other) == await moments(one)
            await show(other)
            assert await fetch(one, other) == 0, "all of it was known"

    asyncio.run(main())


@pytest.mark.parametrize("how", ["node.purge", "chat.purge"])
def test_purged_words_are_nowhere_in_the_folder_of_any_replica(tmp_path: Path, how: str) -> None:
    async def main() -> None:
        async with opened(tmp_path / "one", tmp_path / "other") as (one, other):
            await show(one)
            await fetch(other, one)
            folder = one.files = other.files = Folder()
            await one.call("sync.mirror", {})
            node = next(id_ for text, id_ in (await moments(one)).items() if "herring" in text)
            await one.call("node.edit", {"chat": "c", "node": node, "fields": {"text": "stole a red herring"}})
            await fetch(other, one)
            assert all(b"herring" in bytes_of(tmp_path / name) for name in ("one", "other"))
            await one.call(how, {"chat": "c", **({"node": node} if how == "node.purge" else {})})
            assert b"herring" not in bytes_of(tmp_path / "one")
            await fetch(other, one)
            assert b"herring" not in bytes_of(tmp_path / "other")
            for service in (one, other):
                await service.call("sync.mirror", {})
            assert "herring" not in folder.text()

    asyncio.run(main())


def test_another_process_on_the_same_store_sees_what_came_and_what_was_purged(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "one", tmp_path / "other", tmp_path / "other") as (one, other, beside):
            await show(one)
            with pytest.raises(NotFound):
                await moments(beside)
            await fetch(other, one)
            await show(other, extract=False)
            assert await moments(beside) == await moments(one)
            node = next(id_ for text, id_ in (await moments(one)).items() if "herring" in text)
            await one.call("node.purge", {"chat": "c", "node": node})
            await fetch(other, one)
            assert await moments(beside) == await moments(other) == await moments(one)
            plan = await beside.call("extract.plan", {"chat": "c", "by": "rules", "lag": 0})
            assert (plan["windows"], plan["purged"]) == ([], 1)

    asyncio.run(main())


def test_two_processes_that_write_to_one_store_number_each_record_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path, tmp_path) as several:

            async def write(service: Service, number: int) -> None:
                for turn in range(20):
                    await service.call("node.write", {"scope": "profile", "text": f"note {number} {turn}"})

            await several[0].call("node.write", {"scope": "profile", "text": "first"})
            await asyncio.gather(*(write(service, number) for number, service in enumerate(several)))
            mine = await several[0].store.replica()
            records = await several[1].store.log(mine, 0, 1 << 30)
            assert [each.sequence for each in records] == list(range(1, 43))
            assert len({(each.kind, each.id) for each in records}) == 42

    asyncio.run(main())


@pytest.mark.parametrize("purged", [False, True])
def test_two_processes_that_take_in_the_same_records_at_once_both_succeed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, purged: bool
) -> None:
    async def main() -> None:
        async with opened(tmp_path / "one", tmp_path / "other", tmp_path / "other") as (one, other, beside):
            await show(one)
            if purged:
                await fetch(other, one)
                await one.call("node.purge", {"chat": "c", "node": next(iter((await moments(one)).values()))})
            found = over_the_wire(await one.call("sync.pull", await other.call("sync.vector", {})))
            name = "purge" if purged else "write"
            store = getattr(beside.store, name)

            async def late(what: Any) -> Any:
                monkeypatch.setattr(beside.store, name, store)
                assert (await other.call("sync.push", found))["new"] > 0
                return await store(what)

            monkeypatch.setattr(beside.store, name, late)
            done = await beside.call("sync.push", found)
            assert (done["new"], done["wanted"], done["refused"]) == (0, {}, {})
            ours, theirs = await beside.call("sync.vector", {}), await one.call("sync.vector", {})
            assert (ours["vector"], ours["chains"]) == (theirs["vector"], theirs["chains"])

    asyncio.run(main())


def commit(at: int) -> Commit:
    stated = EnsureNode(Evident("moment", (0,)), "event", {"text": f"moment {at}"}, (Quote(0),))
    return windowed("model", [stated], [f"{at:032x}"], clock=at, replica="r")


async def fill(store: Store, first: int, last: int) -> None:
    """A source and a commit for each number."""
    numbers = range(first, last)
    await store.write(Batch(POOL, [Source(f"{at:032x}", "user", f"words {at}") for at in numbers], [commit(at) for at in numbers]))


def test_a_change_does_not_wait_until_a_large_file_of_the_mirror_is_taken_in(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "one", tmp_path / "other") as (one, other):
            await fill(one.store, 1, 3000)
            one.files = other.files = Folder()
            await one.call("sync.mirror", {})
            taking = asyncio.create_task(other.call("sync.mirror", {}))
            while not await other.store.heads():
                await asyncio.sleep(0)
            await other.call("node.write", {"scope": "profile", "text": "The kettle is hot."})
            theirs = (await other.store.heads())[await one.store.replica()]
            assert theirs.sequence < 5998, "the rest of the file is still to come"
            assert (await taking)["new"] == 5998

    asyncio.run(main())


def test_a_round_without_news_does_not_depend_on_how_much_there_is(tmp_path: Path) -> None:
    """Counted in what SQLite does, not in time."""

    async def steps(service: Service) -> int:
        done = 0

        def count() -> int:
            nonlocal done
            done += 1
            return 0

        store: Any = service.store
        ask = await service.call("sync.vector", {})
        await store._run(lambda db: db.set_progress_handler(count, 1))
        await service.call("sync.pull", {**ask, "replica": "other"})
        await service.call("sync.push", {"records": []})
        await store._run(lambda db: db.set_progress_handler(None, 0))
        return done

    async def main() -> None:
        async with opened(tmp_path) as (service,):
            await fill(service.store, 1, 200)
            await steps(service)
            few = await steps(service)
            await fill(service.store, 200, 4200)
            await steps(service)
            assert await steps(service) < 2 * few

    asyncio.run(main())
