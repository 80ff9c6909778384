"""Who may be meant by "I": which parts of a message stand in quotes, and whose words those are."""

from __future__ import annotations

import re
from bisect import bisect_right

from tidelore.engine.extract.greetings import says_something
from tidelore.engine.model import Role
from tidelore.engine.text.counting import count_tokens

Span = tuple[int, int]

# Tokens of all asides together, up to which they are gestures.
GESTURE = 14
_MARK = re.compile('["“”«»「」『』\n]')
_CLOSES = {"“": "”", "«": "»", "「": "」", "『": "』"}
_ASIDE = re.compile(r"\*[^*\n]*\*")
_SAID = (
    r"(?:said|says|say|told|asked|asks|replied|answered|wrote|writes|whispered|shouted|muttered|added|insisted|"
    r"explained|put it|quoted?)"
)
_OWN_SPEECH = re.compile(rf"(?<![A-Za-z])I (?:[a-z]+ )?{_SAID}[^.!?\n]{{0,40}}[,:] ?$|(?:^|[。，])我[^。！？\n]{{0,8}}[说道：，]+$")
# Between two quotes: now it is the speaker's turn.
_TURN = re.compile(r"\n|(?<![A-Za-z])I(?![A-Za-z])|我")
_AFTER = re.compile(rf",? ?(?:(?:he|she|they|[A-Z][a-z]+|(?:my|the|his|her) [a-z]+) (?:[a-z]+ )?{_SAID}|{_SAID} (?!I\b))", re.ASCII)


class Speech:
    """The quotes of one message, and where the first person may be the speaker of the message."""

    def __init__(self, role: Role, text: str) -> None:
        self._text = text
        self._quotes = quotes(text)
        self._starts = [start for start, _ in self._quotes]
        self._role = role
        self._reported: list[bool] = []
        if role == "user":
            for number in range(len(self._quotes)):
                self._reported.append(self._is_reported(number))
        # A reply that is nothing but speech (and gestures) is the speaker's own. A longer aside is a narrator's, who lets others speak.
        outside = self._outside()
        narrated = sum(count_tokens(aside) for aside in _ASIDE.findall(outside))
        self._whole = bool(self._quotes) and narrated <= GESTURE and not says_something(_ASIDE.sub("", outside))

    def is_own(self, at: int) -> bool:
        """Whether a first person at `at` is surely the speaker of the message."""
        number = bisect_right(self._starts, at) - 1
        if number < 0 or at >= self._quotes[number][1]:
            return True
        if self._role == "assistant":
            return self._whole
        return not self._reported[number]

    def _outside(self) -> str:
        kept, at = [], 0
        for start, end in self._quotes:
            kept.append(self._text[at:start])
            at = end
        return " ".join([*kept, self._text[at:]])

    def _is_reported(self, number: int) -> bool:
        """Whether somebody else said the quoted words, going by what stands round them and by the quote before."""
        start, end = self._quotes[number]
        if number and self._reported[number - 1] and not _TURN.search(self._text, self._quotes[number - 1][1], start):
            return True
        before = self._text[max(0, start - 80) : start].rstrip(" ")
        # After a full stop inside the quote a capital begins a new sentence.
        if self._text[end - 2] != "." and _AFTER.match(self._text, end):
            return True
        if not before or before[-1] in '\n.!?*_”"。！？」…':
            return False
        return _OWN_SPEECH.search(before) is None


def quotes(text: str) -> list[Span]:
    """The outermost quotes, marks included. None goes on over the end of a line."""
    found: list[Span] = []
    start, closing, depth = 0, "", 0
    for match in _MARK.finditer(text):
        mark = match.group()
        if mark == "\n":
            closing, depth = "", 0
        elif not closing:
            if mark == '"' or mark in _CLOSES:
                start, closing, depth = match.start(), _CLOSES.get(mark, '"'), 1
        elif mark == closing:
            depth -= 1
            if not depth:
                found.append((start, match.end()))
                closing = ""
        elif _CLOSES.get(mark) == closing:
            depth += 1
    return found
