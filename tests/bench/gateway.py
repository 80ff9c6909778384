"""What the gateway costs: time to the first byte against the upstream alone, and memory under many streams that are held.

python -m tests.bench.gateway [--requests 300] [--streams 200] [--seconds 60]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import uvicorn
from starlette.types import Receive, Scope, Send

from tests.bench import figures
from tests.sidecar.serve.kit import process

EVENT = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}\n\n'
END = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
PAUSE = 0.25


async def upstream(scope: Scope, receive: Receive, send: Send) -> None:
    """Streams events; the request's `user` says for how many seconds."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    seconds = float(json.loads(body).get("user", "0"))
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    for _ in range(int(seconds / PAUSE) or 1):
        await send({"type": "http.response.body", "body": EVENT, "more_body": True})
        if seconds:
            await asyncio.sleep(PAUSE)
    await send({"type": "http.response.body", "body": END, "more_body": False})


def _upstream(told: Connection) -> None:
    server = uvicorn.Server(uvicorn.Config(upstream, port=0, log_level="error", lifespan="off"))

    async def serve() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        told.send(server.servers[0].sockets[0].getsockname()[1])
        await serving

    asyncio.run(serve())


def _body(model: str, seconds: float = 0.0, at: int = 0) -> dict[str, Any]:
    return {
        "model": model,
        "stream": True,
        "user": str(seconds),
        "messages": [{"role": "user", "content": f"My cat number {at} is Bo{at}."}],
    }


async def _first_byte(client: httpx.AsyncClient, body: Mapping[str, Any]) -> float:
    """Milliseconds."""
    begin = perf_counter()
    async with client.stream("POST", "/v1/chat/completions", json=dict(body)) as answer:
        answer.raise_for_status()
        pieces = answer.aiter_raw()
        await anext(pieces)
        took = (perf_counter() - begin) * 1000
        async for _ in pieces:
            pass
    return took


def _quick(took: Sequence[float]) -> float:
    """As on a machine that does nothing else."""
    return sorted(took)[len(took) // 10]


async def _in_turn(one: tuple[httpx.AsyncClient, str], two: tuple[httpx.AsyncClient, str], count: int) -> tuple[list[float], list[float]]:
    """One request each, time after time, so that whatever else the machine does meets both."""
    pairs = [(await _first_byte(one[0], _body(one[1], at=at)), await _first_byte(two[0], _body(two[1], at=at))) for at in range(count)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


async def _times(client: httpx.AsyncClient, model: str, count: int) -> list[float]:
    return [await _first_byte(client, _body(model, at=at)) for at in range(count)]


@asynccontextmanager
async def _client(url: str, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=120, limits=limits) as client:
        yield client


async def _held(client: httpx.AsyncClient, pid: int, count: int, seconds: float) -> list[float]:
    """Resident MB, every second while the streams are held."""
    streams = [asyncio.create_task(_first_byte(client, _body("up/m", seconds, at))) for at in range(count)]
    curve = []
    while not all(stream.done() for stream in streams):
        curve.append(figures.resident(pid))
        await asyncio.wait(streams, timeout=1)
    for stream in streams:
        stream.result()
    return curve


async def main(requests: int, streams: int, seconds: float) -> None:
    mine, theirs = multiprocessing.get_context("spawn").Pipe()
    other = multiprocessing.get_context("spawn").Process(target=_upstream, args=(theirs,), daemon=True)
    other.start()
    url = f"http://127.0.0.1:{mine.recv()}"
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        (data / "config.toml").write_text(f'[[upstream]]\nname = "up"\nurl = "{url}/v1"\n')
        with process(data) as (started, ready):
            key = f"Bearer {ready['key']}"
            async with (
                _client(url) as alone,
                _client(ready["url"], Authorization=key, **{"X-Tidelore-Memory": "off"}) as off,
                _client(ready["url"], Authorization=key) as on,
            ):
                figures.head("to the first byte, ms")
                await _times(alone, "m", 20)
                await _times(off, "up/m", 20)
                direct, through = await _in_turn((alone, "m"), (off, "up/m"), requests)
                added = [long - short for short, long in zip(direct, through, strict=True)]
                figures.row("the upstream alone", direct)
                figures.row("through the gateway, without memory", through)
                figures.row("what the gateway adds, of two requests one after the other", added, "< 3")
                figures.one("the same, of the quickest tenth of each", _quick(through) - _quick(direct))
                figures.one("how many times as long", statistics.median(through) / statistics.median(direct))
                figures.row("through the gateway, with memory, a new conversation each", await _times(on, "up/m", min(requests, 50)))
                figures.head(f"{streams} streams held for {seconds:g} s, MB")
                for name, client in (("without memory", off), ("with memory", on)):
                    curve = await _held(client, started.pid, streams, seconds)
                    # The first seconds are those in which the streams begin.
                    held = curve[len(curve) // 4 :] or curve
                    figures.one(f"{name}: after a quarter of the time", held[0])
                    figures.one(f"{'':16} at the end", held[-1], "the same")
                    figures.one(f"{'':16} most", max(held))
    other.terminate()
    other.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    asyncio.run(main(given.requests, given.streams, given.seconds))
