"""Stage 1: from what the user wrote to what to look for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tidelore.engine.recall.index import Index
from tidelore.engine.text.clean import clean
from tidelore.engine.text.sentences import sentences
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold_name, normalise

# In a text longer than this the last sentence and the questions decide; the rest counts this much.
LONG_TEXT = 300
ASIDE = 0.25
REPLY_WEIGHT = 0.15
EARLIER_WEIGHT = 0.1
MONTHS = {
    name: number
    for number, name in enumerate("january february march april may june july august september october november december".split(), 1)
}
# "may" is a month only where a date stands.
_MONTH = re.compile(rf"\b(?:(?:in|on|of|since|until|by|\d)\s+may|may\s+\d|{'|'.join(name for name in MONTHS if name != 'may')})\b", re.I)
_HAN_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s*月")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class Query:
    """`words` with weights, `entities` (node ids) and `speakers` (folded names) that the text names, months and years it asks for.
    `dense` is the text for an embedder: the speakers' names are replaced, since every memory of theirs holds them."""

    text: str
    words: dict[str, float]
    entities: tuple[str, ...]
    speakers: frozenset[str]
    months: frozenset[int]
    years: frozenset[str]
    dense: str

    @property
    def empty(self) -> bool:
        """Nothing to look for, as in a greeting."""
        return not self.words and not self.entities and not self.months and not self.years


def understand(text: str, index: Index, reply: str = "", earlier: str = "") -> Query:
    """`reply` is the last answer and `earlier` the user's message before: both count little."""
    text = normalise(clean(normalise(text)))
    folded = fold_name(text)
    speakers = _speakers(index, folded)
    entities = {id_ for name, ids in index.names.items() if _holds(folded, name) for id_ in ids}
    shadow = {word for name in speakers for word in tokens(name)}
    words: dict[str, float] = {}
    for part, weight in [*_weighted(text), (reply, REPLY_WEIGHT), (earlier, EARLIER_WEIGHT)]:
        for word in tokens(clean(part)) if part else ():
            if word not in shadow and not _is_filler(word):
                words[word] = max(weight, words.get(word, 0.0))
    return Query(
        text,
        words,
        tuple(sorted(entities)),
        frozenset(speakers),
        _months(text),
        frozenset(_YEAR.findall(text)),
        _without(text, speakers),
    )


FILLERS = frozenset(
    token
    for word in "hello hi hey hiya thanks thank please ok okay sure yes no lol haha hmm well good morning evening night bye welcome"
    " tell know remember recall remind ever".split()
    for token in tokens(word)
)


def _is_filler(word: str) -> bool:
    return word in FILLERS


def _speakers(index: Index, folded: str) -> set[str]:
    return {name for name in index.speakers if _holds(folded, name)}


def _holds(folded: str, name: str) -> bool:
    """Whether the name stands in the text: whole words; in scripts without spaces anywhere."""
    at = folded.find(name)
    while at >= 0:
        before = folded[at - 1] if at else " "
        after = folded[at + len(name)] if at + len(name) < len(folded) else " "
        if not (_joins(before, name[0]) or _joins(name[-1], after)):
            return True
        at = folded.find(name, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two characters are inside one word of a script that parts words by spaces."""
    return left.isalnum() and right.isalnum() and not (_unspaced(left) or _unspaced(right))


def _unspaced(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000" or "\u0e00" <= char <= "\u0eff"


def _weighted(text: str) -> Iterable[tuple[str, float]]:
    if len(text) <= LONG_TEXT:
        return [(text, 1.0)]
    spans = sentences(text)
    parts = [text[start:end] for start, end in spans]
    return [
        (part, 1.0 if at == len(parts) - 1 or part.rstrip("\"'”’」』)* ").endswith(("?", "？")) else ASIDE) for at, part in enumerate(parts)
    ]


def _months(text: str) -> frozenset[int]:
    found = {MONTHS[name] for match in _MONTH.findall(text) for name in MONTHS if name in match.lower()}
    return frozenset(found | {int(number) for number in _HAN_MONTH.findall(text)})


def _without(text: str, speakers: Iterable[str]) -> str:
    for name in speakers:
        text = re.sub(
            rf"(?<!\w){re.escape(name)}('s|’s)?(?!\w)",
            lambda match: "their" if match.group(1) else "they",
            text,
            flags=re.IGNORECASE,
        )
    return text
