"""LAW-1 as a user lives it: after any sequence of send, swipe, edit, delete, hide, reorder, branch, continue and sync, the graph equals the
one built from scratch on the final chat (rule extractor, no lag)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.engine.service_kit import Kit, rows
from tidelore.engine.ports import Batch
from tidelore.engine.service import Service

T = TypeVar("T")
USER = (
    "I live in Marrow Bay now, Tobin.",
    "Where is Alice?",
    "Hello!",
    "My cat is called Biscuit.",
    "We met Alice at the Copper Heron Tavern.",
    "我叫林晚，住在青石镇。",
    "I love plum cake.",
    "I hate plum cake.",
)
REPLY = (
    "*Tobin nods.* Alice went to Marrow Bay.",
    "*Tobin nods.* Alice went to Marrow Bay. She took the lantern with her.",
    "Good evening.",
    "林晚笑了笑，说：“走吧。”",
    "*The rain stops.* Biscuit sleeps by the stove, and Alice is tired.",
    "“Alice,” he says, “is in the mill.”",
)
NAMES = ("Mara", "Mira")
TARGETS = ("main", "branch")


class HistoryLaw(RuleBasedStateMachine):
    """Two stores of one pool, each with a chat and its branch."""

    @initialize()
    def begin(self) -> None:
        self.kits = [Kit("one"), Kit("two")]
        self.screens: dict[tuple[int, str], list[dict[str, Any]]] = {}
        self.versions = 0
        self.swipes: dict[tuple[int, str], list[dict[str, Any]]] = {}

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(work)

    def _show(self, which: int, chat: str, messages: list[dict[str, Any]]) -> None:
        self.screens[which, chat] = messages
        params: dict[str, Any] = {"chat": chat, "messages": messages}
        if chat == "branch" and (which, "main") in self.screens:
            params["branch_of"] = "main"
        self._run(self.kits[which].service.call("chat.update", params))
        self._run(self.kits[which].service.call("extract.run", {"chat": chat, "by": "rules", "lag": 0}))

    def _screen(self, which: int, chat: str) -> list[dict[str, Any]]:
        return [dict(message) for message in self.screens.get((which, chat), [])]

    @rule(which=st.integers(0, 1), said=st.sampled_from(USER), answered=st.sampled_from(REPLY), name=st.sampled_from(NAMES))
    def send(self, which: int, said: str, answered: str, name: str) -> None:
        messages = self._screen(which, "main")
        messages += rows((name, said), ("Tobin", answered))
        self._show(which, "main", messages)

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), answered=st.sampled_from(REPLY), back=st.booleans())
    def swipe(self, which: int, chat: str, answered: str, back: bool) -> None:
        messages = self._screen(which, chat)
        if not messages:
            return
        before = messages[-1]["text"]
        self._show(which, chat, [*messages[:-1], {**messages[-1], "text": answered}])
        if back:
            self._show(which, chat, [*messages[:-1], {**messages[-1], "text": before}])

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), at=st.integers(0, 30), text=st.sampled_from(USER + REPLY))
    def edit(self, which: int, chat: str, at: int, text: str) -> None:
        messages = self._screen(which, chat)
        if at < len(messages):
            messages[at]["text"] = text
            self._show(which, chat, messages)

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), at=st.integers(0, 30), count=st.integers(1, 4))
    def delete(self, which: int, chat: str, at: int, count: int) -> None:
        messages = self._screen(which, chat)
        del messages[at : at + count]
        self._show(which, chat, messages)

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), at=st.integers(0, 30))
    def hide(self, which: int, chat: str, at: int) -> None:
        messages = self._screen(which, chat)
        if at < len(messages):
            messages[at]["hidden"] = not messages[at]["hidden"]
            self._show(which, chat, messages)

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), one=st.integers(0, 30), other=st.integers(0, 30))
    def reorder(self, which: int, chat: str, one: int, other: int) -> None:
        messages = self._screen(which, chat)
        if max(one, other) < len(messages):
            messages[one], messages[other] = messages[other], messages[one]
            self._show(which, chat, messages)

    @rule(which=st.integers(0, 1), at=st.integers(0, 30))
    def branch(self, which: int, at: int) -> None:
        messages = self._screen(which, "main")
        if messages:
            before = self.kits[which].graph("main")
            self._show(which, "branch", messages[: at + 1])
            assert self.kits[which].graph("main") == before

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), more=st.sampled_from(REPLY))
    def continue_the_reply(self, which: int, chat: str, more: str) -> None:
        messages = self._screen(which, chat)
        if messages and messages[-1]["role"] == "assistant":
            longer = f"{messages[-1]['text']} {more}"
            params = {"chat": chat, "messages": [*messages[:-1], {**messages[-1], "text": longer}]}
            self._run(self.kits[which].service.call("chat.update", params))
            self._show(which, chat, params["messages"])  # type: ignore[arg-type]

    @rule(which=st.integers(0, 1), chat=st.sampled_from(TARGETS), name=st.sampled_from((*NAMES, "Marta", "")))
    def rename(self, which: int, chat: str, name: str) -> None:
        messages = self._screen(which, chat)
        self._show(which, chat, [{**each, "name": name} if each["role"] == "user" else each for each in messages])

    @rule(which=st.integers(0, 1))
    def lose_everything_and_get_it_back(self, which: int) -> None:
        messages = self._screen(which, "main")
        before = self.kits[which].graph("main") if messages else None
        self._show(which, "main", [])
        assert self.kits[which].graph("main") == {"nodes": [], "edges": []}
        self._show(which, "main", messages)
        assert before is None or self.kits[which].graph("main") == before

    @rule(which=st.integers(0, 1))
    def start_again(self, which: int) -> None:
        """A new process on what is stored."""
        self.kits[which].restart()

    @rule(which=st.integers(0, 1))
    def sync(self, which: int) -> None:
        """Commits and sources of one store go to the other."""
        self._run(_copy(self.kits[which], self.kits[1 - which]))

    @invariant()
    def equals_scratch(self) -> None:
        for (which, chat), messages in getattr(self, "screens", {}).items():
            scratch = Kit("scratch")
            self._run(_build(scratch.service, messages))
            assert self.kits[which].graph(chat) == scratch.graph("scratch")


async def _build(service: Service, messages: list[dict[str, Any]]) -> None:
    await service.call("chat.update", {"chat": "scratch", "messages": messages})
    await service.call("extract.run", {"chat": "scratch", "by": "rules", "lag": 0})


async def _copy(source: Kit, target: Kit) -> None:
    pools = {record.pool for record in await target.store.chats()}
    for record in await source.store.chats():
        got = await source.store.pool(record.pool, 0)
        for pool in pools:
            await target.store.write(Batch(pool, got.sources, got.commits))
    target.restart()


TestHistoryLaw = pytest.mark.req("LAW-1")(pytest.mark.req("LAW-2")(HistoryLaw.TestCase))
TestHistoryLaw.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
