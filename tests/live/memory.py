"""Tidelore in a live tab: what it remembers, and what it would remember of the chat on screen from scratch."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from tests.engine.service_kit import Kit
from tests.live.page import SECONDS, LiveError
from tests.live.replies import Message, text_of
from tests.live.stage import Tab

# Settings under which the graph follows every message: no lag, and no question about a model.
SETTINGS = {"lag": 0, "model": {"use": "none", "asked": True}}
BLOCK = "tidelore"
READY = ("ready", "就绪")
# Extra types of messages that SillyTavern and its commands write themselves.
NOTES = {"narrator", "comment", "generic", "help", "welcome", "welcome_prompt", "empty", "assistant_note", "assistant_message"}


def configure(tab: Tab, **settings: Any) -> None:
    """Change settings of the extension, in dotted names with __ for the dot."""
    named = {name.replace("__", "."): json.dumps(value) if isinstance(value, bool) else str(value) for name, value in settings.items()}
    ask(tab, " | ".join(f"/tidelore-set field={name} {text}" for name, text in named.items()))


def ask(tab: Tab, command: str) -> str:
    """Run a slash command and give back what it answers. Raises LiveError when it answers nothing."""
    answer = tab.slash(command)
    if not answer:
        raise LiveError(f"{command} answered nothing; notices: {tab.toasts()}")
    return str(answer)


def jobs(tab: Tab) -> list[dict[str, Any]]:
    """The jobs, newest first."""
    found: list[dict[str, Any]] = json.loads(ask(tab, "/tidelore-jobs"))
    return found


def call(tab: Tab, method: str, **params: Any) -> Any:
    """A method of the engine on the open chat."""
    return json.loads(ask(tab, f"/tidelore-call method={method} {json.dumps(params, ensure_ascii=False)}"))


def ready(tab: Tab) -> None:
    """Wait until the engine has started. Raises LiveError when it has failed."""
    tab.wait("() => 'tidelore' in SillyTavern.getContext().SlashCommandParser.commands", "the extension's commands")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        status = str(tab.slash("/tidelore status"))
        if any(word in status for word in READY):
            return
        tab.page.wait_for_timeout(100)
    shown = f"errors: {tab.told.errors}\nconsole: {tab.told.console[-5:]}"
    raise LiveError(f"the engine is not ready: {tab.slash('/tidelore status')}\n{shown}")


def settled(tab: Tab) -> None:
    """Wait until the engine knows the chat as it stands and nothing is left to do."""
    tab.wait_rest()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        ask(tab, "/tidelore-sync quiet=true")
        busy = [job for job in jobs(tab) if job["state"] in ("waiting", "running")]
        if not busy and not call(tab, "stats")["rules_due"]:
            return
        tab.page.wait_for_timeout(50)
    raise LiveError(f"work is left to do: {ask(tab, '/tidelore-jobs')}")


def graph(tab: Tab) -> dict[str, Any]:
    """The graph of the open chat, once everything is taken in."""
    settled(tab)
    found: dict[str, Any] = call(tab, "graph.get")
    return found


def texts(tab: Tab) -> list[str]:
    return sorted(node["text"] for node in graph(tab)["nodes"])


def holds(tab: Tab, words: str) -> bool:
    """Whether any memory of the open chat has these words."""
    return any(words in text for text in texts(tab))


def on_screen(tab: Tab) -> list[dict[str, Any]]:
    """The chat in the tab as the engine takes messages."""
    return [
        {
            "role": _role(message),
            "text": message["mes"],
            "name": message["name"],
            "hidden": bool(message.get("is_system")),
            "date": _date(message.get("send_date")),
        }
        for message in tab.chat()
    ]


def from_scratch(tab: Tab) -> dict[str, Any]:
    """The graph that the rules make of the chat on screen, natively, with no past."""

    def make(messages: list[dict[str, Any]]) -> dict[str, Any]:
        kit = Kit()
        kit.remember("scratch", messages)
        found: dict[str, Any] = kit.graph("scratch")
        return found

    # While Playwright is in use, nothing else can run an event loop in this thread.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(make, on_screen(tab)).result()


def lawful(tab: Tab) -> dict[str, Any]:
    """The law: what is remembered is exactly what the chat on screen supports. Gives the graph back."""
    found = graph(tab)
    assert found == from_scratch(tab)
    return found


def injected(prompt: list[Message]) -> str:
    """What of a prompt came from memory."""
    return "\n".join(text_of(message) for message in prompt if f"<{BLOCK}" in text_of(message))


def _role(message: dict[str, Any]) -> str:
    extra = message.get("extra") or {}
    if extra.get("tool_invocations") or extra.get("type") in NOTES:
        return "system"
    return "user" if message["is_user"] else "assistant"


def _date(sent: Any) -> str:
    if not sent:
        return ""
    when = datetime.fromisoformat(str(sent)) if not isinstance(sent, int | float) else datetime.fromtimestamp(sent / 1000)
    return when.astimezone().isoformat(timespec="seconds")
