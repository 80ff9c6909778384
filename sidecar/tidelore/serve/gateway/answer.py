"""Reads along what an upstream answers, to know whether it was whole and what was said. It changes no byte of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

# Beyond this nothing is kept: such an answer is passed on and not remembered.
LONGEST = 4_000_000

Outcome = Literal["said", "tools", "partial"]
"""A complete answer; a complete call of tools, after which the turn goes on; anything else, a failure or an answer that was cut."""


@dataclass(frozen=True, slots=True)
class Answer:
    outcome: Outcome
    text: str = ""


PARTIAL = Answer("partial")


class Reader(Protocol):
    @property
    def closed(self) -> bool:
        """The stream has said that it is at its end."""
        ...

    def feed(self, data: bytes) -> None: ...

    def end(self) -> Answer:
        """After all has come."""
        ...


class Lines:
    """Lines of an event stream, however the bytes were cut."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        first, *others = data.split(b"\n")
        # What a line has so far is not copied for each piece of it: a line may be long, and its pieces small.
        self._rest += first
        for each in others:
            yield self._taken()
            self._rest += each
        if len(self._rest) > LONGEST:
            self._rest.clear()

    def end(self) -> Iterator[bytes]:
        if self._rest:
            yield self._taken()

    def _taken(self) -> bytes:
        line = bytes(self._rest).rstrip(b"\r")
        self._rest.clear()
        return line


def event(line: bytes) -> dict[str, Any] | None:
    """The object of a data line; None for any other line."""
    if not line.startswith(b"data:"):
        return None
    return parsed(line[5:])


def parsed(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class _Reading:
    """What both forms have in common: bytes come in pieces, as a stream of lines or as one body; texts are kept up to a limit."""

    def __init__(self, *, streamed: bool) -> None:
        self._streamed = streamed
        self._lines = Lines()
        self._body = bytearray()
        self._texts: list[str] = []
        self._size = 0
        self._finish = ""

    def feed(self, data: bytes) -> None:
        if not self._streamed:
            if len(self._body) <= LONGEST:
                self._body += data
            return
        for line in self._lines.feed(data):
            self._line(line)

    def _line(self, line: bytes) -> None:
        raise NotImplementedError

    def _add(self, text: object) -> None:
        if isinstance(text, str):
            self._size += len(text)
            if self._size <= LONGEST:
                self._texts.append(text)


class ChatReader(_Reading):
    """Chat completions, as a stream or whole."""

    def __init__(self, *, streamed: bool) -> None:
        super().__init__(streamed=streamed)
        self._failed = False
        self._done = False

    @property
    def closed(self) -> bool:
        return self._done

    def end(self) -> Answer:
        if self._streamed:
            for line in self._lines.end():
                self._line(line)
        elif (found := parsed(bytes(self._body))) is not None:
            self._take(found, "message")
        if self._failed or self._size > LONGEST or not self._finish:
            return PARTIAL
        return _answer({"stop": "said", "tool_calls": "tools", "function_call": "tools"}, self._finish, self._texts)

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:") and line[5:].strip() == b"[DONE]":
            self._done = True
        found = event(line)
        if found is not None:
            self._take(found, "delta")

    def _take(self, found: Mapping[str, Any], part: str) -> None:
        if found.get("error"):
            self._failed = True
        choices = found.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            said = choice.get(part)
            self._add(said.get("content") if isinstance(said, dict) else None)
            if isinstance(choice.get("finish_reason"), str):
                self._finish = choice["finish_reason"]


class MessagesReader(_Reading):
    """Anthropic's messages, as a stream or whole."""

    def __init__(self, *, streamed: bool) -> None:
        super().__init__(streamed=streamed)
        self._stopped = False

    @property
    def closed(self) -> bool:
        return self._stopped

    def end(self) -> Answer:
        if not self._streamed:
            found = parsed(bytes(self._body)) or {}
            blocks = found.get("content")
            for block in blocks if isinstance(blocks, list) else []:
                if isinstance(block, dict) and block.get("type") == "text":
                    self._add(block.get("text"))
            self._finish, self._stopped = str(found.get("stop_reason") or ""), True
        if not self._stopped or self._size > LONGEST:
            return PARTIAL
        return _answer({"end_turn": "said", "stop_sequence": "said", "tool_use": "tools"}, self._finish, self._texts)

    def _line(self, line: bytes) -> None:
        found = event(line) or {}
        delta = found.get("delta")
        match found.get("type"):
            case "content_block_delta" if isinstance(delta, dict):
                self._add(delta.get("text") if delta.get("type") == "text_delta" else None)
            case "message_delta" if isinstance(delta, dict) and isinstance(delta.get("stop_reason"), str):
                self._finish = delta["stop_reason"]
            case "message_stop":
                self._stopped = True
            case _:
                pass


def _answer(outcomes: Mapping[str, Outcome], finish: str, texts: list[str]) -> Answer:
    outcome = outcomes.get(finish, "partial")
    return Answer(outcome, "".join(texts)) if outcome != "partial" else PARTIAL
