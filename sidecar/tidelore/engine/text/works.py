"""Titles of books, songs, films and games in quotes, emphasis or Chinese title marks."""

from __future__ import annotations

from collections.abc import Iterator

from tidelore.engine.model import Certainty
from tidelore.engine.text.patterns import later

_MARKED = later(r"《([^《》\n]{1,40})》")
_INTRODUCED = later(
    r"(?:书名|题目|标题|名为|题为|叫做|名叫|歌曲|歌|电影|小说|游戏|专辑|漫画|动画|动漫|绘本|剧|という(?:本|曲|"
    r"映画)|小説|映画|漫画|ゲーム|アニメ|曲)[「『]([^「」『』\n]{1,30})[」』]"
)
_QUOTED = later(
    r"""(?:(?<=[A-Za-z,:.!?] )|(?<![^\n]))(?:"([A-Z][^"\n]{1,80})"|“([A-Z][^“”\n]{1,80})”|\*([A-Z][^*\n]{1,80})\*|_([A-Z][^_\n]{1,80})_)"""
)
_SMALL = frozenset("a an and as at but by for from in into is of on or the to with vs de la le & - – :".split())
_CAPITAL = later("[A-ZÀ-Þ0-9]")
_LOWER = later("[a-zß-ÿ]")
_ADDRESS = later(r"[A-Z][a-z]+,|.*[.?!…,]$")
# One word in quotes is a title only where the sentence says so.
_INTRODUCTION = later(
    r"(?<![A-Za-z])(?:book|novel|movie|film|song|album|game|series|show|poem|play|story|musical|anime|read|"
    r"reading|watch(?:ed|ing)?|finished|"
    r"titled|entitled|piece|painting|episode|(?:play|sing|sang)(?:ed|ing)?)(?: called| is| was|,|:| of)? $"
)
_AUTHOR = later(r"""["”*_],? by [A-Z]""")
# A title at the start of a sentence could be speech, but speech does not go on like this.
_PREDICATE = later(r"""["”*_] (?:is|was|are|sounds?|looks?|has|had|makes?|made|by|and|will|tells?|shows?)(?![A-Za-z])""")
_SPEECH = later(
    r"(?:said|says|asked|asks|whispered|shouted|yelled|replied|muttered|murmured|called out|cried|like|was like|sign|signs?|read),? $"
)


def works(text: str) -> Iterator[tuple[int, int, Certainty]]:
    """Where titles stand, without their marks, and how sure each is one."""
    if "《" in text:
        for match in _MARKED.finditer(text):
            yield match.start(1), match.end(1), "stated"
    if "「" in text or "『" in text:
        for match in _INTRODUCED.finditer(text):
            yield match.start(1), match.end(1), "seen"
    if '"' in text or "“" in text or "*" in text or "_" in text:
        for match in _QUOTED.finditer(text):
            group = match.lastindex or 0
            start, end = match.span(group)
            if text[end - 1] in ",;" or (text[end - 1] == "." and _INTRODUCTION.search(text[max(0, start - 40) : start - 1])):
                end -= 1
            if _is_title(text, start, end):
                yield start, end, "seen"


def _is_title(text: str, start: int, end: int) -> bool:
    title = text[start:end]
    if _ADDRESS.match(title) or _is_closing(text, start - 1):
        return False
    words = title.split(" ")
    capital = [word for word in words if _CAPITAL.match(word)]
    if len(words) > 9 or any(word not in _SMALL for word in words if word not in capital) or not _LOWER.search(title):
        return False
    before = text[max(0, start - 40) : start - 1]
    if (not before or before[-1] == "\n" or before.endswith((". ", "! ", "? "))) and not _PREDICATE.match(text, end):
        return False
    introduced = _INTRODUCTION.search(before) is not None or _AUTHOR.match(text, end) is not None
    if _SPEECH.search(before) and not introduced:
        return False
    if len(words) == 1:
        return introduced and len(title) > 1
    return len(capital) > 1 or introduced


def _is_closing(text: str, at: int) -> bool:
    """Whether the mark at `at` ends something that began on the same line, going by how many stand before it."""
    mark = text[at]
    if mark == "“":
        return False
    line = text.rfind("\n", 0, at) + 1
    return text.count(mark, max(line, at - 2000), at) % 2 == 1
