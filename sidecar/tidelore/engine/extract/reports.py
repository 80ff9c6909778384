"""Words by which one tells what somebody else says, thinks or wrote."""

from __future__ import annotations

import re

from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import HAN

SAID = (
    "(?:said|says|say|saying|told|tells|asked|asks|replied|replies|answered|answers|wrote|writes|whispered|whispers|shouted|shouts|yelled|"
    "yells|muttered|mutters|mumbled|mumbles|murmured|murmurs|added|adds|insisted|insists|explained|explains|put it|puts it|quoted?|cried|"
    "cries|called|growled|growls|sighed|sighs|laughed|laughs|announced|announces|declared|declares|admitted|admits|confessed|confesses|"
    "began|begins|continued|continues|snapped|snaps|lied|lies|boasted|boasts|claimed|claims|"
    "grins|grinned|smiles|smiled|nods|nodded|shrugs|shrugged|spits|spat|gasps|gasped|hisses|hissed|chuckles|chuckled)"
)
_THINKS = (
    r"(?:think|thinks|thought|believe|believes|believed|claim|claims|claimed|swear|swears|swore|assume|assumes|assumed|pretend|pretends)"
)
SAID_HAN = (
    "(?:说|說|道|问|問|喊|答|写|寫|唱|念|读|讲|曰|吼|叹|嘟囔|嘀咕|低语|开口|宣布|声称|告诉|告訴|表示|回应|回复|解释|补充|笑|喝)(?:道|"
    "着|了)?"
)
_OTHERS = (
    r"(?:[Hh]e|[Ss]he|[Tt]hey|[Yy]ou|(?:[Ee]very|[Ss]ome|[Aa]ny|[Nn]o)(?:one|body)|[Pp]eople|[A-Z][a-z]+|"
    r"(?:[Mm]y|[Yy]our|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|[Aa]n?) (?:[a-z-]+ ){0,2}?[a-z-]+)"
)
_OWN = later(
    rf"(?<![A-Za-z])I (?:[a-z]+ ){{0,2}}?{SAID}(?![A-Za-z])|(?:^|[，,])\s*我[^他她]{{0,8}}?{SAID_HAN}$",
)
# At the end of what stands before the colon or comma.
_TOLD = later(
    rf"(?<![A-Za-z]){SAID}(?: (?:to )?(?:me|him|her|us|them|you|everyone|all|himself|herself|[A-Z][a-z]+|(?:my|his|her|the) [a-z]+))?"
    rf"(?: (?:[a-z]+ly|again|once|back|out|in|on|at|with|through|into|from)(?: [a-z]+){{0,4}})?[ *_]*$|"
    rf"{SAID_HAN}[我他她你们大家]{{0,3}}[ *]*$"
)
# Before a colon alone: something written, sung, to be said or translated.
_WRITTEN = (
    r"(?i:(?<![a-z])(?:reads?|goes|went|translated?|translates|repeat|say|type|write|quote|lyrics|sings?|sang|motto|poem|sentence|phrase|"
    r"example|line|following|prompt|scenario|character|lied|lie|story|options?|choices?|choose|tell|introduced)(?![a-z]))|"
    r"翻译|翻譯|复述|重复|例句|造句|台词|歌词|例如|比如|剧情|设定|选择|选项|场景"
)
_TEXT = later(f"{_WRITTEN}|{SAID_HAN}")
# A word of telling, and the colon or comma that ends its clause: where is_report is worth asking.
ANNOUNCED = later(rf"(?:(?<![A-Za-z]){SAID}(?![a-z])|{SAID_HAN}|{_WRITTEN})[^:：,，.!?;。！？；\n]{{0,60}}[:：,，]")
_THOUGHT = later(
    rf"(?<![A-Za-z]){_OTHERS} (?:[a-z]+ )?(?:{SAID}|{_THINKS})(?: (?:me|him|her|us|them))?(?: that)? .*$|"
    r"[他她们](?:总是?|一直|都|还)?(?:说|觉得|以为|认为|告诉)",
    re.DOTALL,
)
_CONTRARY = later(rf"(?<![A-Za-z])but(?![A-Za-z])|[—–;；]|但|可是|可(?=我)|而(?=我)|(?<=[{HAN}])不过")


# "I should warn you: ..." says of what follows that it is meant, in words that elsewhere make a thing unsure.
_PREFACE = (
    r"(?:(?:but|and|so|also|oh|well|just|still|first|sorry|though),? ){0,2}"
    r"(?:(?:I(?:['’]d better| (?:should|must|ought to|have to|need to|want to|might as well|guess I should))"
    r"(?: probably| really| also| just)? (?:warn you|tell you|let you know|remind you|mention|confess|admit|add|point out|say)"
    r"|I (?:should|must) have (?:told|warned) you)(?: now| first| again| up front| upfront| here| too| right away| straight away)?"
    r"|[Yy]ou (?:should|ought to|need to|must|have to) (?:also )?(?:know|be warned|be aware)(?: first| too)?"
    r"|(?:[Ll]et me|[Aa]llow me to) (?:warn you|be clear|be honest|confess|admit|add|remind you)|[Ff]air warning|[Bb]e warned)"
)
_PREFACE_END = r"(?: that (?=I(?![A-Za-z]))|: ?|, | ?[—–] ?| - )"
_OPENS_PREFACED = later(rf"[\s*_\"“]*{_PREFACE}{_PREFACE_END}", re.ASCII | re.IGNORECASE)
_PREFACED = later(rf"(?:^|[\n.!?;:,—–*_\"“”(] ?){_PREFACE}(?: that |[:,] ?| ?[—–-] ?)?$", re.ASCII | re.IGNORECASE)
PREFACE_LONGEST = 80


def preface_end(text: str, start: int, end: int) -> int:
    """Where the sentence text[start:end] goes on after a preface of its speaker's own statement; `start` where it has none."""
    match = _OPENS_PREFACED.match(text, start, end)
    return match.end() if match else start


def is_preface(head: str) -> bool:
    """Whether the words end with such a preface, with or without the colon, comma or "that"."""
    return _PREFACED.search(head[-PREFACE_LONGEST:]) is not None


def is_report(head: str, colon: bool) -> bool:
    """Whether the words before a colon or comma, from the start of their clause, announce the words of somebody else, or a text."""
    if _OWN.search(head) or is_preface(head):
        return False
    if _TOLD.search(head):
        return True
    return colon and _TEXT.search(head) is not None


def is_of_others(head: str) -> bool:
    """Whether a sentence that began with `head` is still what somebody else says or thinks."""
    start = max((match.end() for match in _CONTRARY.finditer(head)), default=0)
    return _THOUGHT.search(head, start) is not None
