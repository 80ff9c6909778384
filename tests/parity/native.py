"""Stands in for the compiled part of Hypothesis, which there is none of for Pyodide: its functions on floats, in Python."""

from __future__ import annotations

import math
import struct
import sys
from types import ModuleType

_FORMATS = {16: ("!H", "!e"), 32: ("!I", "!f"), 64: ("!Q", "!d")}
_SMALLEST_NORMAL = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}


def float_to_int(value: float, width: int = 64) -> int:
    whole, real = _FORMATS[width]
    return int(struct.unpack(whole, struct.pack(real, value))[0])


def int_to_float(value: int, width: int = 64) -> float:
    whole, real = _FORMATS[width]
    return float(struct.unpack(real, struct.pack(whole, value))[0])


def float_of(value: float, width: int) -> float:
    if width == 64:
        return float(value)
    try:
        return int_to_float(float_to_int(value, width), width)
    except OverflowError:
        return math.copysign(math.inf, value)


def is_negative(value: float) -> bool:
    return math.copysign(1.0, value) < 0


def next_up(value: float, width: int = 64) -> float:
    if math.isnan(value) or value == math.inf:
        return value
    if value == 0.0 and is_negative(value):
        return 0.0
    bits = float_to_int(value, width)
    return int_to_float(bits - 1 if is_negative(value) else bits + 1, width)


def next_down(value: float, width: int = 64) -> float:
    return -next_up(-value, width)


def next_up_normal(value: float, width: int, allow_subnormal: bool) -> float:
    value = next_up(value, width)
    smallest = _SMALLEST_NORMAL[width]
    if allow_subnormal or not 0 < abs(value) < smallest:
        return value
    return -0.0 if is_negative(value) else smallest


def next_down_normal(value: float, width: int, allow_subnormal: bool) -> float:
    return -next_up_normal(-value, width, allow_subnormal)


def width_smallest_normals(width: int) -> float:
    return _SMALLEST_NORMAL[width]


def count_between_floats(low: float, high: float, width: int = 64) -> int:
    if is_negative(low):
        if is_negative(high):
            return float_to_int(low, width) - float_to_int(high, width) + 1
        return count_between_floats(low, -0.0, width) + count_between_floats(0.0, high, width)
    return float_to_int(high, width) - float_to_int(low, width) + 1


def cathetus(hypotenuse: float, side: float) -> float:
    """Only for complex numbers, which no test of the engine draws."""
    return math.sqrt((hypotenuse - side) * (hypotenuse + side))


def install(version: str) -> None:
    """As the modules that Hypothesis imports."""
    floats = ModuleType("hypothesis._native.internal.floats")
    triangle = ModuleType("hypothesis._native.internal.cathetus")
    names = ("count_between_floats", "float_of", "float_to_int", "int_to_float", "is_negative", "next_down", "next_up")
    for name in (*names, "next_down_normal", "next_up_normal", "width_smallest_normals"):
        setattr(floats, name, globals()[name])
    triangle.cathetus = cathetus  # type: ignore[attr-defined]
    native = ModuleType("hypothesis._native")
    native.__version__ = version  # type: ignore[attr-defined]
    for module in (native, ModuleType("hypothesis._native.internal"), floats, triangle):
        sys.modules[module.__name__] = module
