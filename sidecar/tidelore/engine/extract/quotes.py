"""Whether the words a model quotes stand in a message, and where; whether a name occurs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tidelore.engine.model import Quote
from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import CYRILLIC, GREEK, HAN, HANGUL, KANA
from tidelore.engine.text.unicode14 import fold_name

_DROPPED = frozenset("*_~`\u200b\u200c\u200d\ufeff")
_SAME = {
    **dict.fromkeys("\"“”„‟«»‘’‚‛'´「」『』＂＇", "'"),
    **dict.fromkeys("—–―‒−", "-"),
    **{"…": "...", "，": ",", "。": ".", "！": "!", "？": "?", "：": ":", "；": ";", "（": "(", "）": ")", "‹": "<"},
}
_GAP = later(r"\s?[\[(]?\.{3,}[\])]?\s?")
_PREFIX = later(r"^\[\d{1,6}\]\s?(?:[^:]{1,80}:\s?)?")
_LONGEST = 300
_UNSPACED = later(f"[{HAN}{HANGUL}{KANA}]")
_INFLECTED = later(f"[{CYRILLIC}{GREEK}]+")
_ENDING = 3  # letters that a case or plural may add to a name


class Texts:
    """The texts of a window, folded once. Messages count from 0 here."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._folded = [_fold(text) for text in texts]
        self._names = [_fold_name(text) for text in texts]

    def quote(self, message: int | None, words: str) -> Quote | None:
        """The very words of the message that was cited or, where they do not stand there, of the first that has them.

        Compared leniently on white space, case, emphasis and the style of quotes, dashes and ellipses; "..." may leave words out.
        """
        wanted = _fold(words)[0].strip(" '")
        wanted = _PREFIX.sub("", wanted)
        parts = [part for part in (part.strip(" '") for part in _GAP.split(wanted)) if part]
        if not parts:
            return None
        order = [message] if message is not None else []
        for number in [*order, *(other for other in range(len(self._texts)) if other != message)]:
            found = self._find(number, parts)
            if found:
                return Quote(number, found)
        return None

    def occurs(self, name: str) -> int | None:
        """The first message in which a name stands as a whole word, give or take an ending where names are inflected."""
        folded = _fold_name(name)
        for candidate in dict.fromkeys((folded, folded.removeprefix("the "))):
            stem = candidate[:-1] if _is_inflected(candidate) else candidate
            # A pattern is slow to make, and an answer may hold thousands of names that stand nowhere.
            near = [number for number, text in enumerate(self._names) if stem in text] if candidate else []
            if near:
                pattern = _name_pattern(candidate)
                for number in near:
                    if pattern.search(self._names[number]):
                        return number
        return None

    def holds(self, text: str) -> bool:
        """Whether a message says just this."""
        wanted = _fold_name(text).strip(" .")
        return bool(wanted) and any(wanted in other for other in self._names)

    def _find(self, number: int, parts: Sequence[str]) -> str:
        folded, places = self._folded[number]
        spans: list[tuple[int, int]] = []
        at = 0
        for part in parts:
            at = folded.find(part, at)
            if at < 0:
                return ""
            spans.append((places[at], places[at + len(part) - 1] + 1))
            at += len(part)
        start, end = spans[0][0], spans[-1][1]
        if end - start > _LONGEST and len(spans) > 1:
            start, end = spans[0]
        return self._texts[number][start:end]


def _fold_name(text: str) -> str:
    return fold_name(text.replace("’", "'"))


def _fold(text: str) -> tuple[str, list[int]]:
    """The text in the form in which quotes are compared, and for each of its characters the place it comes from."""
    out: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char in _DROPPED:
            continue
        same = " " if char.isspace() else _SAME.get(char, char.lower())
        if same == " " and out and out[-1] == " ":
            continue
        for one in same:
            out.append(one)
            places.append(place)
    return "".join(out), places


def _is_inflected(name: str) -> bool:
    """Whether the last letter of a name may change with its case."""
    last = name.split(" ")[-1]
    return not _UNSPACED.search(name) and _INFLECTED.fullmatch(last) is not None and len(last) > _ENDING


def _name_pattern(name: str) -> re.Pattern[str]:
    """Of a name that is not empty."""
    if _UNSPACED.search(name):
        return re.compile(re.escape(name))
    if _is_inflected(name):
        return re.compile(rf"(?<!\w){re.escape(name[:-1])}\w{{0,{_ENDING}}}(?!\w)")
    ending = rf"[^\W\d_]{{0,{_ENDING}}}" if len(name) > _ENDING else ""
    start = rf"(?:(?<![^\W_])|(?<=[{HAN}{HANGUL}{KANA}]))" if name[0].isalnum() else ""
    after = rf"{ending}(?:(?![^\W_])|(?=[{HAN}{HANGUL}{KANA}]))" if name[-1].isalnum() else ""
    return re.compile(start + re.escape(name) + after)
