"""Takes a model's words out of what a server sent around them: event streams, whole response bodies, JSON inside JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tidelore.engine.extract.json_scan import JSON, load_whole
from tidelore.engine.text.patterns import later

_EVENT_LINE = later(r"^(?:data|event|id|retry):|^:", re.MULTILINE)
_BODY_KEYS = later(r'"(?:choices|candidates|content|message|output|response|delta|error)"\s{0,4}:')
# What begins with a list of operations is the model's own, so it is not read as a server's body first.
_OWN = later(r'\{\s{0,100}"operations"\s{0,10}:')
_MAX_LAYERS = 3


@dataclass(frozen=True, slots=True)
class Words:
    """The model's own text; `refused` where the server says that the model or a filter declined, `error` what a server reported."""

    text: str
    refused: bool = False
    error: str = ""


def unwrap(raw: str) -> Words:
    """The words of the first choice. Text that is no server's body comes back as it is. Never raises."""
    words = Words(raw.strip().lstrip("\ufeff"))
    for _ in range(_MAX_LAYERS):
        inner = _once(words.text)
        if inner is None:
            break
        words = Words(inner.text.strip(), words.refused or inner.refused, inner.error or words.error)
    return words


def _once(text: str) -> Words | None:
    if _EVENT_LINE.match(text):
        return _events(text)
    if text.startswith('"') and text.endswith('"') and len(text) > 2 and "\\" in text:
        try:
            inner = load_whole(f"[{text}]")
        except ValueError:
            return None
        return Words(inner[0]) if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], str) else None
    if not text.startswith("{") or _OWN.match(text) or not _BODY_KEYS.search(text, 0, 4000):
        return None
    try:
        body = load_whole(text)
    except ValueError:
        return _lines(text)
    return _collect([body]) if _is_body(body) else None


def _events(text: str) -> Words | None:
    chunks, plain = [], []
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        payload = line[5:].strip()
        if payload in ("", "[DONE]"):
            continue
        plain.append(payload)
        try:
            chunks.append(load_whole(payload))
        except ValueError:
            continue
    bodies = [chunk for chunk in chunks if _is_body(chunk)]
    if bodies:
        return _collect(bodies)
    return Words("\n".join(plain)) if plain else None


def _lines(text: str) -> Words | None:
    """A stream of one body a line, as Ollama sends it; the last line may be cut."""
    bodies = []
    for line in text.splitlines():
        try:
            body = load_whole(line)
        except ValueError:
            continue
        if not _is_body(body):
            return None
        bodies.append(body)
    return _collect(bodies) if bodies else None


def _is_body(body: JSON) -> bool:
    if not isinstance(body, dict):
        return False
    if isinstance(body.get("choices"), list) or isinstance(body.get("candidates"), list):
        return True
    kind = body.get("type")
    if isinstance(kind, str) and ("content_block" in kind or kind.startswith(("message_", "response.")) or kind in ("ping", "error")):
        return True
    if isinstance(body.get("content"), list) and body.get("role") == "assistant":
        return True
    if isinstance(body.get("output"), list) and (body.get("object") == "response" or "model" in body):
        return True
    if "done" in body and (isinstance(body.get("message"), dict) or isinstance(body.get("response"), str)):
        return True
    return isinstance(body.get("error"), dict) and len(body) <= 3


def _collect(bodies: list[JSON]) -> Words:
    parts: list[str] = []
    refused, error = False, ""
    for body in bodies:
        if not isinstance(body, dict):
            continue
        fault = body.get("error")
        if isinstance(fault, dict):
            error = str(fault.get("message") or fault.get("type") or "error")
        for part, is_refusal in _parts(body):
            refused = refused or is_refusal
            if not is_refusal:
                parts.append(part)
    return Words("".join(parts), refused, error)


def _parts(body: dict[str, JSON]) -> Iterator[tuple[str, bool]]:
    for name in ("choices", "candidates"):
        choices = body.get(name)
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict):
            if first.get("finish_reason") == "content_filter" or first.get("finishReason") in ("SAFETY", "PROHIBITED_CONTENT"):
                yield "", True
            for place in ("delta", "message", "content"):
                yield from _message(first.get(place))
            yield from _message(first.get("text"))
            return
    kind = body.get("type")
    if body.get("stop_reason") == "refusal":
        yield "", True
    if kind == "response.output_text.delta" or kind == "content_block_delta":
        yield from _message(body.get("delta"))
    elif isinstance(kind, str) and kind.startswith(("message_", "response.", "content_block")):
        return
    elif isinstance(body.get("output"), list):
        yield from _message(body.get("output"))
    else:
        for name in ("message", "response", "content"):
            yield from _message(body.get(name))


def _message(value: JSON) -> Iterator[tuple[str, bool]]:
    """The texts in a message, delta, part or list of parts, and whether each is a refusal. Reasoning parts are left out."""
    if isinstance(value, str):
        yield value, False
    elif isinstance(value, list):
        for part in value:
            yield from _message(part)
    elif isinstance(value, dict):
        if value.get("type") in ("thinking", "reasoning", "thinking_delta", "signature_delta") or value.get("thought") is True:
            return
        refusal = value.get("refusal")
        if isinstance(refusal, str) and refusal:
            yield refusal, True
        for name in ("text", "content", "parts", "partial_json", "arguments"):
            yield from _message(value.get(name))
        tool_input = value.get("input")
        if isinstance(tool_input, dict) and value.get("type") == "tool_use" and tool_input:
            yield json.dumps(tool_input, ensure_ascii=False), False
        for name in ("tool_calls", "function", "function_call"):
            yield from _message(value.get(name))
