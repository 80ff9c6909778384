"""Several writers on one folder: processes, services in one process, calls in one event loop. None loses anything, none waits for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.sidecar.processes import Other, call, rpc
from tests.sidecar.store_contract import run
from tidelore.engine.errors import Conflict
from tidelore.engine.service import Service
from tidelore.host.open import open_service
from tidelore.host.store import SqliteStore

T = TypeVar("T")
PROCESSES, WRITES = 4, 50
PEOPLE = "Alice Bertram Celia Dorian Edith Florian Greta Hugo".split()


def screen(tag: str, length: int = 5) -> list[dict[str, Any]]:
    """A chat each message of which bears its tag."""
    who = PEOPLE[len(tag) % len(PEOPLE)]
    said = [f"{who} went to the Copper Heron Tavern, {tag} says in line {line}." for line in range(length)]
    return [{"role": "assistant" if at % 2 else "user", "text": text, "name": "Mara"} for at, text in enumerate(said)]


def tags(texts: Sequence[str]) -> set[str]:
    return {text.split(", ", 1)[1].split(" says")[0] for text in texts}


async def texts(store: SqliteStore, chat: str) -> list[str]:
    """The messages of a chat as stored. Slots are read first, so that each has its text."""
    record = {each.name: each for each in await store.chats()}[chat]
    rows = (await store.chat(record.id)).rows
    sources = {source.key: source.text for source in (await store.pool(record.pool, 0)).sources}
    return [sources[entry.key] for entry, _ in rows]


@contextmanager
def processes(folder: Path, number: int) -> Iterator[list[Other]]:
    with ExitStack() as stack:
        others = [stack.enter_context(rpc(folder)) for _ in range(number)]
        assert all(call(other, "chat.list")["result"] == {"chats": []} for other in others)
        yield others


@asynccontextmanager
async def services(folder: Path, number: int = 2) -> AsyncIterator[list[Service]]:
    """Each on a store of its own on the one folder."""
    async with open_service(folder) as first:
        if number == 1:
            yield [first]
        else:
            async with services(folder, number - 1) as rest:
                yield [first, *rest]


# ---- processes ----


class Writer:
    """Writes through one process and notes what it answered."""

    def __init__(self, other: Other, name: str) -> None:
        self.other = other
        self.name = name
        self.shown: list[str] = []
        self.commits: list[str] = []
        self.aliases: list[str] = []
        self.refused: list[str] = []
        self.own: list[dict[str, Any]] = []

    def ask(self, method: str, **params: Any) -> dict[str, Any] | None:
        response = call(self.other, method, **params)
        if "error" in response:
            self.refused.append(response["error"]["data"]["code"])
            return None
        result: dict[str, Any] = response["result"]
        return result

    def work(self) -> None:
        for number in range(WRITES):
            tag = f"{self.name}{number}"
            match number % 5:
                case 0 | 1:
                    if self.ask("chat.update", chat="shared", messages=screen(tag)):
                        self.shown.append(tag)
                case 2:
                    changed = self.ask("entity.alias", chat="shared", name="Alice", alias=f"Captain {tag}")
                    if changed:
                        self.commits.append(changed["commit"])
                        self.aliases.append(f"Captain {tag}")
                case 3:
                    self.ask("extract.run", chat="shared", by="rules", lag=0)
                case _:
                    more = [*self.own, *screen(tag, 2)]
                    if self.ask("chat.update", chat=f"own {self.name}", messages=more):
                        self.own = more


def watch(folder: Path, done: threading.Event) -> list[set[str]]:
    """The tags of the shared chat, as another reader sees it while the writers work."""
    store = SqliteStore(folder)
    seen: list[set[str]] = []
    try:
        while not done.is_set():
            if any(record.name == "shared" for record in run(store.chats())):
                seen.append(tags(run(texts(store, "shared"))))
    finally:
        store.close()
    return seen


@pytest.mark.slow
@pytest.mark.req("F19", "P85", "P19", "LAW-3")
def test_four_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    done = threading.Event()
    with processes(tmp_path, PROCESSES) as others, ThreadPoolExecutor(PROCESSES + 1) as pool:
        writers = [Writer(other, name) for other, name in zip(others, "abcd", strict=True)]
        reader = pool.submit(watch, tmp_path, done)
        work: list[Future[None]] = [pool.submit(writer.work) for writer in writers]
        try:
            for each in work:
                each.result()
        finally:
            done.set()
        assert all(len(seen) == 1 for seen in reader.result())
        graphs = [call(other, "graph.get", chat="shared")["result"] for other in others]
        lists = [call(other, "chat.list")["result"] for other in others]
    refused = [code for writer in writers for code in writer.refused]
    assert set(refused) <= {"conflict"}
    print(f"{len(refused)} of {PROCESSES * WRITES} calls were refused as conflicts")

    store = SqliteStore(tmp_path)
    standing = run(texts(store, "shared"))
    assert standing in [[message["text"] for message in screen(writer.shown[-1])] for writer in writers]
    rows = run(store.pool({each.name: each.pool for each in run(store.chats())}["shared"], 0))
    kept = {source.text for source in rows.sources}
    commits = {commit.id for commit in rows.commits}
    for writer in writers:
        assert kept.issuperset(message["text"] for tag in writer.shown for message in screen(tag))
        assert commits.issuperset(writer.commits)
        assert len(writer.commits) == WRITES // 5
        assert run(texts(store, f"own {writer.name}")) == [message["text"] for message in writer.own]
    store.close()

    fresh = asyncio.run(read(tmp_path, "graph.get", {"chat": "shared"}))
    assert all(graph == fresh for graph in graphs)
    assert all(each == lists[0] for each in lists)


@pytest.mark.slow
@pytest.mark.req("F19", "P85")
def test_four_processes_that_change_one_node_at_once_all_have_their_change_kept(tmp_path: Path) -> None:
    with processes(tmp_path, PROCESSES) as others, ThreadPoolExecutor(PROCESSES) as pool:
        call(others[0], "chat.update", chat="c", messages=screen("a"))
        call(others[0], "extract.run", chat="c", lag=0)
        node = call(others[0], "graph.get", chat="c")["result"]["nodes"][0]["id"]

        def change(at: int) -> list[str]:
            fields = ({"note": f"{at} {number}"} for number in range(WRITES // 2))
            answers = [call(others[at], "node.edit", chat="c", node=node, fields=each) for each in fields]
            answers += [call(others[at], "undo", chat="c") for _ in range(WRITES // 4)]
            assert {answer["error"]["data"]["code"] for answer in answers if "error" in answer} <= {"conflict", "not_found"}
            return [answer["result"]["commit"] for answer in answers if "result" in answer]

        changes = list(pool.map(change, range(PROCESSES)))
        states = [call(other, "stats", chat="c")["result"] for other in others]
        graphs = [call(other, "graph.get", chat="c")["result"] for other in others]
    assert all(len(set(commits)) == len(commits) >= WRITES // 2 for commits in changes)
    store = SqliteStore(tmp_path)
    record = {each.name: each for each in run(store.chats())}["c"]
    kept = {commit.id for commit in run(store.pool(record.pool, 0)).commits}
    store.close()
    assert kept.issuperset(commit for commits in changes for commit in commits)
    assert all(state == states[0] for state in states)
    assert all(graph == graphs[0] for graph in graphs)
    assert asyncio.run(read(tmp_path, "graph.get", {"chat": "c"})) == graphs[0]


async def read(folder: Path, method: str, params: dict[str, Any]) -> Any:
    async with open_service(folder) as service:
        return await service.call(method, params)


# ---- two services on one folder ----


@pytest.mark.req("P19")
def test_each_service_sees_at_its_next_call_what_the_other_has_written(tmp_path: Path) -> None:
    async def main() -> None:
        async with services(tmp_path) as (one, two):
            await one.call("chat.update", {"chat": "c", "messages": screen("first")})
            for number in range(6):
                writer, reader = (one, two) if number % 2 else (two, one)
                await writer.call("chat.update", {"chat": "c", "messages": screen(f"tag{number}", 3 + number)})
                assert (await reader.call("stats", {"chat": "c"}))["messages"] == 3 + number
                await writer.call("extract.run", {"chat": "c", "lag": 0})
                graph = await writer.call("graph.get", {"chat": "c"})
                assert graph["nodes"]
                assert await reader.call("graph.get", {"chat": "c"}) == graph
                changed = await reader.call("entity.alias", {"chat": "c", "name": "Alice", "alias": f"A{number}"})
                await writer.call("undo", {"chat": "c", "commit": changed["commit"]})
                assert await reader.call("graph.get", {"chat": "c"}) == graph
                await writer.call("chat.update", {"chat": f"new {number}", "messages": [], "branch_of": "c"})
                assert len((await reader.call("chat.list", {}))["chats"]) == 2 + number

    asyncio.run(main())


@pytest.mark.req("P19")
def test_an_update_by_a_stale_service_is_the_whole_screen_and_keeps_what_the_other_remembers(tmp_path: Path) -> None:
    async def main() -> None:
        async with services(tmp_path) as (one, two):
            await one.call("chat.update", {"chat": "c", "messages": screen("first", 9)})
            await two.call("chat.update", {"chat": "c", "messages": [*screen("first", 9)[:4], *screen("second")]})
            await two.call("extract.run", {"chat": "c", "lag": 0})
            there = await two.call("graph.get", {"chat": "c"})
            await one.call("chat.update", {"chat": "c", "messages": screen("third")})
            assert isinstance(one.store, SqliteStore)
            assert tags(await texts(one.store, "c")) == {"third"}
            await one.call("chat.update", {"chat": "c", "messages": [*screen("first", 9)[:4], *screen("second")]})
            assert await one.call("graph.get", {"chat": "c"}) == there

    asyncio.run(main())


@pytest.mark.req("F19", "P85")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_fifty_calls_at_once_end_as_if_one_came_after_the_other(tmp_path: Path, number: int) -> None:
    async def one_call(service: Service, at: int) -> str:
        # No more than three services write one chat here, so three rounds are enough for each update.
        match at % 5:
            case 0:
                await service.call("chat.update", {"chat": "shared", "messages": screen(f"tag{at}")})
            case 1:
                await service.call("chat.update", {"chat": f"own {at}", "messages": screen(f"tag{at}")})
            case 2:
                return str((await service.call("entity.alias", {"chat": "start", "name": "Alice", "alias": f"A{at}"}))["commit"])
            case 3:
                try:
                    await service.call("extract.run", {"chat": "start", "lag": 0})
                except Conflict:  # it runs already
                    return ""
            case _:
                await service.call("graph.get", {"chat": "start"})
                await service.call("chat.list", {})
        return ""

    async def main() -> None:
        async with services(tmp_path, number) as many:
            await many[0].call("chat.update", {"chat": "start", "messages": screen("start", 40)})
            made = await asyncio.gather(*(one_call(many[at % number], at) for at in range(50)), return_exceptions=True)
            assert [each for each in made if isinstance(each, BaseException) and not isinstance(each, Conflict)] == []
            commits = [each for each in made if isinstance(each, str) and each]
            assert len(set(commits)) == 10
            await many[0].call("extract.run", {"chat": "start", "lag": 0})
            graphs = [await service.call("graph.get", {"chat": "start"}) for service in many]
            assert all(graph == graphs[0] for graph in graphs)
            assert await read(tmp_path, "graph.get", {"chat": "start"}) == graphs[0]
            names = {each["chat"] for each in (await many[-1].call("chat.list", {}))["chats"]}
            assert names == {"start", "shared", *(f"own {at}" for at in range(1, 50, 5))}
            store = many[0].store
            assert isinstance(store, SqliteStore)
            assert len(tags(await texts(store, "shared"))) == 1
            record = {each.name: each for each in await store.chats()}["start"]
            assert {commit.id for commit in (await store.pool(record.pool, 0)).commits}.issuperset(commits)

    asyncio.run(main())
