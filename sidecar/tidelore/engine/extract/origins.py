"""Where somebody comes from. Origin and residence are two facts: one may come from Lisbon and live in Porto."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tidelore.engine.extract.claims import Claim
from tidelore.engine.text.names import Mention
from tidelore.engine.text.patterns import later

ATTRIBUTE = "comes from"
# What the value of such a fact names, if anything: a place.
OF_PLACES = ("lives in", ATTRIBUTE, "born in")

_A = re.ASCII
_FROM = later(r"I(?:['’]m| am| come| hail|(?: originally| actually) (?:come|hail))(?: originally| actually)? from ", _A)
_FROM_NAMED = later(r"(?: is|['’]s| comes| hails)(?: originally)? from ", _A)
_NAME_FROM = later(r",? (?:originally )?from ", _A)
_ENDS = later(r"[.!;…\n*”\"—)~]|$|,(?! ?[A-Z0-9])|, [A-Z][a-z]+(?=[.!,;]|$)| (?:and|but|originally|by the way|btw)(?![A-Za-z])", _A)
_NO_PLACE = later(r"(?:Team|Squad|House|Group|Class|Year|Grade|Level|Chapter|Season|Part|Room)(?![a-z])")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_HAN_END = r"(?=[，。！？；、,.!?;…~～*”」』）)\s]|$)"
_COMES = later(rf"(?:是)?来自(?!你|您|他|她|这|那|哪|未来|网络|天|地狱)((?:(?!的)[{_HAN}·]){{2,10}}?)(?<![司部组班队团]){_HAN_END}")
_CAME = later(rf"(?:是|也是)?从([{_HAN}]{{2,8}}?)来的{_HAN_END}")


def of_speaker(text: str, end: int, at: int, by_start: Mapping[int, Mention]) -> Iterator[Claim]:
    """The place from which the first person that stands at `at`, and opens a clause, says to come."""
    if (match := _FROM.match(text, at, end)) and (place := _place(text, match.end(), end, by_start)):
        yield Claim("", ATTRIBUTE, place.name, at)


def after_name(text: str, at: int, end: int, start: int, lead: str, by_start: Mapping[int, Mention]) -> Iterator[Claim]:
    """The same of "I'm Ana, from Lisbon": `at` is where what stands before "from" ends, `lead` what the words lack."""
    if (match := _NAME_FROM.match(text, at, end)) and (place := _place(text, match.end(), end, by_start)):
        yield Claim("", ATTRIBUTE, place.name, start, text.index("from", match.start()), lead)


def of_named(subject: str, text: str, end: int, at: int, start: int, by_start: Mapping[int, Mention]) -> Iterator[Claim]:
    """What follows at `at` on the name of `subject`. A letter is from somebody, too: only a place that is known as one counts."""
    match = _FROM_NAMED.match(text, at, end)
    if match and (place := _place(text, match.end(), end, by_start)) and place.sub == "location":
        yield Claim(subject, ATTRIBUTE, place.name, start)


def of_clause(text: str, at: int, end: int, by_start: Mapping[int, Mention]) -> str:
    """The place in a Chinese clause that begins at `at` without its subject; empty where there is none."""
    if match := _COMES.match(text, at, end):
        return match.group(1)
    match = _CAME.match(text, at, end)
    place = by_start.get(match.start(1)) if match else None
    # One also comes from school, or from a shop.
    return place.name if match and place is not None and place.sub == "location" and place.end == match.end(1) else ""


def _place(text: str, at: int, end: int, by_start: Mapping[int, Mention]) -> Mention | None:
    place = by_start.get(at)
    if place is None or place.sub not in ("location", "character", "topic") or place.end > end or _NO_PLACE.match(text, at):
        return None
    return place if _ENDS.match(text, place.end, end) else None
