"""JSON Schemas of arguments and results, made from dataclasses whose members are described by `Annotated`. In the subset that every client
and model accepts: no unions, no references, no schemas that are booleans; lists say what they hold."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tidelore.engine.errors import BadInput
from tidelore.engine.params import ARGUMENTS, RENAMED, parse

T = TypeVar("T")
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
# "from" and "to" cannot be names of members in Python.
_INNER = {outer: inner for inner, outer in RENAMED.items()}


def schema_of(cls: type[Any]) -> dict[str, Any]:
    """The schema of a dataclass, an object."""
    hints = get_type_hints(cls, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for item in dataclasses.fields(cls):
        name = RENAMED.get(item.name, item.name)
        properties[name] = {**_schema(hints[item.name]), **_default(item)}
        if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING:
            required.append(name)
    out: dict[str, Any] = {"type": "object", "properties": properties}
    return {**out, "required": required} if required else out


def _default(item: dataclasses.Field[Any]) -> dict[str, Any]:
    # An empty text goes without saying.
    return {"default": item.default} if isinstance(item.default, str | int | float) and item.default != "" else {}


def _schema(hint: Any) -> dict[str, Any]:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return {**_schema(args[0]), "description": args[1]}
    if origin is Literal:
        return {"type": "string", "enum": list(args)}
    if origin in (Union, types.UnionType):
        # What may be left out: null is never sent and means the same.
        (one,) = (arg for arg in args if arg is not type(None))
        return _schema(one)
    if origin is list:
        return {"type": "array", "items": _schema(args[0])}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return schema_of(hint)
    return {"type": _NAMES[hint]}


def incoming(cls: Callable[..., T], value: Mapping[str, Any]) -> T:
    """Arguments from JSON. Raises BadInput that names the wrong one; unknown names are refused."""
    return parse(cls, _renamed(value), ARGUMENTS)


def _renamed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_INNER.get(name, name): _renamed(item) for name, item in value.items()}
    return [_renamed(item) for item in value] if isinstance(value, list) else value


def outgoing(value: object) -> dict[str, Any]:
    """A result as JSON. Members that are None are left out, since the schema has no null."""
    found = _json(value)
    if not isinstance(found, dict):
        raise BadInput(f"{type(value).__name__} is no result of a tool.")
    return found


def _json(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = ((item.name, getattr(value, item.name)) for item in dataclasses.fields(value))
        return {RENAMED.get(name, name): _json(member) for name, member in members if member is not None}
    return [_json(item) for item in value] if isinstance(value, list | tuple) else value
