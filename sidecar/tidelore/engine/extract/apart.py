"""The parts of a message that state nothing of its speaker, however plain they read: code, panels, notes out of character, the words of
others without quotation marks.

A part ends where its line does at the latest, or at a blank line where its opening words end a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from tidelore.engine.extract.reports import ANNOUNCED, is_report
from tidelore.engine.model import Role
from tidelore.engine.text import name_words
from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import HAN

Span = tuple[int, int]

_CODE = later(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
# Quoted lines, notes out of character, lyrics, rows of tables and panels.
_LINE = later(
    r"^[ \t]*+(?:>|//|(?i:ooc)(?![A-Za-z])).*|^.*[♪♫🎵🎶].*|^[^|｜\n]*+[|｜][^|｜\n]*+[|｜].*",
    re.MULTILINE,
)
_OUT_OF_CHARACTER = later(
    r"\(\([^()]*+\)\)|（（[^（）]*+））|[(\[（［【{〔]\s{0,3}(?:(?i:ooc|out of character)(?![A-Za-z])|场外|"
    r"出戏)[^)\]）］】}〕]*+[)\]）］】}〕]?"
)
_TAG = later(rf"<(/?)([A-Za-z_{HAN}][A-Za-z0-9_{HAN}-]{{0,30}})(?:[ \t][^<>]{{0,300}})?/?>")
# Tags that only dress the words between them.
_DRESS = frozenset(
    "a b big br center code del div em font h1 h2 h3 h4 h5 h6 hr i ins li mark ol p q s small span strong sub sup u ul".split()
)
# As sets, since Pythons disagree on which characters are letters.
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ0-9_"
# Before a colon at the start of a line: whose words follow. Two columns of a play.
_LABEL = later(
    rf"^[ \t*_]*+(?:\[?[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?\]?[ \t])?([a-z][a-z0-9_-]{{1,20}}|[A-ZÀ-Þ][{_LETTER}'’.-]{{0,20}}(?: "
    rf"[A-ZÀ-Þ][{_LETTER}'’.-]{{0,20}}){{0,2}}|[{HAN}·]{{1,6}})[*_]*+[ \t]*+[:：](?!//)",
    re.MULTILINE,
)
_OWN_LABELS = frozenset(
    (
        "me myself ps p.s p.s. pps note update edit confession background bio intro introduction context reminder secret truth "
        "disclaimer warning answer correction fact tldr job age hobbies info details summary clarification spoiler "
        "备注 注 补充 更新 说明 附 附注 秘密 其实 总之 顺便 事实 简介 背景 提示 回答 答 更正 对了"
    ).split()
)
_OTHERS = frozenset("you he she they him her them everyone everybody someone somebody who nobody".split())
_OPTION = later(r"^[ \t*_]*+(?:[0-9]{1,2}|[A-Ha-h])[.)、．][^\n]*", re.MULTILINE)
_BREAKS = later(r"[.!?;。！？；\n]")
_HEAD = 90  # characters before a colon that say what follows it
_LINE_END = later(r"[ \t\"“「*_]*(?:\n|$)")
_BLANK = later(r"\n[ \t]*\n")


class Apart:
    """The parts of one message that state nothing."""

    def __init__(self, role: Role, text: str) -> None:
        self._role = role
        self._text = text

    @cached_property
    def _spans(self) -> list[Span]:
        return _merged(sorted(_spans(self._role, self._text)))

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._spans]

    def holds(self, at: int) -> bool:
        number = bisect_right(self._starts, at) - 1
        return number >= 0 and at < self._spans[number][1]


def _spans(role: Role, text: str) -> Iterator[Span]:
    if "`" in text:
        yield from (match.span() for match in _CODE.finditer(text))
    yield from (match.span() for match in _LINE.finditer(text))
    yield from (match.span() for match in _OUT_OF_CHARACTER.finditer(text))
    if "<" in text:
        yield from _panels(text)
    if role == "assistant":
        # What the listener may choose to say.
        yield from (match.span() for match in _OPTION.finditer(text))
    for match in _LABEL.finditer(text):
        if not _is_own_label(match.group(1)):
            yield match.start(), _line_end(text, match.end())
    yield from _reported(text)


def _is_own_label(label: str) -> bool:
    words = label.casefold().split()
    if not _OTHERS.isdisjoint(words):
        return False
    return "我" in label or all(word in _OWN_LABELS or word in name_words.START or word in name_words.NEVER for word in words)


def _panels(text: str) -> Iterator[Span]:
    """Tags, and what stands between two that do more than dress it."""
    opened: dict[str, int] = {}
    for match in _TAG.finditer(text):
        yield match.span()
        name = match.group(2).lower()
        if name in _DRESS:
            continue
        if not match.group(1):
            opened.setdefault(name, match.start())
        elif name in opened:
            yield opened.pop(name), match.end()


def _reported(text: str) -> Iterator[Span]:
    """What follows "he told me:", "she said," and "translate this:" without quotation marks."""
    end = 0
    for match in ANNOUNCED.finditer(text):
        at = match.end() - 1
        if at < end:
            continue
        head = text[max(0, at - _HEAD) : at]
        head = head[max((border.end() for border in _BREAKS.finditer(head)), default=0) :]
        colon = text[at] in ":："
        if is_report(head, colon):
            if not colon:
                stop = _BREAKS.search(text, at)
                end = stop.end() if stop else len(text)
            elif _LINE_END.match(text, at + 1):
                following = _BLANK.search(text, at + 1)
                end = following.start() if following else len(text)
            else:
                end = _line_end(text, at)
            yield at, end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
