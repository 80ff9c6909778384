"""Sidecars that serve the panel, and browsers that look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests import chromium
from tests.console import stories
from tests.console.panel import Panel
from tests.live.stage import FLAGS
from tests.sidecar.serve.kit import process

SECONDS = 15
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("console"))
            # A browser on a machine with other work: what fails twice is a fault.
            item.add_marker(pytest.mark.flaky(reruns=1))


@dataclass(frozen=True)
class Sidecar:
    """One that serves. `address()` opens the panel, once."""

    url: str
    key: str

    def address(self) -> str:
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = httpx.post(f"{self.url}/pairings/console", headers=headers, trust_env=False)
        return f"{self.url}/console/#login={answer.json()['code']}"


@dataclass
class Tabs:
    """Opens tabs, each in a browser of its own; what went wrong in them comes out at the end."""

    browser: Browser
    errors: list[str] = field(default_factory=list[str])
    foreign: list[str] = field(default_factory=list[str])

    def blank(self, size: tuple[int, int] = (1280, 800), *, phone: bool = False, locale: str = "en-US", **more: Any) -> Page:
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]}, has_touch=phone, is_mobile=phone, locale=locale, reduced_motion="reduce", **more
        )
        context.set_default_timeout(SECONDS * 1000)
        page = context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.foreign.append(request.url))
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, sidecar: Sidecar, chat: str = stories.STORY, **view: Any) -> Panel:
        page = self.blank(**view)
        page.goto(sidecar.address())
        panel = Panel(page)
        panel.choose(chat)
        return panel


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.need(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Tabs]:
    found = Tabs(browser)
    yield found
    for context in list(browser.contexts):
        context.close()
    assert found.errors == []
    assert [url for url in found.foreign if not url.startswith(("http://127.0.0.1:", "data:", "blob:"))] == []


def _serving(fill: Callable[[Path], None], folder: Path) -> Iterator[Sidecar]:
    fill(folder)
    with process(folder, env={"TIDELORE_EMBEDDER": "none"}) as (_, said):
        yield Sidecar(said["url"], said["key"])


@pytest.fixture
def sidecar(tmp_path: Path) -> Iterator[Sidecar]:
    yield from _serving(stories.harbour, tmp_path / "data")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    yield from _serving(stories.town, tmp_path_factory.mktemp("town") / "data")
