"""A profile's memory as the tools see it: typed calls, and where a call reads and writes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.scopes import SCOPE_MARK, scope_chat
from tidelore.engine.service import Call, Service
from tidelore.engine.view import NodeView
from tidelore.host.config import GatewayConfig
from tidelore.serve import windows
from tidelore.serve.rooms import Room
from tidelore.serve.windows import EVERYWHERE

# Of this many chats the newest are looked through for an id that came without its place.
SEARCHED = windows.MOST_CHATS
_NAMED = 12
_USUAL = GatewayConfig()
_locks: WeakKeyDictionary[Service, asyncio.Lock] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call works: `name` is the engine's name of the chat; `beside` are scopes that are read too. `known` is false for a scope
    under which nothing is remembered yet."""

    name: str
    chat: str
    scope: str
    beside: tuple[str, ...] = ()
    known: bool = True

    @property
    def label(self) -> str:
        return f"scope {self.scope}" if self.scope else f"chat {self.chat}"


class Memory:
    """`by`: who calls, who need not hear of what it wrote. `config` says which conversations are read where no chat is named.
    `clock`: seconds since 1970."""

    def __init__(self, room: Room, by: object = None, config: GatewayConfig = _USUAL, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.profile = room.profile
        self._room = room
        self._table = room.table(by)
        self._config = config

    async def ask(self, method: str, params: Any) -> Any:
        """A method of the engine's table, with the dataclasses of its row. Raises TideloreError."""
        found = self._table.find(method)
        assert found is not None, method
        return await found.run(params, Call())

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """One at a time on this memory: for what first looks and then writes."""
        service = self._room.service
        lock = _locks.get(service)
        if lock is None:
            lock = _locks[service] = asyncio.Lock()
        async with lock:
            yield

    # ---- places ----

    async def place(self, chat: str, scope: str, *, look: bool = True) -> Place:
        """Where to read. Without either it is what holds everywhere; beside a chat that is read too. Raises NotFound, BadInput. Without
        `look` nobody checks whether there is such a chat or scope: for calls that have to be quick."""
        if chat:
            if chat.startswith(SCOPE_MARK):
                raise BadInput(f"{chat[1:]!r} is a scope.", "Name it in `scope`.")
            if look:
                await self._check_chat(chat)
            beside = tuple(dict.fromkeys([*([scope] if scope else []), EVERYWHERE]))
            for each in beside:
                scope_chat(each)
            return Place(chat, chat, "", beside)
        scope = scope or EVERYWHERE
        name = scope_chat(scope)
        known = not look or any(each.scope == scope for each in await self.scopes())
        return Place(name, "", scope, () if scope == EVERYWHERE else (EVERYWHERE,), known)

    async def everywhere(self) -> windows.Place | None:
        """What a call that names no place reads: what holds everywhere, and the conversations that the gateway keeps. None where nothing
        is remembered yet."""
        found: r.ChatInfos = await self.ask("chat.list", m.NoParams())
        filled = [each.chat for each in found.chats if each.holds]
        held = [each.scope for each in await self.scopes()]
        return windows.source("", "", windows.MAIN, filled, held, self._config.chats, self._config.scopes)

    async def home(self, node: str, chats: Sequence[str]) -> str:
        """The first of these chats that holds a memory of this id; "" where none does."""
        for chat in chats:
            try:
                await self.ask("node.get", m.NodeOnly(chat, node))
            except NotFound:
                continue
            return chat
        return ""

    def target(self, chat: str, scope: str) -> tuple[str, str]:
        """Where to write, as (chat, scope) of which one is empty. Raises BadInput."""
        if chat and scope:
            raise BadInput("Both `chat` and `scope` are given.", "A memory belongs to one of them: name the one or the other.")
        if chat.startswith(SCOPE_MARK):
            raise BadInput(f"{chat[1:]!r} is a scope.", "Name it in `scope`.")
        if not chat:
            scope_chat(scope or EVERYWHERE)
        return (chat, "") if chat else ("", scope or EVERYWHERE)

    async def scopes(self) -> list[r.ScopeInfo]:
        found: r.ScopeInfos = await self.ask("scope.list", m.NoParams())
        return found.scopes

    async def chats(self) -> list[r.ChatInfo]:
        """Without those that stand for scopes, newest first."""
        found: r.ChatInfos = await self.ask("chat.list", m.NoParams())
        return [each for each in reversed(found.chats) if not each.chat.startswith(SCOPE_MARK)]

    async def _check_chat(self, chat: str) -> None:
        known = [each.chat for each in await self.chats()]
        if chat not in known:
            names = ", ".join(repr(name[:60]) for name in known[:_NAMED]) or "none yet"
            more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
            hint = f"Chats: {names}{more}. Leave `chat` out for what is remembered beyond one chat."
            raise NotFound(f"There is no chat named {chat[:80]!r}.", hint)

    # ---- nodes by id ----

    async def node(self, id_: str, chat: str, scope: str) -> tuple[Place, NodeView]:
        """A memory by its id or the beginning of one: where it is said to be, else wherever it is. Raises NotFound, BadInput."""
        for place in await self.places(chat, scope):
            try:
                view: NodeView = await self.ask("node.get", m.NodeOnly(place.name, id_))
            except NotFound:
                continue
            return place, view
        raise NotFound(
            f"There is no memory {id_[:80]!r} now.", "Take an id from recall, graph or state; a memory of a chat goes when its messages do."
        )

    async def places(self, chat: str, scope: str) -> list[Place]:
        """Where an id may be: the place that is named and what is read beside it, or every scope and the newest chats. Raises NotFound,
        BadInput."""
        if chat or scope:
            first = await self.place(chat, scope)
            beside = [await self.place("", each) for each in first.beside]
            return [each for each in (first, *beside) if each.known]
        scopes = [Place(each.chat, "", each.scope) for each in await self.scopes()]
        chats = [Place(each.chat, each.chat, "") for each in (await self.chats())[:SEARCHED]]
        return [*sorted(scopes, key=lambda each: each.scope != EVERYWHERE), *chats]
