"""A service over a store on disk with a scripted memory model, and a chat to tell it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tests.sidecar.fakes import Asked, Rule, ScriptedModel, answer, clock, fact, one_fact_each, tokens
from tidelore.engine.history import Slot
from tidelore.engine.ports import Complete
from tidelore.engine.service import Service
from tidelore.host.store import SqliteStore

T = TypeVar("T")
THINGS = "anchor barrel candle dagger engine feather goblet hammer ivory jacket kettle lantern".split()


class World:
    """A service over a store on disk, with a model that the test scripts. Its calls are plain ones."""

    def __init__(self, folder: Path, runner: asyncio.Runner, model: Complete | None = None) -> None:
        self.folder = folder
        self.model = ScriptedModel(one_fact_each)
        self.runner = runner
        self._complete = model or self.model
        self._now, self._token = clock(), tokens()
        self.open()

    def open(self) -> None:
        self.store = SqliteStore(self.folder)
        self.service = Service(self.store, self._now, self._token, self._complete)

    def restart(self) -> None:
        self.store.close()
        self.open()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def call(self, name: str, **params: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.wait(self.service.call(name, {"chat": "c", **params}))
        return found

    def say(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        return self.call("chat.update", messages=list(messages))

    def extract(self, rule: Rule | None = None, **params: Any) -> dict[str, Any]:
        """A run by model, answered by this rule."""
        if rule is not None:
            self.model.rule = rule
        return self.call("extract.run", **{"by": "model", "lag": 0, **params})

    def plan(self, **params: Any) -> list[tuple[int, int]]:
        return [(window["first"], window["last"]) for window in self.call("extract.plan", lag=0, **params)["windows"]]

    def aside(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call("extract.plan", lag=0)["aside"]
        return found

    def nodes(self, kind: str, state: str = "current") -> list[str]:
        """Texts of the nodes of a kind, sorted."""
        return sorted(node["text"] for node in self.call("graph.get")["nodes"] if node["kind"] == kind and node["state"] == state)

    def node(self, text: str) -> dict[str, Any]:
        found: dict[str, Any] = next(node for node in self.call("graph.get")["nodes"] if node["text"] == text)
        return found

    def slots(self) -> Sequence[Slot]:
        return self.wait(self.service.chats.open("c")).timeline.slots

    def generations(self) -> list[int]:
        """Of the model commit over each message, -1 where there is none."""
        return [slot.model.commit.generation if slot.model else -1 for slot in self.slots()]


def message(at: int, text: str = "", name: str = "") -> dict[str, str]:
    role, speaker = ("user", "Mira") if at % 2 == 0 else ("assistant", "Tom")
    return {"role": role, "name": name or speaker, "text": text or f"Number {at}: the {THINGS[at % len(THINGS)]} lies on shelf {at}."}


def talk(count: int) -> list[dict[str, str]]:
    return [message(at) for at in range(count)]


def claims(*numbers: int) -> list[str]:
    """What `one_fact_each` remembers of these messages, sorted."""
    return sorted(f"{each['name']} said: {each['text']}" for each in map(message, numbers))


def again(asked: Asked) -> str:
    return answer(*(fact(f"Anew: {line.text}", line.number, line.text) for line in asked.lines))


def must_not_ask(asked: Asked) -> str:
    raise AssertionError(f"asked about {asked.texts}")


def failing_on(word: str, fault: Callable[[], str], otherwise: Callable[[Asked], str] = one_fact_each) -> Rule:
    def rule(asked: Asked) -> str:
        return fault() if any(word in text for text in asked.texts) else otherwise(asked)

    return rule


def raising(error: Exception) -> Callable[[], str]:
    def fault() -> str:
        raise error

    return fault


def gated(gate: asyncio.Event, started: asyncio.Event) -> Rule:
    async def rule(asked: Asked) -> str:
        started.set()
        await gate.wait()
        return one_fact_each(asked)

    return rule
