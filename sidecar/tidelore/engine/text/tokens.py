"""Text to the tokens that word search counts (BM25), for every script, without a dictionary.

Latin: words, case folded, without accents, English stop words dropped, a light English suffix stemmer. Han: single
characters but for function characters, and the pairs of neighbours. Kana with Han: pairs of neighbours. Hangul: the word
and its pairs, since particles differ. Thai, Lao, Khmer, Burmese: pairs. All others: words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

from tidelore.engine.text.irregular import PLAIN_FORM
from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import ARABIC, CYRILLIC, GREEK, HAN, HANGUL, HEBREW, KANA, LATIN_LETTERS, MARKS, OTHER, UNSPACED
from tidelore.engine.text.unicode14 import fold

_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been before being below both but by can could d did
    do does doing don down during each else few for from further get got had has have having he her here hey hi him his how i
    if im in into is it its ive just lets ll m me more most my no nor not now o of off oh on once only or other our out over
    own re s same she should so some such t than that thats the their them then there these they this those through to too
    under until up us ve very was we were what whats when where which while who whom why will with would y yeah yes you your
"""
STOP = frozenset(_STOP_WORDS.split())

_FUNCTION_HAN = frozenset(
    "的了是在我你他她它们这那有和与就也都不吗呢吧啊呀哦嗯么什哪谁个一上下来去到说要会很被把给让对从为以而且但还又再只之于其及或者如果因所"
)

# Of what a run of Han and kana can hold, the kana and the repetition mark come before it.
_FIRST_IDEOGRAPH = "\u3400"

# One typed apostrophe, word joiners that are not seen, and signs that NFKC would glue to the word before them.
_TIDY = {
    **dict.fromkeys("’‘ʼ´＇′", "'"),
    **dict.fromkeys("\u00ad\u200c\u200d\u2060\ufeff\ufe0e\ufe0f", ""),
    **dict.fromkeys("™℠\u200b", " "),
    # Decimal digits of other scripts, named by their zeros.
    **{chr(ord(zero) + n): str(n) for zero in "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០᠐" for n in range(10)},
}
_UNTIDY = later(f"[{''.join(_TIDY)}]")
_PLAIN_LATIN = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"})
_PLAIN_ARABIC = str.maketrans("أإآٱىیک", "ااااييك", "\u0640")

_ASCII_WORD = later(r"[a-z0-9]+(?:'[a-z]+)?")
_LATIN_WORD = later(f"[0-9{LATIN_LETTERS}]+(?:'[{LATIN_LETTERS}]+)?")
_LATIN_OR_SIGN = "".join((LATIN_LETTERS.removesuffix(MARKS), "\u2000-\u206f\u3000-\u3003"))
_NOT_LATIN = later(f"[^\\x00-\\x7f{_LATIN_OR_SIGN}][^\\x00-\\x26\\x28-\\x7f{_LATIN_OR_SIGN}]*")
_OTHERWISE = later(
    f"([{HAN}{KANA}]+)|([{HANGUL}]+)|([{UNSPACED}]+)|([{CYRILLIC}]+(?:'[{CYRILLIC}]+)?)|([{GREEK}]+)|([{ARABIC}]+)|([{HEBREW}]+)|({OTHER}+)"
)
_MARK = later(f"[{MARKS}]")
_HARAKAT = later("[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff]")
_NIQQUD = later("[\u0591-\u05c7\u05f3\u05f4]")
_VOWEL = later("[aeiouy]")
# The article and like particles before a vowel in French and Italian.
_ELIDED = frozenset(("l", "d", "j", "qu", "dell", "nell", "sull", "dall", "all"))
# The case endings of Russian nouns and adjectives, longest first.
_RUSSIAN_ENDING = later(
    "(?<=[а-я]{4})(?:иями|ями|ами|ией|иям|иях|ьями|ого|его|ому|ему|ыми|ими|ях|ах|ям|ам|ием|ем|ом|ов|ев|ей|ой|ий|ый|ая|яя|ое|ее|ые|ие"
    "|ых|их|ым|им|ую|юю|ою|ею|ию|ью|ия|ья|а|я|о|е|ы|и|у|ю|ь|й)$"
)


def tokens(text: str) -> list[str]:
    """The tokens of a text, with repeats: Latin ones first, then the others, each in their order. Takes ill-formed text too."""
    if text.isascii():
        return [token for word in _ASCII_WORD.findall(text.lower()) if (token := _latin(word))]
    folded = fold(_UNTIDY.sub(_tidied, text))
    found = [token for word in _LATIN_WORD.findall(folded) if (token := _latin(word))]
    for run in _NOT_LATIN.findall(folded):
        for match in _OTHERWISE.finditer(run):
            found += _READERS[match.lastindex or 0](match[0])
    return found


def content_words(text: str) -> list[str]:
    """The tokens that can carry meaning alone: without single Latin letters."""
    return [token for token in tokens(text) if len(token) > 1 or not ("a" <= token <= "z")]


def _tidied(match: re.Match[str]) -> str:
    return _TIDY[match[0]]


@lru_cache(maxsize=1 << 15)
def _latin(word: str) -> str:
    """The token of a folded Latin word, empty for a stop word."""
    before, apostrophe, after = word.partition("'")
    if apostrophe:
        word = before if after == "s" else after if before in _ELIDED else before + after
    if word in STOP:
        return ""
    return _stem(PLAIN_FORM.get(word, word) if word.isascii() else _without_accents(word))


def _without_accents(word: str) -> str:
    return _MARK.sub("", normalize("NFD", word)).translate(_PLAIN_LATIN)


def _stem(word: str) -> str:
    """The word without a common English ending."""
    if len(word) <= 3:
        return word
    word = _without_ending(word)
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    if word.endswith("i") and len(word) > 3:
        word = word[:-1] + "y"
    return word


def _without_ending(word: str) -> str:
    size = len(word)
    if word.endswith("s"):
        if word.endswith("ies") and size >= 5:
            return word[:-3] + "y"
        if word.endswith("sses") and size >= 5:
            return word[:-2]
        if word.endswith("es") and size >= 5:
            return word[:-1]
        return word if word.endswith("ss") else word[:-1]
    if word.endswith("ing") and size >= 6 and _VOWEL.search(word, 0, size - 3):
        return _without_double(word[:-3])
    if word.endswith("edly") and size >= 7:
        return word[:-4]
    if word.endswith("ed") and size >= 5 and _VOWEL.search(word, 0, size - 2):
        return _without_double(word[:-2])
    if word.endswith("ly") and size >= 6:
        return word[:-2]
    return word


def _without_double(word: str) -> str:
    """`runn` to `run`; but `fall`, `miss` and `buzz` are whole."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word


def _pairs(run: str) -> list[str]:
    return [before + after for before, after in pairwise(run)]


def _han_and_kana(run: str) -> list[str]:
    return [char for char in run if char >= _FIRST_IDEOGRAPH and char not in _FUNCTION_HAN] + _pairs(run)


def _hangul(word: str) -> list[str]:
    return [word] if len(word) <= 2 else [word, *_pairs(word)]


def _unspaced(run: str) -> list[str]:
    return _pairs(run) or [run]


def _cyrillic(word: str) -> list[str]:
    return _some(_RUSSIAN_ENDING.sub("", _MARK.sub("", word.replace("ё", "е").replace("'", ""))))


def _greek(word: str) -> list[str]:
    return _some(_MARK.sub("", normalize("NFD", word)))


def _arabic(word: str) -> list[str]:
    plain = _HARAKAT.sub("", word).translate(_PLAIN_ARABIC)
    return _some(plain[2:] if plain.startswith("ال") and len(plain) > 4 else plain)


def _hebrew(word: str) -> list[str]:
    return _some(_NIQQUD.sub("", word))


def _other(word: str) -> list[str]:
    return [word]


def _some(word: str) -> list[str]:
    return [word] if word else []


# What reads a match, by the group of `_OTHERWISE`; there is no match without a group.
_READERS: tuple[Callable[[str], list[str]], ...] = (
    _other,
    _han_and_kana,
    _hangul,
    _unspaced,
    _cyrillic,
    _greek,
    _arabic,
    _hebrew,
    _other,
)
