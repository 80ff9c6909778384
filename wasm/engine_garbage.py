"""When Python's collector of cycles runs: while nobody waits.

By itself it walks over all memories every so often, which takes up to a second for a chat of thousands of messages, in the middle of a
recall. The engine makes few cycles but those of a chat, which are garbage when that is given up.
"""

from __future__ import annotations

import asyncio
import gc

# Containers made since the last walk and still there: about those of two chats of 5,000 messages.
ENOUGH = 600_000
IDLE_SECONDS = 3.0


class Collector:
    """Tell it when calls begin and when none is left. A walk is made after a while without calls, when as much has come as stayed at
    the last one."""

    def __init__(self, enough: int = ENOUGH, seconds: float = IDLE_SECONDS) -> None:
        self._enough = enough
        self._seconds = seconds
        self._stayed = 0
        self._planned: asyncio.TimerHandle | None = None
        gc.disable()

    def busy(self) -> None:
        if self._planned is not None:
            self._planned.cancel()
            self._planned = None

    def idle(self) -> None:
        self.busy()
        if gc.get_count()[0] >= max(self._enough, self._stayed):
            self._planned = asyncio.get_running_loop().call_later(self._seconds, self._walk)

    def _walk(self) -> None:
        self._planned = None
        come = gc.get_count()[0]
        self._stayed = max(0, self._stayed + come - gc.collect())
