"""Sets of code points packed into a short string.

The string alternates how many code points to skip and how many to take, in base 36, divided by spaces.
"""

from __future__ import annotations

from collections.abc import Iterable

ASTRAL = "\U00010000-\U0010ffff"


def pack(points: Iterable[int]) -> str:
    """The packed form of a set of code points."""
    numbers: list[int] = []
    end = -1
    for point in sorted(set(points)):
        if point == end:
            numbers[-1] += 1
        else:
            numbers += [point - max(end, 0), 1]
        end = point + 1
    return " ".join(map(_base36, numbers))


def unpack(packed: str) -> list[tuple[int, int]]:
    """The ranges (first, last) of a packed set, in order."""
    numbers = [int(word, 36) for word in packed.split()]
    ranges: list[tuple[int, int]] = []
    at = 0
    for skip, take in zip(numbers[::2], numbers[1::2], strict=True):
        ranges.append((at + skip, at + skip + take - 1))
        at += skip + take
    return ranges


def one_of(packed: str) -> str:
    """A regular expression for one character of a packed set that holds no ASCII."""
    # The re module holds a class in a bitmap up to U+FFFF only, and tries the ranges above it one by one for every character.
    return f"(?:[{below_astral(packed)}]|(?=[{ASTRAL}])[{_inside(packed, 0x10000, 0x110000)}])"


def below_astral(packed: str) -> str:
    """The inside of a regular expression's class for the part of a packed set up to U+FFFF."""
    return _inside(packed, 0, 0x10000)


def _inside(packed: str, start: int, end: int) -> str:
    ranges = ((first, last) for first, last in unpack(packed) if start <= first < end)
    return "".join(chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in ranges)


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits
