"""A sidecar that really listens, in this process or as one of its own, and clients for it."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.sidecar.cli_kit import COMMAND, environment
from tidelore.host.config import Config
from tidelore.serve.chunks import MARK, Joiner, split
from tidelore.serve.limits import USUAL, Limits
from tidelore.serve.pairing import Pairing
from tidelore.serve.process import Options, Running, run

SECONDS = 30.0
PAGE = "http://127.0.0.1:8000"
CUT = (1006, "")


@dataclass
class Server:
    """`key`: of the default profile. Where it runs in this process, `here` is it, and `asked` are the pairings that it announced."""

    url: str
    key: str
    here: Running | None = None
    asked: list[Pairing] = field(default_factory=list[Pairing])

    @property
    def running(self) -> Running:
        assert self.here is not None
        return self.here

    def http(self, key: str | None = "", **headers: str) -> httpx.AsyncClient:
        """With the default profile's key, another one, or None."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            named["Authorization"] = f"Bearer {key or self.key}"
        return httpx.AsyncClient(base_url=self.url, headers=named, trust_env=False, timeout=SECONDS)

    def raw(self, origin: str | None = None, **options: Any) -> connect:
        return connect(self.url.replace("http", "ws", 1) + "/ws", origin=origin, proxy=None, max_size=None, **options)  # type: ignore[arg-type]

    @asynccontextmanager
    async def client(self, key: str = "", origin: str | None = None, limits: Limits = USUAL, **hello: Any) -> AsyncIterator[Client]:
        """One that has said hello."""
        async with self.raw(origin) as socket:
            client = Client(socket, limits)
            params = hello if "pairing" in hello else {"token": key or self.key, **hello}
            client.hello = await client.call("hello", **params)
            yield client


@asynccontextmanager
async def serving(data: Path, *, limits: Limits = USUAL, config: Config | None = None, remote: bool = False) -> AsyncIterator[Server]:
    """A sidecar in this event loop, on a free port."""
    config = config or Config()
    config = replace(config, serve=replace(config.serve, port=0))
    ready: asyncio.Future[Running] = asyncio.get_running_loop().create_future()
    asked: list[Pairing] = []
    task = asyncio.create_task(run(Options(data, config, remote, limits, asked.append), ready.set_result))
    both: list[asyncio.Future[Any]] = [task, ready]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if not ready.done():
        await task
    try:
        yield Server(ready.result().url, ready.result().key, ready.result(), asked)
    finally:
        ready.result().stop()
        await asyncio.wait_for(task, SECONDS)


async def until_closed(read: Callable[[], Awaitable[object]]) -> tuple[int, str]:
    """Reads until the sidecar closes the socket; its close code and reason."""
    while True:
        try:
            await asyncio.wait_for(read(), SECONDS)
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else CUT


class Failed(Exception):
    """An answer that is an error; `code` is Tidelore's or the number of the protocol."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error.get("data", {}).get("code", error["code"])


@dataclass
class Client:
    """Speaks the protocol of docs/sidecar.md. `heard`: what came that was no answer."""

    socket: ClientConnection
    limits: Limits = USUAL
    hello: Mapping[str, Any] = field(default_factory=dict[str, Any])
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    frames: list[int] = field(default_factory=list[int])
    answers: dict[object, dict[str, Any]] = field(default_factory=dict[object, dict[str, Any]])
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _joiner: Joiner = field(default_factory=lambda: Joiner(1 << 30))

    async def send(self, method: str, **params: Any) -> int:
        id_ = next(self._ids)
        text = json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}, ensure_ascii=False)
        for frame in split(text, f"c{id_}", self.limits.frame):
            await self.socket.send(frame)
        return id_

    async def call(self, method: str, **params: Any) -> Any:
        return await self.answer(await self.send(method, **params))

    async def answer(self, id_: object) -> Any:
        while id_ not in self.answers:
            await self.read()
        found = self.answers.pop(id_)
        if "error" in found:
            raise Failed(found["error"])
        return found["result"]

    async def hear(self, method: str) -> dict[str, Any]:
        """The next notification of this name."""
        while True:
            for each in self.heard:
                if each.get("method") == method:
                    self.heard.remove(each)
                    found: dict[str, Any] = each["params"]
                    return found
            await self.read()

    async def read(self) -> None:
        """One message."""
        text = await asyncio.wait_for(self.socket.recv(), SECONDS)
        assert isinstance(text, str)
        self.frames.append(len(text.encode()))
        message = json.loads(text)
        if MARK in message:
            whole = self._joiner.feed(message[MARK])
            if whole is None:
                return
            message = json.loads(whole)
        if "method" in message:
            self.heard.append(message)
        else:
            self.answers[message["id"]] = message


@contextmanager
def process(data: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """`tidelore serve --port 0 --json`, and what it said when it was ready."""
    command = [*COMMAND, "serve", "--port", "0", "--json", *arguments]
    started = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(data, env)
    )
    with started:
        try:
            assert started.stdout is not None
            line = started.stdout.readline()
            yield started, json.loads(line) if line else {}
        finally:
            started.kill()


def messages(count: int, text: str = "Ann told Berta about the harbour of Bergen") -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "name": ("Ann", "Bob")[at % 2], "text": f"{text}, part {at}."} for at in range(count)]


def error_of(response: httpx.Response) -> tuple[int, str]:
    """Status and code; the body has the one shape of all errors."""
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "hint"}
    assert body["error"]["message"]
    return response.status_code, body["error"]["code"]
