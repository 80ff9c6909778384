"""The stage of a live test: scripted model, SillyTavern's server, a browser, and tabs in it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.live.chats import Chats
from tests.live.data_root import DataRoot, Setup, make
from tests.live.messages import Messages
from tests.live.page import Told
from tests.live.scripted_model import ScriptedModel
from tests.live.server import PACKAGE, Server

HOOK = Path(__file__).parent / "page_hook.js"
LAN = "tide.test"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
    # Only loopback is in reach. Under the name LAN the page is no secure context, as on a phone in the house.
    f"--host-resolver-rules=MAP {LAN} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36"


class Tab(Messages, Chats):
    """A tab with SillyTavern in it and everything a test does there."""


@dataclass(frozen=True, kw_only=True)
class View:
    """A browser of somebody: its own storage, cookies and size. `host=LAN` gives an insecure context. `script` runs in the page before
    all others, `worker` in the worker of the engine."""

    size: tuple[int, int] = (1280, 800)
    phone: bool = False
    host: str = "127.0.0.1"
    locale: str | None = None
    script: str = ""
    worker: str = ""


PHONE_VIEW = View(size=(390, 844), phone=True)


@dataclass
class Stage:
    """Everything runs while it is entered, and is gone after. `install` fills the folders of extensions, by name."""

    chromium: str
    setup: Setup = field(default_factory=Setup)
    install: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    headless: bool = True
    # Playwright can be in use once in a thread: a second stage borrows the browser of the first.
    browser: Browser | None = None

    def __enter__(self) -> Stage:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tidelore-live-", ignore_cleanup_errors=True))
            self.root = DataRoot(Path(folder))
            self.model = stack.enter_context(ScriptedModel())
            self.told = Told()
            self._contexts: list[BrowserContext] = []
            make(self.root, self.setup, PACKAGE, self.model.url)
            self.install_again()
            self.server = stack.enter_context(Server(self.root))
            self._browser = self.browser or self._launch(stack)
            stack.callback(self._close_contexts)
            self.tab = self.open()
            self._stack = stack.pop_all()
        return self

    def _launch(self, stack: ExitStack) -> Browser:
        playwright = stack.enter_context(sync_playwright())
        self.browser = playwright.chromium.launch(executable_path=self.chromium, headless=self.headless, args=FLAGS)
        stack.callback(self.browser.close)
        return self.browser

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def install_again(self) -> None:
        """Put the extensions as they are now in place of what is installed."""
        for name, fill in self.install.items():
            target = self.root.extensions / name
            shutil.rmtree(target, ignore_errors=True)
            fill(target)

    def open(self, view: View | None = None, beside: Tab | None = None) -> Tab:
        """Open SillyTavern in a browser of its own, or in one more tab of the browser that `beside` is in."""
        view = view or View()
        context = beside.page.context if beside is not None else self._context(view)
        tab = Tab(context.new_page(), f"http://{view.host}:{self.server.port}", self.model, self.root, self.told)
        tab.open()
        return tab

    def _context(self, view: View) -> BrowserContext:
        width, height = view.size
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            locale=view.locale,
            is_mobile=view.phone,
            has_touch=view.phone,
            device_scale_factor=2 if view.phone else 1,
            user_agent=PHONE if view.phone else None,
        )
        context.add_init_script(path=HOOK)
        if view.script:
            context.add_init_script(view.script)
        if view.worker:
            context.route(
                "**/wasm/worker.js", lambda route: route.fulfill(response=(found := route.fetch()), body=view.worker + found.text())
            )
        self._contexts.append(context)
        return context

    def browsers(self) -> list[BrowserContext]:
        """The browsers that are open, oldest first."""
        return list(self._contexts)

    def _close_contexts(self) -> None:
        for context in self._contexts:
            context.close()

    def close_others(self) -> None:
        """Close every tab and browser but the first tab's."""
        for context in self._contexts:
            if context is not self.tab.page.context:
                context.close()
        self._contexts = [self.tab.page.context]
        for page in self.tab.page.context.pages:
            if page is not self.tab.page:
                page.close()
