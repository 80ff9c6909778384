"""Edges and hidden nodes by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.chats import OpenChat
from tidelore.engine.codec import edge_id, named_id
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.graph import Graph
from tidelore.engine.model import EnsureEdge, Known, Retire
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.graph import by_hand
from tidelore.engine.table import Call, method
from tidelore.engine.text.unicode14 import fold_name

if TYPE_CHECKING:
    from tidelore.engine.service import Service

SCOPES = ("chat", "profile", "character", "persona")


@method("edge.add", m.EdgeAdd, r.Linked, writes=True)
async def edge_add(service: Service, params: m.EdgeAdd, call: Call) -> r.Linked:
    """Join two nodes by hand. The edge shows while both are there; adding it again changes nothing that is shown."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        start, end = found(chat.graph, params.start), found(chat.graph, params.end)
        if start is end:
            raise BadInput("Both ends are the same node.", "Name two different ones.")
        label = params.label.strip()
        operation = EnsureEdge(params.type, Known(start.id), Known(end.id), label)
        commit = await by_hand(service, chat, [operation], author=params.author)
        return r.Linked(commit.id, edge_id(params.type, start.id, end.id, label), start.id, end.id)


@method("edge.remove", m.EdgeRemove, r.Unlinked, writes=True)
async def edge_remove(service: Service, params: m.EdgeRemove, call: Call) -> r.Unlinked:
    """Take back an edge that was made by hand. One that messages support goes with them alone."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        start, end = found(chat.graph, params.start), found(chat.graph, params.end)
        edge = chat.graph.edges.get((params.type, start.id, end.id, params.label.strip()))
        if edge is None:
            raise NotFound("There is no such edge in this chat now.", "graph.get lists the edges; type and label must be the same.")
        commits = list(dict.fromkeys(key[2] for key, _ in edge.parts))
        if not all(_only_edges(chat, commit) for commit in commits):
            raise Conflict("This edge follows from what is remembered.", "Change or hide one of its ends instead.")
        undone = [await by_hand(service, chat, [], undoes=commit) for commit in commits]
        return r.Unlinked([commit.id for commit in undone])


def _only_edges(chat: OpenChat, commit: str) -> bool:
    """Whether undoing a commit takes edges alone. Windowed ones have no id in a fold key."""
    known = chat.pool.commits.get(commit)
    return known is not None and not known.window and all(isinstance(each, EnsureEdge) for each in known.operations)


@method("node.restore", m.NodeOnly, r.Changed, writes=True)
async def node_restore(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """Show a node again that node.retire has hidden."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = hidden(chat.graph, params.node)
        if node is None:
            raise NotFound(f"There is no hidden node {params.node!r} in this chat.", "node.retire answers with the id of what it hid.")
        commit = ""
        for key, operation in list(node.patches):
            if isinstance(operation, Retire) and key in node.applied:
                commit = (await by_hand(service, chat, [], undoes=key[2])).id
        return r.Changed(commit, node.id, node.text)


def found(graph: Graph, wanted: str) -> NodeState:
    """A shown node by its id, a beginning of one that no other has, or the name of an entity or thread. Raises NotFound, BadInput."""
    node = maybe(graph, wanted)
    if node is None:
        raise NotFound(f"Nothing called {wanted[:80]!r} is remembered here.", "Write it first, or search for how it is called.")
    return node


def maybe(graph: Graph, wanted: str) -> NodeState | None:
    """The same; None where there is none. Raises BadInput where several begin so."""
    for id_ in (wanted, *_named(wanted)):
        if (node := graph.node(id_)) is not None:
            return node
    # A name that was given by hand makes no id.
    folded = fold_name(wanted)
    called = [node for node in graph.shown() if node.kind in ("entity", "thread") and fold_name(node.text) == folded]
    if not called:
        called = [node for node in graph.shown() if node.kind in ("entity", "thread") and folded in _aliases(node)]
    if len(called) == 1:
        return called[0]
    if len(wanted) < 4 or not wanted.isalnum():
        return None
    begins = [node for node in graph.shown() if node.id.startswith(wanted)]
    if len(begins) > 1:
        raise BadInput(f"{len(begins)} nodes begin with {wanted!r}.", "Give more of the id.")
    return begins[0] if begins else None


def _aliases(node: NodeState) -> set[str]:
    found = node.fields.get("aliases")
    return {fold_name(str(each)) for each in found} if isinstance(found, tuple | list) else set()


def hidden(graph: Graph, wanted: str) -> NodeState | None:
    """A node that was hidden by hand, by its id, a beginning of it that no other hidden one has, or its name."""
    for id_ in (wanted, *_named(wanted)):
        node = graph.nodes.get(graph.aliases.canonical(id_))
        if node is not None and node.parts and node.retired:
            return node
    if len(wanted) < 4 or not wanted.isalnum():
        return None
    begins = [node for node in graph.nodes.values() if node.id.startswith(wanted) and node.parts and node.retired]
    return begins[0] if len(begins) == 1 else None


def _named(name: str) -> list[str]:
    return [named_id(kind, scope, name) for kind in ("entity", "thread") for scope in SCOPES] if name.strip() else []
