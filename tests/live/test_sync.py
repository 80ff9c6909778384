"""Two browsers with profiles of their own and a sidecar on SillyTavern's folder write at the same time and are killed; all agree in the
end."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Error

from tests.live.memory import ask, graph, ready, settled
from tests.live.page import Told
from tests.live.reader import waiting
from tests.live.stage import FLAGS, HOOK, Stage, Tab
from tests.sidecar.sync_kit import Sidecar, forking

SEED = 7
# What a page has written is said on its console, since what it holds in memory goes with it.
WRITING = """async name => {
  const { executeSlashCommandsWithOptions: run } = SillyTavern.getContext();
  for (let number = 1; number <= 60; number++) {
    const text = `${name} note ${number} is kept in the attic.`;
    const { pipe } = await run(`/tidelore-call method=node.write ${JSON.stringify({ kind: "fact", text })}`);
    if (JSON.parse(pipe).node) console.log(`acknowledged: ${text}`);
  }
}"""


@dataclass
class Profile:
    """A browser whose profile lies on the disk, so that its process can be killed and started again."""

    stage: Stage
    folder: Path
    acknowledged: set[str] = field(default_factory=set[str])
    told: Told = field(default_factory=Told)
    context: BrowserContext | None = None

    def start(self) -> Tab:
        browser = self.stage.tab.page.context.browser
        assert browser is not None
        self.context = browser.browser_type.launch_persistent_context(
            self.folder, executable_path=self.stage.chromium, headless=self.stage.headless, args=FLAGS
        )
        self.context.add_init_script(path=HOOK)
        page = self.context.pages[0]
        tab = Tab(page, self.stage.server.address, self.stage.model, self.stage.root, self.told)
        page.on("console", lambda line: self._hear(line.text))
        tab.open()
        ready(tab)
        return tab

    def _hear(self, line: str) -> None:
        if line.startswith("acknowledged: "):
            self.acknowledged.add(line.removeprefix("acknowledged: "))

    def write(self, tab: Tab, name: str) -> None:
        """Begins, and does not wait."""
        tab.page.evaluate(f"name => void ({WRITING})(name)", name)

    def kill(self) -> None:
        found = [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if self._is_ours(pid)]
        assert len(found) == 1
        os.kill(found[0], signal.SIGKILL)
        self.end()

    def _is_ours(self, pid: int) -> bool:
        try:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            return False
        return f"--user-data-dir={self.folder}" in arguments and not any(each.startswith("--type=") for each in arguments)

    def end(self) -> None:
        if self.context is not None:
            with suppress(Error):
                self.context.close()
            self.context = None


class Beside:
    """A sidecar that somebody works with in a thread of its own, until it is killed."""

    def __init__(self, sidecar: Sidecar, chat: str) -> None:
        self.sidecar = sidecar
        self.chat = chat
        self.acknowledged: set[str] = set()
        self._thread = ThreadPoolExecutor(1)

    def call(self, method: str, **params: Any) -> Any:
        server = self.sidecar.server()
        headers = {"Authorization": f"Bearer {server.key}"}
        with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=30) as http:
            found = http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": {"chat": self.chat, **params}}).json()
        if "error" in found:
            raise RuntimeError(found["error"]["message"])
        return found["result"]

    def write(self, name: str) -> Future[None]:
        return self._thread.submit(self._write, name)

    def _write(self, name: str) -> None:
        with suppress(httpx.HTTPError):
            for number in range(1, 61):
                text = f"{name} note {number} is kept in the cellar."
                self.call("node.write", kind="fact", text=text)
                self.acknowledged.add(text)


@pytest.fixture
def sidecar(stage: Stage, tmp_path: Path) -> Iterator[Sidecar]:
    with forking() as zygote:
        made = Sidecar(zygote, tmp_path / "data", stage.root.user)
        try:
            yield made
        finally:
            made.end(signal.SIGKILL)


@pytest.fixture
def profiles(stage: Stage, tmp_path: Path) -> Iterator[list[Profile]]:
    made = [Profile(stage, tmp_path / name) for name in ("one", "other")]
    try:
        yield made
    finally:
        for each in made:
            each.end()


def mirrored(tab: Tab) -> None:
    settled(tab)
    answer = ask(tab, "/tidelore-exchange")
    assert "up to date" in answer, answer


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for the browser's process in /proc")
def test_two_profiles_and_a_sidecar_that_write_at_once_and_are_killed_agree_in_the_end(
    stage: Stage, tab: Tab, profiles: list[Profile], sidecar: Sidecar
) -> None:
    chance = random.Random(SEED)
    ready(tab)
    tab.send("My brother is called Tomas.")
    mirrored(tab)
    tab.wait_rest(1200)
    beside = Beside(sidecar, tab.evaluate("ctx.chatMetadata.tidelore.chat"))
    sidecar.start()
    one, other = profiles
    tabs = [each.start() for each in profiles]
    waiting(tab, sidecar.is_ready, "the sidecar")
    waiting(tab, lambda: knows(beside), "the sidecar to know the chat", seconds=40)

    heard = [one.acknowledged, other.acknowledged, beside.acknowledged]

    def storm(name: str) -> Future[None]:
        """All three write; given back is what ends when the sidecar's clients have."""
        before = list(map(len, heard))
        for profile, each, who in zip(profiles, tabs, ("Ada's", "Bea's"), strict=True):
            profile.write(each, f"{who} {name}")
        ended = beside.write(f"Cleo's {name}")

        def all_write() -> bool:
            return all(len(each) > count for each, count in zip(heard, before, strict=True))

        waiting(tab, all_write, "all three to write", seconds=40)
        return ended

    written = storm("first")
    mark = tabs[0].mark()
    tabs[0].send("My cat is called Biscuit.", wait=False)
    tabs[0].page.wait_for_timeout(chance.uniform(0, 500))
    other.kill()
    sidecar.end(signal.SIGKILL)
    tabs[0].wait_generation(mark)
    written.result()
    sidecar.start()
    waiting(tab, sidecar.is_ready, "the sidecar once more")
    tabs[1] = other.start()
    written = storm("second")
    tabs[1].page.wait_for_timeout(chance.uniform(0, 500))
    one.kill()
    written.result()
    tabs[0] = one.start()
    for each in tabs:
        settled(each)

    def agree() -> bool:
        for each in tabs:
            mirrored(each)
        graphs = [graph(each) for each in tabs]
        theirs = beside.call("graph.get")
        return graphs[0] == graphs[1] == {"nodes": theirs["nodes"], "edges": theirs["edges"]}

    waiting(tab, agree, "all three to agree", seconds=60)
    texts = {node["text"] for node in graph(tabs[0])["nodes"]}
    print("acknowledged:", list(map(len, heard)))
    assert set().union(*heard) <= texts
    assert one.told.errors + other.told.errors == [], "errors in a page that nobody caught"
    assert any("Biscuit" in text for text in texts)


def knows(beside: Beside) -> bool:
    try:
        return any("Tomas" in node["text"] for node in beside.call("graph.get")["nodes"])
    except RuntimeError:
        return False
