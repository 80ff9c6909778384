"""A sidecar with a gateway to a scripted upstream, and the clients that people use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
import httpx
import httpx2
import openai

from tests.sidecar.gateway.upstream import Rule, Upstream, echo, upstream
from tests.sidecar.serve.kit import SECONDS, Server, serving
from tidelore.host.config import Config, GatewayConfig, UpstreamConfig, UpstreamModel

KEY = "sk-upstream-secret"
PATIENT = GatewayConfig(seconds=20.0)
"""No test depends on how fast this machine is; those on the budget set their own."""

BIG = [UpstreamModel("big-1", "big")]


@dataclass
class Gateway:
    server: Server
    upstream: Upstream

    @property
    def base(self) -> str:
        return self.server.url + "/v1"

    @asynccontextmanager
    async def openai(self, **headers: str) -> AsyncIterator[openai.AsyncOpenAI]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with (
            httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as http,
            openai.AsyncOpenAI(
                base_url=self.base, api_key=self.server.key, http_client=http, max_retries=0, default_headers=named
            ) as client,
        ):
            yield client

    @asynccontextmanager
    async def anthropic(self, **headers: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with (
            httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as http,
            anthropic.AsyncAnthropic(
                base_url=self.server.url, api_key=self.server.key, http_client=http, max_retries=0, default_headers=named
            ) as client,
        ):
            yield client

    async def post(self, body: bytes | Mapping[str, Any], path: str = "/v1/chat/completions", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.server.http(**named) as http:
            if isinstance(body, bytes):
                return await http.post(path, content=body)
            return await http.post(path, json=dict(body))

    async def say(self, *said: str, **headers: str) -> httpx.Response:
        """The user and the model in turns, the user's words last; the answer must be good, and is remembered when this returns."""
        found = await self.post({"model": "big", "messages": turns(*said)}, **headers)
        assert found.status_code == 200, found.text
        await self.idle()
        return found

    async def idle(self) -> None:
        """Until nothing is written in the background."""

        async def quiet() -> bool:
            writing: int = (await self.rpc("status", {}))["writing"]
            return not writing

        await until(quiet)

    async def rpc(self, method: str, params: Mapping[str, Any]) -> Any:
        async with self.server.http() as http:
            found = (await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)})).json()
        assert "error" not in found, found
        return found["result"]

    async def chats(self) -> list[str]:
        return [each["chat"] for each in (await self.rpc("chat.list", {}))["chats"]]

    async def texts(self, chat: str) -> list[str]:
        """What is stored of a conversation, in order."""
        count = next(each["messages"] for each in (await self.rpc("chat.list", {}))["chats"] if each["chat"] == chat)
        if not count:
            return []
        found = await self.rpc("sources.read", {"chat": chat, "first": 0, "last": count - 1})
        return [each["text"] for each in found["messages"]]


async def until(true: Callable[[], Any]) -> None:
    """Until a condition holds; a function that is asked again and again, async or not."""

    async def asked() -> bool:
        found = true()
        return bool(await found if asyncio.iscoroutine(found) else found)

    async with asyncio.timeout(SECONDS):
        while not await asked():
            await asyncio.sleep(0.005)


async def cut_off(here: Gateway, body: Mapping[str, Any]) -> bytes:
    """What came of an answer before its line was cut; an answer that comes to its end is no such one."""
    came = bytearray()
    async with here.server.http() as http, http.stream("POST", "/v1/chat/completions", json=dict(body)) as answer:
        try:
            async for piece in answer.aiter_raw():
                came += piece
        except httpx.RemoteProtocolError:
            return bytes(came)
    raise AssertionError("the answer came to its end")


def turns(*said: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)]


@asynccontextmanager
async def gateway(
    data: Path,
    rule: Rule = echo,
    *,
    config: GatewayConfig = PATIENT,
    kind: Any = "openai",
    models: Sequence[UpstreamModel] = tuple(BIG),
    **more: Any,
) -> AsyncIterator[Gateway]:
    with upstream(rule) as made:
        one = UpstreamConfig("up", made.url, kind, "TIDELORE_TEST_UPSTREAM_KEY", list(models))
        (data / "keys.toml").write_text(f'TIDELORE_TEST_UPSTREAM_KEY = "{KEY}"\n')
        (data / "keys.toml").chmod(0o600)
        async with serving(data, config=Config(gateway=config, upstream=[one], **more)) as server:
            yield Gateway(server, made)
