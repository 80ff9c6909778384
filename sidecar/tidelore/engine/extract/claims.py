"""What a claim is, and the pieces of English that the patterns of claims share."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidelore.engine.text.name_words import KIN, PETS
from tidelore.engine.text.patterns import later


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of `subject` ("" is the speaker) at text[at]; `value` is verbatim.

    Where the claim has a clause of its own further on in the sentence, that one begins at `own`, and `lead` is what its words lack:
    "I hate cilantro and love jazz" has one at "love" that lacks "I ".
    """

    subject: str
    attribute: str
    value: str
    at: int
    own: int = -1
    lead: str = ""

    @property
    def begins(self) -> int:
        """Where its own clause begins in the text."""
        return self.at if self.own < 0 else self.own

    @property
    def sub(self) -> str:
        """The sub kind of facts."""
        return "preference" if self.attribute.startswith("likes:") else "state"


_A = re.ASCII
ADVERBS = (
    r"(?:(?:really|truly|absolutely|also|still|just|always|actually|honestly|totally|definitely|genuinely|so|"
    r"simply|very|completely|now|already|currently|finally|newly|recently|happily|officially|quite|pretty|utterly|"
    r"a bit|a little|too|badly|seriously|gravely|only|all|both|such|extremely|super|incredibly|since) )*+"
)
_CHUNK = later(r"(?:[^,.;:!?\n\"“”*()—–…~]|(?<= St)\.|(?<=^St)\.|(?<= Dr)\.|(?<= Mt)\.|(?<= Mr)\.|(?<= Mrs)\.){1,90}")
STOP = later(
    r" (?:and|but|because|since|when|whenever|while|so|which|who|that|where|with|these days|right now|now|too|as "
    r"well|very much|a lot|so much|most|more|better|best|though|for|at the moment|currently"
    r"|anymore|or|than|over|as|lately|then|yet|already|together|today|tonight|during|after|before|cause|cuz|even|"
    r"every|lol|at|by|from|if)(?![A-Za-z'’])",
    _A,
)
STOP_PLACE = later(
    r" (?:and|but|because|since|when|while|so|which|who|that|where|with|these days|right now|now|too|for|at the "
    r"moment|currently|as|lately|then|trying|to|after|before|until|again|alone|together|today|tonight|just|last|"
    r"this|\d+ years?|in (?:19|20)[0-9]{2})(?![A-Za-z'’])",
    _A,
)
# A clause with "that", "which" narrows what stands before it: "people who lie" are not people.
NARROWER = later(r" (?:who|that|which|where|whose)(?![A-Za-z])", _A)
END = r"(?=[.!,;…\n*”\"—)~]|$| (?:and|but|because|about|at|with|again|now|today|tonight|lately|right now|over|that|by|btw)(?![A-Za-z]))"

NO_OBJECT = frozenset(
    """
    it that this these those you your yours him her hers his them their theirs me us our its how what when where why who
    whatever to being seeing hearing knowing having getting thinking talking meeting making giving helping trying everything
    everyone everybody something nothing anything both all one most some any every each working sharing using going looking when
    if as coming myself yourself himself herself themselves about such more another other others about and or is was not no so
    also too really just only
    """.split()
)
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
    "cottage houseboat caravan trailer chapel convent orphanage lighthouse manor mansion monastery abbey farmhouse lobby elevator dorm "
    "dormitory university campus"
)
PLACE = later(
    rf"(?:the|an?|my|our|his|her|their) (?:[a-z'’-]+ ){{0,3}}?(?:{'|'.join(_PLACES.split())})(?: (?:(?:deep|right|just) )?(?:of|in|on|near|"
    rf"by|outside|at|above|behind|over|under|beside|opposite) [^,.;:!?\n]{{2,40}})?$|[A-Z]",
    _A,
)
# Where a move ends in living there. "I moved to the bar" is a step.
_HOMES = "house|home|apartment|flat|room|cottage|cabin|hut|farm|farmhouse|houseboat|castle|palace|city|town|village|dorm|place"
HOME = later(
    rf"(?:an?|my|our) (?:[a-z'’-]+ ){{0,3}}?(?:{_HOMES})(?: (?:of|in|on|near|by|outside|at|above|behind|over|under|beside|opposite) "
    rf"[^,.;:!?\n]{{2,40}})?$|"
    r"the (?:[a-z-]+ )?(?:city|countryside|suburbs|coast|seaside|mountains|capital|village|country)$|[A-Z](?![^,.;:!?\n]*['’]s(?![a-z]))",
    _A,
)
# A step goes on: "I moved to Anna and took her hand".
STEP = later(r" (?:and|then|to) (?!now |it |we |live |love |work |started? )[a-z]", _A)
RELATIVES = "|".join(sorted(KIN | PETS, key=lambda word: (-len(word), word)))
_UNFINISHED = frozenset(
    "to of in on at with for from into by about up out the a an my your his her and or like it this these those".split()
)


def phrase_at(text: str, at: int, end: int, stop: re.Pattern[str]) -> str:
    """The words from `at` to the end of their clause; empty when they are too many to be one thing."""
    match = _CHUNK.match(text, at, end)
    if match is None or len(match.group()) == 90:
        return ""
    phrase = match.group()
    stopped = stop.search(phrase)
    phrase = (phrase[: stopped.start()] if stopped else phrase).strip(" -'’_")
    words = phrase.split()
    return phrase if 0 < len(words) <= 6 and words[-1] not in _UNFINISHED else ""
