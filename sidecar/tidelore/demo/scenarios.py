"""The table of promises, played on a story: what each change of the chat costs, and whether the graph is the one built from scratch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from tidelore.demo.stand_in import StandIn
from tidelore.demo.story import Messages, Story
from tidelore.engine.service import Service

EXPECTED = {"swipe": 1, "swipe back": 0, "edit": 1, "delete": 1, "hide": 0, "branch": 0, "continue": 1}
"""Windows that go to a model, by scenario."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`index`: the message that it is about. `new` and `gone`: how many memories came and went, in the rules' graph."""

    name: str
    index: int
    model_calls: int
    equals_scratch: bool
    new: int
    gone: int

    @property
    def holds(self) -> bool:
        return self.equals_scratch and self.model_calls == EXPECTED[self.name]


class Stage:
    """A story in three stores: one that the rules fill, one that the stand-in fills, and one for graphs from scratch."""

    def __init__(self, story: Story, rules: Service, model: Service, stand_in: StandIn, scratch: Service) -> None:
        self._story = story
        self._rules = rules
        self._model = model
        self._stand_in = stand_in
        self._scratch = scratch
        self._chat = story.title
        self._fresh = 0

    async def play(self) -> AsyncIterator[Scenario]:
        """Each change on its own, on the story as it was; only "swipe back" follows on "swipe"."""
        story, whole = self._story, self._story.messages()
        await self._ask_model(whole)
        last = story.index("swipe")
        yield await self._change("swipe", last, story.with_text("swipe"))
        yield await self._change("swipe back", last, whole)
        yield await self._change("edit", story.index("edit"), story.with_text("edit"))
        await self._restore()
        yield await self._change("delete", story.index("delete"), story.with_one_deleted())
        await self._restore()
        yield await self._change("hide", story.index("hide"), story.with_one_hidden())
        await self._restore()
        yield await self._branch()
        yield await self._change("continue", story.index("continue"), story.with_text("continue"))
        await self._restore()

    async def _ask_model(self, messages: Messages) -> int:
        """The chat as it stands, in the store of the stand-in; how many windows went to it."""
        before = self._stand_in.calls
        await self._model.call("chat.update", {"chat": self._chat, "messages": messages})
        return await self._extract_by_model(self._chat, before)

    async def _extract_by_model(self, chat: str, before: int) -> int:
        await self._model.call("extract.run", {"chat": chat, "by": "model", "lag": 0})
        return self._stand_in.calls - before

    async def _graph(self, service: Service, chat: str, messages: Messages, **more: str) -> Any:
        await service.call("chat.update", {"chat": chat, "messages": messages, **more})
        await service.call("extract.run", {"chat": chat, "by": "rules", "lag": 0})
        return await service.call("graph.get", {"chat": chat})

    async def _from_scratch(self, messages: Messages) -> Any:
        self._fresh += 1
        return await self._graph(self._scratch, f"{self._chat} {self._fresh}", messages)

    async def _change(self, name: str, index: int, messages: Messages) -> Scenario:
        calls = await self._ask_model(messages)
        before = await self._rules.call("graph.get", {"chat": self._chat})
        after = await self._graph(self._rules, self._chat, messages)
        return Scenario(name, index, calls, after == await self._from_scratch(messages), *_moved(before, after))

    async def _restore(self) -> None:
        await self._ask_model(self._story.messages())
        await self._graph(self._rules, self._chat, self._story.messages())

    async def _branch(self) -> Scenario:
        """The branch as it begins; it then goes its own way, and the parent must not notice."""
        story, branch = self._story, branch_name(self._story)
        before = self._stand_in.calls
        shared = story.up_to_branch()
        await self._model.call("chat.update", {"chat": branch, "messages": shared, "branch_of": self._chat})
        calls = await self._extract_by_model(branch, before)
        parent = await self._rules.call("graph.get", {"chat": self._chat})
        begun = await self._graph(self._rules, branch, shared, branch_of=self._chat)
        equal = begun == await self._from_scratch(shared)
        gone_on = await self._graph(self._rules, branch, story.on_the_branch())
        equal = equal and gone_on == await self._from_scratch(story.on_the_branch())
        equal = equal and parent == await self._rules.call("graph.get", {"chat": self._chat})
        return Scenario("branch", story.index("branch"), calls, equal, *_moved(parent, begun))


def branch_name(story: Story) -> str:
    return f"{story.title} @{story.index('branch')}"


def _moved(before: Any, after: Any) -> tuple[int, int]:
    old, new = ({node["id"] for node in graph["nodes"]} for graph in (before, after))
    return len(new - old), len(old - new)
