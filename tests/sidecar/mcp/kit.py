"""Tools on a memory in this process, and clients of the protocol's own library for a sidecar that really listens."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.sidecar.cli_kit import environment
from tidelore.engine.memory import MemoryStore
from tidelore.engine.service import Service
from tidelore.engine.text.counting import count_tokens
from tidelore.serve.changes import Changes
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.server import call
from tidelore.serve.mcp.surface import SETS, TOOLS
from tidelore.serve.mcp.tool import Tool
from tidelore.serve.rooms import Models, Room, Work

# The handshake of 2025-11-25, and what client and server find out to be the newest: requests that stand alone, of 2026-07-28.
MODES = ("legacy", "auto")


class Tools:
    """The tools of one person's memory, each called in one line."""

    def __init__(self) -> None:
        time, tokens = count(1_700_000_000_000), count(1)
        self.service = Service(MemoryStore(), lambda: next(time), lambda: f"t-{next(tokens)}")
        self.memory = Memory(Room("default", self.service, Models(), Changes("run"), Work()))

    def __call__(self, name: str, /, *, of: str = "", **arguments: Any) -> types.CallToolResult:
        """`of`: the set, where two have a tool of this name."""
        return asyncio.run(call(_tool(name, of), self.memory, arguments))

    def data(self, name: str, /, *, of: str = "", **arguments: Any) -> Any:
        """The structured result of a call that succeeds."""
        result = self(name, of=of, **arguments)
        assert not result.is_error, text(result)
        return result.structured_content

    def together(self, *calls: tuple[str, Mapping[str, Any]]) -> list[types.CallToolResult]:
        """All at once."""

        async def run() -> list[types.CallToolResult]:
            return await asyncio.gather(*(call(TOOLS[name], self.memory, arguments) for name, arguments in calls))

        return asyncio.run(run())

    def show(self, chat: str, *messages: tuple[str, str], extract: bool = True) -> None:
        """A chat of (name, text), the user's first."""
        rows = [{"role": "user" if at % 2 == 0 else "assistant", "name": name, "text": said} for at, (name, said) in enumerate(messages)]
        asyncio.run(self.service.call("chat.update", {"chat": chat, "messages": rows}))
        if extract:
            asyncio.run(self.service.call("extract.run", {"chat": chat, "by": "rules", "lag": 0}))

    def pages(self, name: str, /, *, cursor_name: str = "cursor", **arguments: Any) -> list[Any]:
        """The structured results of all pages, each within its budget."""
        out: list[Any] = []
        cursor = ""
        while True:
            result = self(name, cursor=cursor, **arguments)
            assert not result.is_error, text(result)
            out.append(result.structured_content)
            assert tokens(result) <= 4000
            cursor = out[-1].get(cursor_name) or ""
            if not cursor:
                return out


def _tool(name: str, of: str) -> Tool:
    return next(tool for tool in SETS[of] if tool.name == name) if of else TOOLS[name]


def text(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def tokens(result: types.CallToolResult) -> int:
    """What a client shows its model: the text or the structured result, whichever is longer."""
    return max(count_tokens(text(result)), count_tokens(json.dumps(result.structured_content, ensure_ascii=False)))


@asynccontextmanager
async def over_http(url: str, key: str, mode: str = MODES[1], tools: str = "") -> AsyncIterator[Client]:
    """A client of the protocol's library, over streamable HTTP."""
    address = f"{url}/mcp" + (f"?tools={tools}" if tools else "")
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, trust_env=False, timeout=60.0) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(data: Path, mode: str = MODES[1], *arguments: str) -> AsyncIterator[Client]:
    """A client of the protocol's library, with a process of `tidelore mcp`."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tidelore", "mcp", *arguments],
        env=environment(data, {"TIDELORE_PORT": "0"}),
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield client
