"""Resources: a memory, the core block of a chat or scope, and its graph page by page. Every address leads through the caller's own
memory."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types

from tidelore.engine.errors import BadInput, NotFound
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import cut
from tidelore.serve.mcp.schemas import outgoing
from tidelore.serve.mcp.tools import graphs, recalling, telling

SCHEME = "tidelore://"
_TEXT, _JSON = "text/plain", "application/json"


def _template(uri: str, name: str, title: str, about: str, kind: str) -> types.ResourceTemplate:
    return types.ResourceTemplate(uri_template=SCHEME + uri, name=name, title=title, description=about, mime_type=kind)


TEMPLATES = (
    _template("chat/{chat}/memory/{id}", "chat-memory", "A memory of a chat", "One memory whole, by its id.", _JSON),
    _template("scope/{scope}/memory/{id}", "scope-memory", "A memory beyond one chat", "One memory whole, by its id.", _JSON),
    _template("chat/{chat}/core", "chat-core", "Core of a chat", "Rules, synopsis and open threads of a chat.", _TEXT),
    _template("scope/{scope}/core", "scope-core", "Core of a scope", "Rules, synopsis and open threads of a scope.", _TEXT),
    _template("chat/{chat}/graph{?cursor}", "chat-graph", "Graph of a chat", "Nodes and edges, page by page.", _JSON),
    _template("scope/{scope}/graph{?cursor}", "scope-graph", "Graph of a scope", "Nodes and edges, page by page.", _JSON),
)


@dataclass(frozen=True, slots=True)
class _Row:
    uri: str
    name: str
    title: str
    kind: str


async def listed(memory: Memory, cursor: str) -> types.ListResourcesResult:
    """The core and the graph of every scope and chat. Raises BadInput for a wrong cursor."""
    places = [("scope", each.scope) for each in await memory.scopes()] + [("chat", each.chat) for each in await memory.chats()]
    rows: list[_Row] = []
    for kind, name in places:
        base = f"{SCHEME}{kind}/{quote(name, safe='')}"
        rows.append(_Row(f"{base}/core", f"core of {kind} {name}", f"Core: {name}", _TEXT))
        rows.append(_Row(f"{base}/graph", f"graph of {kind} {name}", f"Graph: {name}", _JSON))
    page = cut(rows, cursor, ["resources/list"])
    found = [types.Resource(uri=each.uri, name=each.name, title=each.title, mime_type=each.kind) for each in page.items]
    return types.ListResourcesResult(resources=found, next_cursor=page.cursor or None)


async def read(memory: Memory, uri: str) -> types.ReadResourceResult:
    """Raises NotFound, BadInput."""
    path, _, query = uri.removeprefix(SCHEME).partition("?")
    parts = [unquote(each) for each in path.split("/")]
    if not uri.startswith(SCHEME) or len(parts) < 3 or parts[0] not in ("chat", "scope") or not parts[1]:
        raise NotFound(f"There is no resource {uri[:200]!r}.", f"Addresses begin with {SCHEME}chat/NAME/ or {SCHEME}scope/NAME/.")
    chat, scope = (parts[1], "") if parts[0] == "chat" else ("", parts[1])
    match parts[2:]:
        case ["core"]:
            place = await memory.place(chat, scope)
            core, _ = await telling.so_far(memory, place)
            return _content(uri, _TEXT, core)
        case ["graph"]:
            answer = await graphs.graph(memory, graphs.Graph(chat=chat, scope=scope, cursor=_cursor(query)))
            return _content(uri, _JSON, _dumped(answer.data))
        case ["memory", id_] if id_:
            answer = await recalling.read(memory, recalling.Read([id_], chat, scope))
            return _content(uri, _JSON, _dumped(answer.data))
        case _:
            raise NotFound(f"There is no resource {uri[:200]!r}.", "After the name comes core, graph or memory/ID.")


def _cursor(query: str) -> str:
    if not query:
        return ""
    name, _, value = query.partition("=")
    if name != "cursor":
        raise BadInput(f"There is no parameter {name[:40]!r}.", "The only one is cursor.")
    return unquote(value)


def _dumped(data: Any) -> str:
    return json.dumps(outgoing(data), ensure_ascii=False)


def _content(uri: str, kind: str, text: str) -> types.ReadResourceResult:
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])
