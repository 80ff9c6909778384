"""Reading of JSON values whose form is not sure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

Object: TypeAlias = Mapping[str, object]

_NO_SURROGATES = str.maketrans(dict.fromkeys(range(0xD800, 0xE000), "\ufffd") | {0: ""})


def parse(text: str) -> object | None:
    """The JSON value in `text`, or None when it is none (null counts as none)."""
    # RecursionError: nesting deeper than the parser goes. ValueError: also a number with more digits than Python converts.
    try:
        return cast(object, json.loads(text))
    except (ValueError, RecursionError):
        return None


def as_object(value: object) -> Object:
    return cast(Object, value) if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[object]:
    return cast(Sequence[object], value) if isinstance(value, list) else ()


def as_text(value: object) -> str:
    return readable(value) if isinstance(value, str) else ""


def readable(text: str) -> str:
    """`text` as it can be stored: no NUL, no half of a surrogate pair."""
    # The test is cheap where the translation is not.
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(_NO_SURROGATES)
    return text.replace("\0", "") if "\0" in text else text
