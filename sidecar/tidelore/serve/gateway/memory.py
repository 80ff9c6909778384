"""What the gateway does with memory: before a request goes out, and after its answer was whole."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial

from tidelore.host.config import GatewayConfig
from tidelore.serve.changes import Change
from tidelore.serve.gateway import blocks, outgoing, resume, splice
from tidelore.serve.gateway.answer import Answer
from tidelore.serve.gateway.asked import Asked, said, words
from tidelore.serve.gateway.calls import Caller
from tidelore.serve.gateway.conversations import Conversations, Place
from tidelore.serve.gateway.extraction import Extraction
from tidelore.serve.gateway.jobs import outcome
from tidelore.serve.gateway.outgoing import before_words, inserted
from tidelore.serve.gateway.splice import Edit
from tidelore.serve.gateway.turns import Turns, turn_id
from tidelore.serve.rooms import Room
from tidelore.serve.windows import MOST_CHATS

# Of the time that a reply may wait, the embedder gets so much; the rest is for recalling by words and names.
_EMBEDDER_SHARE = 0.7
SNAPSHOTS, SNAPSHOTS_OF_A_WINDOW, ANSWERED = 64, 8, 256


@dataclass(frozen=True, slots=True)
class Prepared:
    """What goes into the request of a turn. `block` is empty where nothing does. `turn` names the turn, `state` is what the memories
    read, `wish` stands in place of /resume, and `left` counts what was not loaded. `missing`: why memory could not take part."""

    turn: str
    place: Place | None = None
    block: str = ""
    nodes: Sequence[str] = ()
    recall: str = ""
    state: str = ""
    resumed: bool = False
    wish: str = ""
    left: int = 0
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What /resume loaded in a window, for the later turns of its conversation."""

    window: str
    prepared: Prepared


@dataclass(slots=True)
class _Desk:
    """What belongs to one room."""

    room: Room
    calls: Caller
    conversations: Conversations
    extraction: Extraction
    turns: Turns[Prepared]
    snapshots: dict[str, Snapshot] = field(default_factory=dict[str, Snapshot])
    answered: dict[str, Prepared] = field(default_factory=dict[str, Prepared])

    def changed(self, change: Change) -> None:
        """Nothing that was prepared before a purge goes into a prompt after it; nor after what another process did, which may be one."""
        if change.purged or not (change.chat or change.scope):
            self.snapshots.clear()
            self.answered.clear()
            self.turns.clear()


class Memory:
    """For all rooms."""

    def __init__(self, config: GatewayConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._desks: dict[str, _Desk] = {}

    def wanted(self, asked: Asked) -> bool:
        """Whether a request is one of a conversation that is to be remembered."""
        aside = any(asked.words.startswith(start) for start in self._config.aside if start)
        return asked.memory and asked.turn is not None and not aside

    async def prepare(self, room: Room, asked: Asked) -> Prepared:
        """Never raises because of memory, and takes no longer than the configured seconds; but what /resume was asked for by name may take
        longer, and raises TooLarge."""
        desk = self._desk(room)
        turn = turn_id(asked.window, asked.prefix)
        return await desk.turns.prepared(turn, partial(self._in_time, desk, asked, turn))

    def edits(self, room: Room, asked: Asked, prepared: Prepared) -> list[Edit]:
        """What is put into the client's body."""
        out: list[Edit] = []
        if prepared.resumed:
            assert asked.turn is not None
            wish = (resume.COMMAND, prepared.wish)
            out += before_words(asked.text, asked.turn, prepared.block, wish) if prepared.block or prepared.wish else []
        elif prepared.block:
            out += inserted(asked, prepared.block, self._place())
        if self._config.resume:
            out += self._earlier(self._desk(room), asked)
        return out

    def after(self, room: Room, asked: Asked, prepared: Prepared, answer: Answer) -> None:
        """The answer has come, or what there was of it. What is to be done is done in the background; `work` of the room waits for it."""
        if answer.outcome == "partial":
            return
        desk = self._desk(room)
        if answer.outcome == "said":
            desk.turns.end(prepared.turn)
            _keep(desk.answered, prepared, ANSWERED)
        room.work.begin()
        task = asyncio.create_task(_alone(self._after(desk, asked, prepared, answer), "an answer was not remembered"))
        task.add_done_callback(lambda _: room.work.end())
        room.work.keep(task)

    # ---- before ----

    async def _in_time(self, desk: _Desk, asked: Asked, turn: str) -> Prepared:
        # Not cancelled when it is late: what the client said is to be stored all the same.
        task = asyncio.create_task(self._prepared(desk, asked, turn))
        desk.room.work.begin()
        task.add_done_callback(lambda _: desk.room.work.end())
        named = self._config.resume and resume.is_command(asked.words)
        await asyncio.wait({task}, timeout=max(self._config.seconds, resume.SECONDS) if named else self._config.seconds)
        if not task.done():
            desk.room.work.keep(asyncio.create_task(_alone(task, "what a client said was not stored")))
            return Prepared(turn, missing="late")
        if isinstance(error := task.exception(), resume.TooLarge):
            raise error
        found, code = await outcome(task, "a reply goes without memory")
        return found or Prepared(turn, missing=code)

    async def _prepared(self, desk: _Desk, asked: Asked, turn: str) -> Prepared:
        place = await desk.conversations.tell(asked.window, asked.said) if asked.said else None
        if place is None or not asked.words:
            return Prepared(turn, place)
        beside = await self._beside(desk, place.chat)
        if self._config.resume and resume.is_command(asked.words):
            found = await resume.resume(desk.calls, beside[::-1], asked.words, self._config.resume_tokens)
            prepared = Prepared(turn, place, found.block, found.nodes, resumed=True, wish=found.wish, left=found.left)
            mine = [name for name, each in desk.snapshots.items() if each.window == asked.window]
            for name in mine[: max(0, len(mine) - SNAPSHOTS_OF_A_WINDOW + 1)]:
                del desk.snapshots[name]
            desk.snapshots[turn] = Snapshot(asked.window, prepared)
            while len(desk.snapshots) > SNAPSHOTS:
                del desk.snapshots[next(iter(desk.snapshots))]
            return prepared
        again = await self._again(desk, turn, place, beside)
        if again is not None:
            return again
        replies = [each.text for each in asked.said if each.role == "assistant"]
        mine = [each.text for each in asked.said if each.role == "user"]
        recalled = await desk.calls(
            "recall.run",
            {
                "chat": place.chat,
                "query": asked.words,
                "preset": self._config.preset,
                "window": asked.window,
                "context_from": place.keep,
                "reply": replies[-1] if replies else "",
                "earlier": mine[-2] if len(mine) > 1 else "",
                "scopes": self._config.scopes,
                "beside": beside,
                "patience": self._config.seconds * _EMBEDDER_SHARE,
                "trace": False,
            },
        )
        if self._config.preset == "plain":
            block, nodes = blocks.plain(recalled.cards)
        else:
            block, nodes = blocks.recalled(recalled), recalled.nodes
        missing = "embedder" if recalled.degraded else ""
        return Prepared(turn, place, block, nodes, recalled.recall, recalled.state, missing=missing)

    async def _again(self, desk: _Desk, turn: str, place: Place, beside: Sequence[str]) -> Prepared | None:
        """The turn was answered, and the user wants another answer to it: with the same memories, which cool now, if they still stand."""
        before = desk.answered.get(turn)
        if before is None or not before.block or before.resumed or before.place is None or before.place.chat != place.chat:
            return None
        asked = {"chat": place.chat, "nodes": list(before.nodes), "state": before.state, "scopes": self._config.scopes, "beside": beside}
        return before if (await desk.calls("recall.check", asked)).stands else None

    async def _beside(self, desk: _Desk, chat: str) -> list[str]:
        """The other chats that are read, oldest first."""
        chats = (await desk.calls("chat.list", {})).chats
        names = [each.chat for each in chats if each.chat != chat and each.holds]
        return [name for name in names if any(fnmatchcase(name, pattern) for pattern in self._config.chats)][-MOST_CHATS:]

    def _earlier(self, desk: _Desk, asked: Asked) -> list[Edit]:
        """What /resume loaded in earlier turns of this conversation, at the same place and byte for byte the same."""
        out: list[Edit] = []
        for row in splice.items(asked.text, asked.messages.start):
            if asked.turn is not None and row.start >= asked.turn.start:
                break
            if row.value["role"] == "user" and resume.is_command(words(row.value.get("content"))):
                kept = desk.snapshots.get(turn_id(asked.window, asked.text[asked.messages.start : row.end]))
                if kept is not None:
                    out += before_words(asked.text, row, kept.prepared.block, (resume.COMMAND, kept.prepared.wish))
        return out

    def _place(self) -> outgoing.Place:
        return self._config.place or ("system" if self._config.preset == "plain" else "user")

    # ---- after ----

    async def _after(self, desk: _Desk, asked: Asked, prepared: Prepared, answer: Answer) -> None:
        if prepared.recall and prepared.place is not None:
            # Also where nothing was delivered: cooling counts answers.
            nodes = list(prepared.nodes) if prepared.block else []
            receipt = {"chat": prepared.place.chat, "recall": prepared.recall, "nodes": nodes, "window": asked.window}
            await desk.calls("recall.delivered", receipt)
        if answer.outcome == "said" and prepared.place is not None:
            reply = said("assistant", words(answer.text))
            if reply is not None and not asked.several:
                await desk.conversations.answered(asked.window, prepared.place.chat, asked.said[-1].key, reply)
            await desk.extraction.run(prepared.place.chat)

    def _desk(self, room: Room) -> _Desk:
        desk = self._desks.get(room.profile)
        if desk is None or desk.room is not room:
            conversations = Conversations(room)
            calls = Caller(room, self)
            desk = self._desks[room.profile] = _Desk(room, calls, conversations, Extraction(room), Turns(self._clock))
            room.changes.listen(desk.changed)
        return desk


def _keep(kept: dict[str, Prepared], prepared: Prepared, most: int) -> None:
    kept.pop(prepared.turn, None)
    kept[prepared.turn] = prepared
    while len(kept) > most:
        del kept[next(iter(kept))]


async def _alone(work: Awaitable[object], failed: str) -> None:
    """Nobody waits for it."""
    await outcome(work, failed)
