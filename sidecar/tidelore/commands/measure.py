"""Text on a terminal: how wide it is, where it may be broken, and what must not get there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

# What chats hold is not ours: an escape sequence or a change of direction must not reach the terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# Marks that may not begin a line of Chinese, and those that may not end one.
_NOT_FIRST = frozenset("，。！？；：、）》」』】〉”’…—,.!?;:)]}%")
_NOT_LAST = frozenset("（《「『【〈“‘([{")
# Invisible joiners; emoji built with them are taken as their parts, which errs on the wide side.
_NO_WIDTH = frozenset({"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\ufe0f", "\ufe0e"})


def clean(text: str) -> str:
    """Without what would steer a terminal; line feeds and tabs stay."""
    return _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def flat(text: str) -> str:
    """On one line."""
    return " ".join(clean(text).split())


def width(text: str) -> int:
    """Columns that a terminal takes for it."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if character < "\x7f":
        return 1
    if character in _NO_WIDTH or unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, columns: int, align: str = "<") -> str:
    space = " " * max(0, columns - width(text))
    return space + text if align == ">" else text + space


def clip(text: str, columns: int) -> str:
    """On one line, shortened with an ellipsis where it is wider."""
    text = flat(text)
    if width(text) <= columns:
        return text
    used, kept = 0, list[str]()
    for character in text:
        used += _columns(character)
        if used > columns - 1:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, columns: int) -> list[str]:
    """Lines of at most `columns`, broken at spaces and between Han characters. Line feeds of the text are kept."""
    lines: list[str] = []
    for paragraph in clean(text).expandtabs(4).split("\n"):
        lines += _wrap(paragraph, max(8, columns))
    return lines


def _wrap(text: str, columns: int) -> Iterator[str]:
    line, used = "", 0
    for piece in _pieces(text):
        for part in _split(piece, columns):
            size = width(part)
            if used + width(part.rstrip()) > columns and line.strip():
                yield line.rstrip()
                line, used = "", 0
            line += part
            used += size
    yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """What must stay on one line, each with the spaces after it."""
    start = 0
    for at, (left, right) in enumerate(pairwise(text), 1):
        wide = _columns(left) == 2 or _columns(right) == 2
        if (left == " " and right != " ") or (wide and right != " " and right not in _NOT_FIRST and left not in _NOT_LAST):
            yield text[start:at]
            start = at
    yield text[start:]


def _split(piece: str, columns: int) -> Iterator[str]:
    """A piece that is wider than a line, such as an address, in parts."""
    if width(piece) <= columns:
        yield piece
        return
    part, used = "", 0
    for character in piece:
        if used + _columns(character) > columns:
            yield part
            part, used = "", 0
        part += character
        used += _columns(character)
    yield part
