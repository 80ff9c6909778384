"""Names of people, places and works in a text, found by the way they are written. No statistics, no model: precise rather than many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tidelore.engine.model import Certainty
from tidelore.engine.text import name_words as lists
from tidelore.engine.text.han_names import east_asian_names, is_east_asian
from tidelore.engine.text.patterns import later
from tidelore.engine.text.works import works


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at text[start:end], as it is written there but for line ends. `sub` is a sub kind of entities."""

    name: str
    sub: str
    certainty: Certainty
    start: int
    end: int


# The blocks of the European scripts have been full since Unicode 7, so every Python agrees on their capitals.
_EUROPEAN = [chr(point) for first, last in ((0x41, 0x24F), (0x370, 0x52F), (0x531, 0x587)) for point in range(first, last + 1)]
_UPPER = "".join(char for char in _EUROPEAN if char.isupper() and char not in "ªº")
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ͽͿΆΈ-ԯԱ-Ֆա-և"
_WORD = rf"(?:[{_UPPER}]{{2,6}}/[{_UPPER}]{{2,6}}|[{_UPPER}][{_LETTER}0-9]*+(?:[-'’][{_LETTER}0-9]++)*+)"
_SHORT = rf"(?:Dr|Mr|Mrs|Ms|Prof|St|Mt|Capt|Lt|Sgt|Col|Gen|Rev|Sr)\.(?= )|[{_UPPER}]\.(?:[{_UPPER}]\.)*+(?= ?[{_UPPER}])"
_PARTICLE = "van|von|der|den|de|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ter|zu|of|the|&"
_RUN = later(
    rf"(?<![{_LETTER}0-9/@#\\<`{{.-])(?<![{_LETTER}]['’])(?:{_SHORT}|{_WORD})(?:(?<=\.) ?(?:{_SHORT}|{_WORD})| "
    rf"(?:(?:{_PARTICLE}) ){{0,2}}+(?:{_SHORT}|{_WORD}))*+"
)
_CODE = later(r"```.*?```|`[^`\n]+`", re.DOTALL)
_SMALL_PARTICLE = later(r"(?<![A-Za-z])(?:van|von)(?: (?:der|den|dem|de))? $")
_PART = later(r"[^ .]+\.?(?:[^ .]\.)*")
_NUMBERED = later(rf",? ({_WORD}) ([0-9]{{1,5}}[A-Za-z]?)(?![{_LETTER}0-9])")
_PARTICLES = frozenset(_PARTICLE.split("|"))
_CONTRACTION = later(r"['’](?:s|S|d|ll|re|ve|m)?$|(?<=n)['’]t$")

_THE = later(r"(?<![A-Za-z])[Tt]he $")

_MONTHS = frozenset(("april", "may", "june", "august"))  # People too, after a title: "Aunt May".

_MOST_WORDS = 6  # A longer run of capitals is a heading or shouting.

_AT_PLACE = later(
    r"(?<![A-Za-z])(?:"
    r"(?:liv(?:e|es|ed|ing)|mov(?:e|es|ed|ing) (?:back )?|stay(?:s|ed|ing)?|born|raised|grew up|based|arriv(?:e|"
    r"es|ed|ing)|vacation|trip|land(?:s|ed)) ?(?:in|to|at|near)"
    r"|(?:go|goes|went|going|gone|trip|travel(?:s|ed|ing|led|ling)?|fly|flew|flying|flight|drive|drove|driving|"
    r"head(?:s|ed|ing)?|journey|road|sail(?:s|ed|ing)?|way) (?:back |over |down |up )?to"
    r"|(?:sail(?:s|ed|ing)?|fly|flew|flying|drove|travel(?:s|ed|ing|led|ling)?|moved|mov(?:e|es|ing)|relocat(?:e|es|ed|ing)|journey(?:s|ed|ing)?"
    r"|commut(?:e|es|ed|ing)) (?:back |over |down |up |out |away )?(?:to|from(?: [A-Z][a-z]+ to)?)"
    r"|(?:set |setting )?sail(?:s|ed|ing)? (?:for|into)|emigrated to"
    r"|(?:ferry|train|bus|boat|coach|tram|ship|plane|express|packet|steamer|ticket|tickets|flight) (?:back |over |out )?(?:to|from|for)"
    r"|(?:moored|docked|anchored|landed|changed trains|put in) (?:at|in|off|near)|been to"
    r"|visit(?:s|ed|ing)?|toured|explor(?:e|es|ed|ing)|(?:came|come|comes|am|['’]m|originally|flew|moved|home) from"
    r"|(?<!believe )(?<!believed )(?<!interested )(?<!interest )(?<!faith )(?<!trust )(?<!lost )(?<!something "
    r")(?<!confide )(?<!confided )in"
    r"|across|throughout|outside|(?:city|town|village|hamlet|kingdom|port|isle|island|lands?|realm|province|"
    r"streets|people) of)(?: the)? $"
)
_THING = later(
    r"(?<![A-Za-z])(?:aboard|the|an?|this|that|these|every|play(?:s|ed|ing)?|watch(?:ed|ing)?|read(?:ing)?|us(?:e|es|ed|"
    r"ing)|on|via|new|own|some|my|your|our|his|her|their|in) $",
    re.IGNORECASE,
)
_PERSON = later(
    r"(?<![A-Za-z])(?:my|your|our|his|her|their|friend|[a-z]+(?:er|or|mate|friend|ist)|"
    + "|".join(sorted(lists.KIN))
    + r") (?:named |called )?$"
)
# "My boat, the Petrel", "a boat called Petrel", "sell him the boat Petrel"; but "On the boat Ana sang".
_VESSEL = later(
    r"(?<![A-Za-z])(?<!on )(?<!aboard )(?<!off )(?<!from )(?<!in )(?<!at )(?<!to )(?<!by )(?<!near )(?<!left )(?<!inside )(?<!of )"
    r"(?:[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|[Aa]n?|this|that) (?:[a-z]+ )?"
    r"(?:boat|sailboat|ship|airship|starship|spaceship|vessel|yacht|schooner|sloop|frigate|galleon|trawler|ketch|brig|submarine)"
    r"(?P<said>,? the |,? (?:is |was )?(?:called|named) (?:the )?)?(?(said)|[ ])$"
)
_AFTER_VESSEL = later(r"[.,;:!?)*\n\"”—–]|$")
# "The Gannet inn": the head may have no capital.
_SMALL_HEAD = later(r" (?:inn|tavern|pub|hotel|hostel|theatre|theater|cinema|lighthouse|harbou?r|quay|pier|valley)(?![A-Za-z])")
_CALLED_THING = later(
    r"(?:game|app|book|novel|movie|film|song|show|series|company|website|site|band|brand|place|spot|program|drink|"
    r"dish|project) (?:named |called |titled )?$"
)
_NEXT = later(
    r"['’]s (\w+)|(?: (?:also|just|only|then|slowly|softly|quietly|gently|suddenly|never|always|really|finally|[a-z]+ly))? ([a-z]+)",
    re.ASCII,
)
_WHOLE_LINE_END = later(r"[*_#: ]*(?:\n|$)")


def mentions(text: str) -> list[Mention]:
    """The names in the text, in order; none overlaps another."""
    found = [Mention(text[a:b], "work", certainty, a, b) for a, b, certainty in works(text)]
    if is_east_asian(text):
        found += [Mention(name, sub, certainty, a, b) for name, sub, certainty, a, b in east_asian_names(text)]
    found += _european(text)
    found.sort(key=lambda mention: mention.start)
    kept: list[Mention] = []
    inside = _work_spans(found)
    for mention in found:
        if mention.sub != "work" and any(a <= mention.start < b for a, b in inside):
            continue
        if kept and mention.start < kept[-1].end:
            continue
        kept.append(mention)
    return kept


def _work_spans(found: list[Mention]) -> list[tuple[int, int]]:
    return [(mention.start, mention.end) for mention in found if mention.sub == "work"][:100]


def _european(text: str) -> Iterator[Mention]:
    german = is_german(text)
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    for match in _RUN.finditer(text):
        run = match.group()
        start = match.start()
        while code and code[0][1] <= start:
            code.pop(0)
        if code and code[0][0] <= start:
            continue
        if " " not in run and "." not in run:
            words = [(run, start)]
        else:
            words = [(part.group(), start + part.start()) for part in _PART.finditer(run)]
            if sum(word not in _PARTICLES for word, _ in words) > _MOST_WORDS:
                continue
        if all(word in _PARTICLES or _is_shouted(word) for word, _ in words) and run not in lists.CAPITAL_PLACES and "/" not in run:
            continue
        yield from _of_run(text, words, german)


def _is_shouted(word: str) -> bool:
    bare = _CONTRACTION.sub("", word)
    return len(bare) > 1 and "." not in bare and (bare.upper() == bare or (bare[:-1].isupper() and len(bare) > 2 and bare[-1] == "s"))


def is_german(text: str) -> bool:
    """Whether capitals mean little here, since every noun has one."""
    return len(_GERMAN.findall(text, 0, 2000)) >= 2


_GERMAN = later(r"(?<![A-Za-z])(?:und|ist|nicht|ich|ein|eine|einen|der|das|dem|mit|auf|war|sich|auch)(?![A-Za-z])")


def _of_run(text: str, words: list[tuple[str, int]], german: bool) -> Iterator[Mention]:
    """The mentions in one run of capitalised words with the particles between them."""
    opens = _opens(text, words[0][1])
    place = _bare(words[-1][0]) in lists.PLACE_HEADS or _bare(words[-1][0]) in lists.ORGANISATION_HEADS
    part: list[tuple[str, int]] = []
    for at, (word, start) in enumerate(words):
        bare = _bare(word)
        particle = word in _PARTICLES
        called = bool(part) and bare in _MONTHS and _bare(part[-1][0]) in lists.TITLES
        never = not (particle or called) and (bare in lists.NEVER or _contracted(word) in lists.NEVER)
        if not part and (never or particle or (opens and at == 0 and _is_opener(bare, words) and not (place and len(words) == 2))):
            opens = False if at + 1 < len(words) else opens
            continue
        if never:
            yield from _of_part(text, part, opens, german)
            part, opens = [], False
            continue
        part.append((word, start))
    yield from _of_part(text, part, opens, german)


def _is_opener(bare: str, words: list[tuple[str, int]]) -> bool:
    """Whether the first word of a sentence has its capital from there alone."""
    if len(words) > 1 and words[1][0] == "of" and bare in lists.OF_HEADS:
        return False
    return (
        bare in lists.START
        or bare in lists.FOREIGN_START
        or (bare in lists.NEVER_ALONE and bare not in lists.TITLES and bare not in lists.PLACE_FIRSTS)
    )


def _divides(text: str, part: list[tuple[str, int]], at: int) -> bool:
    """Whether the particle at `at` stands between two names: "Aria of Winterfell", but "Lord of the Rings" and "the Amulet of Dusk"."""
    word = part[at][0]
    if word == "the":
        return part[at - 1][0] != "of"
    if word != "of" or _bare(part[at - 1][0]) in lists.OF_HEADS:
        return False
    start = part[0][1]
    return at > 1 or not _THE.search(text[max(0, start - 4) : start])


def _stays_titled(word: str) -> bool:
    """Whether what would be left without its title is no name: "Aunt May", "Doctor Who"."""
    return any(word in words for words in (lists.NEVER, lists.NEVER_ALONE, lists.START, lists.PLACES, lists.TITLES))


def _of_part(text: str, part: list[tuple[str, int]], opens: bool, german: bool) -> Iterator[Mention]:
    while part and part[-1][0] in _PARTICLES:
        part = part[:-1]
    while part and part[0][0] in ("of", "the", "&"):
        part = part[1:]
    if not part:
        return
    head = _bare(part[-1][0])
    # "Aria's Uncle Bob", but "Murphy's Tavern".
    for at, (word, _) in enumerate(part[:-1]):
        owner = word.endswith(("'s", "’s"))
        if owner and not (head in lists.PLACE_HEADS and at == len(part) - 2):
            yield from _of_part(text, part[: at + 1], opens, german)
            rest = part[at + 1 :]
            if len(rest) > 1:
                yield from _of_part(text, rest, False, german)
            return
        if _divides(text, part, at):
            yield from _of_part(text, part[:at], opens, german)
            yield from _of_part(text, part[at + 1 :], False, german)
            return
    names = [word for word, _ in part if word not in _PARTICLES]
    if any(_bare(word) in lists.PEOPLES for word in names) and head not in lists.PLACE_HEADS:
        return
    titled = False
    if head not in lists.PLACE_HEADS:
        untitled = part
        while len(untitled) > 1 and _bare(untitled[0][0]) in lists.TITLES and untitled[1][0] not in ("of", "the", "&"):
            untitled = untitled[1:]
        if len(untitled) < len(part) and not (len(untitled) == 1 and _stays_titled(_bare(untitled[0][0]))):
            part, titled = untitled, True
    mention = _classified(text, part, opens, titled, german)
    if mention is not None:
        yield mention


def _classified(text: str, part: list[tuple[str, int]], opens: bool, titled: bool, german: bool) -> Mention | None:
    start = part[0][1]
    end = part[-1][1] + len(_unowned(part[-1][0]))
    if small := _SMALL_PARTICLE.search(text[max(0, start - 8) : start]):
        start -= len(small.group())
    name = text[start:end]
    names = [word for word, _ in part if word not in _PARTICLES]
    head = _bare(part[-1][0])
    single = len(names) == 1
    if len(name) < 2 or (single and (_is_useless_alone(name, head) and not titled)):
        return None
    if all(any(_bare(word) in words for words in (lists.NEVER_ALONE, lists.TITLES, lists.PLACE_FIRSTS)) for word in names):
        return None
    before = text[max(0, start - 32) : start]
    owned = part[-1][0] != name.rsplit(" ", 1)[-1]
    sub, strong = _sub(before, names, head, name, owned, titled)
    vessel = _VESSEL.search(text, max(0, start - 48), start) if sub in ("topic", "character") and not (titled or owned) else None
    said = vessel is not None and not _acts(text, end) and (vessel["said"] is not None or _AFTER_VESSEL.match(text, end) is not None)
    sub = "item" if said else sub
    if sub == "topic" and _THE.search(before) and _SMALL_HEAD.match(text, end):
        sub = "location"
    if sub == "location" and not single:
        numbered = _NUMBERED.match(text, end)
        if numbered and numbered.group(1).lower() in lists.ADDRESS_PARTS:
            end = numbered.end()
            name = text[start:end]
    certainty: Certainty | None
    if titled or strong or not single:
        certainty = "maybe" if opens and _fills_line(text, start, end) else "seen"
    elif opens:
        certainty = _certainty_of_opening(text, name, start, end)
    elif german:
        certainty = None
    elif head in lists.START and not _is_introduced(text, before, end):
        certainty = "maybe"
    else:
        certainty = "seen"
    return Mention(name, sub, "stated" if said else certainty, start, end) if certainty else None


def _is_useless_alone(name: str, head: str) -> bool:
    return (
        head in lists.NEVER_ALONE
        or head in lists.PEOPLES
        or head in lists.TITLES
        or head in lists.PLACE_HEADS
        or head in lists.ORGANISATION_HEADS
        or (_is_shouted(name) and name not in lists.CAPITAL_PLACES and "/" not in name)
        or (any(char.isdigit() for char in name) and name.upper() == name)
    )


def _sub(before: str, names: list[str], head: str, name: str, owned: bool, titled: bool) -> tuple[str, bool]:
    """The sub kind, and whether the signs are strong enough for the start of a sentence."""
    single = len(names) == 1
    folded = name.lower()
    if folded in lists.PLACES or name in lists.CAPITAL_PLACES:
        return "location", True
    if titled:
        return "character", True
    if not single:
        if head in lists.PLACE_HEADS or _bare(names[0]) in lists.PLACE_FIRSTS or head in lists.PLACES:
            return "location", True
        if head in lists.ORGANISATION_HEADS or "&" in name:
            return "organisation", True
        if " of " in name and before.endswith(("the ", "The ")):
            return "topic", True
    if not owned and _AT_PLACE.search(before):
        return "location", False
    if _CALLED_THING.search(before):
        return "topic", False
    if _PERSON.search(before):
        return "character", False
    if _THING.search(before) or any(char.isdigit() for char in name) or "/" in name:
        return "topic", False
    return "character", False


def _certainty_of_opening(text: str, name: str, start: int, end: int) -> Certainty | None:
    """How sure a single capital at the start of a sentence is a name."""
    bare = name.lower()
    if bare in lists.START or bare in lists.FOREIGN_START:
        return None
    if _acts(text, end) and not bare.endswith(("ing", "ly")):
        return "seen"
    if bare.endswith(("ing", "ly", "ed", "tion", "ness", "ment")) or "'" in bare or "’" in bare or _has_lower(text, bare, start):
        return None
    if start and text[start - 1] in "*_" and end < len(text) and text[end] in "*_!":
        return None
    return "maybe"


def _acts(text: str, end: int) -> bool:
    """Whether what ends at `end` does what people do, or has a body."""
    following = _NEXT.match(text, end)
    if following is None:
        return False
    body, verb = following.groups()
    return body in lists.BODY or verb in lists.ACTS


def _is_introduced(text: str, before: str, end: int) -> bool:
    """Whether an ordinary word with a capital ("Hope") is said to be a name."""
    return (
        _acts(text, end)
        or before.endswith(("named ", "called ", "name is ", "name's ", "name’s ", "friend "))
        or _PERSON.search(before) is not None
    )


def _has_lower(text: str, word: str, start: int) -> bool:
    """Whether the word stands somewhere near in small letters. Near, so that a long text takes no more than linear time."""
    first, last = max(0, start - 1000), start + 1000
    at = text.find(word, first, last)
    while at >= 0:
        if text[max(0, at - 1) : at] not in _EUROPEAN_LETTERS and text[at + len(word) : at + len(word) + 1] not in _EUROPEAN_LETTERS:
            return True
        at = text.find(word, at + 1, last)
    return False


def _fills_line(text: str, start: int, end: int) -> bool:
    return bool(_WHOLE_LINE_END.match(text, end)) and not text[text.rfind("\n", 0, start) + 1 : start].strip(" *_#>-")


def _opens(text: str, start: int) -> bool:
    """Whether a sentence, line, quote or emphasis may start here, so that a capital proves nothing."""
    if _BESIDE_EAST_ASIAN.match(text, start):
        return False
    at = start
    while at and text[at - 1] == " ":
        at -= 1
    before = text[at - 1] if at else "\n"
    return not (before in _EUROPEAN_LETTERS or before in "0123456789,)%$&" or is_east_asian(before))


# In a Chinese sentence a capital is never there because the sentence starts.
_BESIDE_EAST_ASIAN = later(rf"[{_LETTER}]{{2,24}} ?[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_EUROPEAN_LETTERS = frozenset(char for char in _EUROPEAN if char.isalpha())


def _unowned(word: str) -> str:
    return _CONTRACTION.sub("", word) if "'" in word or "’" in word else word


def _bare(word: str) -> str:
    return _unowned(word).lower().rstrip(".")


def _contracted(word: str) -> str:
    return word.lower().replace("’", "'")
