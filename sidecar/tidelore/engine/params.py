"""JSON in and out of the service: typed parameters from JSON, results to JSON. Parsed once, here, at the edge."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from tidelore.engine.errors import BadInput

T = TypeVar("T")
RENAMED = {"start": "from", "end": "to"}
MISSING = object()
ARGUMENTS = "arguments"
"""The `where` of what a tool is called with."""


def parse(cls: Callable[..., T], value: object, where: str = "params") -> T:
    """A dataclass from a JSON object. Raises BadInput that names the wrong member and what is expected there."""
    fields = _fields(cls)
    if not isinstance(value, Mapping):
        verb = "must be an object" if where != ARGUMENTS else "must be in an object"
        raise BadInput(f"{where} {verb}, not {_name(value)}.", f"Send the parameters by name: {', '.join(fields)}.")
    if not value.keys() <= fields.keys():
        unknown = sorted(str(name) for name in value if name not in fields)
        if where == ARGUMENTS:
            raise BadInput(f"There is no argument {unknown[0]!r}.", f"Arguments: {', '.join(fields)}.")
        raise BadInput(f"{where} has no member {unknown[0]!r}.", f"Known members: {', '.join(fields)}.")
    out: dict[str, Any] = {}
    for name, (hint, required) in fields.items():
        item = value.get(name, MISSING)
        # The plain case first: a chat is read as thousands of these.
        if type(item) is hint:
            out[name] = item
        # null for what may be left out means that it is left out.
        elif item is not MISSING and (required or item is not None):
            out[name] = _value(hint, item, f"{where}.{name}")
        elif required:
            lacks = f"The argument {name!r} is missing." if where == ARGUMENTS else f"{where} lacks {name!r}."
            raise BadInput(lacks, f"Expected: {describe(hint)}.")
    return cls(**out)


@cache
def _fields(cls: Any) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(cls)
    out: dict[str, tuple[Any, bool]] = {}
    for item in dataclasses.fields(cls):
        required = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        out[item.name] = (hints[item.name], required)
    return out


def describe(hint: Any) -> str:
    """A type for people: "text", "a list of numbers" and so on."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join(repr(arg) for arg in args)
    if origin in (Union, types.UnionType):
        return " or ".join(describe(arg) for arg in args)
    if origin in (list, tuple):
        return f"a list of {describe(args[0])}"
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return "an object with " + ", ".join(RENAMED.get(name, name) for name in _fields(hint))
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
    return names.get(hint, "an object")


def _value(hint: Any, value: object, where: str) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin is Literal:
        if value in args and isinstance(value, type(args[0])):
            return value
    elif origin in (Union, types.UnionType):
        if value is None and type(None) in args:
            return None
        others = [arg for arg in args if arg is not type(None)]
        if len(others) == 1:
            return _value(others[0], value, where)
        for arg in others:
            try:
                return _value(arg, value, where)
            except BadInput:
                continue
    elif origin is list:
        if isinstance(value, list):
            if args[0] is Any:
                return value
            return [_value(args[0], item, f"{where}[{at}]") for at, item in enumerate(value)]
    elif origin is dict:
        if isinstance(value, Mapping):
            return dict(value)
    elif dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return parse(hint, value, where)
    elif hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    raise BadInput(f"{where} must be {describe(hint)}, not {_name(value)}.")


def _name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, bool | int | float):
        return repr(value)
    return "a list" if isinstance(value, list) else "an object"


def to_json(value: object) -> Any:
    """A result as JSON. The members `start` and `end` of an edge are called "from" and "to" outside."""
    kind: type[Any] = type(value)
    if kind in _PLAIN:
        return value
    if kind is list or kind is tuple:
        return [to_json(item) for item in cast(Iterable[object], value)]
    if dataclasses.is_dataclass(value):
        return {outside: to_json(getattr(value, inside)) for inside, outside in _MEMBERS.get(kind) or _members(kind)}
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


# What most members are, and stays as it is.
_PLAIN = frozenset({str, int, float, bool, type(None)})
_MEMBERS: dict[type[Any], tuple[tuple[str, str], ...]] = {}


def _members(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    """The members of a class of results, by their names inside and outside."""
    found = _MEMBERS[kind] = tuple((item.name, RENAMED.get(item.name, item.name)) for item in dataclasses.fields(kind))
    return found
