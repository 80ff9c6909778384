"""JSON that is changed in a few places and byte for byte the client's own everywhere else.

A value that is read and written again loses what its sender wrote: 1.0 and 1e0 become one, escapes are others, of two members with one
name the first is gone. So the text stays a text, and only the spans of what is changed are replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class Value:
    """A value within a text, text[start:end]."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Member(Value):
    """A member of an object; `key` is where its name begins."""

    name: str
    key: int


@dataclass(frozen=True, slots=True)
class Edit:
    """text[start:end] becomes `text`."""

    start: int
    end: int
    text: str


def members(text: str, start: int = 0) -> Iterator[Member]:
    """The members of the object that begins at `start`, spaces before it left out. Raises ValueError, RecursionError."""
    at = _after(text, _space(text, start), "{")
    if text[at : at + 1] == "}":
        return
    while True:
        key = at
        name, at = _DECODER.raw_decode(text, at)
        if not isinstance(name, str):
            raise ValueError(f"a name expected at {key}")
        at = _after(text, _space(text, at), ":")
        value, end = _DECODER.raw_decode(text, at)
        yield Member(value, at, end, name, key)
        at = _space(text, end)
        if text[at : at + 1] != ",":
            _after(text, at, "}")
            return
        at = _space(text, at + 1)


def items(text: str, start: int) -> Iterator[Value]:
    """The items of the list that begins at `start`. Raises ValueError, RecursionError."""
    at = _after(text, _space(text, start), "[")
    if text[at : at + 1] == "]":
        return
    while True:
        value, end = _DECODER.raw_decode(text, at)
        yield Value(value, at, end)
        at = _space(text, end)
        if text[at : at + 1] != ",":
            _after(text, at, "]")
            return
        at = _space(text, at + 1)


def removal(text: str, member: Member) -> Edit:
    """Takes a member out, with the comma that parts it from the others."""
    after = _space(text, member.end)
    if text[after : after + 1] == ",":
        return Edit(member.key, _space(text, after + 1), "")
    before = member.key
    while text[before - 1] in " \t\n\r":
        before -= 1
    return Edit(before - 1 if text[before - 1] == "," else member.key, member.end, "")


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits, which do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def dumped(value: object) -> str:
    """A value as JSON that any encoding can carry."""
    return json.dumps(value, separators=(",", ":"))


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _after(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise ValueError(f"{sign} expected at {at}")
    return _space(text, at + 1)
