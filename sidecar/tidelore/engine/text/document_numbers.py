"""Numbers of papers and accounts: social security numbers, passports, IBANs, telephones as North America writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from tidelore.engine.text.patterns import later

Place: TypeAlias = tuple[int, int]

_SOCIAL = later(r"(?<![0-9A-Za-z_.-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9A-Za-z_]|[-.][0-9A-Za-z])")
_NAMED_SOCIAL = later(
    r"(?<![A-Za-z])(?:SSN|social security(?: (?:number|no\.?))?)(?: is| was|['’]s)?[ :：#]{1,3}"
    r"((?!000|666|9)[0-9]{3}[ -]?(?!00)[0-9]{2}[ -]?(?!0000)[0-9]{4})(?![0-9A-Za-z_-])",
    re.IGNORECASE,
)
_PASSPORT = later(
    r"(?:(?<![A-Za-z])passport(?: (?:number|num|no\.?|id))?(?: is| was|['’]s)?|护照(?:号码|编号|号)?(?:是|为)?)[ \t:：#]{0,3}"
    r"([A-Z]{1,2}[0-9]{6,9}|(?!(?:19|20)[0-9]{2}[01][0-9][0-3][0-9](?![0-9]))[0-9]{8,9})(?![0-9A-Za-z_-])",
    re.IGNORECASE,
)
# No area and no exchange ends in 11, no area has 9 in the middle.
_NORTH_AMERICAN = later(r"(?<![0-9A-Za-z_.+-])(?:1-)?[2-9](?!11)[0-8][0-9]-[2-9](?!11)[0-9]{2}-[0-9]{4}(?![0-9A-Za-z_]|[-.][0-9A-Za-z])")

_IBAN_START = later(r"(?<![A-Za-z0-9_-])([A-Z]{2})[0-9]{2}(?=[ -]?[A-Z0-9]{4})")
_IBAN_PART = later(r"[ -]?([A-Z0-9]{1,30})")
# ISO 13616
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in (
        entry.split(":")
        for entry in (
            "15:NO 16:BE 18:DK,FI,NL,FO,GL 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,XK 21:CH,HR,LI,LV 22:BG,BH,CR,DE,GB,GE,IE,ME,RS "
            "23:AE,GI,IL,TL,IQ 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG 25:PT,ST 26:IS,TR 27:FR,GR,IT,MC,SM,MR 28:AL,AZ,CY,DO,GT,HU,LB,PL,BY,SV "
            "29:BR,PS,QA,UA,EG 30:JO,KW,MU 31:MT,SC 32:LC"
        ).split()
    )
    for country in countries.split(",")
}


def papers(text: str) -> Iterator[Place]:
    """Where numbers of identity papers stand."""
    for match in _SOCIAL.finditer(text):
        yield match.span()
    for pattern in (_NAMED_SOCIAL, _PASSPORT):
        for match in pattern.finditer(text):
            yield match.span(1)


def north_american_phones(text: str) -> Iterator[Place]:
    """Where telephones stand that are written 415-555-2671."""
    for match in _NORTH_AMERICAN.finditer(text):
        yield match.span()


def accounts(text: str) -> Iterator[Place]:
    """Where IBANs stand whose length and check digits are right."""
    for match in _IBAN_START.finditer(text):
        length = _IBAN_LENGTHS.get(match.group(1))
        end = _iban_end(text, match.start(), length) if length else 0
        if end:
            yield match.start(), end


def _iban_end(text: str, start: int, length: int) -> int:
    """Where the IBAN ends that starts at `start`; 0 when there is none."""
    letters, at = text[start : start + 4], start + 4
    while len(letters) < length and (part := _IBAN_PART.match(text, at, at + 1 + length)):
        letters += part.group(1)
        at = part.end()
    after = text[at : at + 1]
    if len(letters) != length or (after.isascii() and (after.isalnum() or after == "_")):
        return 0
    number = "".join(str(int(char, 36)) for char in letters[4:] + letters[:4])
    return at if int(number) % 97 == 1 else 0
