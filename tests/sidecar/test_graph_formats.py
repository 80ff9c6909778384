"""GraphML and DOT of graphs with hostile texts."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tidelore.commands.graph_formats import dot, graphml

SPACE = "{http://graphml.graphdrawing.org/xmlns}"
HOSTILE = [
    'A "quoted" name',
    "two\nlines\r\nand\rmore",
    "<img src=x onerror=alert(1)>",
    "]]></data></node><evil/>",
    "&amp; &lt;b&gt; &#x3c;",
    "a back\\slash \\N \\G and one at the end \\",
    '"]; } digraph evil {',
    "control \x00\x01\x1b[31m characters\x7f\x85",
    "half a pair \ud800",
    "非常 长的\u2028名字 🙂",
    "\ufffe\uffff",
    "",
]


def graph(text: str) -> dict[str, Any]:
    node = {"kind": "fact", "sub": "state", "scope": "chat", "state": "current", "subs": []}
    first = {**node, "id": "a1", "text": text, "fields": {"value": text, "tags": [text]}, "evidence": [{"source": "k", "quote": text}]}
    second = {**node, "id": "b2", "kind": "entity", "text": "plain", "fields": {}, "evidence": [], "state": "superseded"}
    edge = {"id": "e1", "type": "relates", "from": "a1", "to": "b2", "label": text, "fields": {}}
    return {"nodes": [first, second], "edges": [edge]}


def expected(text: str) -> str:
    """What XML can carry of a text."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_graphml_carries_a_text_whole(text: str) -> None:
    root = ElementTree.fromstring(graphml(graph(text), text).encode("utf-8"))
    nodes, edges = list(root.iter(f"{SPACE}node")), list(root.iter(f"{SPACE}edge"))
    assert [node.get("id") for node in nodes] == ["a1", "b2"]
    assert [(edge.get("source"), edge.get("target")) for edge in edges] == [("a1", "b2")]
    values = {data.get("key"): data.text or "" for data in nodes[0]}
    assert values.get("n_label", "") == expected(text)
    # JSON can write control characters as escapes, so these come through there.
    fields = json.loads(values["n_fields"])
    assert fields["value"] in (text, expected(text))
    assert fields["tags"] == [fields["value"]]
    assert {data.get("key"): data.text for data in edges[0]}.get("e_label") == (expected(text) or None)
    known = {key.get("id") for key in root.iter(f"{SPACE}key")}
    assert {data.get("key") for data in root.iter(f"{SPACE}data")} <= known
    assert {element.tag for element in root.iter()} == {f"{SPACE}{name}" for name in ("graphml", "key", "graph", "node", "data", "edge")}


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@pytest.mark.parametrize("text", HOSTILE)
def test_dot_keeps_a_text_inside_its_string(text: str) -> None:
    out = dot(graph(text), text)
    assert _STRING.sub("S", out) == _STRING.sub("S", dot(graph("plain"), "plain"))
    assert not set("\x00\x01\x1b\x7f\x85\r\u2028\ud800") & set(out)
    # Graphviz reads HTML entities also in quoted strings.
    assert not re.search(r"&(?!amp;)", out)


def test_dot_is_a_directed_graph_of_all_nodes_and_edges() -> None:
    out = dot(graph("x"), "name").splitlines()
    assert out[0] == 'digraph "name" {'
    assert out[-1] == "}"
    assert sum(line.startswith('  "a1" [') or line.startswith('  "b2" [') for line in out) == 2
    assert [line for line in out if " -> " in line] == ['  "a1" -> "b2" [label="x"];']


def test_an_empty_graph_is_a_graph() -> None:
    empty: dict[str, Any] = {"nodes": [], "edges": []}
    assert ElementTree.fromstring(graphml(empty, "")).find(f"{SPACE}graph") is not None
    assert dot(empty, "").startswith('digraph "" {')
