"""Whether two texts say the same, as far as words tell. Near-equal texts that differ in a number, a name or a "not" never do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import ceil

from tidelore.engine.text.patterns import later

# Share of common words (Jaccard) from which on two texts are nearly the same, by words alone and where their vectors agree as well.
ALIKE = 0.75
ALIKE_IN_MEANING = 0.4
NEAR = 0.93

_NUMBERS = later(r"\d+(?:[.,:/-]\d+)*|[〇零一二三四五六七八九十百千万亿两]+")
_NEGATIONS = later(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|hardly|isnt|wont|dont)\b|n['’]t\b|[不没無无未非别勿莫]|нет|\bне\b|\bkein|\bnicht\b",
    re.IGNORECASE,
)
# A capital inside a sentence begins a name.
_CAPITALS = later(r"(?<![.!?。！？\"“”'’:] )(?<!^)\b([^\W\d_]\w*)")


def likeness(one: Collection[str], other: Collection[str]) -> float:
    """Jaccard of two sets of words, 0 to 1; 0 where either is empty."""
    one, other = set(one), set(other)
    return len(one & other) / len(one | other) if one and other else 0.0


def same_marks(one: str, other: str) -> bool:
    """Whether two texts agree in numbers, negations and names: a difference there changes what is said."""
    return all(read(one) == read(other) for read in (_numbers, _negations, _names))


def _numbers(text: str) -> Counter[str]:
    return Counter(_NUMBERS.findall(text))


def _negations(text: str) -> int:
    return len(_NEGATIONS.findall(text))


def _names(text: str) -> set[str]:
    return {word.casefold() for word in _CAPITALS.findall(text) if word[0].isupper()}


def pairs(words: Mapping[str, Collection[str]], share: float) -> Iterator[tuple[str, str, float]]:
    """All pairs (ids in order) whose likeness is `share` or more, with it. Exact: two sets that are so much alike must have one of their
    rarest words in common (prefix filter, Chaudhuri et al. 2006), so few are compared."""
    frequency = Counter(word for each in words.values() for word in set(each))
    prefixes = {id_: _rarest(set(each), frequency, share) for id_, each in words.items()}
    holding: dict[str, list[str]] = {}
    for id_ in sorted(words):
        seen: dict[str, None] = {}
        for word in prefixes[id_]:
            here = holding.setdefault(word, [])
            seen |= dict.fromkeys(here)
            here.append(id_)
        for other in seen:
            found = likeness(words[other], words[id_])
            if found >= share:
                yield (other, id_, found)


def _rarest(words: set[str], frequency: Mapping[str, int], share: float) -> Iterable[str]:
    ordered = sorted(words, key=lambda word: (frequency[word], word))
    return ordered[: len(ordered) - ceil(share * len(ordered) - 1e-9) + 1]
