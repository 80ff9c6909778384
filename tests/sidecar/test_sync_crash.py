"""Two sidecars beside SillyTavern, each a `tidelore serve` and a `tidelore mirror` on one store, and a page: processes are killed in the
midst of their exchange, again and again. In the end all hold the same; what was acknowledged is there, and what was purged is nowhere."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import sys
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import WebSocketException

from tests.sidecar.gateway.kit import until
from tests.sidecar.mirror.test_follow import TURNS, lines, mark
from tests.sidecar.processes import Other
from tests.sidecar.serve.kit import Failed
from tests.sidecar.sync_kit import Sidecar, forking
from tidelore.engine.service import Service
from tidelore.host.mirror import chat_file
from tidelore.host.mirror.files import FolderFiles
from tidelore.host.open import open_service
from tidelore.host.store import FILE

RUNS, TURNS_EACH = 2, 14
LONGEST_DELAY = 0.5
CHAT = {"chat": "c1"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no fork"),
]


@dataclass
class Known:
    """What was acknowledged. `maybe`: what was to be purged when the answer did not come."""

    written: set[str] = field(default_factory=set[str])
    purged: set[str] = field(default_factory=set[str])
    maybe: set[str] = field(default_factory=set[str])


class Story:
    """`call`s are by name and keywords, of a client or of the page."""

    def __init__(self, zygote: Other, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.user = folder / "default-user"
        (self.user / "chats" / "Mira").mkdir(parents=True)
        (self.user / "user" / "files").mkdir(parents=True)
        self.turns = list(TURNS)
        self.sidecars = [Sidecar(zygote, folder / name, self.user) for name in ("one", "other")]
        self.page_folder = folder / "page"
        self.known = Known()
        self.words = 0
        self.cut = 0
        self.heads: list[Any] = []

    @property
    def chat_path(self) -> Path:
        return self.user / "chats" / "Mira" / "night.jsonl"

    def say(self, text: str) -> None:
        self.turns += [("Ana", text), ("Mira", "I see.")]
        self.save()

    def save(self) -> None:
        # As SillyTavern does it: whole.
        beside = self.chat_path.with_suffix(".new")
        beside.write_text(lines(self.turns, mark()), "utf-8")
        beside.replace(self.chat_path)

    async def show(self, page: Service) -> None:
        read = chat_file.read(self.chat_path, group=False)
        assert read is not None
        await page.call("chat.update", {"chat": read.chat, "pool": read.pool, "messages": read.messages})
        await page.call("extract.run", {**CHAT, "by": "rules", "lag": 1})

    def word(self) -> str:
        self.words += 1
        return f"quill{self.words}feather"

    # ---- what people do ----

    async def write(self, call: Callable[..., Awaitable[Any]]) -> None:
        word = self.word()
        await call("node.write", **CHAT, kind="fact", text=f"The {word} is out of oil.")
        self.known.written.add(word)

    async def purge(self, call: Callable[..., Awaitable[Any]]) -> None:
        nodes = [node for node in (await call("graph.get", **CHAT))["nodes"] if "feather" in node["text"]]
        if not nodes:
            return
        node = self.chance.choice(sorted(nodes, key=lambda each: str(each["text"])))
        words = words_of(node["text"])
        self.known.maybe |= words
        await call("node.purge", **CHAT, node=node["id"])
        self.known.purged |= words

    async def live(self, sidecar: Sidecar) -> None:
        """Somebody works with a sidecar until it is killed."""
        try:
            async with sidecar.client() as client:
                for _ in range(self.chance.randrange(1, 8)):
                    try:
                        await self.chance.choice([self.write, self.write, self.write, self.purge])(client.call)
                    except Failed as failed:
                        # What it was about is gone meanwhile, or the chat is not known here yet.
                        if failed.code not in ("not_found", "conflict"):
                            raise
        except (WebSocketException, OSError, TimeoutError):
            self.cut += 1

    async def exchange(self, page: Service, sidecar: Sidecar) -> int:
        """As extension/exchange.js has it: the mirror, then the socket in both directions; how many records were new to anybody."""
        news = int((await page.call("sync.mirror", {}))["new"])

        async def ours(method: str, **params: Any) -> Any:
            return await page.call(method, params)

        try:
            async with sidecar.client() as client:
                return news + await fetch(ours, client.call) + await fetch(client.call, ours)
        except (WebSocketException, OSError, TimeoutError):
            self.cut += 1
            return news

    async def kill(self) -> None:
        """After some moments, one or two of the four processes."""
        both = [each for sidecar in self.sidecars for each in (sidecar.serve, sidecar.mirror)]
        for each in self.chance.sample(both, self.chance.randint(1, 2)):
            await asyncio.sleep(self.chance.uniform(0, LONGEST_DELAY))
            each.end(signal.SIGKILL)

    async def turn(self, page: Service) -> None:
        for sidecar in self.sidecars:
            sidecar.start()
            await until(sidecar.is_ready)
        if self.chance.random() < 0.4:
            self.say(f"My cat is called {self.word().capitalize()}.")
            await self.show(page)
        if self.chance.random() < 0.3:
            await self.write(lambda method, **params: page.call(method, params))
        steps: list[Coroutine[Any, Any, Any]] = [self.exchange(page, self.sidecars[0]), *map(self.live, self.sidecars), self.kill()]
        await asyncio.gather(*steps)

    # ---- in the end ----

    async def settle(self, page: Service) -> None:
        """Until nobody has anything that another lacks."""
        for sidecar in self.sidecars:
            sidecar.start()
            await until(sidecar.is_ready)

        async def equal() -> bool:
            await self.exchange(page, self.sidecars[0])
            mine = await page.call("sync.vector", {})
            async with AsyncExitStack() as stack:
                clients = [await stack.enter_async_context(sidecar.client()) for sidecar in self.sidecars]
                theirs = [await client.call("sync.vector") for client in clients]
            self.heads = [(each["vector"], each["chains"]) for each in (mine, *theirs)]
            return bool(self.heads[0] == self.heads[1] == self.heads[2])

        try:
            await until(equal)
        except TimeoutError:
            told = [each.said() for sidecar in self.sidecars for each in (sidecar.serve, sidecar.mirror)]
            raise AssertionError(f"they never agree: {self.heads}, {told}") from None
        for sidecar in self.sidecars:
            sidecar.end(signal.SIGTERM)

    async def check(self) -> None:
        known = self.known
        graphs = []
        for folder in (self.page_folder, *(sidecar.data for sidecar in self.sidecars)):
            async with open_service(folder) as service:
                await self.show(service)
                graphs.append(await service.call("graph.get", CHAT))
        assert graphs[0] == graphs[1] == graphs[2]
        there = set[str]().union(*(words_of(node["text"]) for node in graphs[0]["nodes"]))
        assert not known.written - there - known.maybe
        assert not there & known.purged
        for folder in (self.page_folder, *(sidecar.data for sidecar in self.sidecars)):
            with closing(sqlite3.connect(folder / FILE)) as db:
                assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
                assert db.execute("pragma foreign_key_check").fetchall() == []
        files = [path for folder in (self.page_folder, *(each.data for each in self.sidecars)) for path in folder.rglob("*")]
        held = {word for path in files if path.is_file() for word in words_of(path.read_bytes().decode("latin-1"))}
        assert not held & known.purged
        await self._check_the_mirror()

    async def _check_the_mirror(self) -> None:
        """What processes that were killed have begun there is removed once it is old, and no file has a word that was purged."""
        files = self.user / "user" / "files"
        for path in files.iterdir():
            os.utime(path, (0, 0))
        for at in range(2):
            for folder in (*(each.data for each in self.sidecars), self.page_folder):
                async with open_service(folder) as service:
                    service.files = FolderFiles(files)
                    done = await service.call("sync.mirror", {"check": True})
                assert done["damaged"] == []
                if at:
                    # In the first round the others may not have said yet what they have.
                    assert (done["missing"], done["behind"], done["held"], done["written_bytes"]) == ([], [], [], 0)
        assert [path.name for path in files.iterdir() if not path.name.startswith("tidelore-")] == []
        text = "\n".join(unpacked(path) for path in sorted(files.iterdir()))
        assert not words_of(text) & self.known.purged
        assert words_of(text) >= self.known.written - self.known.maybe


async def fetch(to: Callable[..., Awaitable[Any]], source: Callable[..., Awaitable[Any]]) -> int:
    news = 0
    while True:
        found = await source("sync.pull", **await to("sync.vector", peer=""), limit_bytes=2000)
        done = await to("sync.push", **found)
        assert done["refused"] == {}
        news += int(done["new"])
        if not found["more"]:
            return news


def words_of(text: str) -> set[str]:
    """Those that were made by `Story.word`."""
    found = (part.rpartition("quill")[2] for part in text.lower().split("feather")[:-1])
    return {f"quill{number}feather" for number in found if number.isdecimal()}


def unpacked(path: Path) -> str:
    data = path.read_bytes()
    return (zlib.decompress(data, 31) if path.name.endswith(".gz") else data).decode()


@pytest.fixture(scope="module")
def zygote() -> Iterator[Other]:
    with forking() as other:
        yield other


@pytest.mark.req("LAW-3")
@pytest.mark.parametrize("seed", range(1, RUNS + 1))
def test_replicas_killed_in_the_midst_of_their_exchange_agree_in_the_end(zygote: Other, tmp_path: Path, seed: int) -> None:
    async def main() -> Story:
        story = Story(zygote, tmp_path, seed)
        story.save()
        try:
            async with open_service(story.page_folder) as page:
                page.files = FolderFiles(story.user / "user" / "files")
                await story.show(page)
                for _ in range(TURNS_EACH):
                    await story.turn(page)
                await story.settle(page)
        finally:
            for sidecar in story.sidecars:
                sidecar.end(signal.SIGKILL)
        await story.check()
        return story

    story = asyncio.run(main())
    starts = sum(each.starts for sidecar in story.sidecars for each in (sidecar.serve, sidecar.mirror))
    print(f"{starts} starts, {story.cut} cut off, {len(story.known.written)} written, {len(story.known.purged)} purged")
    assert story.cut
    assert story.known.written
    assert story.known.purged
