"""A service on a store in memory, with a clock that counts and tokens that are numbered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import count
from typing import Any, TypeVar

from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import Complete, Store, Vectors
from tidelore.engine.service import Service

T = TypeVar("T")


class Kit:
    """Calls that wait for their answer, so tests read as a list of steps."""

    def __init__(
        self, replica: str = "kit", complete: Complete | None = None, vectors: Vectors | None = None, store: Store | None = None
    ) -> None:
        self.store: Store = MemoryStore(replica) if store is None else store
        self._complete, self._vectors, self._replica = complete, vectors, replica
        self._time = count(1_700_000_000_000)
        self._tokens = count(1)
        self.restart()

    def restart(self) -> None:
        """As after a new start of the process: only what is stored is left."""
        self.service = Service(
            self.store, lambda: next(self._time), lambda: f"{self._replica}-{next(self._tokens)}", self._complete, self._vectors
        )

    @staticmethod
    def run_sync(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(work)

    def call(self, method: str, **params: Any) -> Any:
        return asyncio.run(self.service.call(method, params))

    def show(self, chat: str, messages: list[dict[str, Any]], **more: Any) -> Any:
        return self.call("chat.update", chat=chat, messages=messages, **more)

    def remember(self, chat: str, messages: list[dict[str, Any]], **more: Any) -> Any:
        """Show a chat and extract all of it by rules."""
        self.show(chat, messages, **more)
        return self.call("extract.run", chat=chat, by="rules", lag=0)

    def graph(self, chat: str, at: int | None = None) -> Any:
        return self.call("graph.get", chat=chat, at=at)

    def nodes(self, chat: str, kind: str, at: int | None = None) -> list[dict[str, Any]]:
        return [node for node in self.graph(chat, at)["nodes"] if node["kind"] == kind]

    def texts(self, chat: str, kind: str) -> list[str]:
        return [node["text"] for node in self.nodes(chat, kind)]

    def recall(self, chat: str, query: str, **more: Any) -> Any:
        return self.call("recall.run", chat=chat, query=query, **more)


def rows(*said: tuple[str, str], user: str = "") -> list[dict[str, Any]]:
    """Messages in turn: the first, third ... are the user's, unless `user` names who the user is."""
    out: list[dict[str, Any]] = []
    for at, (name, text) in enumerate(said):
        is_user = name == user if user else at % 2 == 0
        out.append({"role": "user" if is_user else "assistant", "name": name, "text": text, "hidden": False})
    return out
