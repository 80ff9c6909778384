"""GraphML (yEd, Gephi, networkx) and DOT (Graphviz). Texts of a chat are data: none can end its own string or tag."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_COLOURS = {"entity": "#cfe8ff", "moment": "#f4f1e4", "fact": "#d8f0d4", "thread": "#ffe2c4", "digest": "#e9dcf7", "page": "#eeeeee"}
# XML 1.0 has no way at all to write these.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_DOT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LABEL = 60

_NODE_KEYS = ("kind", "sub", "scope", "label", "state", "fields", "evidence")
_EDGE_KEYS = ("type", "label", "fields")

Graph = Mapping[str, Any]


def graphml(graph: Graph, name: str) -> str:
    """The graph as GraphML 1.0. Fields and evidence are JSON texts, since GraphML has no lists."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ' xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">',
        *(f'  <key id="n_{key}" for="node" attr.name="{key}" attr.type="string"/>' for key in _NODE_KEYS),
        *(f'  <key id="e_{key}" for="edge" attr.name="{key}" attr.type="string"/>' for key in _EDGE_KEYS),
        f'  <graph id={_attribute(name)} edgedefault="directed">',
    ]
    for node in graph["nodes"]:
        lines.append(f"    <node id={_attribute(node['id'])}>")
        lines += _data("n", {**node, "label": node["text"]}, _NODE_KEYS)
        lines.append("    </node>")
    for edge in graph["edges"]:
        ends = f"source={_attribute(edge['from'])} target={_attribute(edge['to'])}"
        lines.append(f"    <edge id={_attribute(edge['id'])} {ends}>")
        lines += _data("e", edge, _EDGE_KEYS)
        lines.append("    </edge>")
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _data(prefix: str, item: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    out = []
    for key in keys:
        value = item[key]
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else ""
        if text:
            # A carriage return would be read back as a line feed.
            safe = escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})
            out.append(f'      <data key="{prefix}_{key}">{safe}</data>')
    return out


def _attribute(value: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", value), {"\r": "&#13;"})


def dot(graph: Graph, name: str) -> str:
    """The graph for Graphviz: entities are ellipses, memories boxes; long texts are cut."""
    lines = [
        f"digraph {_quoted(name)} {{",
        '  graph [rankdir=LR, charset="UTF-8"];',
        '  node [fontname="sans-serif", fontsize=11, style=filled];',
        '  edge [fontname="sans-serif", fontsize=9, color="#888888"];',
    ]
    for node in graph["nodes"]:
        shape = "ellipse" if node["kind"] == "entity" else "box"
        style = ', style="filled,dashed"' if node["state"] == "superseded" else ""
        label, full = _quoted(_short(node["text"])), _quoted(node["text"])
        colour = _COLOURS.get(node["kind"], "#eeeeee")
        lines.append(f'  {_quoted(node["id"])} [label={label}, tooltip={full}, shape={shape}, fillcolor="{colour}"{style}];')
    for edge in graph["edges"]:
        lines.append(f"  {_quoted(edge['from'])} -> {_quoted(edge['to'])} [label={_quoted(edge['label'] or edge['type'])}];")
    return "\n".join([*lines, "}", ""])


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LABEL else flat[: _LABEL - 1] + "…"


def _quoted(text: str) -> str:
    """A DOT string. Always quoted, so never an HTML label. Graphviz also reads HTML entities (hence &amp;) and escapes such as \\N."""
    text = _NOT_DOT.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n") + '"'
