"""Dates of other programs as ISO 8601."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}.*)?", re.ASCII | re.DOTALL)
_PLAIN = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?)?", re.ASCII)
# SillyTavern: "2024-7-12@20h31m10s", "2024-07-12 @20h 31m 10s 123ms"
_HUMANIZED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(?:(\d{1,2})s)?(?:\s*\d{1,3}ms)?", re.ASCII)
# SillyTavern: "November 29, 2026 9:40pm"
_ENGLISH = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]\.?m\.?)?", re.ASCII | re.I)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Below: seconds since 1970 (from 1973 on). Above: milliseconds (from the same day on). Smaller numbers are no date.
_FIRST_SECOND = 1e8
_FIRST_MILLISECOND = 1e11


def iso_date(value: object) -> str:
    """`value` as ISO 8601, in its own time zone if it names one; "" when it is no date."""
    try:
        if isinstance(value, bool):
            return ""
        if isinstance(value, int | float):
            return _from_number(value)
        return _from_text(value.strip()) if isinstance(value, str) else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _from_number(value: float) -> str:
    if not math.isfinite(value) or value < _FIRST_SECOND:
        return ""
    seconds = value / 1000 if value >= _FIRST_MILLISECOND else value
    return _written(datetime.fromtimestamp(int(seconds), UTC), True)


def _from_text(text: str) -> str:
    if len(text) > 60:
        return ""
    if text.isascii() and text.isdigit():
        return _from_number(int(text))
    if _ISO.fullmatch(text):
        if len(text) == 10:
            return datetime.fromisoformat(text).date().isoformat()
        return _written(datetime.fromisoformat(text), text.count(":") > 1)
    if match := _HUMANIZED.fullmatch(text) or _PLAIN.fullmatch(text):
        year, month, day, hour, minute, second = match.groups()
        if hour is None:
            return datetime(int(year), int(month), int(day)).date().isoformat()
        return _written(datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0)), second is not None)
    if match := _ENGLISH.fullmatch(text):
        name, day, year, hour, minute, second, half = match.groups()
        hours = int(hour) % 12 + (12 if half[0] in "pP" else 0) if half else int(hour)
        return _written(
            datetime(int(year), _MONTHS.index(name[:3].lower()) + 1, int(day), hours, int(minute), int(second or 0)),
            second is not None,
        )
    return ""


def _written(moment: datetime, with_seconds: bool) -> str:
    return moment.isoformat(timespec="seconds" if with_seconds else "minutes").replace("+00:00", "Z")
