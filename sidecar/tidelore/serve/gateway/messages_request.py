"""A request for chat completions as one for Anthropic's Messages API."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tidelore.serve.faults import Refusal

# The Messages API wants a limit, chat completions do not.
MOST_TOKENS = 4096
# What both know by the same name, or what only the Messages API knows.
_SAME = ("top_p", "top_k", "stream", "thinking", "metadata")
_CHOICES: Mapping[str, str] = {"auto": "auto", "none": "none", "required": "any"}


Before = Callable[[Sequence[str]], Sequence[Mapping[str, Any]]]


def request(body: Mapping[str, Any], model: str, thoughts: Before = lambda _: ()) -> dict[str, Any]:
    """`thoughts`: what the model thought before calls of tools with these ids; used where the client wants it to think. Raises Refusal for
    what has no counterpart there."""
    thinks = isinstance(body.get("thinking"), dict) and body["thinking"].get("type") != "disabled"
    system, messages = _conversation(body["messages"], thoughts if thinks else lambda _: ())
    out: dict[str, Any] = {"model": model, "max_tokens": body.get("max_completion_tokens") or body.get("max_tokens") or MOST_TOKENS}
    if system:
        out["system"] = system
    out["messages"] = messages
    out |= {name: body[name] for name in _SAME if body.get(name) is not None}
    if isinstance(body.get("temperature"), int | float):
        out["temperature"] = min(body["temperature"], 1.0)
    stop = body.get("stop")
    if isinstance(stop, str | list) and stop:
        out["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    if isinstance(body.get("user"), str) and "metadata" not in out:
        out["metadata"] = {"user_id": body["user"]}
    tools = body.get("tools")
    if isinstance(tools, list) and tools:
        out["tools"] = [_tool(tool) for tool in tools]
        out |= _tool_choice(body)
    return out


def _tool(tool: object) -> dict[str, Any]:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise _no_counterpart("a tool that is no function")
    described = {"description": function["description"]} if isinstance(function.get("description"), str) else {}
    return {"name": function["name"], **described, "input_schema": function.get("parameters") or {"type": "object", "properties": {}}}


def _tool_choice(body: Mapping[str, Any]) -> dict[str, Any]:
    choice = body.get("tool_choice")
    alone = {"disable_parallel_tool_use": True} if body.get("parallel_tool_calls") is False else {}
    if isinstance(choice, dict) and isinstance(choice.get("function"), dict):
        return {"tool_choice": {"type": "tool", "name": choice["function"].get("name"), **alone}}
    if isinstance(choice, str) and choice in _CHOICES:
        return {"tool_choice": {"type": _CHOICES[choice], **(alone if choice != "none" else {})}}
    return {"tool_choice": {"type": "auto", **alone}} if alone else {}


def _conversation(raw: Sequence[Mapping[str, Any]], thoughts: Before) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Blocks of the system prompt, and messages in which the roles take turns."""
    system: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    for message in raw:
        match message["role"]:
            case "system" | "developer":
                system += _blocks(message.get("content"))
                continue
            case "user":
                role, blocks = "user", _blocks(message.get("content"))
            case "assistant":
                role, blocks = "assistant", _assistant(message, thoughts)
            case "tool":
                role, blocks = "user", [_tool_result(message)]
            case other:
                raise _no_counterpart(f"a message of the role {other[:20]!r}")
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return system, turns


def _assistant(message: Mapping[str, Any], thoughts: Before) -> list[dict[str, Any]]:
    given = message.get("tool_calls")
    calls = [_tool_use(call) for call in (given if isinstance(given, list) else ())]
    ids = [call["id"] for call in calls if isinstance(call["id"], str)]
    before = map(dict, thoughts(ids)) if ids else ()
    return [*before, *_blocks(message.get("content")), *calls]


def _blocks(content: object) -> list[dict[str, Any]]:
    """Empty texts are left out: the Messages API refuses them."""
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else []
    if not isinstance(content, list):
        raise _no_counterpart("a content that is neither text nor parts")
    return [block for part in content if (block := _block(part)) is not None]


def _block(part: object) -> dict[str, Any] | None:
    if not isinstance(part, dict):
        raise _no_counterpart("a part that is no object")
    cached = {"cache_control": part["cache_control"]} if part.get("cache_control") else {}
    match part.get("type"):
        case "text" | "refusal" as kind:
            text = part.get("text" if kind == "text" else "refusal")
            return {"type": "text", "text": text, **cached} if isinstance(text, str) and text.strip() else None
        case "image_url":
            image = part.get("image_url")
            url = image.get("url") if isinstance(image, dict) else image
            if isinstance(url, str):
                return {"type": "image", "source": _source(url), **cached}
        case _:
            pass
    raise _no_counterpart(f"a part of the type {str(part.get('type'))[:20]!r}")


def _source(url: str) -> dict[str, str]:
    if not url.startswith("data:"):
        return {"type": "url", "url": url}
    kind, comma, data = url[len("data:") :].partition(",")
    if not comma or not kind.endswith(";base64"):
        raise _no_counterpart("a data address that is not base64")
    return {"type": "base64", "media_type": kind.removesuffix(";base64").partition(";")[0], "data": data}


def _tool_use(call: object) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        raise _no_counterpart("a tool call that is no function's")
    return {"type": "tool_use", "id": call.get("id"), "name": function.get("name"), "input": _arguments(function.get("arguments"))}


def _arguments(text: object) -> dict[str, Any]:
    try:
        found = json.loads(text) if isinstance(text, str) and text.strip() else {}
    except (ValueError, RecursionError):
        found = None
    # What a model wrote that is no object goes back as it was, under a name.
    return found if isinstance(found, dict) else {"arguments": text}


def _tool_result(message: Mapping[str, Any]) -> dict[str, Any]:
    blocks = _blocks(message.get("content"))
    return {"type": "tool_result", "tool_use_id": message.get("tool_call_id"), **({"content": blocks} if blocks else {})}


def _no_counterpart(what: str) -> Refusal:
    return Refusal(400, "not_translatable", f"The upstream speaks Anthropic's form, which has no counterpart to {what}.")
