"""`tidelore mcp`: the protocol on standard input and output, passed on to the sidecar that serves the data folder. So any number of clients
share one store, and only one process opens it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from tidelore import __version__
from tidelore.engine.errors import BadInput, StoreError, TideloreError
from tidelore.host.daemon import Daemon
from tidelore.serve.faults import Refusal
from tidelore.serve.mcp.attach import attach
from tidelore.serve.mcp.protocol import CACHED, INSTRUCTIONS, NAME, PATH, TITLE, TOOLS, Context, failed

# Between the two of us: requests that stand alone need no more than this header.
_VERSION = "2025-11-25"
_SECONDS = 120.0
# The requests that are passed on, with the forms of their parameters and results.
PASSED: Mapping[str, tuple[type[BaseModel], type[BaseModel]]] = {
    "tools/list": (types.PaginatedRequestParams, types.ListToolsResult),
    "tools/call": (types.CallToolRequestParams, types.CallToolResult),
    "resources/list": (types.PaginatedRequestParams, types.ListResourcesResult),
    "resources/templates/list": (types.PaginatedRequestParams, types.ListResourceTemplatesResult),
    "resources/read": (types.ReadResourceRequestParams, types.ReadResourceResult),
    "prompts/list": (types.PaginatedRequestParams, types.ListPromptsResult),
    "prompts/get": (types.GetPromptRequestParams, types.GetPromptResult),
}


async def serve(data: Path, key: str, tools: Sequence[str]) -> None:
    """Until standard input ends. Nothing but the protocol goes to standard output. `tools` empty: as the sidecar is set. Raises StoreError
    where no sidecar can be had, BadInput for a set of tools that there is none of."""
    # A connection for each call: on one machine that costs next to nothing, and where it cannot be made nothing was sent.
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=0)
    async with httpx.AsyncClient(trust_env=False, timeout=_SECONDS, headers=_headers(key), limits=limits) as client:
        line = Line(data, client, tools)
        # What is wrong is said now: a client shows what a server says that does not start.
        try:
            line.know(await line.ask("tools/list", {}))
        except MCPError as error:
            told = error.error.data if isinstance(error.error.data, dict) else {}
            raise BadInput(str(told.get("message") or error.error.message), str(told.get("hint", ""))) from error
        server = _server(line)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())


def _headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", "Accept": "application/json", "MCP-Protocol-Version": _VERSION}


def _server(line: Line) -> Server[Any]:
    server: Server[Any] = Server(NAME, version=__version__, title=TITLE, instructions=INSTRUCTIONS, cache_hints=CACHED)
    for method, (params, result) in PASSED.items():
        server.add_request_handler(method, params, _passing(line, method, result))
    server.middleware.clear()
    return server


def _passing(line: Line, method: str, result: type[BaseModel]) -> Any:
    async def handler(context: Context, params: BaseModel | None) -> BaseModel:
        del context
        sent = params.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta", "task"}) if params is not None else {}
        try:
            return result.model_validate(await line.ask(method, sent))
        except TideloreError as error:
            if result is types.CallToolResult:
                return failed(error)
            raise MCPError(
                types.INTERNAL_ERROR, f"{error.sentence} {error.hint}".strip(), {"code": error.code, "hint": error.hint}
            ) from error

    return handler


class Line:
    """The way to the sidecar, found anew when it has gone."""

    def __init__(self, data: Path, client: httpx.AsyncClient, tools: Sequence[str]) -> None:
        self._data = data
        self._client = client
        self._query = "?" + urlencode({TOOLS: ",".join(tools)}) if tools else ""
        self._daemon: Daemon | None = None
        self._finding = asyncio.Lock()
        self._ids = itertools.count(1)
        self._reads: frozenset[str] = frozenset()

    def know(self, listed: Mapping[str, Any]) -> None:
        """The result of tools/list: which tools may be called once more when nobody knows what became of a call."""
        self._reads = frozenset(each["name"] for each in listed["tools"] if each["annotations"]["readOnlyHint"])

    async def find(self, gone: Daemon | None = None) -> Daemon:
        """The sidecar. `gone`: that one does not answer any more. Raises StoreError."""
        async with self._finding:
            if self._daemon is None or self._daemon == gone:
                self._daemon = await attach(self._data)
            return self._daemon

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of a request. Raises MCPError as the sidecar does, Refusal where it turns us down, StoreError."""
        daemon = await self.find()
        try:
            answer = await self._post(daemon, method, params)
        except httpx.ConnectError:
            # Nothing was sent.
            answer = await self._again(daemon, method, params)
        except httpx.TransportError as error:
            if method == "tools/call" and params.get("name") not in self._reads:
                raise StoreError(
                    "The sidecar went away during this call.", "It may have been done: look before you do it again."
                ) from error
            answer = await self._again(daemon, method, params)
        if answer.status_code == 503 and _error(answer).get("code") == "closing":
            # Nothing was done.
            answer = await self._again(daemon, method, params)
        return _result(answer)

    async def _again(self, gone: Daemon, method: str, params: Mapping[str, Any]) -> httpx.Response:
        try:
            return await self._post(await self.find(gone), method, params)
        except httpx.TransportError as error:
            raise StoreError(
                f"The sidecar does not answer: {str(error) or type(error).__name__}.", "Try again; serve.log has more."
            ) from error

    async def _post(self, daemon: Daemon, method: str, params: Mapping[str, Any]) -> httpx.Response:
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": dict(params)}
        return await self._client.post(f"{daemon.url}{PATH}{self._query}", json=request)


def _error(answer: httpx.Response) -> Mapping[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    error = found.get("error") if isinstance(found, dict) else None
    return error if isinstance(error, dict) else {}


def _result(answer: httpx.Response) -> Any:
    error = _error(answer)
    if isinstance(error.get("code"), int):
        raise MCPError(error["code"], str(error.get("message", "")), error.get("data"))
    if error or not answer.is_success:
        raise Refusal(answer.status_code, str(error.get("code", "error")), str(error.get("message", "")), str(error.get("hint", "")))
    return answer.json()["result"]
