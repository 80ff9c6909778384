"""Extraction in the background: the rules at once, the memory model where there is one. One run a chat; what comes meanwhile is taken by
the next. What a shutdown stops is still due and is done after the next answer."""

from __future__ import annotations

import asyncio

from tidelore.serve.gateway.calls import Caller
from tidelore.serve.gateway.jobs import outcome
from tidelore.serve.rooms import Room


class Extraction:
    """Of one room."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._calls = Caller(room, self)
        self._again: dict[str, bool] = {}

    async def run(self, chat: str) -> None:
        """Returns when the rules have run; raises TideloreError when they could not. The model goes on alone."""
        if chat in self._again:
            self._again[chat] = True
            return
        self._again[chat] = False
        try:
            await self._rules(chat)
        except BaseException:
            del self._again[chat]
            raise
        self._room.work.keep(asyncio.create_task(self._rest(chat)))

    async def _rules(self, chat: str) -> None:
        # The answer was whole, so nothing of it needs to wait.
        await self._calls("extract.run", {"chat": chat, "by": "rules", "lag": 0})

    async def _rest(self, chat: str) -> None:
        """By the model, then again what came meanwhile. What fails is still due."""
        try:
            await outcome(self._all(chat), "extraction")
        finally:
            del self._again[chat]

    async def _all(self, chat: str) -> None:
        while True:
            if self._room.models.complete is not None and not self._room.work.closed:
                await self._calls("extract.run", {"chat": chat, "by": "model"})
            if not self._again[chat]:
                return
            self._again[chat] = False
            await self._rules(chat)
