"""/mcp: streamable HTTP, for both generations of the protocol. No sessions: every request stands alone, so a client goes on after the
sidecar was started anew."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http import EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from tidelore.host.config import GatewayConfig
from tidelore.serve.faults import Refusal, response
from tidelore.serve.gate import room
from tidelore.serve.limits import USUAL
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.protocol import PATH, TOOLS, Context
from tidelore.serve.mcp.server import Caller, build
from tidelore.serve.mcp.surface import pick


@dataclass(frozen=True, slots=True)
class Sessions:
    """`events`: where what a client missed is kept until it comes back, which it does after `retry_ms`."""

    events: EventStore
    retry_ms: int


@asynccontextmanager
async def routes(tools: Sequence[str] = (), reads: GatewayConfig | None = None) -> AsyncIterator[list[BaseRoute]]:
    """The route while it can be used. `tools`: the sets that are on where the address names none; `reads`: which conversations are read
    where a call names no chat. Raises BadInput."""
    reads = reads or GatewayConfig()
    pick(tools)

    def caller(context: Context) -> Caller:
        request = context.request
        assert isinstance(request, Request)
        named = request.query_params.get(TOOLS)
        # The gate has seen the key: this is the caller's own memory, and there is no other way to one.
        return Caller(Memory(room(request.scope), config=reads), pick(named.split(",") if named else tools))

    async with endpoint(build(caller)) as found:
        yield [Route(PATH, found)]


@asynccontextmanager
async def endpoint(server: Server[Any], sessions: Sessions | None = None) -> AsyncIterator[Endpoint]:
    """A server over streamable HTTP. `sessions`: for one that asks its clients something, or tells them what they did not ask for. Ours
    does neither."""
    manager = StreamableHTTPSessionManager(
        server,
        event_store=sessions.events if sessions else None,
        retry_interval=sessions.retry_ms if sessions else None,
        json_response=sessions is None,
        stateless=sessions is None,
        max_request_body_size=USUAL.body,
    )
    async with manager.run():
        yield Endpoint(manager, sessions=sessions is not None)


class Endpoint:
    """ASGI application."""

    def __init__(self, manager: StreamableHTTPSessionManager, *, sessions: bool) -> None:
        self._manager = manager
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" and not self._sessions:
            sentence = f"{scope['method']} is not done at this address: there is no stream to listen on and no session to end."
            wrong = Refusal(405, "wrong_method", sentence, "Send each message with POST.", {"Allow": "POST"})
            await response(wrong)(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)
