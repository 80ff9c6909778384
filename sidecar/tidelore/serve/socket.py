"""/ws: frames in and out of a session."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from tidelore.engine.errors import TideloreError
from tidelore.serve.faults import Refusal
from tidelore.serve.gate import Visit, visit
from tidelore.serve.limits import Limits
from tidelore.serve.outbox import Outbox
from tidelore.serve.rooms import Work
from tidelore.serve.session import HangUp, Session

_CLOSE_SECONDS = 1.0


class Sockets:
    """All sockets that are open. `redeem(id, origin)` gives the key of a confirmed pairing."""

    def __init__(self, limits: Limits, work: Work, redeem: Callable[[str, str], str]) -> None:
        self._work = work
        self._limits = limits
        self._redeem = redeem
        self._open: set[_Line] = set()

    async def serve(self, websocket: WebSocket) -> None:
        """The endpoint."""
        await websocket.accept()
        line = _Line(websocket, visit(websocket.scope), self._limits, self._redeem)
        self._open.add(line)
        self._work.sockets += 1
        try:
            await line.run()
        finally:
            self._open.discard(line)
            self._work.sockets -= 1

    async def close(self) -> None:
        """Ends all, each waiting call with the error `closing`, and waits for that."""
        lines = list(self._open)
        for line in lines:
            line.hang_up(HangUp(1001, Refusal(503, "closing", "The sidecar is shutting down.", "Connect again later.")))
        if lines:
            await asyncio.wait([line.ended for line in lines], timeout=self._limits.drain_seconds)


class _Line:
    """One socket with its session."""

    def __init__(self, websocket: WebSocket, here: Visit, limits: Limits, redeem: Callable[[str, str], str]) -> None:
        self._socket = websocket
        self._limits = limits
        self._outbox = Outbox(websocket.send_text, limits, lambda: self.hang_up(_slow()))
        self._session = Session(self._outbox, limits, here.admit, lambda id_: redeem(id_, here.origin), here.room)
        self._reading: asyncio.Task[HangUp | None] | None = None
        self._end: HangUp | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def hang_up(self, end: HangUp) -> None:
        self._end = self._end or end
        if self._reading is not None:
            self._reading.cancel()

    async def run(self) -> None:
        sending = asyncio.create_task(self._sending())
        self._reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait([self._reading])
            end = self._end if self._reading.cancelled() else self._reading.result()
            await self._finish(end, sending)
        finally:
            self._reading.cancel()
            sending.cancel()
            self.ended.set_result(None)

    async def _read(self) -> HangUp | None:
        """Until the client goes (None) or has to."""
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                while not self._session.greeted:
                    await self._one()
        except TimeoutError:
            return HangUp(1008, Refusal(408, "hello_late", "No hello came in time."))
        except HangUp as end:
            return end
        except WebSocketDisconnect:
            return None
        try:
            while True:
                await self._one()
        except HangUp as end:
            return end
        except WebSocketDisconnect:
            return None

    async def _one(self) -> None:
        message: dict[str, Any] = dict(await self._socket.receive())
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005))
        text = message.get("text")
        if text is None:
            raise HangUp(1003, Refusal(400, "text_only", "The socket takes texts, not binary frames.", "Send JSON as text."))
        await self._session.take(text)

    async def _sending(self) -> None:
        try:
            await self._outbox.run()
        except (WebSocketDisconnect, RuntimeError):
            # The client is gone; whoever reads notices too.
            return

    async def _finish(self, end: HangUp | None, sending: asyncio.Task[None]) -> None:
        if end is None:
            await self._session.end(_closed(), wait=0.0)
            return
        await self._session.end(end.reason, wait=self._limits.drain_seconds if end.close == 1001 else 0.0)
        if end.reason.code != "slow_consumer":
            self._session.report(end.reason)
            self._outbox.close()
            await asyncio.wait([sending], timeout=_CLOSE_SECONDS)
        sending.cancel()
        # A line that is full takes no close either; the server drops it when this returns.
        with contextlib.suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._socket.close(end.close, end.reason.code)


def _slow() -> HangUp:
    return HangUp(1013, Refusal(503, "slow_consumer", "Too much waits for this client to be read.", "Read faster, or ask for less."))


def _closed() -> TideloreError:
    return Refusal(499, "closed", "The client has gone.")
