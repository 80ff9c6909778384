"""Normal forms that are the same on every Python from 3.11 on.

The tables of Python 3.11 are Unicode 14; later ones know more characters. No character of Unicode 14 has changed its
decomposition, combining class or case folding since (the stability policy of the standard), so it is enough to leave
what Unicode 14 does not know unchanged and to treat it as a border.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from unicodedata import is_normalized, normalize

from tidelore.engine.text._ranges import ASTRAL, below_astral, one_of
from tidelore.engine.text._unassigned14 import UNASSIGNED
from tidelore.engine.text.patterns import later

_SURROGATES = later("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
_LINE_ENDS = later("\r\n?")


# Putting marks in order takes quadratic time, so a run that no writing has passes unchanged, as unknown code points do.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06dc\u0e38-\u0e3a\u0e48-\u0e4b\u0f71-\u0f84\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20ff\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua8e0-\ua8f1\ufe20-\ufe2f"
)
_STORM = later(f"[{_MARKS}]{{65,}}")


@cache
def _unknown() -> re.Pattern[str]:
    return re.compile(f"({one_of(UNASSIGNED)}+|{_STORM.pattern})")


@cache
def _maybe_unknown() -> re.Pattern[str]:
    """Finds too much, fast."""
    return re.compile(f"[{below_astral(UNASSIGNED)}{ASTRAL}]")


def known(char: str) -> bool:
    """Whether Unicode 14 has the character. Lone surrogates and private use count as known."""
    return char.isascii() or _unknown().match(char) is None


def nfc(text: str) -> str:
    """The text in NFC of Unicode 14. Code points that it does not know pass unchanged and nothing composes across them."""
    # What is normal by a later standard is so in each of its parts, and so by this one.
    if text.isascii() or (_STORM.search(text) is None and is_normalized("NFC", text)):
        return text
    return _between_unknown(_nfc, text)


def fold(text: str) -> str:
    """The text in NFKC and case folded; unknown code points unchanged."""
    if text.isascii():
        return text.lower()
    return _between_unknown(_fold, text)


def fold_name(name: str) -> str:
    """What two spellings of one name have in common: NFKC, case folded, runs of white space one space, none at the ends."""
    folded = well_formed(name)
    while True:
        again = " ".join(fold(folded).split())
        if again == folded:
            return folded
        folded = again


def well_formed(text: str) -> str:
    """The text without lone surrogates: two that make a pair become their character, any other becomes U+FFFD."""
    if text.isascii():
        return text
    return _SURROGATES.sub(_repaired, text)


def normalise(text: str) -> str:
    """The stored form of a message: well formed, line feeds, NFC, no white space at the end."""
    return nfc(_LINE_ENDS.sub("\n", well_formed(text))).rstrip()


def _repaired(match: re.Match[str]) -> str:
    return match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le") if len(match[0]) == 2 else "\ufffd"


def _between_unknown(form: Callable[[str], str], text: str) -> str:
    """`form` applied to each part between runs of unknown code points."""
    if not _maybe_unknown().search(text) and _STORM.search(text) is None:
        return form(text)
    parts = _unknown().split(text)
    parts[::2] = map(form, parts[::2])
    return "".join(parts)


def _nfc(text: str) -> str:
    return normalize("NFC", text)


def _fold(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold())
