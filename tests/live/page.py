"""One tab with SillyTavern in it: waiting and looking. What a user does in it is in messages.py and chats.py."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, TimeoutError

from tests.live.data_root import DataRoot
from tests.live.scripted_model import ScriptedModel

SECONDS = 20.0
LOADING = 60.0
SCRIPT = 180.0
QUIET = 300

# A promise that is never settled, behind a dialog say, must not hold up the tests for ever.
EVALUATE = """async ([source, value, seconds]) => {
  const Make = Object.getPrototypeOf(async () => {}).constructor;
  const found = new Make("ctx", "value", `return (${source}\\n)`)(SillyTavern.getContext(), value);
  const late = new Promise(resolve => { setTimeout(resolve, seconds * 1000, null); });
  return await Promise.race([found.then(value => [value]), late]);
}"""
API = """async ([path, body, method]) => {
  const headers = SillyTavern.getContext().getRequestHeaders();
  const answer = await fetch(path, { method, headers, body: method === "GET" ? undefined : JSON.stringify(body) });
  return [answer.status, await answer.text()];
}"""
CLICK = "selector => { const found = document.querySelector(selector); found?.click(); return found !== null; }"


class LiveError(AssertionError):
    """The page did not do what was waited for; it says what the page shows."""


@dataclass
class Told:
    """What a stage's pages said by themselves: lines of the console with their kind, and errors that nobody caught."""

    console: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        page.on("console", lambda line: self.console.append((line.type, line.text)))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def take_errors(self) -> list[str]:
        """The errors so far, which then count as expected."""
        taken = list(self.errors)
        self.errors.clear()
        return taken

    def clear(self) -> None:
        self.console.clear()
        self.errors.clear()


class Watched:
    """A tab that can be waited for and looked at. `page` is Playwright's own."""

    def __init__(self, page: Page, address: str, model: ScriptedModel, root: DataRoot, told: Told) -> None:
        self.page = page
        self.address = address
        self.model = model
        self.root = root
        self.told = told
        page.set_default_timeout(LOADING * 1000)
        told.listen(page)

    def open(self) -> None:
        """Load SillyTavern and wait until it is ready, connected, and shows a chat where it opens one by itself."""
        self.page.goto(self.address, wait_until="commit")
        self._loaded()

    def reload(self) -> None:
        """Load the page again, after what it has still to save."""
        self.wait_rest(1200)
        self.page.reload(wait_until="commit")
        self._loaded()

    def _loaded(self) -> None:
        self.wait("() => !!window.tideloreLive?.ready", "APP_READY", seconds=LOADING)
        self.wait("() => !['no_connection', undefined].includes(SillyTavern.getContext().onlineStatus)", "a connected model")
        if self.evaluate("ctx.powerUserSettings.auto_load_chat && ctx.characters.length > 0"):
            self.wait("() => SillyTavern.getContext().getCurrentChatId() && document.querySelector('#chat .mes')", "an open chat")
        self.wait_rest()

    # Waiting

    def wait(self, condition: str, what: str, value: object = None, seconds: float = SECONDS) -> None:
        """Wait until a JavaScript function of `value` is true. Raises LiveError."""
        try:
            self.page.wait_for_function(condition, arg=value, timeout=seconds * 1000, polling=20)
        except TimeoutError as error:
            raise self._in_vain(what, seconds) from error

    def _in_vain(self, what: str, seconds: float) -> LiveError:
        seen = [entry["event"] for entry in self.events()[-12:]]
        shown = f"last events: {seen}\ndialog: {self.dialog_text()!r}\ntoasts: {self.toasts()}\nerrors: {self.told.errors[-3:]}"
        return LiveError(f"waited {seconds:g} s in vain for {what}\n{shown}")

    def wait_rest(self, quiet: int = QUIET, seconds: float = SECONDS) -> None:
        """Wait until nothing is generated and no event has come for `quiet` milliseconds."""
        self.wait("quiet => window.tideloreLive.atRest(quiet)", "a page at rest", quiet, seconds)

    def mark(self) -> int:
        """The number of the next event, for what takes `since`."""
        number: int = self.page.evaluate("window.tideloreLive.next")
        return number

    def wait_event(self, *names: str, since: int = 0, seconds: float = SECONDS) -> None:
        """Wait for one of the events by their values, such as "message_received"."""
        self.wait("([since, names]) => window.tideloreLive.saw(since, names)", f"one of {names}", [since, list(names)], seconds)

    def wait_generation(self, since: int, seconds: float = SECONDS) -> None:
        """Wait until a generation that began at `since` or later is over; dry runs are none."""
        saw = "([since, names]) => window.tideloreLive.saw(since, names, true)"
        self.wait(saw, "a generation to begin", [since, ["generation_started"]], seconds)
        self.wait(saw, "the generation to end", [since, ["generation_ended", "generation_stopped"]], seconds)
        # Between the turns of two members of a group the page looks at rest.
        self.wait_rest(1500 if self.evaluate("!!ctx.groupId") else QUIET, seconds)

    # Looking

    def evaluate(self, expression: str, value: object = None) -> Any:
        """The value of a JavaScript expression that may await, with `ctx` (SillyTavern.getContext()) and `value` in reach. Raises
        LiveError after SCRIPT seconds."""
        found = self.page.evaluate(EVALUATE, [expression, value, SCRIPT])
        if found is None:
            raise self._in_vain(f"{expression} with {value!r}", SCRIPT)
        return found[0]

    def events(self, since: int = 0, names: Iterable[str] = ()) -> list[dict[str, Any]]:
        """The events since the page was loaded: number, event, details (shortened), at and took (milliseconds)."""
        logged: list[dict[str, Any]] = self.page.evaluate("window.tideloreLive?.events ?? []")
        wanted = set(names)
        return [entry for entry in logged if entry["number"] >= since and (not wanted or entry["event"] in wanted)]

    def chat(self) -> list[dict[str, Any]]:
        """The messages as the page has them."""
        messages: list[dict[str, Any]] = self.evaluate("JSON.parse(JSON.stringify(ctx.chat))")
        return messages

    def chat_on_disk(self) -> list[dict[str, Any]]:
        """The open chat as it was saved; line 0 is the header."""
        return self.root.chat(self.evaluate("ctx.getCurrentChatId()"))

    def api(self, path: str, body: object = None, method: str = "POST") -> tuple[int, str]:
        """Status and text of one of SillyTavern's end points, called with the page's token."""
        status, text = self.page.evaluate(API, [path, body or {}, method])
        return status, text

    def dialog_text(self) -> str:
        return "\n".join(self._texts("dialog[open]"))

    def toasts(self) -> list[str]:
        return self._texts("#toast-container .toast")

    def notices(self) -> list[str]:
        """Every toast since the page was loaded, also those that are gone."""
        texts: list[str] = self.page.evaluate("window.tideloreLive.notices")
        return texts

    def _texts(self, selector: str) -> list[str]:
        texts: list[str] = self.page.evaluate("of => [...document.querySelectorAll(of)].map(each => each.innerText.trim())", selector)
        return texts

    def screenshot(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)
        return path

    # Acting

    def click(self, selector: str) -> None:
        """Click by the page's own handlers, also on what shows only under the pointer. Raises LiveError."""
        if not self.page.evaluate(CLICK, selector):
            raise LiveError(f"nothing is at {selector}")

    def slash(self, command: str) -> Any:
        """Run a slash command; what it hands on comes back."""
        value = self.evaluate("ctx.executeSlashCommandsWithOptions(value).then(result => result?.pipe ?? null)", command)
        self.wait_rest()
        return value

    def set_viewport(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
        self.wait("size => innerWidth === size[0] && innerHeight === size[1]", "the new size", [width, height])

    def set_streaming(self, on: bool) -> None:
        """Whether SillyTavern asks for replies as a stream."""
        self.evaluate("(ctx.chatCompletionSettings.stream_openai = value, null)", on)

    def set_context(self, tokens: int) -> None:
        """How many tokens a prompt and its answer may have, until the page is loaded anew."""
        self.evaluate("ctx.chatCompletionSettings.openai_max_context = value", tokens)

    def open_extensions(self) -> None:
        """Show the drawer with the settings of extensions."""
        block = self.page.locator("#rm_extensions_block")
        if not block.is_visible():
            self.click("#extensions-settings-button .drawer-toggle")
        block.wait_for(state="visible")

    def confirm(self, label: str) -> None:
        """Click the button of that label in the dialog on top and wait until no dialog is open."""
        dialog = self.page.locator("dialog[open]").last
        dialog.wait_for(state="visible")
        dialog.locator(".popup-controls .menu_button", has_text=label).first.click()
        self.wait("() => !document.querySelector('dialog[open]')", "the dialog to close")
