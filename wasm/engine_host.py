"""The Python side of the page's worker: one service, spoken to in messages, with ports that ask the page.

A message is one JSON object with a `type`. From the page: `call`, `cancel`, `answer` and `ports`; to the page: `result`, `error`,
`progress`, `ask` and `drop`. docs/wasm.md has the table.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from engine_channel import Channel, PortFailed, Running, cancelled, running_call
from engine_files import PageFiles
from engine_garbage import Collector
from engine_ports import EMBED_SECONDS, PageModel, PageStore, PageVectors, model_seconds
from tidelore.engine.errors import ModelAnswer, TideloreError
from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import Batch
from tidelore.engine.service import Call, Service
from tidelore.engine.text.patterns import compile_all

# Before a memory snapshot is made, which then holds them.
compile_all()


class Bytes(Protocol):
    """A Uint8Array of JavaScript."""

    def to_bytes(self) -> bytes: ...


class PatientStore(MemoryStore):
    """A store in memory that lets messages in at each write: a long run can then be cancelled."""

    async def write(self, batch: Batch) -> None:
        await asyncio.sleep(0)
        await super().write(batch)


class Host:
    """The service and the calls under way."""

    def __init__(self, send: Callable[[str], object], ports: Mapping[str, Any]) -> None:
        self._channel = Channel(send)
        self._calls: dict[int, Running] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._collector = Collector()
        store = PageStore(self._channel) if ports.get("store") else PatientStore()
        # The page plans `embed.run` after what it has written: what was extracted is recalled by words at once, whatever the embedder does.
        self._service = Service(
            store,
            lambda: time.time_ns() // 1_000_000,
            lambda: secrets.token_hex(16),
            embed_seconds=EMBED_SECONDS,
            embeds_later=True,
        )
        self._use(ports)

    def _use(self, ports: Mapping[str, Any]) -> None:
        """Which model and embedder there are may change at any time; the store may not."""
        complete, vectors = ports.get("complete"), ports.get("vectors")
        self._service.complete = None if complete is None else PageModel(self._channel, str(complete["name"]))
        self._service.model_seconds = model_seconds(complete)
        self._service.files = PageFiles(self._channel) if ports.get("mirror") else None
        self._service.vectors = None if vectors is None else PageVectors(self._channel, vectors)

    def receive(self, data: Bytes) -> None:
        """One message from the page, as JSON in UTF-8."""
        message = json.loads(data.to_bytes())
        match message["type"]:
            case "call":
                self._collector.busy()
                running = self._calls[message["id"]] = Running()
                task = asyncio.ensure_future(self._call(message["id"], running, message["method"], message.get("params")))
                self._tasks.add(task)
                task.add_done_callback(lambda done: self._ended(message["id"], done))
            case "cancel":
                running = self._calls.get(message["id"], Running())
                running.cancelled = True
                for ask in list(running.asks):
                    self._channel.answered(ask, cancelled())
            case "answer":
                failed = message.get("error")
                self._channel.answered(message["id"], message.get("result") if failed is None else PortFailed(failed))
            case "ports":
                self._use(message["ports"])
            case other:
                raise ValueError(f"unknown message {other!r}")

    async def _call(self, number: int, running: Running, method: Any, params: Any) -> None:
        running_call.set(running)
        if running.cancelled:
            raise cancelled()

        def progress(done: int, total: int) -> None:
            self._channel.send("progress", id=number, done=done, total=total)

        result = await self._service.call(method, params, Call(progress, lambda: running.cancelled))
        self._channel.send("result", id=number, result=result)

    def _ended(self, number: int, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        del self._calls[number]
        if not self._calls:
            self._collector.idle()
        error = task.exception()
        if isinstance(error, TideloreError):
            raw = {"raw": error.raw} if isinstance(error, ModelAnswer) else {}
            self._channel.send("error", id=number, error={"code": error.code, "message": error.sentence, "hint": error.hint, **raw})
        elif error is not None:
            sentence = "Something unexpected went wrong; the console has the details."
            self._channel.send("error", id=number, error={"code": "error", "message": sentence, "hint": type(error).__name__})
            print("".join(traceback.format_exception(error)), file=sys.stderr)


def open_host(send: Callable[[bytes], object], ports: str) -> Callable[[Bytes], None]:
    """A service on the page's ports; the function that takes the page's messages. Called once, after the start. Messages cross as bytes:
    as text Pyodide would copy them sign by sign, which takes fifty times as long.

    A start from a memory snapshot brings the random numbers of the build machine along, so they are made new here.
    """
    random.seed()
    return Host(lambda text: send(_bytes(text)), json.loads(ports)).receive


def _bytes(text: str) -> bytes:
    """UTF-8. Half of a character has none: there the JSON is written with escapes."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(json.loads(text)).encode()
