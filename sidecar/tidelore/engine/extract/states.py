"""Facts that an English sentence states plainly, of its speaker or of somebody named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tidelore.engine.extract import origins, own_facts
from tidelore.engine.extract.claims import ADVERBS, END, NARROWER, NO_OBJECT, PLACE, RELATIVES, STOP, STOP_PLACE, Claim, phrase_at
from tidelore.engine.extract.reports import PREFACE_LONGEST, is_preface
from tidelore.engine.text.name_words import PEOPLES, TITLES
from tidelore.engine.text.names import Mention
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

_A = re.ASCII
_FIRST = later(
    r"(?<![A-Za-z'’-])(?:I(?:['’](?:m|ve))?|[Mm]y|[Ww]e(?:['’]re)?|[Cc]all me|(?:[Pp]eople|[Ff]riends|"
    r"[Ee]very(?:one|body)) calls? me)(?= )",
    _A,
)
_CLAUSE = later(
    r"(?:^|[\n.!?:;,—–*_\"“”()\]~…-]|(?<![A-Za-z])(?:and|but|so|because|since|also|then|though|although|well|"
    r"yeah|yes|oh|actually|honestly|hi|hello|hey|ok|okay"
    r"|while|now|currently|personally|please|just|can|basically|lately|nowadays|these days|yesterday|today|recently|finally|"
    r"unfortunately|sadly|luckily|obviously|"
    r"of course|last (?:week|month|year)|that['’]s why))[ ]*$",
    _A | re.IGNORECASE,
)
# Before a name: "My co-worker Lin", "Dr. Lin".
_ROLE = later(
    rf"(?:(?<![A-Za-z])(?:[Mm]y|[Oo]ur)(?: [a-z][a-z-]*){{1,3}}|"
    rf"(?<![A-Za-z])(?:{'|'.join(sorted(title.capitalize() for title in TITLES if title.isascii()))})\.?) $"
)
_VERBS = r"love|like|hate|dislike|adore|detest|loathe|despise|enjoy|prefer"
_LIKES = later(rf"I(?:['’]ve)? {ADVERBS}({_VERBS}|can(?:['’]?t|not) stand|(?:don['’]t|do not)(?: really)? (?:like|enjoy)) ", _A)
_LIKES_NAMED = later(
    rf" {ADVERBS}(loves|likes|hates|dislikes|adores|detests|loathes|despises|enjoys|prefers|can['’]?t stand|"
    rf"(?:doesn['’]t|does not) like) ",
    _A,
)
# "I like totally forgot", and "I like my coffee black".
_FILLED = later(
    r"(?:[a-z]+(?:ly|ed)|went|never|can['’]?t|don['’]?t|didn['’]?t|am|have|had|was|do|did|need|think|know|said|want)(?![a-z])", _A
)
_KNOWN_THE = frozenset(
    (
        "beach ocean sea rain snow mountains outdoors piano guitar violin cold heat winter summer dark night city "
        "countryside forest woods water theater theatre gym sun colour color"
    ).split()
)
_LIVES = later(
    r"(?:I(?:['’]m)?|We|we) (?:currently |now |still |also |just |actually |recently |both )*+(?:live|reside|am "
    r"living|living|am based|based) (?:alone |together |here )?(?:in|near) ",
    _A,
)
_LIVES_NAMED = later(r"(?: lives| is living| resides|['’]s living) (?:in|near) ", _A)
_WORKS_AS = later(
    r"I(?: (?:currently |now |still |also |just )*+work|(?:['’]m| am)(?: currently)? (?:working|employed)) as (?:an? |the )?", _A
)
_WORKS_AS_NAMED = later(r"(?: works| is working) as (?:an? |the )?", _A)
_NO_TRADE = later(
    r"(?:little|much|well|hard|fast|quickly|usual|always|best|planned|expected|intended|long|soon|often|late|part|one|if|though|before|"
    r"needed|"
    r"told|instructed|I|you|we|they|he|she)(?![a-z])",
    _A,
)
_NO_EMPLOYER = later(r"(?:a living|the moment|a while|the same|an? [a-z']+['’]s pace|the best|the weekend|a pittance|free)")
_WORKS_AT = later(
    r"I(?: (?:currently |now |still |also |just )*+work|(?:['’]m| am)(?: currently)? working| (?:just |finally "
    r")?(?:got|landed) (?:the|a) (?:new )?job) (?:at|for) (?=the |an? |my |our |[A-Z])",
    _A,
)
_WORKS_AT_NAMED = later(r"(?: works| is working) (?:at|for) (?=the |an? |[A-Z])", _A)
_OCCUPATIONS = (
    "accountant actor actress alchemist apothecary architect artist astronaut author baker barber bard barista bartender biologist "
    "blacksmith bookkeeper botanist butcher captain carpenter cashier chef chemist cleaner coach cook dancer "
    "dentist designer "
    "detective developer doctor driver economist editor electrician engineer farmer firefighter fisherman "
    "florist gardener hairdresser healer herbalist hunter innkeeper investigator janitor journalist judge knight "
    "lawyer lecturer librarian "
    "mage manager mechanic mercenary merchant midwife miner model musician nurse painter paramedic pharmacist "
    "photographer physicist pilot plumber poet policeman politician postman potter priest priestess professor "
    "programmer "
    "psychologist ranger receptionist reporter researcher sailor salesman scholar scientist sculptor secretary "
    "shepherd singer smith smuggler soldier spy student surgeon tailor teacher therapist translator veterinarian "
    "vet waiter waitress "
    "warden welder witch wizard writer assassin bodyguard brewer cartographer cleric clerk clockmaker cobbler courier jeweler jeweller "
    "locksmith mason minstrel monk nun paladin pirate scribe seamstress squire stonemason thief trapper tutor watchmaker weaver"
)
_JOB = rf"((?:[a-z-]+ ){{0,2}}?(?:{'|'.join(_OCCUPATIONS.split())})(?: (?:in|at|from) [^,.;:!?\n]{{2,40}}?)?){END}"
_AS_JOB = later(
    rf", an? ((?:[a-z-]+ ){{0,2}}?(?:{'|'.join(_OCCUPATIONS.split())}))(?=[.!,;…\n*”\"—)~]|$| (?:and|but|from|by the way)(?![A-Za-z]))", _A
)
_IS_JOB = later(rf"I(?:['’]m| am) {ADVERBS}an? {_JOB}", _A)
_IS_JOB_NAMED = later(rf"(?: is|['’]s) {ADVERBS}an? {_JOB}", _A)
_NO_JOB = later(
    r"(?<![a-z])(?:bad|good|great|terrible|better|big|real|born|true|decent|lousy|role|natural|former|aspiring|"
    r"future|wannabe|kind|quick|slow|fast|poor|fake|budding|would-be|not|avid|keen|amateur|hobby|passionate|enthusiastic|weekend|huge|lazy|"
    r"awful|horrible|mediocre|wonderful|excellent|amazing|lovely|brilliant|mean|happy|secret|closet|pretend|so-called|model)(?![a-z])",
    _A,
)
_AGE = later(
    r"(?:I(?:['’]m| am| turned| just turned)|[Mm]y age is) (?:now |already |just |only )?(?:(\d{1,3})(?=(?: "
    r"now| last week| last month| today| yesterday)?(?:[.!,;\n]|$| and ))|([a-z0-9]+(?:-[a-z]+)?) years? old(?![a-z]))",
    _A,
)
_AGE_NAMED = later(r"(?: is|['’]s) (?:now |already |just |only )?([a-z0-9]+(?:-[a-z]+)?) years? old(?![a-z])", _A)
_STATUS = (
    r"married|engaged|divorced|single|widowed|pregnant|injured|wounded|retired|unemployed|blind|deaf|bedridden|"
    r"paralysed|paralyzed|unconscious|imprisoned|bankrupt|homeless|alive|poisoned|cursed|sick|ill"
)
# "blind with rage" and "ill at ease" are no states.
_STATUS_END = (
    r"(?=[.!,;…\n*”\"—)~]|$| (?:and(?! tired)|but|because|again|now|today|tonight|right now|since|for|by|"
    r"with (?:two|three|four|a|one|kids|children|twins))(?![A-Za-z]))"
)
_IS_STATUS = later(rf"I(?:['’]m| am| got| just got|['’]ve been| have been| was just) {ADVERBS}({_STATUS}){_STATUS_END}", _A)
_IS_STATUS_NAMED = later(
    rf"(?:(?: is|['’]s| got| just got| has been) {ADVERBS}(?:({_STATUS}|missing)|(?<!so )(dead))| was {ADVERBS}(injured|wounded|killed|"
    rf"captured|imprisoned|dead|poisoned)| (?:has )?(died|passed away)){_STATUS_END}",
    _A,
)
_MOOD = (
    "furious|happy|sad|angry|upset|excited|nervous|scared|terrified|afraid|depressed|lonely|anxious|worried|"
    "jealous|heartbroken|devastated|exhausted|tired|thrilled|ecstatic|frustrated|annoyed|bored|ashamed|"
    "embarrassed|miserable|overjoyed|"
    "delighted|livid|enraged|hurt|relieved|stressed|overwhelmed|proud|homesick|confused|disappointed"
)
_IS_MOOD = later(rf"I(?:['’]m| am| feel) (?:feeling )?{ADVERBS}(?!afraid (?:that|not|so))({_MOOD}){END}", _A)
_IS_MOOD_NAMED = later(rf"(?: is| was|['’]s| feels) (?:feeling )?{ADVERBS}({_MOOD}){END}", _A)
_IN_PLACE = (
    r"(?:(?:in|at|inside|aboard|outside|near|on) (?=(?:the|an?|my|our|his|her|their) )|(?:in|at|inside|aboard|outside|near) (?=[A-Z]))"
)
_NO_LOCATION = later(
    r"(?:I |the same |the market (?:for|to)|the (?:dark|mood|middle|end)|(?:Team|Year|Grade|Level|Chapter|Day|Season|Part|Love|Discord|"
    r"Heaven|Hell|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|"
    r"October|November|December)(?![a-z]))"
)
_NO_NAME = frozenset(
    "team aries taurus gemini cancer leo virgo libra scorpio sagittarius capricorn aquarius pisces gen type level slytherin gryffindor "
    "hufflepuff ravenclaw captain".split()
)
_LOCATION = later(
    rf"(?:We(?:['’]re| are)|we(?:['’]re| are)|I(?:['’]m| am)) (now |currently |finally |back |still |already )*+{_IN_PLACE}", _A
)
_LOCATION_NAMED = later(rf"(?: is|['’]s) (now |currently |still |back )*+{_IN_PLACE}", _A)
_NAME = later(
    r"(?:My|my) (?:full |real |first )?name(?: is|['’]s) |(?:(?:[Pp]eople|[Ff]riends|[Ee]very(?:one|body)) calls? me|"
    r"[Cc]all me|I(?:['’]m| am) (?:called|named)) ",
    _A,
)
_I_AM = later(r"I(?:['’]m| am) ", _A)
_NAME_END = later(r"[.!,;\n*”\"—~]|$| (?:and|from|by the way|the|but|nice|please|for short)(?![A-Za-z])", _A)
_MY = later(
    rf"[Mm]y (?:[a-z-]+ ){{0,2}}?({RELATIVES})(?: (?:is |was )?(?:named|called)|['’]s (?:name is|called|named)| is)? (?=[A-ZÀ-Þ])", _A
)
_HAVE = later(
    rf"I(?: have|['’]ve got| got| adopted| just adopted| own| rescued)(?: an?| one| my| another) (?:[a-z-]+ "
    rf"){{0,3}}?({RELATIVES})(?:,? (?:named|called|whose name is)) (?=[A-ZÀ-Þ])",
    _A,
)
_HAS_NAMED = later(
    r" has (an? (?:PhD|Ph\.D\.|doctorate|degree|master['’]s(?: degree)?|MBA|scar|twin|tattoo|"
    + RELATIVES
    + r")(?: in [a-z]+(?: [a-z]+)?)?)(?![A-Za-z])",
    _A,
)
# What any of the patterns of named people begins with.
_GOES_ON = later(
    rf" {ADVERBS}(?:is|was|has|got|died|passed|lives|resides|moved|works|feels|comes|hails|loves|likes|hates|dislikes|adores|detests|"
    r"loathes|despises|enjoys|prefers|can|doesn|does)(?![A-Za-z])|['’]s ",
    _A,
)
_PAST = later(r"(?<![A-Za-z])(?:yesterday|ago|once|last (?:week|month|year|night)|when|back then|at first|before)(?![A-Za-z])", _A)


def of_speaker(text: str, end: int, at: int, by_start: dict[int, Mention]) -> Iterator[Claim]:
    """What the first person that stands at `at` says of its speaker, in the sentence that ends at `end`."""
    if text.startswith(("my", "My"), at) and (match := _MY.match(text, at, end)):
        yield from _has(text, match, by_start)
    yield from own_facts.kin_of_speaker(text, end, at, by_start)
    if not (_CLAUSE.search(text[max(0, at - 16) : at]) or is_preface(text[max(0, at - PREFACE_LONGEST) : at])):
        return
    if match := _HAVE.match(text, at, end):
        yield from _has(text, match, by_start)
    if (match := _NAME.match(text, at, end)) and (name := _name_at(text, match.end(), by_start)):
        yield Claim("", "name", name, at)
    elif (
        (match := _I_AM.match(text, at, end))
        and (name := _name_at(text, match.end(), by_start))
        and by_start[match.end()].sub == "character"
    ):
        yield Claim("", "name", name, at)
        yield from _introduced(text, by_start[match.end()].end, end, at, match.group(), by_start)
    yield from origins.of_speaker(text, end, at, by_start)
    if match := _LIKES.match(text, at, end):
        yield from _likes("", text, match, end, at)
    yield from _common("", text, at, at, end, _SPEAKER)
    yield from own_facts.of_speaker(text, end, at)
    if text.startswith("I", at):
        yield from _continued(text, end, at)


def _introduced(text: str, after: int, end: int, at: int, lead: str, by_start: dict[int, Mention]) -> Iterator[Claim]:
    """What follows on the name in "I'm Sam, a cartographer from Lisbon"."""
    if (match := _AS_JOB.match(text, after, end)) and not _NO_JOB.search(match.group(1)):
        yield Claim("", "works as", match.group(1), at, after + 2, lead)
        after = match.end()
    yield from origins.after_name(text, after, end, at, lead, by_start)


# "I hate cilantro and love jazz": a second verb of the same "I".
_AND = later(
    rf" (?:and|but)(?: also| I)?(?= {ADVERBS}(?:{_VERBS}|can['’]?t stand|don['’]t like|live|work|am) "
    r"(?!songs?|stories|story|letters?|poems?|life|notes?|affairs?)(?=[A-Za-z]))"
)
_BETWEEN = later(
    r"[.;:!?\"“”*\n]|(?<![A-Za-z])(?:who|that|which|when|where|while|because|if|he|"
    r"she|they|you|we|it|said|told|(?<!allergic )(?<!moved )to|make|makes|let|people)(?![A-Za-z])"
)


def _continued(text: str, end: int, at: int) -> Iterator[Claim]:
    first = _LIKES.match(text, at, end)
    for match in _AND.finditer(text, at, end):
        if _BETWEEN.search(text, at, match.start()):
            return
        rest = "I" + text[match.end() : end]
        # "I love the kindness and love theme": the same verb twice is a noun more often.
        claims = list(_common("", rest, 0, at, len(rest), _SPEAKER))
        if (likes := _LIKES.match(rest)) and not (first and likes.group(1) == first.group(1)):
            claims = [*_likes("", rest, likes, len(rest), at), *claims]
        yield from (replace(claim, own=match.end() + 1, lead="I ") for claim in claims)


def of_named(text: str, end: int, mention: Mention, by_start: dict[int, Mention]) -> Iterator[Claim]:
    """What the sentence, which ends at `end`, says of the one whose name it is."""
    if mention.sub not in ("character", "topic") or not _GOES_ON.match(text, mention.end, end):
        return
    before = text[max(0, mention.start - 48) : mention.start]
    role = _ROLE.search(before)
    clause = before[: role.start()] if role else before
    if not _CLAUSE.search(clause):
        return
    if match := _LIKES_NAMED.match(text, mention.end, end):
        yield from _likes(mention.name, text, match, end, mention.start)
    if match := _HAS_NAMED.match(text, mention.end, end):
        yield Claim(mention.name, f"has:{fold_name(_without_article(match.group(1)))}", match.group(1), mention.start)
    yield from _common(mention.name, text, mention.end, mention.start, end, _NAMED)
    yield from origins.of_named(mention.name, text, end, mention.end, mention.start, by_start)
    yield from own_facts.of_named(mention.name, text, end, mention.end, mention.start)


def first_persons(text: str) -> Iterator[int]:
    """Where words of the first person stand that may open a claim."""
    return (match.start() for match in _FIRST.finditer(text))


_SPEAKER = (_LIVES, _WORKS_AS, _WORKS_AT, _IS_JOB, _AGE, _IS_STATUS, _IS_MOOD, _LOCATION)
_NAMED = (_LIVES_NAMED, _WORKS_AS_NAMED, _WORKS_AT_NAMED, _IS_JOB_NAMED, _AGE_NAMED, _IS_STATUS_NAMED, _IS_MOOD_NAMED, _LOCATION_NAMED)


def _common(subject: str, text: str, at: int, start: int, end: int, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Claim]:
    lives, works_as, works_at, job, age, status, mood, location = patterns
    if match := lives.match(text, at, end):
        value = phrase_at(text, match.end(), end, STOP_PLACE)
        if value and PLACE.match(value):
            yield Claim(subject, "lives in", value, start)
    if match := works_as.match(text, at, end):
        value = phrase_at(text, match.end(), end, STOP_PLACE)
        if value and not _NO_TRADE.match(value):
            yield Claim(subject, "works as", value, start)
    elif match := works_at.match(text, at, end):
        if (value := phrase_at(text, match.end(), end, STOP_PLACE)) and not _NO_EMPLOYER.match(value):
            yield Claim(subject, "works at", value, start)
    elif (match := job.match(text, at, end)) and not _NO_JOB.search(match.group(1)):
        yield Claim(subject, "works as", match.group(1), start)
    if match := age.match(text, at, end):
        value = match.group(match.lastindex or 1)
        if not value.isdigit() or int(value) <= 120:
            yield Claim(subject, "age", value, start)
    if match := status.match(text, at, end):
        yield Claim(subject, "status", match.group(match.lastindex or 1), start)
    if (match := mood.match(text, at, end)) and not (subject and _PAST.search(text[start:end])):
        yield Claim(subject, "mood", match.group(1), start)
    if match := location.match(text, at, end):
        value = phrase_at(text, match.end(), end, STOP_PLACE)
        if value and PLACE.match(value) and not (_NO_LOCATION.match(text, match.end(), end) or value.split()[0].lower() in PEOPLES):
            yield Claim(subject, "location", value, start)


def _likes(subject: str, text: str, match: re.Match[str], end: int, start: int) -> Iterator[Claim]:
    phrase = phrase_at(text, match.end(), end, STOP)
    if not phrase or NARROWER.match(text, match.end() + len(phrase), end):
        return
    if match.group(1) in ("like", "prefer") and (phrase.startswith("my ") or _FILLED.match(phrase)):
        return
    words = phrase.lower().replace("’", "'").split()
    if words[0].partition("'")[0] in NO_OBJECT or (
        words[0] == "the" and len(words) > 1 and words[1] not in _KNOWN_THE and not phrase[4].isupper()
    ):
        return
    yield Claim(subject, f"likes:{fold_name(_without_article(phrase))}", match.group(1), start)


def _has(text: str, match: re.Match[str], by_start: dict[int, Mention]) -> Iterator[Claim]:
    mention = by_start.get(match.end())
    if (
        mention is not None
        and mention.sub in ("character", "topic")
        and not (match.group().endswith(" is ") and text[mention.end : mention.end + 1] in ("'", "’"))
    ):
        yield Claim("", f"has:{fold_name(mention.name)}", text[match.start(1) : mention.end], match.start())


def _name_at(text: str, at: int, by_start: dict[int, Mention]) -> str:
    mention = by_start.get(at)
    if mention is None or mention.sub not in ("character", "topic") or not _NAME_END.match(text, mention.end):
        return ""
    if mention.name.split()[0].lower() in _NO_NAME:
        return ""
    return mention.name


def _without_article(phrase: str) -> str:
    return re.sub(r"^(?:the|an?|my|our|some) ", "", phrase, flags=re.IGNORECASE)
