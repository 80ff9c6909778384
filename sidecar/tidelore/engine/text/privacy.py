"""Masking of secrets and personal numbers, at the door: what is masked here is never stored.

A number is masked when its form proves it (check digit, issuer prefix, country code) or a word beside it names it. All
else stays: dates, order numbers, versions, identifiers joined to letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tidelore.engine.text.document_numbers import accounts, north_american_phones, papers
from tidelore.engine.text.patterns import later
from tidelore.engine.text.secret_words import may_hold_secret, secret_places

CARD = "[card number]"
PHONE = "[phone number]"
IDENTITY = "[ID number]"
ACCOUNT = "[account number]"
SECRET = "[secret]"


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    word: str


_Finder: TypeAlias = Callable[[str], Iterator[_Span]]


def mask(text: str) -> str:
    """`text` with every secret and personal number replaced by a bracketed English word; `mask(mask(x)) == mask(x)`."""
    # A replacement can free its neighbour from a join ("<card>-<phone>"), so the last round is the one that finds nothing.
    while True:
        masked = _mask_once(text)
        if masked == text:
            return text
        text = masked


def _mask_once(text: str) -> str:
    folded = text if text.isascii() or not _WIDE.search(text) else text.translate(_FOLD)
    spans: list[_Span] = []
    if may_hold_secret(folded):
        spans.extend(_Span(*place, SECRET) for place in secret_places(folded))
    if _DIGITS.search(folded):
        for find in _NUMBER_FINDERS:
            spans.extend(find(folded))
    return _replace(text, spans) if spans else text


def _replace(text: str, spans: list[_Span]) -> str:
    spans.sort(key=lambda span: (span.start, -span.end))
    merged: list[_Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = _Span(last.start, max(last.end, span.end), last.word)
        else:
            merged.append(span)
    pieces: list[str] = []
    at = 0
    for span in merged:
        pieces += (text[at : span.start], span.word)
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)


# Folding keeps the length, so that places in the folded text are places in the text.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_WIDE = later("[０-９Ａ-Ｚａ-ｚ]")
_DIGITS = later(r"[0-9]{2}[ .\-]?[0-9]")

# Numbers proved by their own digits: identity cards, bank cards, Chinese mobiles.

_CHAIN = later(r"[0-9]+(?:[ \-\u00a0\u2010-\u2015\u2212][0-9]+)*")
_RUN = later(r"[0-9]+")
_LONGEST = 19
_ASCII_DIGITS = frozenset("0123456789")
_MONEY_AFTER = later(r"\s?(?:元|块|円|万|亿|金币|yen|dollars|euros|gold|usd|rmb|cny|eur)", re.IGNORECASE)
_ORDER_BEFORE = later(
    r"(?:(?<![A-Za-z])(?:order|invoice|tracking|ticket|receipt|parcel|serial|reference|ref|booking|case)"
    r"(?: (?:number|num|no\.?|id|code))?(?: is)?"
    r"|订单(?:号码|编号|号)?|单号|流水号|编号|货号|序列号|工单号?|發票號|发票号)(?:是|为)?[\s:：#(（]{0,3}$",
    re.IGNORECASE,
)

# First digits of the codes of provinces (GB/T 2260), of Taiwan, Hong Kong and Macao.
_PROVINCES = frozenset(map(str, (*range(11, 16), *range(21, 24), *range(31, 38), *range(41, 47), *range(50, 55), *range(61, 66))))
_PROVINCES |= {"71", "81", "82", "83", "91"}
# GB 11643-1999
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECKS = "10X98765432"

# ISO/IEC 7812 issuer ranges: first and last prefix, lengths.
_ISSUERS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("4", "4", (13, 16, 19)),  # Visa
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
    ("3528", "3589", (16, 17, 18, 19)),  # JCB
    ("6011", "6011", (16, 17, 18, 19)),  # Discover
    ("644", "649", (16, 17, 18, 19)),
    ("65", "65", (16, 17, 18, 19)),
    ("300", "305", (14,)),  # Diners Club
    ("36", "36", (14,)),
    ("38", "39", (14,)),
    ("2200", "2204", (16, 17, 18, 19)),  # Mir
)


@dataclass(frozen=True, slots=True)
class _Run:
    start: int
    end: int
    digits: str


def _proved_numbers(text: str) -> Iterator[_Span]:
    for chain in _CHAIN.finditer(text):
        if chain.end() - chain.start() < 11:
            continue
        runs = [_Run(run.start(), run.end(), run.group()) for run in _RUN.finditer(text, chain.start(), chain.end())]
        at = 0
        while at < len(runs):
            found = _longest_number(text, runs, at) if _opens(text, runs[at].start) else None
            if found is None:
                at += 1
            else:
                span, at = found
                yield span


def _longest_number(text: str, runs: list[_Run], first: int) -> tuple[_Span, int] | None:
    """The number that begins with run `first`, and the run after it."""
    digits = ""
    shape: list[int] = []
    separator = ""
    best: tuple[_Span, int] | None = None
    for at in range(first, len(runs)):
        run = runs[at]
        if len(digits) + len(run.digits) > _LONGEST:
            break
        if at > first:
            between = text[runs[at - 1].end]
            if separator and between != separator:
                break
            separator = between
        digits += run.digits
        shape.append(len(run.digits))
        end = run.end
        if len(digits) == 17 and text[end : end + 1] in ("X", "x"):
            end += 1
        word = _kind(digits + text[run.end : end], shape)
        if word and _closes(text, end) and not (word == PHONE and _counts(text, runs[first].start, end)):
            best = _Span(runs[first].start, end, word), at + 1
    return best


def _counts(text: str, start: int, end: int) -> bool:
    """Whether the number is a sum of money, or the number of an order."""
    return bool(_MONEY_AFTER.match(text, end) or _ORDER_BEFORE.search(text[max(0, start - 32) : start]))


def _opens(text: str, start: int) -> bool:
    """Whether a number may begin here: not joined to letters, digits, a currency or a number sign before it."""
    before = text[max(0, start - 2) : start]
    if not before:
        return True
    last, prior = before[-1], before[-2:-1]
    if _joins(last) or last in "#$¥￥€£₩₹":
        return False
    if last == "/":
        return not (prior.isascii() and prior.isalpha())
    return not (last in ".-\u2010\u2011\u2212" and _joins(prior))


def _closes(text: str, end: int) -> bool:
    after = text[end : end + 2]
    if not after:
        return True
    if _joins(after[0]) or after[0] == "%":
        return False
    return not (after[0] in "-\u2010\u2011\u2212" and _joins(after[1:])) and not (after[0] == "." and after[1:] in _ASCII_DIGITS)


def _joins(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def _kind(digits: str, shape: list[int]) -> str:
    """What the digits are, or "" when nothing proves it. `shape`: the lengths of the runs they were written in."""
    if _is_identity(digits, len(shape)):
        return IDENTITY
    if all(length >= 4 for length in shape[:-1]) and _is_card(digits):
        return CARD
    return PHONE if _is_mobile(digits, shape) else ""


def _is_identity(digits: str, runs: int) -> bool:
    if digits[:2] not in _PROVINCES:
        return False
    if len(digits) == 15:
        return runs == 1 and _is_day(digits[8:12])
    if len(digits) != 18 or digits[6:8] not in ("18", "19", "20") or not _is_day(digits[10:14]):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits[:17], strict=True))
    return _CHECKS[total % 11] == digits[17].upper()


def _is_day(month_day: str) -> bool:
    return 1 <= int(month_day[:2]) <= 12 and 1 <= int(month_day[2:]) <= 31


def _is_card(digits: str) -> bool:
    if not digits.isdigit() or not any(len(digits) in lengths and low <= digits[: len(low)] <= high for low, high, lengths in _ISSUERS):
        return False
    # 40 to 44 is also the start of German article numbers.
    return _luhn(digits) and not (len(digits) == 13 and _is_article(digits))


def _luhn(digits: str) -> bool:
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_article(digits: str) -> bool:
    """EAN-13 and ISBN-13."""
    return sum(int(char) * (1 + 2 * (place % 2)) for place, char in enumerate(digits)) % 10 == 0


def _is_mobile(digits: str, shape: list[int]) -> bool:
    if len(digits) not in (11, 13, 15) or digits[-11] != "1" or not "3" <= digits[-10] <= "9":
        return False
    country = digits[:-11]
    if country not in ("", "86", "0086"):
        return False
    rest = shape[1:] if country and shape[0] == len(country) else shape
    return rest in ([11], [3, 4, 4]) or (len(shape) == 1 and bool(country))


# Phone numbers known by a country code, by brackets, or by a word beside them.

_INTERNATIONAL = later(
    r"(?<![0-9A-Za-z_+])\+(?:1[ .\-]?\(?[2-9][0-9]{2}\)?[ .\-]?[0-9]{3}[ .\-]?[0-9]{4}(?![0-9A-Za-z_])"
    r"|[2-9][0-9](?:[ .()\-\u2010\u2011\u2013]{0,2}[0-9]){6,13}(?![0-9A-Za-z_]))"
)
_BRACKETED = later(r"(?<![0-9A-Za-z_])(?:1[ .\-]?)?\([2-9][0-9]{2}\)[ .\-]?[0-9]{3}[ .\-][0-9]{4}(?![0-9A-Za-z_\-])")
_MORE = r"(?:[ .()\-\u2010\u2011\u2013]{0,2}[0-9])"
_NUMBER = rf"\+?(?:[0-9]{_MORE}{{6,14}}|\([0-9]{{1,5}}\)[ .\-]{{0,2}}[0-9]{_MORE}{{4,11}})(?![0-9A-Za-z_])"
_WORD = (
    r"(?:(?<![A-Za-z])(?:(?:tele|cell)?phone|tel|mobile|cell|whatsapp|fax|dial"
    r"|(?:call|text|ring|phone|reach)[ ](?:me|us|him|her|them))(?![A-Za-z])|电话|手机|座机|热线|传真|致电|拨打|联系方式)"
)
_AFTER_WORD = later(
    _WORD + r"[\s:：#.=(（\"“]{0,3}?(?:(?:number|num|no|at|on|is|was|号码|号|是|为)[\s:：#.=(（\"“]{0,3}?){0,3}(" + _NUMBER + ")",
    re.IGNORECASE,
)
_BEFORE_WORD = later(
    r"(?<![0-9A-Za-z_.,\-+(])(" + _NUMBER + r")[\s(（]{0,2}(?:is[ ](?:my|his|her|our|their|your)[ ]|是[我他她你]?们?的?)?" + _WORD,
    re.IGNORECASE,
)
_DAY_FIRST = later(r"(?:19|20)[0-9]{2}[-./ ]?(?:0?[1-9]|1[0-2])[-./ ]?(?:0?[1-9]|[12][0-9]|3[01])(?![0-9])")


def _phones(text: str) -> Iterator[_Span]:
    for pattern in (_INTERNATIONAL, _BRACKETED):
        for match in pattern.finditer(text):
            yield _Span(match.start(), match.end(), PHONE)


def _named_phones(text: str) -> Iterator[_Span]:
    for pattern in (_AFTER_WORD, _BEFORE_WORD):
        for match in pattern.finditer(text):
            if not _DAY_FIRST.match(text, match.start(1)):
                yield _Span(match.start(1), match.end(1), PHONE)


def _papers(text: str) -> Iterator[_Span]:
    yield from (_Span(*place, IDENTITY) for place in papers(text))
    yield from (_Span(*place, ACCOUNT) for place in accounts(text))
    for start, end in north_american_phones(text):
        if not _counts(text, start, end):
            yield _Span(start, end, PHONE)


_NUMBER_FINDERS: tuple[_Finder, ...] = (_proved_numbers, _phones, _named_phones, _papers)
