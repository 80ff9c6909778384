"""The transports beside the socket, as routes behind the gate."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.routing import BaseRoute

from tidelore.host.config import Config, keys, secret
from tidelore.serve.gateway import routes as gateway
from tidelore.serve.hooks import routes as hooks
from tidelore.serve.mcp import http as mcp


@asynccontextmanager
async def transports(config: Config, data: Path) -> AsyncIterator[Sequence[BaseRoute]]:
    """The routes while they can be used. Raises BadInput for a setting that is wrong."""
    held = keys(data)
    async with (
        mcp.routes(config.mcp.tools, config.gateway) as mcp_routes,
        gateway.routes(config.gateway, config.upstream, lambda name: secret(name) or held.get(name, "")) as gateway_routes,
    ):
        yield [*mcp_routes, *gateway_routes, *hooks.routes(config.gateway)]
