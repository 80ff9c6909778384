"""Facts that an English sentence states plainly, of its speaker or of somebody named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tidelore.engine.text.name_words import KIN, PETS, TITLES
from tidelore.engine.text.names import Mention
from tidelore.engine.text.unicode14 import fold_name


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of `subject` ("" is the speaker) at text[at]; `value` is verbatim."""

    subject: str
    attribute: str
    value: str
    at: int

    @property
    def sub(self) -> str:
        """The sub kind of facts."""
        return "preference" if self.attribute.startswith("likes:") else "state"


_A = re.ASCII
_FIRST = re.compile(
    r"(?<![A-Za-z'’-])(?:I(?:['’](?:m|ve))?|[Mm]y|[Ww]e(?:['’]re)?|[Cc]all me|(?:[Pp]eople|[Ff]riends|"
    r"[Ee]veryone) calls? me)(?= )",
    _A,
)
_CLAUSE = re.compile(
    r"(?:^|[\n.!?:;,—–*_\"“”(~…-]|(?<![A-Za-z])(?:and|but|so|because|since|also|then|though|although|well|"
    r"yeah|yes|oh|actually|honestly|hi|hello|hey|ok|okay"
    r"|while|now|currently|personally|please|just|can|that['’]s why))[ ]*$",
    _A | re.IGNORECASE,
)
# Before a name: "My co-worker Lin", "Dr. Lin".
_ROLE = re.compile(
    rf"(?:(?<![A-Za-z])(?:[Mm]y|[Oo]ur)(?: [a-z][a-z-]*){{1,3}}|"
    rf"(?<![A-Za-z])(?:{'|'.join(sorted(title.capitalize() for title in TITLES if title.isascii()))})\.?) $"
)
_UNSURE = re.compile(
    r"(?<![A-Za-z])(?:if|would|could|might|may|maybe|perhaps|wish(?:es|ed)?|imagin(?:e|ing)|suppose|"
    r"pretend(?:ing)?|unless|should|dream(?:s|ed|t)?|used to|as though"
    r"|whether|probably|possibly|what if|let['’]s say|almost|as long as|until|in case|jk|just "
    r"kidding)(?![A-Za-z])|['’]d(?![A-Za-z])",
    _A,
)
_OUTPUT = re.compile(
    r"(?<![a-z])(?:answers?|repl(?:y|ies)|respon[ds][a-z]*|markdown|json|format[a-z]*|bullets?|bullet points|tokens?|"
    r"paragraphs?|output)(?![a-z])",
    re.IGNORECASE,
)

_ADVERBS = (
    r"(?:(?:really|truly|absolutely|also|still|just|always|actually|honestly|totally|definitely|genuinely|so|"
    r"simply|very|completely|now|already|currently|finally|newly|recently|happily|officially|quite|pretty|utterly|"
    r"a bit|a little|too|badly|seriously|gravely|only|all|both|such|extremely|super|incredibly|since) )*+"
)
_CHUNK = re.compile(r"(?:[^,.;:!?\n\"“”*()—–…~]|(?<= St)\.|(?<=^St)\.|(?<= Dr)\.|(?<= Mt)\.|(?<= Mr)\.|(?<= Mrs)\.){1,90}")
_STOP = re.compile(
    r" (?:and|but|because|since|when|whenever|while|so|which|who|that|where|with|these days|right now|now|too|as "
    r"well|very much|a lot|so much|most|more|better|best|though|for|at the moment|currently"
    r"|anymore|or|than|over|as|lately|then|yet|already|together|today|tonight|during|after|before|cause|cuz|even|"
    r"every|lol|at|by|from|if)(?![A-Za-z'’])",
    _A,
)
_STOP_PLACE = re.compile(
    r" (?:and|but|because|since|when|while|so|which|who|that|where|with|these days|right now|now|too|for|at the "
    r"moment|currently|as|lately|then|trying|to|after|before|until|again|alone|together|today|tonight|just|last|"
    r"this|\d+ years?)(?![A-Za-z'’])",
    _A,
)
_END = r"(?=[.!,;…\n*”\"—)~]|$| (?:and|but|because|about|at|with|again|now|today|right now|over|that|by)(?![A-Za-z]))"

_VERBS = r"love|like|hate|dislike|adore|detest|loathe|despise|enjoy|prefer"
_LIKES = re.compile(rf"I(?:['’]ve)? {_ADVERBS}({_VERBS}|can(?:['’]?t|not) stand|(?:don['’]t|do not)(?: really)? (?:like|enjoy)) ", _A)
_LIKES_NAMED = re.compile(
    rf" {_ADVERBS}(loves|likes|hates|dislikes|adores|detests|loathes|despises|enjoys|prefers|can['’]?t stand|"
    rf"(?:doesn['’]t|does not) like) ",
    _A,
)
_NO_OBJECT = frozenset(
    """
    it that this these those you your yours him her hers his them their theirs me us our its how what when where why who
    whatever to being seeing hearing knowing having getting thinking talking meeting making giving helping trying everything
    everyone everybody something nothing anything both all one most some any every each working sharing using going looking when
    if as coming myself yourself himself herself themselves about such more another other others about and or is was not no so
    also too really just only
    """.split()
)
_KNOWN_THE = frozenset(
    (
        "beach ocean sea rain snow mountains outdoors piano guitar violin cold heat winter summer dark night city "
        "countryside forest woods water theater theatre gym sun colour color"
    ).split()
)
_LIVES = re.compile(
    r"(?:I(?:['’]m)?|We|we) (?:currently |now |still |also |just |actually |recently |both )*+(?:live|reside|am "
    r"living|living|am based|based|moved|relocated) (?:alone |together |here )?(?:in|to|near) ",
    _A,
)
_LIVES_NAMED = re.compile(r"(?: lives| is living| resides| moved|['’]s living) (?:in|near|to) ", _A)
_WORKS_AS = re.compile(
    r"I(?: (?:currently |now |still |also |just )*+work|(?:['’]m| am)(?: currently)? (?:working|employed)) as (?:an? |the )?", _A
)
_WORKS_AS_NAMED = re.compile(r"(?: works| is working) as (?:an? |the )?", _A)
_WORKS_AT = re.compile(
    r"I(?: (?:currently |now |still |also |just )*+work|(?:['’]m| am)(?: currently)? working| (?:just |finally "
    r")?(?:got|landed) (?:the|a) (?:new )?job) (?:at|for) (?=the |an? |my |our |[A-Z])",
    _A,
)
_WORKS_AT_NAMED = re.compile(r"(?: works| is working) (?:at|for) (?=the |an? |[A-Z])", _A)
_OCCUPATIONS = (
    "accountant actor actress architect artist astronaut author baker barber barista bartender biologist "
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
    "warden welder witch wizard writer"
)
_JOB = rf"((?:[a-z-]+ ){{0,2}}?(?:{'|'.join(_OCCUPATIONS.split())})(?: (?:in|at|from) [^,.;:!?\n]{{2,40}}?)?){_END}"
_IS_JOB = re.compile(rf"I(?:['’]m| am) {_ADVERBS}an? {_JOB}", _A)
_IS_JOB_NAMED = re.compile(rf"(?: is|['’]s) {_ADVERBS}an? {_JOB}", _A)
_NO_JOB = re.compile(
    r"(?<![a-z])(?:bad|good|great|terrible|better|big|real|born|true|decent|lousy|role|natural|former|aspiring|"
    r"future|wannabe|kind|quick|slow|fast|poor|fake|budding|would-be|not)(?![a-z])",
    _A,
)
_AGE = re.compile(
    r"(?:I(?:['’]m| am| turned| just turned)|[Mm]y age is) (?:now |already |just |only )?(?:(\d{1,3})(?=(?: "
    r"now)?[.!,;\n]|$| and )|([a-z0-9]+(?:-[a-z]+)?) years? old)",
    _A,
)
_AGE_NAMED = re.compile(r"(?: is|['’]s) (?:now |already |just |only )?([a-z0-9]+(?:-[a-z]+)?) years? old", _A)
_STATUS = (
    r"married|engaged|divorced|single|widowed|pregnant|injured|wounded|retired|unemployed|blind|deaf|bedridden|"
    r"paralysed|paralyzed|unconscious|imprisoned|bankrupt|homeless|dead|alive|missing|poisoned|cursed|sick|ill"
)
_IS_STATUS = re.compile(rf"I(?:['’]m| am| got| just got|['’]ve been| have been| was just) {_ADVERBS}({_STATUS}){_END}", _A)
_IS_STATUS_NAMED = re.compile(
    rf"(?:(?: is|['’]s| got| just got| has been) {_ADVERBS}({_STATUS})| was {_ADVERBS}(injured|wounded|killed|"
    rf"captured|imprisoned|dead|poisoned){_END}| (?:has )?(died|passed away)){_END}",
    _A,
)
_MOOD = (
    "furious|happy|sad|angry|upset|excited|nervous|scared|terrified|afraid|depressed|lonely|anxious|worried|"
    "jealous|heartbroken|devastated|exhausted|tired|thrilled|ecstatic|frustrated|annoyed|bored|ashamed|"
    "embarrassed|miserable|overjoyed|"
    "delighted|livid|enraged|hurt|relieved|stressed|overwhelmed|proud|homesick|confused|disappointed"
)
_IS_MOOD = re.compile(rf"I(?:['’]m| am| feel) (?:feeling )?{_ADVERBS}({_MOOD}){_END}", _A)
_IS_MOOD_NAMED = re.compile(rf"(?: is| was|['’]s| feels) (?:feeling )?{_ADVERBS}({_MOOD}){_END}", _A)
_PLACES = (
    "mill house home apartment flat room bedroom kitchen bathroom basement attic cellar garden park forest woods "
    "cave cavern castle palace tower dungeon tavern inn pub bar cafe café restaurant hotel hospital clinic "
    "school classroom library museum "
    "church temple shrine office shop store market mall station airport train bus car ship boat harbor harbour "
    "port dock docks beach island desert mountains mountain valley village town city camp tent cabin hut barn "
    "stable "
    "farm field meadow river lake lakeside bridge street alley square plaza theater theatre arena stadium gym "
    "lab laboratory prison jail cell courtyard hall corridor throne library rooftop roof ruins crypt tomb "
    "graveyard cemetery bunker base "
    "lobby elevator dorm dormitory university campus"
)
_IN_PLACE = r"(?:in|at|inside|aboard|outside|near|on) (?=(?:the|an?|my|our|his|her|their) |[A-Z])"
_LOCATION = re.compile(
    rf"(?:We(?:['’]re| are)|we(?:['’]re| are)|I(?:['’]m| am)) (now |currently |finally |back |still |already )*+{_IN_PLACE}", _A
)
_LOCATION_NAMED = re.compile(rf"(?: is|['’]s) (now |currently |still |back )*+{_IN_PLACE}", _A)
_PLACE = re.compile(
    rf"(?:the|an?|my|our|his|her|their) (?:[a-z'’-]+ ){{0,3}}?(?:{'|'.join(_PLACES.split())})(?: (?:of|in|on|near|"
    rf"by|outside|at) [^,.;:!?\n]{{2,40}})?$|[A-Z]",
    _A,
)
_NAME = re.compile(
    r"(?:My|my) (?:full |real |first )?name(?: is|['’]s) |(?:(?:[Pp]eople|[Ff]riends|[Ee]veryone) calls? me|"
    r"[Cc]all me|I(?:['’]m| am) (?:called|named)) ",
    _A,
)
_I_AM = re.compile(r"I(?:['’]m| am) ", _A)
_NAME_END = re.compile(r"[.!,;\n*”\"—~]|$| (?:and|from|by the way|the|but|nice|please|for short)(?![A-Za-z])", _A)
_RELATIVES = "|".join(sorted(KIN | PETS, key=lambda word: (-len(word), word)))
_MY = re.compile(
    rf"[Mm]y (?:[a-z-]+ ){{0,2}}?({_RELATIVES})(?: (?:is |was )?(?:named|called)|['’]s (?:name is|called|named)| is)? (?=[A-ZÀ-Þ])", _A
)
_HAVE = re.compile(
    rf"I(?: have|['’]ve got| got| adopted| just adopted| own| rescued)(?: an?| one| my| another) (?:[a-z-]+ "
    rf"){{0,3}}?({_RELATIVES})(?:,? (?:named|called|whose name is)) (?=[A-ZÀ-Þ])",
    _A,
)
_HAS_NAMED = re.compile(
    r" has (an? (?:PhD|Ph\.D\.|doctorate|degree|master['’]s(?: degree)?|MBA|scar|twin|tattoo|"
    + _RELATIVES
    + r")(?: in [a-z]+(?: [a-z]+)?)?)(?![A-Za-z])",
    _A,
)
# What any of the patterns of named people begins with.
_GOES_ON = re.compile(
    rf" {_ADVERBS}(?:is|was|has|got|died|passed|lives|resides|moved|works|feels|loves|likes|hates|dislikes|adores|detests|loathes|despises|"
    r"enjoys|prefers|can|doesn|does)(?![A-Za-z])|['’]s ",
    _A,
)
_PAST = re.compile(r"(?<![A-Za-z])(?:yesterday|ago|once|last (?:week|month|year|night)|when|back then|at first|before)(?![A-Za-z])", _A)


def of_speaker(text: str, end: int, at: int, by_start: dict[int, Mention]) -> Iterator[Claim]:
    """What the first person that stands at `at` says of its speaker, in the sentence that ends at `end`."""
    if text.startswith(("my", "My"), at) and (match := _MY.match(text, at, end)):
        yield from _has(text, match, by_start)
    if not _CLAUSE.search(text[max(0, at - 16) : at]):
        return
    if match := _HAVE.match(text, at, end):
        yield from _has(text, match, by_start)
    if ((match := _NAME.match(text, at, end)) and (name := _name_at(text, match.end(), by_start))) or (
        (match := _I_AM.match(text, at, end))
        and (name := _name_at(text, match.end(), by_start))
        and by_start[match.end()].sub == "character"
    ):
        yield Claim("", "name", name, at)
    if match := _LIKES.match(text, at, end):
        yield from _likes("", text, match, end)
    yield from _common("", text, at, at, end, _SPEAKER)


def of_named(text: str, end: int, mention: Mention) -> Iterator[Claim]:
    """What the sentence, which ends at `end`, says of the one whose name it is."""
    if mention.sub not in ("character", "topic") or not _GOES_ON.match(text, mention.end, end):
        return
    before = text[max(0, mention.start - 48) : mention.start]
    role = _ROLE.search(before)
    clause = before[: role.start()] if role else before
    if not _CLAUSE.search(clause):
        return
    if match := _LIKES_NAMED.match(text, mention.end, end):
        yield from _likes(mention.name, text, match, end)
    if match := _HAS_NAMED.match(text, mention.end, end):
        yield Claim(mention.name, f"has:{fold_name(_without_article(match.group(1)))}", match.group(1), mention.start)
    yield from _common(mention.name, text, mention.end, mention.start, end, _NAMED)


def first_persons(text: str) -> Iterator[int]:
    """Where words of the first person stand that may open a claim."""
    return (match.start() for match in _FIRST.finditer(text))


def is_plain(sentence: str) -> bool:
    """Whether the sentence is neither a question nor a supposition, nor about the form of answers."""
    return not sentence.rstrip("\"”*'’)_ ").endswith(("?", "？")) and not _UNSURE.search(sentence) and not _OUTPUT.search(sentence)


_SPEAKER = (_LIVES, _WORKS_AS, _WORKS_AT, _IS_JOB, _AGE, _IS_STATUS, _IS_MOOD, _LOCATION)
_NAMED = (_LIVES_NAMED, _WORKS_AS_NAMED, _WORKS_AT_NAMED, _IS_JOB_NAMED, _AGE_NAMED, _IS_STATUS_NAMED, _IS_MOOD_NAMED, _LOCATION_NAMED)


def _common(subject: str, text: str, at: int, start: int, end: int, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Claim]:
    lives, works_as, works_at, job, age, status, mood, location = patterns
    if match := lives.match(text, at, end):
        value = _phrase(text, match.end(), end, _STOP_PLACE)
        if value and _PLACE.match(value):
            yield Claim(subject, "lives in", value, start)
    if match := works_as.match(text, at, end):
        if value := _phrase(text, match.end(), end, _STOP_PLACE):
            yield Claim(subject, "works as", value, start)
    elif match := works_at.match(text, at, end):
        if (value := _phrase(text, match.end(), end, _STOP_PLACE)) and not value.startswith(("a living", "the moment", "a while")):
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
        value = _phrase(text, match.end(), end, _STOP_PLACE)
        if value and _PLACE.match(value) and not value.startswith(("I ", "the same ")):
            yield Claim(subject, "location", value, start)


def _likes(subject: str, text: str, match: re.Match[str], end: int) -> Iterator[Claim]:
    phrase = _phrase(text, match.end(), end, _STOP)
    if not phrase:
        return
    words = phrase.lower().replace("’", "'").split()
    if words[0].partition("'")[0] in _NO_OBJECT or (
        words[0] == "the" and len(words) > 1 and words[1] not in _KNOWN_THE and not phrase[4].isupper()
    ):
        return
    yield Claim(subject, f"likes:{fold_name(_without_article(phrase))}", match.group(1), match.start())


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
    return mention.name


def _phrase(text: str, at: int, end: int, stop: re.Pattern[str]) -> str:
    """The words from `at` to the end of their clause; empty when they are too many to be one thing."""
    match = _CHUNK.match(text, at, end)
    if match is None or len(match.group()) == 90:
        return ""
    phrase = match.group()
    stopped = stop.search(phrase)
    phrase = (phrase[: stopped.start()] if stopped else phrase).strip(" -'’_")
    words = phrase.split()
    return phrase if 0 < len(words) <= 6 and words[-1] not in _UNFINISHED else ""


_UNFINISHED = frozenset(
    "to of in on at with for from into by about up out the a an my your his her and or like it this these those".split()
)


def _without_article(phrase: str) -> str:
    return re.sub(r"^(?:the|an?|my|our|some) ", "", phrase, flags=re.IGNORECASE)
