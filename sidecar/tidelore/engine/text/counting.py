"""How many tokens of a prompt a text takes, for budgets."""

from __future__ import annotations

import re

from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import HAN, HANGUL, KANA, LATIN_LETTERS, MARKS, OTHER, UNSPACED

# In twentieths of a token. An estimate that lies a little above what the encodings of today's models need, those with 100,000 entries
# and more: docs/recall.md says how it compares. Each cost is such that two parts never take less than the whole but for one token.
_TOKEN = 20
_WORD = 21
_LETTER = 4
_ACCENT = 10
_OTHER_LETTER = 10
_REPEATED = 5
_DIGITS_IN_TOKEN = 3

_PARTS = later(
    f"([{LATIN_LETTERS.removesuffix(MARKS)}]+)"
    "|([0-9]+)"
    f"|([{HAN}{KANA}{HANGUL}])"
    f"|((?:{OTHER}|[{MARKS}{UNSPACED}\u0370-\u037d\u037f-\u0386\u0388-\u06d3\u06d5-\u06ff\u0750-\u077f\u0870-\u08ff\u1d2b\u1d78"
    "\u1c80-\u1c88\u1f00-\u1ffe\u2de0-\u2dff\ua640-\ua69f])+)"
    "|([\n\r])"
    r"|([^\S\n\r]+)"
    f"|(['’](?:s|t|m|d|re|ve|ll)(?![{LATIN_LETTERS}]))"
    r"|((.)\9*)",
    re.DOTALL,
)


def count_tokens(text: str) -> int:
    """An estimate, rather high, of the tokens of a text. Two texts put together take at most one more than both alone."""
    return -(-sum(map(_cost, _PARTS.finditer(text))) // _TOKEN)


def _cost(match: re.Match[str]) -> int:
    part = match[0]
    size = len(part)
    match match.lastindex:
        case 1:
            accents = 0 if part.isascii() else sum(letter > "\x7f" for letter in part)
            return max(_WORD, _LETTER * size) + _ACCENT * accents
        case 2:
            return _TOKEN * -(-size // _DIGITS_IN_TOKEN)
        case 4:
            return max(_TOKEN, _OTHER_LETTER * size)
        case 6:
            # One space goes with the word after it.
            return _REPEATED * (size - 1)
        case 8:
            # A sign outside the basic plane, such as an emoji, is two tokens or more.
            each = 2 if part[0] > "\uffff" else 1
            return each * (_TOKEN + _REPEATED * (size - 1))
        case _:
            return _TOKEN
