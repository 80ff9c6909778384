"""The main language of a chat, by its scripts and, for Latin, by its most common words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import ARABIC, CYRILLIC, GREEK, HAN, HANGUL, HEBREW, KANA, LATIN_LETTERS, MARKS, OTHER, UNSPACED

# Two letters weigh as much as half a character of Han: both are about half a word.
_WEIGHTS = {"zh": 4, "ja": 4, "ko": 3}
_LETTER_WEIGHT = 1
_CODES = ("latin", "zh", "ja", "ko", "ru", "el", "ar", "he", "th", "hi", "und")
_LETTERS = later(
    f"([{LATIN_LETTERS.removesuffix(MARKS)}]+)|([{HAN}]+)|([{KANA}]+)|([{HANGUL}]+)|([{CYRILLIC}]+)|([{GREEK}]+)|([{ARABIC}]+)"
    f"|([{HEBREW}]+)|([\u0e01-\u0e3a\u0e40-\u0e4e]+)|([\u0900-\u0963\u0970-\u097f]+)|({OTHER}+|[{UNSPACED}]+)"
)
# One kana in this many characters of Han and kana: Chinese quotes a kana now and then, Japanese cannot do without.
_KANA_SHARE = 10

# Common words of each language that are none of another one here, or of few.
_COMMON = {
    "en": "the and you that is was it of to for with are have this not what my your he she they but be i we do will just so",
    "es": "el los las una que es y por con para pero como está muy mi su lo se te qué del más ya yo tú ella estoy eres también",
    "fr": "le les des une est et que dans pour pas vous je nous avec sur mais ce cette elle il qui au du tu c'est j'ai sont très",
    "de": "der die das und ist nicht ich du sie wir ein eine mit zu auf für aber den dem von es wie auch noch war hat mir dich",
    "pt": "o os uma que não é com para mas você eu ele ela muito do da em no na isso está são mais por seu sua meu minha",
    "it": "il gli che è non una per con sono ma della di mi ti lo la più anche come questo questa ho hai cosa nel io lei",
    "pl": "nie się jest na to że w z i do jak ale co tak ja ty on ona był była jestem już tylko czy za dla mnie ciebie",
    "vi": "là và của không tôi bạn có được cho một những này với người anh em đã đang rồi thì cũng như trong khi nhưng",
    "tr": "bir ve bu da de için ama çok ne ben sen o değil var yok gibi daha mi mı evet hayır şey olarak kadar sonra",
}
_LANGUAGES = {code: frozenset(words.split()) for code, words in _COMMON.items()}
_WORD = later(f"[{LATIN_LETTERS}]+(?:['’][{LATIN_LETTERS}]+)?")
_LEAST_WORDS = 3


def language(texts: Iterable[str]) -> str:
    """The code (BCP 47) of the language that most of the texts are in; "und" where they hold no letters or another script.

    Latin text is "en" unless the common words of es, fr, de, pt, it, pl, vi or tr clearly outnumber the English ones.
    """
    weights: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for text in texts:
        for match in _LETTERS.finditer(text):
            code = _CODES[(match.lastindex or len(_CODES)) - 1]
            weights[code] += len(match[0]) * _WEIGHTS.get(code, _LETTER_WEIGHT)
        words.update(_WORD.findall(text.casefold()))
    east_asian = weights["zh"] + weights["ja"]
    japanese = weights["ja"] * _KANA_SHARE >= east_asian > 0
    weights["ja" if japanese else "zh"] = east_asian
    weights["zh" if japanese else "ja"] = 0
    # Ties go by the order of the codes, so that the answer does not depend on the order of the texts.
    best = max(_CODES, key=lambda code: weights[code])
    if not weights[best]:
        return "und"
    return _latin_language(words) if best == "latin" else best


def _latin_language(words: Counter[str]) -> str:
    counts = {code: sum(words[word] for word in common) for code, common in _LANGUAGES.items()}
    best = max(counts, key=lambda code: counts[code])
    clear = counts[best] >= _LEAST_WORDS and counts[best] * 2 >= counts["en"] * 3
    return best if clear else "en"
