"""The channel between the engine and the page: JSON texts out, and questions that the page answers. Only text crosses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tidelore.engine.errors import Cancelled, TideloreError

running_call: ContextVar[Running | None] = ContextVar("running_call", default=None)


@dataclass(slots=True)
class Running:
    """A call under way, and what it waits for from the page."""

    cancelled: bool = False
    asks: set[int] = field(default_factory=set[int])


class PortFailed(Exception):
    """What the page said when a port failed."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error.get("message", "")))
        self.code = str(error.get("code", ""))
        self.sentence = str(error.get("message", "")) or "It gave no reason."
        self.hint = str(error.get("hint", ""))
        self.raw = str(error.get("raw", ""))


class Channel:
    """Messages out, and answers in."""

    def __init__(self, send: Callable[[str], object]) -> None:
        self._send = send
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}

    def send(self, type_: str, **members: Any) -> None:
        self._send(json.dumps({"type": type_, **members}, ensure_ascii=False, allow_nan=False, separators=(",", ":")))

    async def ask(self, port: str, method: str, *arguments: Any, seconds: float, late: TideloreError) -> Any:
        """Ask a port of the page and wait. Raises PortFailed, `late` when no answer comes in time, Cancelled."""
        running = running_call.get()
        if running is not None and running.cancelled:
            raise cancelled()
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        if running is not None:
            running.asks.add(number)
        self.send("ask", id=number, port=port, method=method, arguments=list(arguments))
        done = False
        try:
            async with asyncio.timeout(seconds):
                answer = await self._waiting[number]
            done = True
        except PortFailed:
            done = True
            raise
        except TimeoutError:
            raise late from None
        finally:
            del self._waiting[number]
            if running is not None:
                running.asks.discard(number)
            if not done:
                self.send("drop", id=number)
        return answer

    def answered(self, number: int, outcome: Any | TideloreError | PortFailed) -> None:
        future = self._waiting.get(number)
        if future is None or future.done():
            return
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def cancelled() -> Cancelled:
    return Cancelled("The call was cancelled.", "What it had stored stays.")
