"""Secrets in a text: keys known by their own form, passwords and PINs by the words beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from tidelore.engine.text.patterns import later

Place: TypeAlias = tuple[int, int]

_EXACT_MARKERS = (
    "sk-", "sk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "AKIA", "ASIA", "AIza", "xox", "eyJ",
    "hf_", "-----BEGIN", "密码", "口令", "密钥",
)  # fmt: skip
_WORD_MARKERS = ("bearer", "pass", "pw", "pin", "puk", "cvv", "cvc", "key", "token", "secret")

_TOKEN = later(
    r"""(?<![A-Za-z0-9_])(?:
        sk-[A-Za-z0-9_-]{16,}
      | [sr]k_(?:live|test)_[A-Za-z0-9]{16,}
      | gh[pousr]_[A-Za-z0-9]{20,}
      | github_pat_[A-Za-z0-9_]{20,}
      | glpat-[A-Za-z0-9_-]{20,}
      | A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])
      | AIza[A-Za-z0-9_-]{30,}
      | xox[abeoprs]-[A-Za-z0-9-]{10,}
      | hf_[A-Za-z0-9]{20,}
      | (?<!-)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}
    )""",
    re.VERBOSE,
)
_PEM = later(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:\s*[A-Za-z0-9+/=]{16,})*)"
)
_BEARER = later(r"(?<![A-Za-z])bearer[ \t]{1,3}([A-Za-z0-9._~+/=-]{12,})", re.IGNORECASE)
_NAMED = (
    r"(?:password|passwd|passcode|passphrase|pwd|(?:api|secret|access|private)[ _-]?key"
    r"|(?:access|auth|api|bot)[ _-]?token|client[ _-]?secret|密码|口令|密钥)"
)
_ADVERB = r"(?:[ ](?:still|now|just|actually|currently|always|simply|literally))?"
_SAYS = rf"(?:['’]s|[ ]is|[ ]was|[ ]will[ ]be|[ ](?:is|was|has[ ]been)[ ](?:set|reset|changed)[ ]to){_ADVERB}"
_SET = "(?:已经|我|就|都|还是?|现在){0,2}(?:设成|设为|设置成|设置为|设定为|改成|改为|换成|定成|定为|就是|是|为)了?"
_LABELLED = later(
    rf"""(?:(?<![A-Za-z])|(?=[密口]))
        (?P<label>{_NAMED})
        ["']?[ \t]{{0,3}}
        (?P<sign>(?:is{_ADVERB}|was{_ADVERB}|{_SET})?[ \t]?[:：=]?)
        [ \t]{{0,3}}
        (?!["'“]?\[)["'“]?
        (?P<value>[!-~]{{4,}})""",
    re.VERBOSE | re.IGNORECASE,
)
# "My password for the portal is ...", "the password's ...".
_OF = r"[ ](?:for|to|of|on|at|in)(?:[ ][A-Za-z0-9'’.@&_-]{1,30}){1,5}?"
_SENTENCE = later(
    rf"""(?:(?<![A-Za-z])|(?=[密口]))(?:{_NAMED}|pw)(?:(?:{_OF})?(?:{_SAYS}[ ]?[:：]?|[ ]?[:：=])|的?[ ]?{_SET})
        [ \t]{{0,3}}(?!["'“]?\[)["'“]?
        (?P<value>[!-~]{{4,}})""",
    re.VERBOSE | re.IGNORECASE,
)
# "I changed my password to ...": less sure, so letters and digits both are asked of it.
_CHANGED = later(rf"""(?<![A-Za-z]){_NAMED}(?:{_OF})?[ ](?:to|as)[ ]["'“]?(?P<value>[!-~]{{6,}})""", re.IGNORECASE)
# "Netflix password abcd1234", "her pass is hunter22": as little sure.
_BARE = later(
    r"(?<![A-Za-z])(?:(?:password|passwd|passcode|pwd) (?:[-–—] )?|(?:my|his|her|our|their|your) pass(?:['’]s| is) )[\"'“]?"
    r"(?P<value>[A-Za-z](?=[A-Za-z!@#$%^&*_-]{0,40}[0-9])[A-Za-z0-9!@#$%^&*_-]{5,})(?!\.?[A-Za-z0-9])",
    re.IGNORECASE,
)
_SHORT_LABEL = later(r"""(?<![A-Za-z])(?:pw|pass)[ ]?[:：=][ \t]{0,3}["'“]?(?P<value>[!-~]{4,})""", re.IGNORECASE)
_PIN = later(
    rf"""(?<![A-Za-z0-9_-])(?:
        (?:PUK|CVV2?|CVC)(?:[ ]code)?(?:[ ]is)?[ \t]?[:：=#]?
      | (?:PIN|pin),[ ]it(?:['’]s|[ ]is)
      | PIN(?:[ ](?:code|number))?(?:(?:{_OF})?{_SAYS})?[ \t]?[:：=#]?
      | pin(?:(?:[ ](?:code|number))(?:(?:{_OF})?{_SAYS})?[ \t]?[:：=]?|(?:{_OF})?{_SAYS}[ \t]?[:：=]?|[ ]?[:：=])
    )[ \t]{{0,2}}["'“]?(?P<value>[0-9]{{4,8}}|(?<=V[ ])[0-9]{{3}}|(?<=C[ ])[0-9]{{3}}|(?<=[:：][ ])[0-9]{{3}})
        (?![A-Za-z0-9_]|[.,:/-][0-9])""",
    re.VERBOSE,
)
_PHRASE = later(
    rf"(?<![A-Za-z])passphrase(?:(?:{_OF})?{_SAYS}[ ]?:?|[ ]?[:：=])[ ]{{1,3}}[\"'“]?"
    r"(?!(?:an?|the|what|that|not|no|too|so|very|easy|hard|long|known|wrong|right|required|needed|something|in|on|to)(?![A-Za-z]))"
    r"(?P<value>[A-Za-z0-9'’-]{1,30}(?:[ ][A-Za-z0-9'’-]{1,30}){2,5})",
    re.IGNORECASE,
)
_CLOSERS = "\"'”’),.;:!?]}>"


def may_hold_secret(text: str) -> bool:
    """A quick look: without any of these marks there is no secret."""
    lowered = text.lower()
    return any(marker in text for marker in _EXACT_MARKERS) or any(marker in lowered for marker in _WORD_MARKERS)


def _tokens(text: str) -> Iterator[Place]:
    for match in _TOKEN.finditer(text):
        token = match.group()
        # Words joined by hyphens ("sk-learn-compatible-estimator") are no key; a key has digits in it or is one long run.
        if not token.startswith("sk-") or _has_digit(token) or not re.search("[-_]", token[3:]):
            yield match.start(), match.end()


def _pem_keys(text: str) -> Iterator[Place]:
    for match in _PEM.finditer(text):
        yield match.start(), match.end()


def _bearer_tokens(text: str) -> Iterator[Place]:
    for match in _BEARER.finditer(text):
        token = match.group(1).rstrip(".")
        if _has_digit(token) or (len(token) >= 20 and token != token.lower() and token[1:] != token[1:].lower()):
            yield match.start(1), match.start(1) + len(token)


def _labelled_secrets(text: str) -> Iterator[Place]:
    for match in _LABELLED.finditer(text):
        value = match.group("value").rstrip(_CLOSERS)
        end = match.start("value") + len(value)
        if len(value) >= 4 and _is_secret(match.group("label"), match.group("sign"), value, text[end : end + 8]):
            yield match.start("value"), end


def _is_secret(label: str, sign: str, value: str, after: str) -> bool:
    if not any(mark in sign for mark in ":：="):
        # "The password is swordfish" is a story; "the password is 483920" and "密码483920" are not worth the risk.
        return _has_digit(value) and (bool(sign.strip()) or not label.isascii())
    if not value.isalpha():
        return True
    rest = after.split("\n", 1)[0].lstrip(" \t" + _CLOSERS)
    return not rest or not rest[0].isascii() or not rest[0].isalnum()


def _has_digit(token: str) -> bool:
    return any("0" <= char <= "9" for char in token)


def _said_secrets(text: str) -> Iterator[Place]:
    for pattern in (_SENTENCE, _SHORT_LABEL, _CHANGED, _BARE):
        for match in pattern.finditer(text):
            value = match.group("value").rstrip(_CLOSERS)
            start = match.start("value")
            lettered = pattern is not _CHANGED or any(char.isalpha() for char in value)
            if len(value) >= 4 and _has_digit(value) and lettered and "[" not in value:
                yield start, start + len(value)


def _named_secrets(text: str) -> Iterator[Place]:
    for pattern in (_PIN, _PHRASE):
        for match in pattern.finditer(text):
            yield match.span("value")


def secret_places(text: str) -> Iterator[Place]:
    """Where secrets stand; places may overlap."""
    for find in (_pem_keys, _tokens, _bearer_tokens, _labelled_secrets, _said_secrets, _named_secrets):
        yield from find(text)
