"""Which chat of the memory a request belongs to. A window is whatever its client calls one; the conversations in it are chats of their own,
"gateway:WINDOW#1" and so on, since most clients have many conversations and one setting for all of them.

A request goes on with the conversation that knows most of its history; where none does, it begins one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidelore.serve.changes import Change
from tidelore.serve.gateway.asked import Said
from tidelore.serve.gateway.calls import Caller
from tidelore.serve.gateway.overlap import Overlap, overlap
from tidelore.serve.rooms import Room
from tidelore.serve.windows import BETWEEN, MARK, window_of

# A conversation of one exchange: its first message again means that the answer is to be another one.
_ONE_EXCHANGE = 2


@dataclass(frozen=True, slots=True)
class Place:
    """`keep` messages of the chat stand before those that the client sent."""

    chat: str
    keep: int


class Conversations:
    """Those of one room. Reads what is stored once, and again after others have changed it."""

    def __init__(self, room: Room) -> None:
        self._calls = Caller(room, self)
        self._lock = asyncio.Lock()
        self._windows: dict[str, dict[str, list[str]]] = {}
        self._foreign = 0
        self._unlisten: Callable[[], None] = room.changes.listen(self._changed)

    async def tell(self, window: str, said: Sequence[Said]) -> Place:
        """The conversation as the client sent it; the last message is the user's. Raises TideloreError."""
        async with self._lock:
            known = await self._known(window)
            keys = [each.key for each in said]
            chat, found = _belongs(known, keys)
            if not chat:
                chat = _next(window, known)
            keep, skip = (found.keep, found.skip) if found is not None else (0, 0)
            await self._write(window, chat, keep, said[skip:])
            return Place(chat, keep)

    async def answered(self, window: str, chat: str, turn: str, answer: Said) -> bool:
        """The answer to the turn with this key. False where the conversation has gone on or elsewhere meanwhile: then the client says
        itself what was answered."""
        async with self._lock:
            keys = (await self._known(window)).get(chat, [])
            if not keys or keys[-1] != turn:
                return False
            await self._write(window, chat, len(keys), [answer])
            return True

    async def _known(self, window: str) -> dict[str, list[str]]:
        """The keys of the chats of a window, the one that was written last at the end."""
        known = self._windows.get(window)
        if known is None:
            chats = await self._calls("chat.list", {})
            names = [each.chat for each in chats.chats if window_of(each.chat) == window]
            known = self._windows[window] = {name: list((await self._calls("chat.keys", {"chat": name})).keys) for name in names}
        return known

    async def _write(self, window: str, chat: str, keep: int, said: Sequence[Said]) -> None:
        known = self._windows[window]
        before = known.pop(chat, [])
        keys = [*before[:keep], *(each.key for each in said)]
        if keys != before:
            # Until it is stored nobody knows what is there; nor where another one writes meanwhile.
            self._windows.pop(window, None)
            foreign = self._foreign
            messages = [{"role": each.role, "text": each.text} for each in said]
            await self._calls("chat.update", {"chat": chat, "messages": messages, "keep": keep})
            if foreign == self._foreign:
                self._windows[window] = known
        known[chat] = keys

    def _changed(self, change: Change) -> None:
        """Somebody else wrote: to one of these, or nobody knows to which."""
        if change.by is self or (change.scope and not change.chat):
            return
        self._foreign += 1
        if not change.chat:
            self._windows.clear()
        elif change.chat.startswith(MARK):
            self._windows.pop(window_of(change.chat), None)


def _next(window: str, known: dict[str, list[str]]) -> str:
    numbers = [int(name.rpartition(BETWEEN)[2]) for name in known]
    return f"{MARK}{window}{BETWEEN}{max(numbers, default=0) + 1}"


def _belongs(known: dict[str, list[str]], keys: Sequence[str]) -> tuple[str, Overlap | None]:
    """The chat, "" where there is none, and where the messages stand in it."""
    if len(keys) == 1:
        again = [name for name, mine in known.items() if len(mine) <= _ONE_EXCHANGE and mine[:1] == list(keys)]
        return (again[-1], overlap(known[again[-1]], keys)) if again else ("", None)
    best: tuple[int, int, int] | None = None
    chosen = ""
    for at, (name, mine) in enumerate(known.items()):
        # The newest message alone says nothing: people say "ok" everywhere.
        history = overlap(mine, keys[:-1])
        if history is not None and (best is None or (history.found, -history.lost, at) > best):
            best, chosen = (history.found, -history.lost, at), name
    return (chosen, overlap(known[chosen], keys)) if chosen else ("", None)
