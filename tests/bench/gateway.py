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
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
import uvicorn
from starlette.types import Receive, Scope, Send

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


async def _times(client: httpx.AsyncClient, model: str, count: int) -> list[float]:
    return [await _first_byte(client, _body(model, at=at)) for at in range(count)]


def _row(name: str, figures: list[float], goal: str = "") -> None:
    ordered = sorted(figures)
    print(f"{name:58} {statistics.median(ordered):9.2f} {ordered[int(len(ordered) * 0.95)]:9.2f}   {goal}")


def _resident(pid: int) -> float:
    """MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


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
        curve.append(_resident(pid))
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
                print(f"{'milliseconds to the first byte':58} {'median':>9} {'p95':>9}   goal (median)")
                await _times(alone, "m", 20)
                await _times(off, "up/m", 20)
                direct = await _times(alone, "m", requests)
                through = await _times(off, "up/m", requests)
                _row("the upstream alone", direct)
                _row("through the gateway, without memory", through)
                print(f"{'what the gateway adds':58} {statistics.median(through) - statistics.median(direct):9.2f}             < 3")
                _row("through the gateway, with memory, a new conversation each", await _times(on, "up/m", min(requests, 50)))
                for name, client in (("without memory", off), ("with memory", on)):
                    curve = await _held(client, started.pid, streams, seconds)
                    # The first seconds are those in which the streams begin.
                    held = curve[len(curve) // 4 :] or curve
                    name = f"{streams} streams for {seconds:g} s, {name}: MB from, to, most"
                    print(f"{name:58} {held[0]:9.1f} {held[-1]:9.1f} {max(held):9.1f}")
    other.terminate()
    other.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    asyncio.run(main(given.requests, given.streams, given.seconds))
