"""JSON Schemas (2020-12, as OpenAPI 3.1 has them) of dataclasses."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from tidelore.engine.params import RENAMED, to_json

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
REF = "#/components/schemas/"


class Schemas:
    """Collects the schemas of dataclasses under their names; of two classes with one name the later is called by its module too."""

    def __init__(self) -> None:
        self._names: dict[type[Any], str] = {}
        self._made: dict[str, dict[str, Any]] = {}

    def all(self) -> dict[str, dict[str, Any]]:
        """By name, in the order of names."""
        return dict(sorted(self._made.items()))

    def put(self, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A schema of one's own; the reference to it."""
        assert name not in self._made, name
        self._made[name] = dict(schema)
        return {"$ref": REF + name}

    def of(self, hint: Any, *, sent: bool = False) -> dict[str, Any]:
        """The schema of a type. `sent`: of what we are sent, whose members have their names in Python and which holds no others."""
        origin, args = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return {**self.of(args[0], sent=sent), "description": args[1]}
        if origin is Literal:
            return {"type": _NAMES[type(args[0])], "enum": list(args)}
        if origin in (Union, types.UnionType):
            return self._either([arg for arg in args if arg is not type(None)], sent=sent, null=type(None) in args)
        if origin in (list, tuple):
            return {"type": "array", "items": self.of(args[0], sent=sent)}
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return {"$ref": REF + self._name(hint, sent=sent)}
        if hint is Any:
            return {}
        return {"type": "object"} if origin is dict or hint is dict else {"type": _NAMES[hint]}

    def _either(self, hints: list[Any], *, sent: bool, null: bool) -> dict[str, Any]:
        found = [self.of(hint, sent=sent) for hint in hints]
        if not null:
            return {"oneOf": found}
        if len(found) == 1 and isinstance(found[0].get("type"), str):
            return {**found[0], "type": [found[0]["type"], "null"]}
        return {"oneOf": [*found, {"type": "null"}]}

    def _name(self, cls: type[Any], *, sent: bool) -> str:
        name = self._names.get(cls)
        if name is None:
            name = cls.__name__ if cls.__name__ not in self._made else f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"
            self._names[cls] = name
            self.put(name, {})
            self._made[name] = self._object(cls, sent=sent)
        return name

    def _object(self, cls: type[Any], *, sent: bool) -> dict[str, Any]:
        hints = get_type_hints(cls, include_extras=True)
        properties: dict[str, Any] = {}
        required: list[str] = []
        for item in dataclasses.fields(cls):
            name = item.name if sent else RENAMED.get(item.name, item.name)
            properties[name] = self.of(hints[item.name], sent=sent)
            if not sent or (item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING):
                required.append(name)
            elif item.default is not dataclasses.MISSING and item.default is not None and "$ref" not in properties[name]:
                properties[name]["default"] = to_json(item.default)
        out: dict[str, Any] = {"type": "object", "properties": properties}
        about = " ".join((cls.__doc__ or "").split())
        if about and not about.startswith(f"{cls.__name__}("):
            out["description"] = about
        if required:
            out["required"] = required
        return {**out, "additionalProperties": False} if sent else out
