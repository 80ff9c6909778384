"""Routes whose form is somebody else's: the gateway's and MCP's. The rows tell of them; their own modules parse."""

from __future__ import annotations

from typing import Any

from tidelore.serve.endpoints import Endpoint

_MESSAGES: dict[str, Any] = {
    "type": "object",
    "required": ["messages"],
    "properties": {
        "model": {"type": "string", "description": "UPSTREAM/ALIAS; may be left out where there is one upstream with one model."},
        "messages": {"type": "array", "items": {"type": "object", "required": ["role"]}},
        "stream": {"type": "boolean"},
        "tidelore": {
            "type": "object",
            "description": "Ours, and taken out: `window` as X-Tidelore-Window, `memory` false for this request without memory.",
            "properties": {"window": {"type": "string"}, "memory": {"type": "boolean"}},
        },
    },
}
_UPSTREAM = (404, 502, 504)
_FORM = "Unknown members pass both ways. With `stream` the answer is text/event-stream. See docs/gateway.md for the headers."

OTHERS = (
    Endpoint(
        "POST",
        "/v1/chat/completions",
        "chatCompletions",
        "gateway",
        f"Chat completions in OpenAI's form, with memory. {_FORM}",
        request=_MESSAGES,
        answer={"type": "object"},
        errors=_UPSTREAM,
    ),
    Endpoint(
        "POST",
        "/v1/messages",
        "messages",
        "gateway",
        f"Messages in Anthropic's form, with memory. {_FORM}",
        request=_MESSAGES,
        answer={"type": "object"},
        errors=_UPSTREAM,
    ),
    Endpoint(
        "POST",
        "/v1/messages/count_tokens",
        "countTokens",
        "gateway",
        "Passed to an upstream of Anthropic's form as it is.",
        request={"type": "object"},
        answer={"type": "object"},
        errors=_UPSTREAM,
    ),
    Endpoint(
        "POST",
        "/v1/embeddings",
        "embeddings",
        "gateway",
        "Embeddings in OpenAI's form, passed to the upstream.",
        request={"type": "object", "required": ["input"], "properties": {"model": {"type": "string"}, "input": {}}},
        answer={"type": "object"},
        errors=_UPSTREAM,
    ),
    Endpoint("GET", "/v1/models", "models", "gateway", "The names of the models, UPSTREAM/ALIAS.", answer={"type": "object"}),
    Endpoint("GET", "/v1/models/{name}", "model", "gateway", "One model.", answer={"type": "object"}, errors=(404,)),
    Endpoint(
        "POST",
        "/mcp",
        "mcp",
        "mcp",
        "The Model Context Protocol over streamable HTTP, without sessions. `tools` in the address chooses sets of tools. See docs/mcp.md.",
        request={"type": "object"},
        answer={"type": "object"},
    ),
)
