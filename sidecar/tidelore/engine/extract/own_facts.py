"""More of what an English sentence plainly states: allergies, diet, birth, favourites, moves, new jobs, kin named in passing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tidelore.engine.extract.claims import ADVERBS, END, HOME, NO_OBJECT, PLACE, RELATIVES, STEP, STOP, STOP_PLACE, Claim, phrase_at
from tidelore.engine.text.name_words import NEVER
from tidelore.engine.text.names import Mention
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

_A = re.ASCII
_AM = r"I(?:['’]m| am)"
_SEVERELY = r"(?:deathly |severely |highly |mildly |violently |terribly )?"
_ALLERGIC = later(rf"{_AM} {ADVERBS}{_SEVERELY}allergic to ", _A)
_ALLERGIC_NAMED = later(rf"(?: is|['’]s) {ADVERBS}{_SEVERELY}allergic to ", _A)
_ALLERGY = later(r"I(?: have|['’]ve got) an? (?:severe |bad |mild |serious |terrible )?([a-z]+(?: [a-z]+)?) allergy(?![A-Za-z])", _A)
_BOTH = later(r" (?:and|or) (?!I |it |so )[a-z]+(?=[.!,;\n]|$)", _A)
_DIETS = (
    r"((?:strict |lifelong |committed )?(?:vegetarian|vegan|pescatarian|pescetarian|teetotal|kosher|halal|gluten-free"
    r"|lactose intolerant|coeliac|celiac))"
)
_DIET = later(rf"I(?:['’]m| am|['’]ve been| have been| became| went| turned) {ADVERBS}(?:an? )?{_DIETS}(?:{END}|(?= since ))", _A)
_DIET_NAMED = later(rf"(?: is|['’]s) {ADVERBS}(?:an? )?{_DIETS}(?:{END}|(?= since ))", _A)
_NO_FOOD = later(rf"I ((?:don['’]t|do not|never) eat (?:any )?(?:meat|pork|beef|fish|seafood|dairy|gluten|eggs)){END}", _A)

_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_DAY = "[0-9]{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"((?:the )?{_DAY}(?: of)? {_MONTH}(?:,? [0-9]{{4}})?|{_MONTH}(?: the)? {_DAY}(?:,? [0-9]{{4}})?|{_MONTH}(?:,? [0-9]{{4}})?"
    rf"|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}/[0-9]{{1,2}}(?:/[0-9]{{2,4}})?|(?:19|20)[0-9]{{2}})(?![0-9A-Za-z/])"
)
_BIRTHDAY = later(rf"[Mm]y birthday(?: is|['’]s)(?: on| in)? {_DATE}", _A)
_BORN = later(rf"I was born(?: on| in) {_DATE}", _A)
_BORN_NAMED = later(rf"(?:['’]s birthday is(?: on| in)?| was born(?: on| in)) {_DATE}", _A)
_BORN_IN = later(r"I was born (?:and (?:raised|bred) )?(?:in|at|near) (?=[A-Z])", _A)
_BORN_IN_NAMED = later(r" was born (?:and (?:raised|bred) )?(?:in|at|near) (?=[A-Z])", _A)

_FAVOURITE = later(
    r"[Mm]y (?:all-time |absolute |new |current )?favou?rites? ((?:[a-z][a-z-]*+ ){1,3}?)"
    r"(?:is|are|has always been|have always been|will always be) (?:definitely |still |always |easily |actually |called )?[\"“*]?",
    _A,
)
_NO_FAVOURITE = frozenset(
    "part parts side reason scene line thing things bit one ones aspect memory memories moment moments way ways time times spot was is "
    "of about to in that i".split()
)
_NO_VALUE = NO_OBJECT | frozenset("the also definitely probably still always here there i we you he she they it's".split())

_WITH = r"(?: back| in| out| down| away| together| over)?(?: with (?:my|our) (?:[a-z-]+ )?[a-z]+)?"
_OFTEN = r"(?:['’]ve| have| has)?(?: (?:just|recently|finally|now|already|currently|still|have|also|both|actually)){0,2}+"
_STAYS = later(rf"(?:I|[Ww]e){_OFTEN} live{_WITH} (?:in|on|at) ", _A)
_MOVED = later(rf"(?:I|[Ww]e){_OFTEN} (?:moved|relocated|settled){_WITH} (?:in|on|at|to|into|near) ", _A)
_MOVED_NAMED = later(rf"{_OFTEN} (?:moved|relocated|settled){_WITH} (?:in|to|into|near) ", _A)
_ARTICLES = frozenset(("the", "a", "an", "my", "our", "his", "her", "their"))
# What one is jokingly allergic to.
_NO_ALLERGEN = frozenset(
    "mornings monday mondays people work commitment stupidity drama bullshit nonsense fun love feelings responsibility exercise effort you "
    "idiots liars boredom silence failure small".split()
)
_NEW_JOB = later(
    r"I(?:['’]ve| have)?(?: (?:just|recently|finally|now|have)){0,2}+ (?:got|gotten|landed|found|took|accepted|started)"
    r"(?: an?| my)?(?: new| part-time| full-time| summer)?(?: job| work| position| working) as (?:an? |the )?",
    _A,
)
_STARTS = later(
    r"I(?:(?:['’]ll| will)? (?:start|begin)|(?:['’]m| am) (?:starting|beginning)) (?:my |the |a )?(?:new )?(?:work|job)"
    rf"(?: there)?(?: on| in)? ((?:the [0-9]{{1,2}}(?:st|nd|rd|th)?(?! of))|{_DATE}"
    r"|(?:next )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|next (?:week|month)"
    r"|tomorrow)(?![A-Za-z0-9])",
    _A,
)

_APPOSED = later(rf"[Mm]y (?:[a-z-]+ ){{0,2}}?({RELATIVES}), (?=[A-ZÀ-Þ])", _A)
_SEVERAL = later(
    r"(?:(?:I|[Ww]e)(?: have|['’]ve got| got| adopted)|[Mm]y) (?:two|three|four|five|[2-5])(?: [a-z-]+){0,2}? "
    r"(?:kids|children|sons|daughters|boys|girls|twins|brothers|sisters|siblings|cats|dogs|puppies|kittens|rabbits|birds|parrots|horses)"
    r"(?:,|:| named| called| -|, named|, called) (?=[A-ZÀ-Þ])",
    _A,
)
_NEXT_NAME = later(r"(?:, and |, | and | & )(?=[A-ZÀ-Þ])", _A)
_LAST_NAME = later(r"[.!,;:)\n]|$| (?:who|and|are|love|both|keep)(?![A-Za-z])", _A)


def kin_of_speaker(text: str, end: int, at: int, by_start: dict[int, Mention]) -> Iterator[Claim]:
    """Those whom "my sister, Ana," and "two kids, Leo and Mia" name; the words need not open a clause."""
    if match := _APPOSED.match(text, at, end):
        mention = by_start.get(match.end())
        if mention is not None and mention.sub in ("character", "topic") and text[mention.end : mention.end + 1] == ",":
            yield Claim("", f"has:{fold_name(mention.name)}", text[match.start(1) : mention.end], at)
    if match := _SEVERAL.match(text, at, end):
        yield from _several(text, match.end(), end, at, by_start)


def _several(text: str, at: int, end: int, start: int, by_start: dict[int, Mention]) -> Iterator[Claim]:
    names: list[str] = []
    mention = by_start.get(at)
    last = at
    while mention is not None and mention.sub in ("character", "topic") and len(names) < 5:
        names.append(mention.name)
        last = mention.end
        following = _NEXT_NAME.match(text, last, end)
        mention = by_start.get(following.end()) if following else None
    if len(names) > 1 and _LAST_NAME.match(text, last):
        for name in names:
            yield Claim("", f"has:{fold_name(name)}", name, start)


def of_speaker(text: str, end: int, at: int) -> Iterator[Claim]:
    """What the first person that stands at `at` and opens a clause says of its speaker."""
    yield from _health("", text, at, at, end, (_ALLERGIC, _DIET, _BORN, _BORN_IN))
    if match := _ALLERGY.match(text, at, end):
        yield Claim("", "allergy", match.group(1), at)
    if match := _NO_FOOD.match(text, at, end):
        yield Claim("", "diet", match.group(1), at)
    if match := _BIRTHDAY.match(text, at, end):
        yield Claim("", "birthday", match.group(1), at)
    if match := _FAVOURITE.match(text, at, end):
        yield from _favourite(text, match, end)
    match = _STAYS.match(text, at, end)
    value = _place(text, match, end, PLACE) if match else ""
    match = _MOVED.match(text, at, end)
    value = value or (_home(text, match, end) if match else "")
    if value:
        yield Claim("", "lives in", value, at)
    if (match := _NEW_JOB.match(text, at, end)) and (value := phrase_at(text, match.end(), end, STOP_PLACE)):
        yield Claim("", "works as", value, at)
    if match := _STARTS.match(text, at, end):
        yield Claim("", "starts work", match.group(1), at)


def of_named(subject: str, text: str, end: int, at: int, start: int) -> Iterator[Claim]:
    """What follows at `at` on the name of `subject`."""
    yield from _health(subject, text, at, start, end, (_ALLERGIC_NAMED, _DIET_NAMED, _BORN_NAMED, _BORN_IN_NAMED))
    if (match := _MOVED_NAMED.match(text, at, end)) and (value := _home(text, match, end)):
        yield Claim(subject, "lives in", value, start)


def _place(text: str, match: re.Match[str], end: int, kind: re.Pattern[str]) -> str:
    value = phrase_at(text, match.end(), end, STOP_PLACE)
    return value if value and kind.match(value) and value.split()[0].lower() not in NEVER - _ARTICLES else ""


def _home(text: str, match: re.Match[str], end: int) -> str:
    """Where somebody lives after a move; empty for a step."""
    value = _place(text, match, end, HOME)
    return "" if STEP.match(text, match.end() + len(value), end) else value


def _health(subject: str, text: str, at: int, start: int, end: int, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Claim]:
    allergic, diet, born, born_in = patterns
    match = allergic.match(text, at, end)
    if match and (value := phrase_at(text, match.end(), end, STOP)) and value.split()[0].lower() not in NO_OBJECT | _NO_ALLERGEN:
        more = _BOTH.match(text, match.end() + len(value), end)
        yield Claim(subject, "allergy", value + (more.group() if more else ""), start)
    if match := diet.match(text, at, end):
        yield Claim(subject, "diet", match.group(1), start)
    if match := born.match(text, at, end):
        yield Claim(subject, "birthday", match.group(1), start)
    elif (match := born_in.match(text, at, end)) and (value := phrase_at(text, match.end(), end, STOP_PLACE)):
        yield Claim(subject, "born in", value, start)


def _favourite(text: str, match: re.Match[str], end: int) -> Iterator[Claim]:
    kind = match.group(1).strip()
    value = phrase_at(text, match.end(), end, STOP)
    if value and not set(kind.split()) & _NO_FAVOURITE:
        words = value.lower().replace("’", "'").split()
        if words[0] not in _NO_VALUE or (words[0] == "the" and len(value) > 4 and value[4].isupper()):
            yield Claim("", f"favourite:{fold_name(kind)}", value, match.start())
