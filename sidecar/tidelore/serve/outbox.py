"""What waits to be sent to one client. Answers are all kept, up to a limit; of notifications of one subject only the newest is."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable

from tidelore.serve.chunks import split
from tidelore.serve.limits import Limits


class Outbox:
    """`send` passes one frame on, and waits while the client's end of the line is full. `stalled` is called when the client does not read
    what it asked for: too much waits, or one frame takes too long. Nothing is sent after that."""

    def __init__(self, send: Callable[[str], Awaitable[None]], limits: Limits, stalled: Callable[[], None]) -> None:
        self._send = send
        self._limits = limits
        self._stalled = stalled
        self._texts: deque[str] = deque()
        self._newest: dict[Hashable, str] = {}
        self._size = 0
        self._count = 0
        self._something = asyncio.Event()
        self._closed = False

    def put(self, text: str) -> None:
        if self._closed:
            return
        self._size += len(text)
        if self._size > self._limits.unread:
            self._give_up()
            return
        self._texts.append(text)
        self._something.set()

    def put_newest(self, subject: Hashable, text: str) -> None:
        """Takes the place of what waits under the same subject."""
        self._newest[subject] = text
        self._something.set()

    def drop(self, subject: Hashable) -> None:
        self._newest.pop(subject, None)

    def close(self) -> None:
        """`run` ends once all is sent."""
        self._closed = True
        self._something.set()

    async def run(self) -> None:
        """Sends until `close`, or until it stalls."""
        while True:
            await self._something.wait()
            while self._texts or self._newest:
                if not await self._pass_on(self._next()):
                    self._give_up()
                    return
            self._something.clear()
            if self._closed:
                return

    def _next(self) -> str:
        # Progress before answers: it is small, and it is of no use afterwards.
        if self._newest:
            return self._newest.pop(next(iter(self._newest)))
        text = self._texts.popleft()
        self._size -= len(text)
        return text

    async def _pass_on(self, text: str) -> bool:
        self._count += 1
        for frame in split(text, str(self._count), self._limits.frame):
            try:
                async with asyncio.timeout(self._limits.stalled_seconds):
                    await self._send(frame)
            except TimeoutError:
                return False
        return True

    def _give_up(self) -> None:
        self._texts.clear()
        self._newest.clear()
        self.close()
        self._stalled()
