"""JSON-RPC over stdin and stdout: one JSON object a line, answered in order. Nothing else gets to stdout."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator

from tidelore.engine.service import Call, Service
from tidelore.serve.jsonrpc import answer
from tidelore.serve.table import ServiceTable

_CHUNK = 1 << 18
_AHEAD = 16


async def serve(service: Service) -> None:
    """Serves until stdin ends (then all that was read is answered) or until SIGTERM or SIGINT (then the current call is cancelled;
    what it has stored stays). Raises BrokenPipeError when nobody reads the answers."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    with _protocol_only() as output:
        work = asyncio.create_task(_serve(service, output))
        with _signals(work), contextlib.suppress(asyncio.CancelledError):
            await work


async def _serve(service: Service, output: int) -> None:
    table = ServiceTable(service)
    async for line in _lines(sys.stdin.fileno()):
        if not line.strip():
            continue
        response = await answer(table, line, Call())
        if response is not None:
            await asyncio.get_running_loop().run_in_executor(None, _write, output, response + b"\n")


def _write(output: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(output, view) :]


@contextlib.contextmanager
def _protocol_only() -> Iterator[int]:
    """The real stdout for us alone; what anything else prints goes to stderr."""
    sys.stdout.flush()
    mine = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        yield mine
    finally:
        sys.stdout.flush()
        os.dup2(mine, sys.stdout.fileno())
        os.close(mine)


@contextlib.contextmanager
def _signals(work: asyncio.Task[None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        with contextlib.suppress(NotImplementedError):  # Windows: there the default ends the process
            loop.add_signal_handler(number, work.cancel)
    try:
        yield
    finally:
        for number in numbers:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)


async def _lines(input_: int) -> AsyncIterator[bytes]:
    """Lines of any length. A daemon thread reads, since a read from a pipe or a file cannot be cancelled; it stays few lines ahead."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    free = threading.Semaphore(_AHEAD)

    def put(line: bytes | None) -> None:
        free.acquire()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(queue.put_nowait, line)

    threading.Thread(target=_read, args=(input_, put), name="tidelore-stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        free.release()
        yield line


def _read(input_: int, put: object) -> None:
    assert callable(put)
    parts: list[bytes] = []
    with contextlib.suppress(OSError):
        while chunk := os.read(input_, _CHUNK):
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                put(b"".join([*parts, line]))
                parts.clear()
            parts.append(rest)
    if any(parts):
        put(b"".join(parts))
    put(None)
