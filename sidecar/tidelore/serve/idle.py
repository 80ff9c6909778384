"""Whether anybody still asks for something: a sidecar that a client has started ends some time after the last one left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send


class Idle:
    """ASGI layer that knows what is open and when the last of it ended. `clock` in seconds."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float]) -> None:
        self._app = app
        self._clock = clock
        self._open = 0
        self._since = clock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._open += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1
            self._since = self._clock()

    async def over(self, seconds: float) -> None:
        """Returns when nothing was open for so long."""
        while True:
            left = seconds if self._open else self._since + seconds - self._clock()
            if left <= 0:
                return
            await asyncio.sleep(left)
