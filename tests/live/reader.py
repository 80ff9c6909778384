"""A memory model that reads: extractions are answered by a rule over the messages in them, replies as a test says."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.live.memory import call, configure, jobs
from tests.live.page import SECONDS, LiveError
from tests.live.replies import Answer, Body, Message, text_of
from tests.live.scripted_model import ScriptedModel
from tests.live.stage import Tab
from tests.sidecar.fakes import Asked, one_fact_each, read_prompt

Rule = Callable[[Asked], Answer]


@dataclass
class Reader:
    """`asked`: every extraction so far, `bodies` their requests. `replies` are for the chat itself, once each, then "I see."."""

    model: ScriptedModel
    rule: Rule = one_fact_each
    replies: list[str] = field(default_factory=list[str])
    asked: list[Asked] = field(default_factory=list[Asked])
    bodies: list[Body] = field(default_factory=list[Body])

    def __call__(self, messages: Sequence[Message], body: Body) -> Answer:
        if not is_extraction(messages):
            return self.replies.pop(0) if self.replies else "I see."
        asked = read_prompt([{"content": text_of(message)} for message in messages])
        self.bodies.append(body)
        self.asked.append(asked)
        return self.rule(asked)

    @property
    def windows(self) -> list[list[str]]:
        """The texts of each window that was asked about."""
        return [asked.texts for asked in self.asked]

    def forget(self) -> None:
        self.asked.clear()
        self.bodies.clear()


def is_extraction(messages: Sequence[Message]) -> bool:
    """Whether this prompt is the engine's: instructions, and one text with the messages in a block."""
    return len(messages) == 2 and "<messages>\n" in text_of(messages[1])


def agree(tab: Tab, **model: Any) -> None:
    """Let the memory model read: that of the current connection, unless other fields of `model` say which."""
    chosen = {"use": "current", "agreed": True, **model}
    configure(tab, **{f"model__{name}": value for name, value in chosen.items()})


def extracted(tab: Tab, lag: int = 1) -> None:
    """Wait until the model has read what is due, and nothing is left to do."""
    waiting(tab, lambda: not busy(tab) and not call(tab, "extract.plan", by="model", lag=lag)["windows"], "the model to have read all")


def busy(tab: Tab) -> bool:
    return any(job["state"] in ("waiting", "running", "paused") for job in jobs(tab))


def newest(tab: Tab, kind: str = "model") -> dict[str, Any]:
    """The newest job of a kind; empty when there is none."""
    found: dict[str, Any] = next((job for job in jobs(tab) if job["kind"] == kind), {})
    return found


def state(tab: Tab, *wanted: str) -> dict[str, Any]:
    """Wait until the newest job of the model is in one of these states, and give it back."""
    waiting(tab, lambda: newest(tab).get("state") in wanted, f"a job that is {' or '.join(wanted)}")
    return newest(tab)


def waiting(tab: Tab, condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    """Poll for what only Python can see. Raises LiveError."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise LiveError(f"waited {seconds:g} s in vain for {what}\njobs: {jobs(tab)}\ntoasts: {tab.toasts()}")
        tab.page.wait_for_timeout(50)
