"""Stage 1: from what the user wrote to what to look for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from tidelore.engine.extract.greetings import says_something
from tidelore.engine.recall.asked import Wanted, called, wanted
from tidelore.engine.recall.index import Index, asks
from tidelore.engine.text.clean import clean
from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import HANGUL, UNSPACED
from tidelore.engine.text.sentences import sentences
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold_name, normalise

# In a text longer than this the last sentence and the questions decide. A word of the rest counts ASIDE at most, and all of
# the rest together no more than half of what decides; so too for the last reply and the user's message before.
LONG_TEXT = 300
ASIDE, ASIDE_IN_ALL = 0.25, 0.5
# Of a text that goes on and on its end is looked at, which decides anyway: a pasted book must not hold up the reply. Blocks that
# clients put in are taken out of more than that, so that they do not fill it.
LOOKED_AT, LOOKED_THROUGH = 8_000, 32_000
REPLY_WEIGHT, REPLY_IN_ALL = 0.15, 0.5
EARLIER_WEIGHT, EARLIER_IN_ALL = 0.1, 0.3
MONTHS = {
    name: number
    for number, name in enumerate("january february march april may june july august september october november december".split(), 1)
}
# "may" and "march" are months only where a date stands.
_MONTH = later(
    rf"\b(?:(?:in|on|of|since|until|by|last|next|this|during|before|after|\d)\s+(?:may|march)|(?:may|march)\s+\d"
    rf"|{'|'.join(name for name in MONTHS if name not in ('may', 'march'))})\b"
)
_HAN_MONTH = later(r"(?<!\d)(1[0-2]|[1-9])\s*[月월]|(?<![一二三四五六七八九十个個])(十[一二]?|[一二三四五六七八九])月(?!亮|光)")
_HAN_NUMBERS = {name: number for number, name in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), 1)}
_YEAR = later(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
# Half a word at the beginning of what was cut; a script without spaces has none.
_FIRST_GAP = later(r"\S{0,40}\s+")
_NO_WORD = later(r"^[\W_]+|[\W_]+$")
# What may follow a name within one Korean word.
_KOREAN_PARTICLES = later(
    "(?:이|가|은|는|을|를|의|에|에게|에게서|에서|와|과|도|만|로|으로|야|아|여|께|께서|한테|한테서|랑|이랑|하고|부터|까지|보다|처럼|님|씨|군|양)+"
    f"(?![{HANGUL}])"
)
_HANGUL_CHAR = later(f"[{HANGUL}]")
_UNSPACED_CHAR = later(f"[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\U00020000-\U0003ffff{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Query:
    """`words` and `entities` (node ids) with weights, `speakers` (folded names) that the text names, months and years it asks for.
    `dense` is the text for an embedder: the speakers' names are replaced, since every memory of theirs holds them. `wanted`: the kind of
    answer that is asked for. `stranger`: it calls something by a name that stands nowhere in the chat."""

    text: str
    words: Mapping[str, float]
    entities: Mapping[str, float]
    speakers: frozenset[str]
    months: frozenset[int]
    years: frozenset[str]
    dense: str
    wanted: Wanted
    stranger: bool

    @property
    def empty(self) -> bool:
        """Nothing to look for, as in a greeting."""
        return not self.words and not self.entities and not self.months and not self.years


def understand(text: str, index: Index, reply: str = "", earlier: str = "") -> Query:
    """`reply` is the last answer and `earlier` the user's message before: both count little, and nothing where the user only greets."""
    text = ending(text)
    reply, earlier = ending(reply), ending(earlier)
    deciding, aside = _parts(text)
    folded = fold_name(text)
    nearer = fold_name(deciding) if aside else folded
    short = index.graph.aliases.short
    named = {name for name in (*index.speakers, *short) if name in folded and holds_name(folded, name)}
    speakers = frozenset(short.get(name, name) for name in named)
    entities: dict[str, float] = {}
    for name, ids in (*index.names.items(), *((each, index.names.get(short[each], ())) for each in short)):
        if name in folded and holds_name(folded, name):
            weight = 1.0 if not aside or holds_name(nearer, name) else ASIDE
            entities.update((id_, max(weight, entities.get(id_, 0.0))) for id_ in ids)
    shadow = {word for name in named for word in tokens(name)}
    words: dict[str, float] = {}
    if not text or says_something(text):
        own = [word for word in tokens(deciding) if word not in shadow]
        words = dict.fromkeys([word for word in own if word not in FILLERS] or ([] if entities else own), 1.0)
        # Words that no memory holds, as "where is" in a language whose stop words are not known, decide nothing.
        decides = float(sum(word in index.postings for word in words)) or sum(words.values())
        _add(words, aside, ASIDE, ASIDE_IN_ALL * decides, shadow)
        _add(words, reply, REPLY_WEIGHT, REPLY_IN_ALL * decides, shadow)
        _add(words, earlier, EARLIER_WEIGHT, EARLIER_IN_ALL * decides, shadow)
    else:
        # Whom one greets is not asked for; but a name alone is, though it may be a word of greeting too.
        alone = index.names.get(_NO_WORD.sub("", folded), ())
        greeted = {id_ for name in speakers for id_ in index.names.get(name, ())}
        entities = {id_: weight for id_, weight in entities.items() if id_ in alone or id_ not in greeted}
    return Query(
        text,
        words,
        dict(sorted(entities.items())),
        speakers,
        _months(folded),
        frozenset(_YEAR.findall(folded)),
        _without(deciding, named),
        wanted(fold_name(deciding)),
        any(_stranger(word, shadow, index) for word in called(deciding)),
    )


def ending(text: str) -> str:
    """The text without what clients put in; of a very long one its end, from a word on."""
    long = len(text) > LOOKED_AT
    text = normalise(clean(normalise(text[-LOOKED_THROUGH:])))
    if not long or len(text) <= LOOKED_AT:
        return text
    cut = text[-LOOKED_AT:]
    return cut[match.end() :] if (match := _FIRST_GAP.match(cut)) else cut


FILLERS = frozenset(
    token
    for word in "hello hi hey hiya thanks thank please ok okay sure yes no lol haha hmm well good morning evening night bye welcome"
    " tell know remember recall remind ever".split()
    for token in tokens(word)
)


def leading(query: Query, index: Index) -> tuple[dict[str, float], dict[str, float]]:
    """The words and names of the query that lead to memories, with their weights. What is in too many memories leads nowhere, unless
    there is nothing else: a word that everyone says is still the word that was asked for; and a name, where only it was."""
    words = {word: weight for word, weight in query.words.items() if word in index.postings}
    names = {name: weight for name, weight in query.entities.items() if name in index.mentions}
    rare_words = {word: weight for word, weight in words.items() if index.leads(len(index.postings[word]))}
    rare_names = {name: weight for name, weight in names.items() if index.name_leads(len(index.mentions[name]))}
    if rare_words or rare_names:
        return rare_words, rare_names
    return words, names if not query.words else {}


def _add(words: dict[str, float], text: str, weight: float, in_all: float, shadow: Collection[str]) -> None:
    """Words that count `weight` each and `in_all` together at most; in full where there is nothing else."""
    fresh = [word for word in dict.fromkeys(tokens(text)) if word not in shadow and word not in FILLERS] if text else []
    if fresh:
        each = min(weight, in_all / len(fresh)) if words else 1.0
        for word in fresh:
            words.setdefault(word, each)


def _stranger(word: str, known: Collection[str], index: Index) -> bool:
    """Whether a word stands neither in a memory nor in a name."""
    own = [] if word.casefold() in MONTHS else tokens(word)
    return bool(own) and not any(each in known or each in index.postings for each in own) and fold_name(word) not in index.names


def holds_name(folded: str, name: str) -> bool:
    """Whether the name stands in the text: whole words; in scripts without spaces anywhere."""
    at = folded.find(name)
    while at >= 0:
        end = at + len(name)
        if not (at and _joins(folded[at - 1], name[0])) and not (end < len(folded) and _goes_on(folded, end)):
            return True
        at = folded.find(name, at + 1)
    return False


def _goes_on(folded: str, end: int) -> bool:
    """Whether the word at whose inside `end` is goes on after it, with more than a particle."""
    if not _joins(folded[end - 1], folded[end]):
        return False
    return not (_HANGUL_CHAR.match(folded[end - 1]) and _KOREAN_PARTICLES.match(folded, end))


def _joins(left: str, right: str) -> bool:
    """Whether two characters are inside one word of a script that parts words by spaces."""
    return left.isalnum() and right.isalnum() and not (_UNSPACED_CHAR.match(left) or _UNSPACED_CHAR.match(right))


def _parts(text: str) -> tuple[str, str]:
    """What decides, and the rest of a long text."""
    if len(text) <= LONG_TEXT:
        return text, ""
    parts = [text[start:end] for start, end in sentences(text)]
    decides = [at == len(parts) - 1 or asks(part) for at, part in enumerate(parts)]
    deciding = " ".join(part for part, yes in zip(parts, decides, strict=True) if yes)
    if all(word in FILLERS for word in tokens(deciding)):
        return text, ""
    return deciding, " ".join(part for part, yes in zip(parts, decides, strict=True) if not yes)


def _months(folded: str) -> frozenset[int]:
    found = {MONTHS[name] for match in _MONTH.findall(folded) for name in MONTHS if name in match}
    for digits, name in _HAN_MONTH.findall(folded):
        found.add(int(digits) if digits else _HAN_NUMBERS[name])
    return frozenset(found)


def _without(text: str, speakers: Iterable[str]) -> str:
    for name in sorted(speakers, key=lambda name: (-len(name), name)):
        text = re.sub(
            rf"(?<!\w){re.escape(name)}('s|’s)?(?!\w)",
            lambda match: "their" if match.group(1) else "they",
            text,
            flags=re.IGNORECASE,
        )
    return text
