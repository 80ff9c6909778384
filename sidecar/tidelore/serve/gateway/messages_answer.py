"""An answer of Anthropic's Messages API as one of chat completions, whole or event by event."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from tidelore.serve.gateway.answer import LONGEST, Lines, event, parsed
from tidelore.serve.gateway.thoughts import Collector, Thought

_FINISH: Mapping[str, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class Broken(Exception):
    """The upstream said in the middle that it failed, or what it sent is no message."""


def completion(body: bytes) -> bytes:
    """A whole answer. Raises Broken."""
    found = parsed(body)
    if found is None or found.get("type") != "message" or not isinstance(found.get("content"), list):
        raise Broken
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in found["content"]:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "thinking", "thinking": str(text)}:
                thoughts.append(text)
            case {"type": "tool_use", "id": id_, "name": name}:
                arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
                calls.append({"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}})
            case _:
                pass
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) if texts or not calls else None}
    if thoughts:
        message["reasoning_content"] = "".join(thoughts)
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(found.get("stop_reason"))}
    return _bytes({**_head("chat.completion", found), "choices": [choice], "usage": _usage(found.get("usage"))})


class Translator:
    """Whole: gives all at the end. Streamed: gives chunks as events come. `feed` and `end` raise Broken."""

    def __init__(self, *, streamed: bool, wants_usage: bool) -> None:
        self._streamed = streamed
        self._wants_usage = wants_usage
        self._lines = Lines()
        self._body = bytearray()
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._finish = ""
        self._calls: dict[int, int] = {}
        self._stopped = False
        self._collector = Collector()

    @property
    def thought(self) -> Thought:
        """What the model thought and which tools it called, after the end."""
        return self._collector.thought

    def feed(self, data: bytes) -> bytes:
        if not self._streamed:
            self._body += data
            if len(self._body) > LONGEST:
                raise Broken
            return b""
        return b"".join(self._event(found) for line in self._lines.feed(data) if (found := event(line)) is not None)

    def end(self) -> bytes:
        if not self._streamed:
            whole = bytes(self._body)
            self._collector.message(parsed(whole) or {})
            return completion(whole)
        if not self._stopped:
            raise Broken
        return b""

    def _event(self, found: Mapping[str, Any]) -> bytes:
        self._collector.event(found)
        match found:
            case {"type": "message_start", "message": dict(message)}:
                self._message = message
                self._count(message.get("usage"))
                return self._chunk({"role": "assistant", "content": ""})
            case {"type": "content_block_start", "index": int(index), "content_block": {"type": "tool_use", "id": id_, "name": name}}:
                self._calls[index] = len(self._calls)
                call = {"index": self._calls[index], "id": id_, "type": "function", "function": {"name": name, "arguments": ""}}
                return self._chunk({"tool_calls": [call]})
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                return self._delta(index, delta)
            case {"type": "message_delta", "delta": dict(delta)}:
                self._finish = _finish(delta.get("stop_reason"))
                self._count(found.get("usage"))
            case {"type": "message_stop"}:
                return self._stop()
            case {"type": "error"}:
                raise Broken
            case _:
                pass
        return b""

    def _delta(self, index: int, delta: Mapping[str, Any]) -> bytes:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                return self._chunk({"content": text})
            case {"type": "thinking_delta", "thinking": str(text)}:
                return self._chunk({"reasoning_content": text})
            case {"type": "input_json_delta", "partial_json": str(text)} if index in self._calls and text:
                return self._chunk({"tool_calls": [{"index": self._calls[index], "function": {"arguments": text}}]})
            case _:
                return b""

    def _stop(self) -> bytes:
        self._stopped = True
        out = self._chunk({}, self._finish or "stop")
        if self._wants_usage:
            out += _sse({**self._head(), "choices": [], "usage": _usage(self._usage)})
        return out + b"data: [DONE]\n\n"

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _head(self) -> dict[str, Any]:
        if "created" not in self._message:
            self._message["created"] = int(time.time())
        return _head("chat.completion.chunk", self._message)

    def _chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _sse({**self._head(), "choices": [choice], **({"usage": None} if self._wants_usage else {})})


def _head(kind: str, message: Mapping[str, Any]) -> dict[str, Any]:
    created = message.get("created") or int(time.time())
    return {"id": message.get("id"), "object": kind, "created": created, "model": message.get("model")}


def _finish(reason: object) -> str:
    return _FINISH.get(str(reason), "stop")


def _usage(raw: object) -> dict[str, Any]:
    usage = raw if isinstance(raw, dict) else {}

    def count(name: str) -> int:
        value = usage.get(name)
        return value if isinstance(value, int) else 0

    # There, what came from the cache or went into it is counted apart.
    cached = count("cache_read_input_tokens")
    sent = count("input_tokens") + cached + count("cache_creation_input_tokens")
    said = count("output_tokens")
    return {
        "prompt_tokens": sent,
        "completion_tokens": said,
        "total_tokens": sent + said,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _sse(value: object) -> bytes:
    return b"data: " + _bytes(value) + b"\n\n"


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
