"""`python -m tests.bench.sockets`: what a sidecar with many sockets that do nothing takes of memory."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from tests.bench import figures
from tests.sidecar.serve.kit import process

AT_ONCE = 50


async def _open(url: str, key: str) -> ClientConnection:
    """One that has said hello and hears of changes, as that of an open page."""
    socket = await connect(url.replace("http", "ws", 1) + "/ws", proxy=None, open_timeout=60)
    await socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"token": key}}))
    answer = json.loads(await socket.recv())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return socket


async def main(sockets: int) -> None:
    with tempfile.TemporaryDirectory() as folder, process(Path(folder)) as (started, ready):
        url, key = ready["url"], ready["key"]
        figures.head("sockets that are open and idle, MB")
        opened = [await _open(url, key)]
        figures.one("one", figures.resident(started.pid))
        try:
            while len(opened) < sockets:
                more = min(AT_ONCE, sockets - len(opened))
                opened += await asyncio.gather(*(_open(url, key) for _ in range(more)))
            figures.one(f"{sockets:,}", figures.resident(started.pid), "< 150")
        finally:
            await asyncio.gather(*(socket.close() for socket in opened))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sockets", type=int, default=1000)
    asyncio.run(main(parser.parse_args().sockets))
