"""What the protocol asks, answered from the table of tools, resources and prompts. One server for every transport and caller: whose memory
it is, and which tools there are, come with each request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from tidelore import __version__
from tidelore.engine.errors import BadInput, NotFound, TideloreError
from tidelore.serve.faults import Refusal
from tidelore.serve.mcp import prompts, resources
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.protocol import CACHED, INSTRUCTIONS, NAME, TITLE, Context, failed
from tidelore.serve.mcp.schemas import incoming, outgoing, schema_of
from tidelore.serve.mcp.surface import TOOLS
from tidelore.serve.mcp.tool import Tool


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a memory, and the tools that are switched on, by name."""

    memory: Memory
    tools: Mapping[str, Tool]


def build(caller: Callable[[Context], Caller]) -> Server[Any]:
    """The server; `caller` finds out who asks, and raises TideloreError for a wrong setting."""
    handlers = Handlers(caller)
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        cache_hints=CACHED,
        # No argument travels in a header too; without this every call would list all tools to find that out.
        get_tool_input_schema=lambda _: None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
    # The spans of tracing are of no use on one machine, and cost time in each call.
    server.middleware.clear()
    return server


class Handlers:
    def __init__(self, caller: Callable[[Context], Caller]) -> None:
        self._of = caller

    def _caller(self, context: Context) -> Caller:
        try:
            return self._of(context)
        except TideloreError as error:
            raise _refused(error) from error

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        del params
        return types.ListToolsResult(tools=[_described(tool) for tool in self._caller(context).tools.values() if not tool.absent])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = self._caller(context)
        tool = caller.tools.get(params.name) or TOOLS.get(params.name)
        if tool is None or (params.name not in caller.tools and not tool.absent):
            known = "It is switched off here: see `tools` in the settings." if params.name in TOOLS else "tools/list names the tools."
            raise MCPError(types.INVALID_PARAMS, f"There is no tool named {params.name[:80]!r}. {known}")
        return await call(tool, caller.memory, params.arguments or {})

    async def list_resources(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        caller = self._caller(context)
        try:
            return await resources.listed(caller.memory, params.cursor or "" if params else "")
        except TideloreError as error:
            raise _refused(error) from error

    async def list_templates(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        del context, params
        return types.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES))

    async def read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        caller = self._caller(context)
        try:
            return await resources.read(caller.memory, str(params.uri))
        except TideloreError as error:
            raise _refused(error) from error

    async def list_prompts(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        del context, params
        return types.ListPromptsResult(prompts=list(prompts.PROMPTS))

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        caller = self._caller(context)
        try:
            return await prompts.get(caller.memory, params.name, params.arguments or {})
        except TideloreError as error:
            raise _refused(error) from error


async def call(tool: Tool, memory: Memory, given: Mapping[str, Any]) -> types.CallToolResult:
    """Runs a tool. An error is a result too, which the model can act on."""
    if tool.absent:
        return failed(Refusal(501, "not_there_yet", f"`{tool.name}` is not there yet.", tool.absent))
    try:
        arguments = incoming(tool.arguments, {name: value for name, value in given.items() if name not in tool.ignores})
        answer = await tool.run(memory, arguments)
    except TideloreError as error:
        return failed(error)
    return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=outgoing(answer.data))


def _refused(error: TideloreError) -> MCPError:
    code = types.INVALID_PARAMS if isinstance(error, BadInput | NotFound) else types.INTERNAL_ERROR
    return MCPError(code, f"{error.sentence} {error.hint}".strip(), {"code": error.code, "message": error.sentence, "hint": error.hint})


@cache
def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=schema_of(tool.arguments),
        output_schema=schema_of(tool.result),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeatable or tool.reads,
            open_world_hint=False,
        ),
    )
