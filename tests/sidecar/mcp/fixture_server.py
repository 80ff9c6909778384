"""The server that the conformance suite wants to see: tools, resources and prompts that do nothing useful."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.shared.message import ServerMessageMetadata

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
PAUSE = 0.05

Context = ServerRequestContext[Any, Any]
Content = list[Any]


class Events(EventStore):
    """What was sent on each stream, in memory."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, types.JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        self._rows.append((stream_id, message))
        return str(len(self._rows))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        at = int(last_event_id)
        stream = self._rows[at - 1][0]
        for number, (of, message) in enumerate(self._rows[at:], at + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=text)


def _image() -> types.ImageContent:
    return types.ImageContent(data=PNG, mime_type="image/png")


def _resource(uri: str, kind: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=kind, text=text))


async def _logging(context: Context, arguments: dict[str, Any]) -> Content:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        note = types.LoggingMessageNotification(params=types.LoggingMessageNotificationParams(level="info", data=said))
        await context.session.send_notification(note, context.request_id)
        await asyncio.sleep(PAUSE)
    return [_text("Done, with logs.")]


async def _progress(context: Context, arguments: dict[str, Any]) -> Content:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(PAUSE)
    return [_text("Done, with progress.")]


async def _sampling(context: Context, arguments: dict[str, Any]) -> Content:
    message = types.SamplingMessage(role="user", content=_text(arguments["prompt"]))
    request = types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))
    found = await context.session.send_request(request, types.CreateMessageResult, metadata=_with(context))
    return [_text(f"LLM response: {getattr(found.content, 'text', '')}")]


def _with(context: Context) -> ServerMessageMetadata:
    return ServerMessageMetadata(related_request_id=context.request_id)


def _elicits(said: str, schema: dict[str, Any] | None = None) -> Callable[[Context, dict[str, Any]], Awaitable[Content]]:
    user = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    wanted = schema or {"type": "object", "properties": user, "required": list(user)}

    async def run(context: Context, arguments: dict[str, Any]) -> Content:
        found = await context.session.elicit_form(arguments.get("message", "Tell me."), wanted, context.request_id)
        return [_text(f"{said}: action={found.action}, content={json.dumps(found.content)}")]

    return run


async def _reconnection(context: Context, arguments: dict[str, Any]) -> Content:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(PAUSE)
    return [_text("The answer came after the stream was closed.")]


def _says(*content: Any) -> Callable[[Context, dict[str, Any]], Awaitable[Content]]:
    async def run(context: Context, arguments: dict[str, Any]) -> Content:
        return list(content)

    return run


_DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}


def _titled(first: str, second: str, third: str) -> list[dict[str, str]]:
    return [{"const": f"value{at}", "title": title} for at, title in enumerate((first, second, third), 1)]


_ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": _titled("First Option", "Second Option", "Third Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": _titled("First Choice", "Second Choice", "Third Choice")}},
    },
}
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def _needs(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


TOOLS: dict[str, tuple[dict[str, Any], Callable[[Context, dict[str, Any]], Awaitable[Content]]]] = {
    "test_simple_text": (_NOTHING, _says(_text("This is a simple text response for testing."))),
    "test_image_content": (_NOTHING, _says(_image())),
    "test_audio_content": (_NOTHING, _says(types.AudioContent(data=WAV, mime_type="audio/wav"))),
    "test_embedded_resource": (
        _NOTHING,
        _says(_resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
    ),
    "test_multiple_content_types": (
        _NOTHING,
        _says(
            _text("Multiple content types test:"),
            _image(),
            _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ),
    ),
    "test_tool_with_logging": (_NOTHING, _logging),
    "test_tool_with_progress": (_NOTHING, _progress),
    "test_error_handling": (_NOTHING, _says()),
    "test_sampling": (_needs("prompt"), _sampling),
    "test_elicitation": (_needs("message"), _elicits("User response")),
    "test_elicitation_sep1034_defaults": (_NOTHING, _elicits("Elicitation completed", _DEFAULTS)),
    "test_elicitation_sep1330_enums": (_NOTHING, _elicits("Elicitation completed", _ENUMS)),
    "test_reconnection": (_NOTHING, _reconnection),
    "json_schema_2020_12_tool": (_2020, _says(_text("Done."))),
}


async def _list_tools(context: Context, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[types.Tool(name=name, description=name, input_schema=schema) for name, (schema, _) in TOOLS.items()]
    )


async def _call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name == "test_error_handling":
        return types.CallToolResult(content=[_text("This tool intentionally returns an error for testing")], is_error=True)
    return types.CallToolResult(content=await TOOLS[params.name][1](context, params.arguments or {}))


_STATIC = {"test://static-text": "text/plain", "test://static-binary": "image/png", "test://watched-resource": "text/plain"}


async def _list_resources(context: Context, params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[types.Resource(uri=uri, name=uri, description=uri, mime_type=kind) for uri, kind in _STATIC.items()]
    )


async def _list_templates(context: Context, params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", description="A template", mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://static-binary":
        return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)])
    if uri.startswith("test://template/"):
        id_ = uri.split("/")[3]
        text = json.dumps({"id": id_, "templateTest": True, "data": f"Data for ID: {id_}"})
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)])
    said = "This is the content of the static text resource."
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)])


_PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


async def _list_prompts(context: Context, params: Any) -> types.ListPromptsResult:
    found = [
        types.Prompt(
            name=name, description=name, arguments=[types.PromptArgument(name=each, description=each, required=True) for each in needed]
        )
        for name, needed in _PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=found)


async def _get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    said: Content
    match params.name:
        case "test_simple_prompt":
            said = [_text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            said = [_text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
        case "test_prompt_with_embedded_resource":
            embedded = _resource(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            said = [embedded, _text("Please process the embedded resource above.")]
        case _:
            said = [_image(), _text("Please analyze the image above.")]
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in said])


async def _empty(context: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def _complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [each for each in ("paris", "park", "party") if each.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))


def fixture_server() -> Server[Any]:
    server: Server[Any] = Server(
        "fixture",
        version="1",
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_empty,
        on_unsubscribe_resource=_empty,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
    )
    # Without the warning that logging is on its way out, which the suite still asks for.
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, _empty)
    return server
