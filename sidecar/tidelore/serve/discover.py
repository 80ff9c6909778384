"""The table of methods as data: names, what they do, parameters and results."""

from __future__ import annotations

import dataclasses
from typing import Any, get_type_hints

from tidelore import __version__
from tidelore.engine.params import RENAMED, describe, to_json
from tidelore.engine.service import METHODS


def discover() -> dict[str, Any]:
    """Everything that a caller can ask for. `type` is for people; `doc` of a parameter list explains its members."""
    return {"name": "tidelore", "version": __version__, "methods": [_method(name) for name in sorted(METHODS)]}


def _method(name: str) -> dict[str, Any]:
    method = METHODS[name]
    return entry(name, method.params, method.result, method.doc, writes=method.writes)


def entry(name: str, params: type[Any], result: type[Any], doc: str, *, writes: bool) -> dict[str, Any]:
    """One method as data."""
    return {
        "name": name,
        "doc": " ".join(doc.split()),
        "writes": writes,
        "params": [_param(item, hint) for item, hint in _members(params)],
        "params_doc": _doc(params),
        "result": [{"name": RENAMED.get(item.name, item.name), "type": describe(hint)} for item, hint in _members(result)],
        "result_doc": _doc(result),
    }


def _members(cls: type[Any]) -> list[tuple[dataclasses.Field[Any], Any]]:
    hints = get_type_hints(cls)
    return [(item, hints[item.name]) for item in dataclasses.fields(cls)]


def _param(item: dataclasses.Field[Any], hint: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"name": item.name, "type": describe(hint)}
    if item.default is not dataclasses.MISSING:
        return {**out, "required": False, "default": to_json(item.default)}
    return {**out, "required": item.default_factory is dataclasses.MISSING}


def _doc(cls: type[Any]) -> str:
    """The docstring of a dataclass; Python writes one of its own where there is none, which says nothing."""
    text = " ".join((cls.__doc__ or "").split())
    return "" if text.startswith(f"{cls.__name__}(") else text
