"""Who may be meant by "I": which parts of a message stand in quotes, and whose words those are."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from tidelore.engine.extract.greetings import says_something
from tidelore.engine.extract.reports import SAID, SAID_HAN
from tidelore.engine.model import Role
from tidelore.engine.text import name_words
from tidelore.engine.text.counting import count_tokens
from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import HAN

Span = tuple[int, int]

# Tokens of all asides together, up to which they are gestures.
GESTURE = 14
_MARK = later('["“”«»「」『』\n]')
_CLOSES = {"“": "”", "«": "»", "「": "」", "『": "』"}
# Single quotation marks are apostrophes too: they count where a stop stands before the closing one.
# A set, since Pythons disagree on which characters are letters.
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ0-9"
_SINGLE = later(rf"(?<![{_LETTER}'’])['‘](?:[^'’‘\n]|(?<=[{_LETTER}])['’](?=[{_LETTER}])){{1,400}}(?<=[,.!?…—])['’](?![{_LETTER}'’])")
_ASIDE = later(r"\*[^*\n]*\*")
_OWN_SPEECH = later(rf"(?<![A-Za-z])I (?:[a-z]+ )?{SAID}[^.!?\n]{{0,40}}[,:] ?$|(?:^|[。，])我[^。！？\n]{{0,8}}[说道：，]+$")
# Between two quotes: now it is the speaker's turn.
_TURN = later(r"\n|(?<![A-Za-z])I(?![A-Za-z])|我")
_AFTER = later(
    rf",? ?(?:(?:he|she|they|[A-Z][a-z]+|(?:my|the|his|her|an?|one|old|little) (?:[a-z]+ ){{0,3}}?[a-z]+|[A-Z][a-z]+ [A-Z][a-z]+) "
    rf"(?:[a-z]+ )?{SAID}|{SAID} (?!I\b))",
    re.ASCII,
)
_AFTER_HAN = later(rf"[，,]?(?!我|[^，。！？\n]{{0,4}}我)[{HAN}·]{{1,8}}?{SAID_HAN}")
# Somebody does something, and a quote follows in the same line.
_ACT = later(
    r"(?:[Hh]e|[Ss]he|[Tt]hey|The [a-z]+(?: [a-z]+)?|My [a-z]+|An? [a-z]+(?: [a-z]+)?|([A-Z][a-z]+)) (?:[a-z]+ly )?"
    r"[a-z]+(?:ed|s|[^aeiou]t|ook|ot|ew|an|ood|ent|ame)(?![A-Za-z])"
    rf"|[他她](?!们)|[{HAN}]{{2,3}}(?:看着|抬起|低下|叹了|笑了|点了|转过|走了|皱)"
)
_OWN_PERSON = later(r"(?<![A-Za-z])I(?![A-Za-z])|(?:^|[，,])\s*我")
# The speaker's own quote, and yet not meant.
_NOT_MEANT = later(
    r",? ?I (?:[a-z]+ )?(?:lie[ds]?|bluff(?:ed)?|joked?|read|quoted?|recited?|sang|sing)(?![a-z])|[，,]?我[^，。！？\n]{0,4}(?:撒谎|"
    r"谎称|骗|念|读|唱)",
    re.ASCII,
)
_GOES_ON = later(" ?[a-z]")
_NEXT_SENTENCE = later(r"[^.!?。！？\n]{1,80}")


class Speech:
    """The quotes of one message, and where the first person may be the speaker of the message."""

    def __init__(self, role: Role, text: str) -> None:
        self._role = role
        self._text = text
        self._reported: list[bool] = []

    @cached_property
    def _quotes(self) -> list[Span]:
        return quotes(self._text)

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._quotes]

    @cached_property
    def _whole(self) -> bool:
        """A reply that is nothing but speech (and gestures) is the speaker's own. A longer aside is a narrator's, who lets others speak."""
        outside = self._outside()
        narrated = sum(count_tokens(aside) for aside in _ASIDE.findall(outside))
        return bool(self._quotes) and narrated <= GESTURE and not says_something(_ASIDE.sub("", outside))

    def is_own(self, at: int) -> bool:
        """Whether a first person at `at` is surely the speaker of the message."""
        number = bisect_right(self._starts, at) - 1
        if number < 0 or at >= self._quotes[number][1]:
            return True
        if self._role == "assistant":
            return self._whole
        while len(self._reported) <= number:
            self._reported.append(self._is_reported(len(self._reported)))
        return not self._reported[number]

    def _outside(self) -> str:
        kept, at = [], 0
        for start, end in self._quotes:
            kept.append(self._text[at:start])
            at = end
        return " ".join([*kept, self._text[at:]])

    def _is_reported(self, number: int) -> bool:
        """Whether somebody else said the quoted words, going by what stands round them, by the quote before and by the one after."""
        if number and self._reported[number - 1] and not self._turns(number):
            return True
        if self._is_told(number):
            return True
        return number + 1 < len(self._quotes) and not self._turns(number + 1) and self._is_told(number + 1)

    def _turns(self, number: int) -> bool:
        """Whether between a quote and the one before it the turn passes to somebody else."""
        return _TURN.search(self._text, self._quotes[number - 1][1], self._quotes[number][0]) is not None

    def _is_told(self, number: int) -> bool:
        """Whether the words before or after a quote give it to somebody else."""
        start, end = self._quotes[number]
        # After a full stop inside the quote a capital begins a new sentence.
        goes_on = self._text[end - 2] != "." or _GOES_ON.match(self._text, end) is not None
        if goes_on and _AFTER.match(self._text, end):
            return True
        if _AFTER_HAN.match(self._text, end):
            return True
        if _NOT_MEANT.match(self._text, end):
            return True
        following = _NEXT_SENTENCE.match(self._text, end)
        if following and _is_act(following.group().lstrip(" *")):
            return True
        before = self._text[max(0, start - 80) : start].rstrip(" ")
        if not before or before[-1] in '\n.!?*_”"。！？」…':
            return _is_act_of_another(before)
        return _OWN_SPEECH.search(before) is None


def _is_act_of_another(before: str) -> bool:
    """Whether the last sentence before a quote, on its line, tells what somebody else does."""
    line = before[before.rfind("\n") + 1 :].rstrip(".!?*_。！？… ")
    sentence = line[max(line.rfind(stop) for stop in '.!?*"”。！？」') + 1 :].lstrip(" ")
    return _is_act(sentence)


def _is_act(sentence: str) -> bool:
    """Whether a sentence begins with what somebody else does."""
    act = _ACT.match(sentence)
    if act is None or _OWN_PERSON.search(sentence):
        return False
    name = (act.group(1) or "").lower()
    return name not in name_words.START and name not in name_words.NEVER


def quotes(text: str) -> list[Span]:
    """The outermost quotes, marks included. None goes on over the end of a line."""
    found: list[Span] = []
    more: list[Span] = []
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
    singles = _SINGLE.finditer(text) if "'" in text or "’" in text else iter(())
    outer = [start for start, _ in found]
    for match in singles:
        number = bisect_right(outer, match.start()) - 1
        inside = number >= 0 and match.start() < found[number][1]
        over = number + 1 < len(outer) and outer[number + 1] < match.end()
        if not (inside or over):
            more.append(match.span())
    return sorted([*found, *more]) if more else found
