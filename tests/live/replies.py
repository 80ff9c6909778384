"""What the scripted model was asked, what it may answer, and how that looks in the OpenAI format."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MODEL = "scripted"
Message = Mapping[str, Any]
Body = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A good answer. Times are in seconds; `pieces` overrides how `content` is cut for a stream.

    `before_first` and `before_last` keep the first byte or the last piece back until the event is set: see `ScriptedModel.hold`.
    A page draws at most thirty times a second: a piece that comes sooner shows with the one after it.
    """

    content: str = ""
    pieces: tuple[str, ...] = ()
    reasoning: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    finish_reason: str = ""
    before_first: threading.Event | None = None
    before_last: threading.Event | None = None
    between_pieces: float = 0.005

    @property
    def text(self) -> str:
        return "".join(self.pieces) if self.pieces else self.content

    def cut(self, size: int = 8) -> tuple[str, ...]:
        return self.pieces or tuple(self.content[start : start + size] for start in range(0, len(self.content), size))

    @property
    def finish(self) -> str:
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")


@dataclass(frozen=True)
class Failure:
    """An HTTP error."""

    status: int
    message: str = "the scripted model fails"


Answer = str | Reply | Failure
Script = Callable[[Sequence[Message], Body], Answer]


@dataclass
class Call:
    """A completion request as it came in. `aborted`: the client hung up before the reply was complete."""

    path: str
    headers: Mapping[str, str]
    body: Body
    aborted: bool = False
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[Message]:
        """The prompt; that of a text completion as one user message."""
        if "messages" in self.body:
            return list(self.body["messages"])
        return [{"role": "user", "content": self.body.get("prompt", "")}]

    @property
    def text(self) -> str:
        return "\n".join(map(text_of, self.messages))

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))


def text_of(message: Message) -> str:
    """The text of a chat-completion message, whether its content is a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())


def embed(text: str, dimensions: int = 64) -> list[float]:
    """A bag of hashed words as a vector of unit length: texts that share words come out close."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        vector[number % dimensions] += 1.0 if (number >> 32) & 1 else -1.0
    norm = math.hypot(*vector) or 1.0
    return [value / norm for value in vector]


def embeddings(body: Body) -> dict[str, Any]:
    """The answer of /v1/embeddings."""
    texts = body.get("input", [])
    texts = [texts] if isinstance(texts, str) else texts
    data = [{"object": "embedding", "index": index, "embedding": embed(str(text))} for index, text in enumerate(texts)]
    return {"object": "list", "data": data, "model": MODEL}


def whole(reply: Reply, chat: bool) -> dict[str, Any]:
    """The answer to a request that is no stream."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = list(reply.tool_calls)
    choice = {"index": 0, "finish_reason": reply.finish, **({"message": message} if chat else {"text": reply.text})}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {"id": "scripted", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice], "usage": usage}


def chunks(reply: Reply, chat: bool) -> Iterator[tuple[bool, bytes]]:
    """The events of a streamed answer, each with whether it is a piece of the text."""

    def event(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "finish_reason": finish, **({"delta": delta} if chat else {"text": delta.get("content", "")})}
        data = {"id": "scripted", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}
        return f"data: {json.dumps(data)}\n\n".encode()

    yield False, event({"role": "assistant", "content": ""})
    if reply.reasoning:
        yield False, event({"reasoning_content": reply.reasoning})
    for piece in reply.cut():
        yield True, event({"content": piece})
    for index, call in enumerate(reply.tool_calls):
        yield False, event({"tool_calls": [{"index": index, **call}]})
    yield False, event({}, reply.finish) + b"data: [DONE]\n\n"
