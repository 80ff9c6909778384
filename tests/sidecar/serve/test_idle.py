"""A sidecar that a client started ends by itself when nobody asks for anything any more."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import connect

from tidelore.host.config import Config, ServeConfig
from tidelore.host.daemon import running
from tidelore.serve.idle import Idle
from tidelore.serve.process import Options, Running, run

SECONDS = 30.0


def _options(data: Path, idle: float) -> Options:
    config = replace(Config(), serve=ServeConfig(port=0))
    return Options(data, config, idle=idle)


@pytest.mark.slow
def test_it_ends_when_nobody_asked_for_anything_and_not_while_somebody_is_there(tmp_path: Path) -> None:
    async def go() -> None:
        ready: asyncio.Future[Running] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(run(_options(tmp_path, 0.3), ready.set_result))
        here = await asyncio.wait_for(ready, SECONDS)
        headers = {"Authorization": f"Bearer {here.key}"}
        async with connect(here.url.replace("http", "ws", 1) + "/ws", proxy=None, additional_headers=headers) as socket:
            done, _ = await asyncio.wait([task], timeout=1.0)
            assert not done
            assert await asyncio.wait_for(await socket.ping(), SECONDS) >= 0
        await asyncio.wait_for(task, SECONDS)
        assert running(tmp_path) is None

    asyncio.run(go())


def test_the_time_counts_from_the_end_of_the_last_request() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        now.append(now[-1] + 100)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        raise AssertionError(message)

    now = [0.0]

    async def go() -> None:
        idle = Idle(app, lambda: now[-1])
        await idle({}, receive, send)
        now.append(now[-1] + 9)
        waiting = asyncio.create_task(idle.over(10))
        done, _ = await asyncio.wait([waiting], timeout=0)
        assert not done
        waiting.cancel()
        now.append(now[-1] + 1)
        await asyncio.wait_for(idle.over(10), SECONDS)

    asyncio.run(go())
