"""What clients with a narrow reading of JSON Schema can take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.mcp.kit import Tools
from tidelore.engine.text.counting import count_tokens
from tidelore.serve.mcp.protocol import INSTRUCTIONS
from tidelore.serve.mcp.schemas import schema_of
from tidelore.serve.mcp.server import _described
from tidelore.serve.mcp.surface import SETS, pick
from tidelore.serve.mcp.tool import Tool

EVERY = [tool for tools in SETS.values() for tool in tools if not tool.absent]
TYPES = {"object", "array", "string", "integer", "number", "boolean"}
KNOWN = {
    "object": {"type", "description", "properties", "required"},
    "array": {"type", "description", "items"},
    "string": {"type", "description", "enum", "default"},
    "integer": {"type", "description", "default"},
    "number": {"type", "description", "default"},
    "boolean": {"type", "description", "default"},
}


def faults(schema: Any, where: str) -> Iterator[str]:
    """What a narrow client would stumble over."""
    if not isinstance(schema, dict):
        yield f"{where} is no object"
        return
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        yield f"{where} has the type {kind!r}"
        return
    yield from (f"{where} has {name}" for name in schema if name not in KNOWN[kind])
    if kind == "object":
        members = schema.get("properties")
        if not isinstance(members, dict):
            yield f"{where} has no properties"
            return
        yield from (f"{where} requires {name}, which it does not have" for name in schema.get("required", []) if name not in members)
        for name, member in members.items():
            yield from faults(member, f"{where}.{name}")
    if kind == "array":
        yield from faults(schema.get("items"), f"{where}[]")


@pytest.mark.req("P101")
@pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
def test_every_schema_keeps_to_what_all_clients_understand(tool: Tool) -> None:
    shown = _described(tool).model_dump(by_alias=True, exclude_none=True)
    assert list(faults(shown["inputSchema"], "in")) == []
    assert list(faults(shown["outputSchema"], "out")) == []


@pytest.mark.req("P101")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}]},
        {"type": "object", "properties": {"x": True}},
        {"type": "object", "properties": {}, "$schema": "x"},
        {"type": "object", "properties": {}, "additionalProperties": False},
        {"$ref": "#/$defs/x"},
        {"type": "object"},
        {"type": "object", "properties": {}, "required": ["x"]},
    ],
)
def test_a_schema_that_breaks_clients_is_noticed(schema: dict[str, Any]) -> None:
    assert list(faults(schema, "s")) != []


@pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
def test_every_tool_has_a_title_a_description_and_all_hints(tool: Tool) -> None:
    shown = _described(tool)
    assert shown.title
    assert shown.description
    assert shown.annotations is not None
    hints = shown.annotations
    assert None not in (hints.title, hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
    assert not (hints.read_only_hint and hints.destructive_hint)


@pytest.mark.parametrize("tool", EVERY, ids=lambda tool: tool.name)
def test_an_argument_that_is_unknown_is_refused_by_name(tool: Tool) -> None:
    needed = {name: _sample(schema_of(tool.arguments)["properties"][name]) for name in schema_of(tool.arguments).get("required", [])}
    result = Tools()(tool.name, of=next(of for of, tools in SETS.items() if any(each is tool for each in tools)), **needed, nonsense=1)
    assert result.is_error
    assert "nonsense" in str(result.content)


def _sample(schema: Any) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "x", "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}[schema["type"]]


def test_the_usual_set_is_small() -> None:
    usual = pick([])
    assert list(usual) == ["recall", "read", "write", "edit", "state", "link", "sources_search", "graph"]
    # What a client puts before its model: not the schemas of results.
    shown = "".join(
        _described(tool).model_dump_json(by_alias=True, include={"name", "description", "input_schema"}) for tool in usual.values()
    )
    assert count_tokens(shown) + count_tokens(INSTRUCTIONS) < 4000


@pytest.mark.parametrize("of", [name for name in SETS if name not in ("default", "more")])
def test_a_set_of_aliases_is_switched_on_by_name(of: str) -> None:
    assert set(pick([of])) == {tool.name for tool in SETS[of]}
    assert len(pick([of])) == len(SETS[of])
    assert not set(pick(["default"])) & set(pick([of]))


@pytest.mark.parametrize("of", SETS)
def test_every_tool_is_in_the_documentation_under_its_set(of: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text("utf-8")
    row = next((line for line in page.splitlines() if line.startswith(f"| `{of}` |")), "")
    assert row
    for tool in SETS[of]:
        if tool.absent:
            assert f"`{tool.name}`" in page.split("**Not there yet.**")[1]
        else:
            assert f"`{tool.name}`" in row
