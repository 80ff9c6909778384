"""Who connects and then sends the beginning of a request slowly, or nothing, does not hold a connection for ever. The server's own time
limit begins only after an answer."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol


def patient(seconds: float) -> type[asyncio.Protocol]:
    """The server's protocol of HTTP, with so many seconds from the first byte (or the connection) to the end of the headers."""

    class Patient(AutoHTTPProtocol):  # type: ignore[valid-type, misc]  # chosen when it is imported, by what is installed
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._look()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _look(self) -> None:
            if not self._waits():
                self._stop()
            elif self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(seconds, self._late)

        def _waits(self) -> bool:
            """For the headers of a request: none runs, and the line did not become a socket."""
            return self.transport.get_protocol() is self and (self.cycle is None or self.cycle.response_complete)

        def _late(self) -> None:
            self._timer = None
            if self._waits():
                self.transport.close()

        def _stop(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Patient
