"""Reads JSON as language models write it: finds where every bracket closes, and loads only what was written to its end.

A `Scan` walks text once, without recursion, and knows strings, comments, single, smart and full-width delimiters, trailing and missing
commas. It never completes anything: a bracket whose end is missing stays open, so that the caller can drop it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, TypeAlias

import json_repair

from tidelore.engine.text.patterns import later

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"

MAX_DEPTH = 48
REPAIR_LIMIT = 16_000
"""json-repair takes quadratic time on hostile text: longer pieces are given up."""

_QUOTES = {'"': '"', "“": '”"', "”": '”"', "'": "'", "‘": "’'", "’": "’'", "«": "»"}
_SPACE = later(r"[\s\u200b\ufeff]*+")
# A comment that is longer is none; else every "/*" that is never closed would be sought to the end.
_COMMENT = later(r"//[^\n]*+|#[^\n]*+|/\*(?s:.{0,400}?)\*/")
_WORD = later(r"[^\s,:{}\[\]\"“”‘’'，：`]++|`(?!``)")
_PLAIN_STRING = later(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_AFTER_COMMA = later(r"[\s\u200b]*+(?:[\"“‘'{\[}\]]|-?\d|(?:true|false|null|True|False|None)\b|[^\W\d]\w{0,60}+\s{0,8}+[:：]|//|/\*|\Z)")
_NUMBER = later(r"-?\d")
_COLON = later(r"\s{0,20}+[:：]")
_BOUNDARY = later(r"[}\]]\s{0,20}+,\s{0,20}+\{")
_ESCAPE = later(r'\\.|"', re.DOTALL)
_LITERALS = {
    "true": "true",
    "false": "false",
    "null": "null",
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
}
_BAD_CHARACTERS = later("[\ud800-\udfff\x00]")


@dataclass(slots=True)
class Span:
    """One pair of brackets: `text[start:end]`; `end` is -1 where the closing one is missing. `key` is what it hangs under."""

    kind: Literal["{", "["]
    start: int
    key: str = ""
    end: int = -1
    keys: list[str] = field(default_factory=list[str])
    children: list[Span] = field(default_factory=list["Span"])
    scalars: int = 0
    pending: str = ""

    @property
    def closed(self) -> bool:
        return self.end >= 0


class Scan:
    """The value that begins at `text[start]`, which must be a bracket: `root`, where reading stopped, and whether it was too deep."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.root = Span("[" if text[start] == "[" else "{", start)
        self.too_deep = False
        self.doubled = 0
        self._stack = [self.root]
        self._edits: list[tuple[int, int, str]] = []
        self._broken: list[int] = []
        self._last = ""
        self._before: str = self.root.kind
        self._comma = -1
        self.stop = self._run(start + 1)
        self._edits.sort(key=lambda edit: edit[0])
        self._starts = [edit[0] for edit in self._edits]

    def load(self, span: Span) -> tuple[JSON, bool]:
        """The value of a closed span and whether it had to be repaired. ValueError where nothing sensible can be read."""
        if bisect_left(self._broken, span.start) < bisect_left(self._broken, span.end):
            raise ValueError("a text in it has lost its end")
        piece = self._normal(span)
        try:
            return clean(json.loads(piece, strict=False, parse_constant=lambda _: None)), piece != self.text[span.start : span.end]
        except (ValueError, RecursionError):
            if len(piece) > REPAIR_LIMIT:
                raise ValueError("broken and too long to repair") from None
        try:
            repaired: Any = json_repair.loads(piece, skip_json_loads=True)
            return clean(repaired), True
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
            raise ValueError("cannot be repaired") from error

    def _normal(self, span: Span) -> str:
        parts, at = [], span.start
        for index in range(bisect_left(self._starts, span.start), len(self._edits)):
            start, end, new = self._edits[index]
            if start >= span.end:
                break
            if start >= at:
                parts += [self.text[at:start], new]
                at = end
        return "".join([*parts, self.text[at : span.end]])

    def _run(self, pos: int) -> int:
        text, size = self.text, len(self.text)
        while pos < size:
            gap = pos
            pos = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
            if pos >= size or text.startswith("```", pos):
                return pos
            char = text[pos]
            if char in "{[":
                if len(self._stack) >= MAX_DEPTH:
                    self.too_deep = True
                    return pos
                self._open("{" if char == "{" else "[", pos)
                pos += 1
            elif char in "}]":
                pos = self._close(char, pos)
                if not self._stack:
                    return pos
            elif char in ":：":
                self._colon(pos)
                pos += 1
            elif char in ",，":
                self._take_comma(pos)
                pos += 1
            elif char in "/#" and (comment := _COMMENT.match(text, pos)):
                self._edits.append((pos, comment.end(), " "))
                pos = comment.end()
            elif char in _QUOTES:
                found = self._string(pos, "\n" in text[gap:pos])
                if found < 0:
                    return size
                pos = found
            else:
                found = self._word(pos)
                if found < 0:
                    return pos
                pos = found
        return pos

    def _open(self, kind: Literal["{", "["], pos: int) -> None:
        top = self._stack[-1]
        if self._before == "v":
            self._edits.append((pos, pos, ","))
        if self._before == kind == "{" or (self._before == kind == "[" and top.kind == "["):
            self.doubled += 1
        child = Span(kind, pos, top.pending if self._before == ":" else "")
        top.children.append(child)
        self._stack.append(child)
        self._before = kind

    def _close(self, char: str, pos: int) -> int:
        kind = "{" if char == "}" else "["
        if all(span.kind != kind for span in self._stack):
            self._edits.append((pos, pos + 1, ""))
            return pos + 1
        if self._before == ",":
            self._edits.append((self._comma, self._comma + 1, ""))
        while self._stack[-1].kind != kind:
            inner = self._stack.pop()
            if inner.kind == "[":
                inner.end = pos
                self._edits.append((pos, pos, "]"))
        self._stack.pop().end = pos + 1
        self._before = "v"
        return pos + 1

    def _colon(self, pos: int) -> None:
        top = self._stack[-1]
        if self.text[pos] == "：":
            self._edits.append((pos, pos + 1, ":"))
        if top.kind == "{" and self._before == "v":
            top.pending = self._last
            top.keys.append(self._last)
            self._before = ":"

    def _take_comma(self, pos: int) -> None:
        if self._before in "{[,":
            self._edits.append((pos, pos + 1, ""))
            return
        if self.text[pos] == "，":
            self._edits.append((pos, pos + 1, ","))
        self._comma, self._before = pos, ","

    def _string(self, pos: int, new_line: bool) -> int:
        """Where the string ends; -1 where it does not. A quote where no string can begin is passed over."""
        if self._before == "v" and not new_line:
            return pos + 1
        opener = self.text[pos]
        end = self._string_end(pos + 1, _QUOTES[opener])
        if end < 0:
            return -1
        if self._before == "v":
            self._edits.append((pos, pos, ","))
        inner = self.text[pos + 1 : end - 1]
        if "\n```" in inner:
            return -1
        if self._before == ":" and _COLON.match(self.text, end):
            # A value that runs into the next key has lost its end: where an item follows, that one can still be read.
            self._broken.append(pos)
            if boundary := _BOUNDARY.search(inner):
                self._before = "v"
                return pos + 1 + boundary.start()
        self._last = inner
        if opener != '"' or '"' in inner:
            self._edits.append((pos, end, f'"{_ESCAPE.sub(_escaped, inner)}"'))
        self._scalar()
        return end

    def _string_end(self, pos: int, closers: str) -> int:
        text = self.text
        if closers == '"' and (plain := _PLAIN_STRING.match(text, pos)) and _closes(text, plain.end()):
            return plain.end()
        pattern = re.compile(f"[\\\\{closers}]")
        while found := pattern.search(text, pos):
            if found[0] == "\\":
                pos = found.end() + 1
            elif _closes(text, found.end()):
                return found.end()
            else:
                pos = found.end()
        return -1

    def _word(self, pos: int) -> int:
        """Where the bare word ends; -1 where it is prose after a list that was never closed."""
        match = _WORD.match(self.text, pos)
        if not match:
            return pos + 1
        word, top = match[0], self._stack[-1]
        end = match.end()
        if word in _LITERALS:
            if _LITERALS[word] != word:
                self._edits.append((pos, end, _LITERALS[word]))
        elif not _NUMBER.match(word):
            if not any(map(str.isalnum, word)):
                self._edits.append((pos, end, ""))
                return end
            if top.kind == "[" and top.children:
                return -1
            if top.kind == "{" and self._before in "{," and self.text[end : end + 1] in (":", "："):
                self._edits.append((pos, end, json.dumps(word)))
        self._last = word
        self._scalar()
        return end

    def _scalar(self) -> None:
        top = self._stack[-1]
        if top.kind == "[" and self._before != "v":
            top.scalars += 1
        self._before = "v"


def clean(value: JSON) -> JSON:
    """The value without what no store or hash can take: lone surrogates, NUL, numbers beyond 64 bits or all bounds."""
    if isinstance(value, str):
        return _BAD_CHARACTERS.sub("\ufffd", value) if _BAD_CHARACTERS.search(value) else value
    if isinstance(value, dict):
        return {str(clean(str(key))): clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, int) and value.bit_length() > 63:
        return None
    return None if isinstance(value, float) and not isfinite(value) else value


def load_whole(text: str) -> JSON:
    """The one value that a text consists of, read strictly but for its depth being checked first. ValueError otherwise."""
    text = text.strip()
    if text[:1] not in ("{", "["):
        raise ValueError("not an object or list")
    scan = Scan(text, 0)
    if not scan.root.closed or scan.stop != len(text):
        raise ValueError("not one whole value")
    return scan.load(scan.root)[0]


def _closes(text: str, pos: int) -> bool:
    """Whether a quote just before `pos` ends its string, by what follows: in sound JSON always a colon, comma or bracket."""
    after = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
    char = text[after : after + 1]
    if not char or char in ":：}]":
        return True
    if char in ",，":
        return _AFTER_COMMA.match(text, after + 1) is not None
    if char in "/#":
        return _COMMENT.match(text, after) is not None
    return char in _QUOTES and "\n" in text[pos:after]


def _escaped(match: re.Match[str]) -> str:
    if match[0] == '"':
        return '\\"'
    return "'" if match[0] == "\\'" else match[0]
