"""Where sentences begin and end in any script, and cutting text at those places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import HAN, KANA, UNSPACED
from tidelore.engine.text.unicode14 import known

_BORDER = later(
    "(?P<line>[\n\r\v\f\x85\u2028\u2029]+)"
    "|[.!?…。！？｡．؟۔।॥።፧։။៕។༎།‼⁇⁈⁉]+"
    "|(?<=[\u0370-\u03ff\u1f00-\u1fff]);"  # the Greek question mark, in NFC
)
# Stops that end a sentence only when what follows agrees. The others always do.
_WEAK = frozenset(".!?…．‼⁇⁈⁉;")
_CLOSING = frozenset("”’»」』）)]}›】》〉")
_OPENING = frozenset("“‘«「『（([{‹【《〈„¿¡")
# The same sign opens and closes: quotes, and the asterisks round what a character does.
_EITHER = frozenset("\"*_~'`")
# What may open the next sentence without a space before it.
_OPENING_AFTER_STOP = frozenset('"*“„«「『')
_TOGGLE = later(r'"|\*+(?=\S)|(?<=\S)\*+')
_GOES_ON = frozenset(",;:、，；：")
_CJK = later(f"[{HAN}{KANA}\u3000-\u3004\u3008-\u303f\uff00-\uffef]")
_JAPANESE_QUOTED = later("[」』](?:と|って|、)")

# fmt: off
_TITLES = frozenset((
    "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Mt", "Gen", "Col", "Lt", "Sgt", "Capt", "Cpt", "Maj", "Rev", "Hon", "Gov", "Sen",
    "Messrs", "Mme", "Mlle", "Sr", "Sra", "Srta", "Dra", "Hr", "mr", "mrs", "dr", "vs", "cf",
))
_BEFORE_SMALL = frozenset(("etc", "inc", "ltd", "co", "corp", "jr", "approx", "est", "dept", "govt", "bzw", "usw", "evtl", "ca"))
_BEFORE_NUMBER = frozenset((
    "no", "nos", "nr", "vol", "fig", "p", "pp", "ch", "sec", "art", "par", "c",
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
))
# fmt: on
_ALWAYS_SHORT = frozenset(("e.g", "i.e", "z.b", "d.h", "p.ej", "т.е", "напр"))
_LETTERS = later(r"(?:[^\W\d_]\.)+[^\W\d_]")
_SPACES = later(r"\s*")

_CLAUSE_WIDE = frozenset("，、；：،؛…。！？")
_CLAUSE = frozenset(",;:—–)")
_TRAILING = "".join((" \t\n\r\u3000", "".join(_OPENING), "\"'*_", ",;:.…—–-，、；：،؛。"))
_UNSPACED_CHAR = later(f"[{HAN}\u3041-\u3096{UNSPACED}]")
# Vowels written before their consonant, signs that join or double what follows, and what must not begin a line.
_HOLDS_NEXT = frozenset("เแโใไເແໂໃໄ\u17d2\u1039\u200d")
_HELD = frozenset("ะาำๅๆฯະາຳໆーぁぃぅぇぉっゃゅょゎゝゞ々\u200d\u200c")


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans (start, end) of the sentences, in order. They are disjoint and hold everything but white space between them."""
    return list(_spans(text))


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` characters: as many whole sentences from its start as fit.

    When the first is too long by itself it is cut after a clause, else between words, and "…" put there; a word is never
    cut, so one that does not fit leaves only "…".
    """
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    end = 0
    for _, stop in _spans(text):
        if stop > limit:
            break
        end = stop
    if end:
        return text[:end]
    return text[: _word_border(text, 0, limit - 1)].rstrip(_TRAILING) + "…"


def pieces(text: str, limit: int) -> list[tuple[int, int]]:
    """Spans of at most `limit` characters, of whole sentences and about equal size, that hold all but white space of the text.

    A sentence longer than that is divided between words, a longer word where it must be.
    """
    limit = max(limit, 1)
    units = [unit for start, end in _spans(text) for unit in _divided(text, start, end, limit)]
    best = _grouped(units, limit)
    low, high = max((end - start for start, end in units), default=1), limit
    # As few groups as fit, and the longest of them as short as that allows.
    while low < high:
        middle = (low + high) // 2
        groups = _grouped(units, middle)
        if len(groups) > len(best):
            low = middle + 1
        else:
            best, high = groups, middle
    return best


def _grouped(units: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    groups: list[tuple[int, int]] = []
    for start, end in units:
        if groups and end - groups[-1][0] <= limit:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return groups


def _divided(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    while end - start > limit:
        at = _word_border(text, start, start + limit)
        if at == start:
            at = next((at for at in range(start + limit, start, -1) if not _held(text, at)), start + limit)
        yield from _trimmed(text, start, at)
        start = _skip_space(text, at)
    yield from _trimmed(text, start, end)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for border in _borders(text):
        yield from _trimmed(text, start, border)
        start = border
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    stripped = part.lstrip()
    if stripped:
        first = end - len(stripped)
        yield first, first + len(stripped.rstrip())


def _skip_space(text: str, at: int) -> int:
    match = _SPACES.match(text, at)
    return match.end() if match else at


def _borders(text: str) -> Iterator[int]:
    """The places where a sentence ends."""
    start, counted = 0, 0
    opened: set[str] = set()
    for match in _BORDER.finditer(text):
        if match.start() < start:
            continue
        if match["line"]:
            opened.clear()
            start = counted = match.end()
            yield start
            continue
        for mark in _TOGGLE.finditer(text, counted, match.end()):
            opened ^= {mark[0][0]}
        counted = match.end()
        end = _after_closing(text, counted, opened)
        if _ends(text, start, match, end):
            for mark in _TOGGLE.finditer(text, counted, end):
                opened ^= {mark[0][0]}
            start = counted = end
            yield end


def _after_closing(text: str, at: int, opened: set[str]) -> int:
    """The end of the quotes and brackets that close at `at`."""
    closed: set[str] = set()
    while at < len(text):
        char = text[at]
        end = at + 1
        if char in _EITHER:
            while char != '"' and text[end : end + 1] == char:
                end += 1
            following = text[end : end + 1]
            closes = not following or following.isspace() or following in _CLOSING or (char in opened and char not in closed)
            if not closes:
                break
            closed.add(char)
        elif char not in _CLOSING:
            break
        at = end
    return at


def _ends(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether the stop that was matched in the sentence begun at `start`, with its closing marks up to `end`, ends it."""
    stop = match[0]
    after = text[end : end + 1]
    if not after or after in _GOES_ON:
        return False
    if not _WEAK.issuperset(stop) or stop.count("…") >= 2:
        return not _JAPANESE_QUOTED.match(text, end - 1)
    if after.isspace():
        space = _skip_space(text, end)
        return _ends_before(text, start, match, end, text[space : space + 1])
    if match.end() < end:
        return after in _OPENING or after in _EITHER or (after.isalnum() and known(after) and not _small(after))
    before = text[max(match.start() - 1, 0) : match.start()]
    if not before or before.isspace():
        return False
    if after in _OPENING_AFTER_STOP:
        return True
    if "!" in stop or "?" in stop:
        return bool(_CJK.match(before) or _CJK.match(after))
    return stop in (".", "．") and bool(_CJK.match(before) and _CJK.match(after))


def _ends_before(text: str, start: int, match: re.Match[str], end: int, following: str) -> bool:
    """The same for a stop with white space after it, by the character that comes next."""
    stop, closing = match[0], text[match.end() : end]
    small = _small(following)
    if closing:
        return not small or "*" in closing
    if stop == ".":
        return not _is_short(text, start, match.start(), following, small)
    return not (small and set(stop) <= {".", "…"})


def _is_short(text: str, start: int, dot: int, following: str, small: bool) -> bool:
    """Whether the dot belongs to an abbreviation, an initial or the number of a list."""
    said = text[max(start, dot - 16) : dot].split()
    word = said[-1].lstrip("\"'“‘«([*_") if said else ""
    if not (word.isascii() or all(map(known, word))):
        return False
    folded = word.casefold()
    digit = following.isdecimal() and known(following)
    if word.isdecimal():
        return len(word) <= 3 and text[start:dot].strip() == word
    if word in _TITLES or folded in _ALWAYS_SHORT:
        return True
    if len(word) == 1 and word != "I" and word.isalpha() and not _CJK.match(word):
        return word.isupper() or small or digit
    if _LETTERS.fullmatch(word) or folded in _BEFORE_SMALL:
        return small or digit
    return folded in _BEFORE_NUMBER and digit


def _small(char: str) -> bool:
    # U+0295 is no small letter any more in Unicode 17.
    return bool(char) and category(char) == "Ll" and known(char) and char != "\u0295"


def _word_border(text: str, start: int, last: int) -> int:
    """The best place to cut in (start, last]: after a clause or at a space in the later half, else the last place; or `start`."""
    half = start + (last - start) // 2
    space = other = start
    for at in range(last, start, -1):
        if at < half and (space > start or other > start):
            break
        if _held(text, at):
            continue
        before, after = text[at - 1], text[at]
        if at >= half and (before in _CLAUSE_WIDE or (before in _CLAUSE and after.isspace())):
            return at
        if space == start and (before.isspace() or after.isspace()):
            space = at
        elif other == start and _between_unspaced(before, after):
            other = at
    return space if space >= half and space > start else max(space, other)


def _between_unspaced(before: str, after: str) -> bool:
    """Whether a script without spaces may be cut here."""
    if before in _OPENING or after in _CLOSING or after in _CLAUSE_WIDE or after in _WEAK or after in _GOES_ON:
        return False
    return bool(_UNSPACED_CHAR.match(before) or _UNSPACED_CHAR.match(after))


def _held(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it: a mark, a joined sign, the second half of a pair."""
    before, after = text[at - 1], text[at]
    if before in _HOLDS_NEXT or after in _HELD or not known(after):
        return True
    in_pair = "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
    return in_pair or category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff"
