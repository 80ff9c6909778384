"""Methods on the graph: reading it, asking why, and changing it by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine.chats import OpenChat, check_index
from tidelore.engine.codec import field_value, named_id, windowless
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.explain import why
from tidelore.engine.extract import plan
from tidelore.engine.graph import Graph
from tidelore.engine.model import Commit, EnsureNode, FieldValue, Named, Operation, Patch, Retire
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.extraction import attempts_of
from tidelore.engine.table import DEFAULT_LAG, Call, method
from tidelore.engine.view import GraphView, NodeView, graph_view, node_view

if TYPE_CHECKING:
    from tidelore.engine.service import Service


@method("graph.get", m.GraphGet, GraphView)
async def graph_get(service: Service, params: m.GraphGet, call: Call) -> GraphView:
    """The graph of a chat: nodes and edges sorted by id, without clocks, so that two graphs are equal when their JSON is."""
    del call
    chat = await service.chats.open(params.chat)
    if params.at is None:
        return graph_view(chat.graph)
    check_index(chat, params.at, "at")
    return graph_view(service.chats.as_of(chat, params.at)[1])


@method("node.get", m.NodeOnly, NodeView)
async def node_get(service: Service, params: m.NodeOnly, call: Call) -> NodeView:
    """One node, with its fields and evidence."""
    del call
    chat = await service.chats.open(params.chat)
    return node_view(chat.graph, _node(chat.graph, params.node))


@method("node.edit", m.NodeEdit, m.Changed, writes=True)
async def node_edit(service: Service, params: m.NodeEdit, call: Call) -> m.Changed:
    """Change fields of a node by hand. The change stays on top of whatever is extracted, and waits while the node is gone or reads
    differently."""
    del call
    if not params.fields:
        raise BadInput("params.fields is empty.", 'Name the fields to change, as in {"text": "the new text"}.')
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = _node(chat.graph, params.node)
        seen = node.fields
        for name, value in (params.expects or {}).items():
            if seen.get(name) != (None if value is None else field_value(value)):
                raise Conflict(f"The field {name!r} reads {seen.get(name)!r} by now.", "Read the node again before you change it.")
        operations: list[Operation] = []
        for name, value in params.fields.items():
            new = None if value is None else field_value(value)
            if seen.get(name) != new:
                operations.append(Patch(node.id, name, seen.get(name), new))
        if not operations:
            raise BadInput("Nothing would change: the node reads like this already.")
        commit = await _by_hand(service, chat, operations)
        return m.Changed(commit.id, node.id, node.text)


@method("node.retire", m.NodeOnly, m.Changed, writes=True)
async def node_retire(service: Service, params: m.NodeOnly, call: Call) -> m.Changed:
    """Hide a node from graph and recall. It can be undone."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = _node(chat.graph, params.node)
        text = node.text
        commit = await _by_hand(service, chat, [Retire(node.id, text)])
        return m.Changed(commit.id, node.id, text)


@method("entity.alias", m.AliasAdd, m.Changed, writes=True)
async def entity_alias(service: Service, params: m.AliasAdd, call: Call) -> m.Changed:
    """Another name of an entity, as when a character or persona was renamed: both names lead to one node from now on."""
    del call
    if not params.name.strip() or not params.alias.strip():
        raise BadInput("Both names must hold a letter.")
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        known = chat.graph.node(_entity_id(params.name))
        sub = known.sub if known is not None else "character"
        commit = await _by_hand(service, chat, [EnsureNode(Named(params.name), sub, {"aliases": (params.alias,)})])
        return m.Changed(commit.id, _entity_id(params.name), params.name)


@method("undo", m.Undo, m.Changed, writes=True)
async def undo(service: Service, params: m.Undo, call: Call) -> m.Changed:
    """Take back a change by hand or an upkeep; undoing the undo is a redo."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        wanted = params.commit or _newest(chat)
        commit = chat.pool.commits.get(wanted)
        if commit is None or commit.window:
            raise NotFound("There is no such change in this chat.", "node.edit and the other changes answer with the id to undo.")
        if commit.id not in {each.id for each in chat.pool.standing(chat.timeline.lineage)}:
            raise Conflict("This change is undone already.", "Undo the undo to bring it back.")
        undone = await _by_hand(service, chat, [], undoes=commit.id)
        return m.Changed(undone.id, "", "")


def _newest(chat: OpenChat) -> str:
    for commit in reversed(chat.pool.standing(chat.timeline.lineage)):
        if commit.author == "person" and commit.chat == chat.record.id and not commit.undoes:
            return commit.id
    raise NotFound("There is nothing to undo in this chat.")


async def _by_hand(service: Service, chat: OpenChat, operations: Sequence[Operation], undoes: str = "") -> Commit:
    keys = chat.timeline.keys
    commit = windowless(
        "person",
        operations,
        clock=service.chats.tick(),
        replica=service.chats.replica,
        chat=chat.record.id,
        anchor=keys[-1] if keys else "",
        undoes=undoes,
        token=service.chats.token(),
    )
    await service.chats.commit(chat, [commit])
    return commit


@method("why", m.NodeOnly, m.Why)
async def node_why(service: Service, params: m.NodeOnly, call: Call) -> m.Why:
    """Why the engine believes something: commit, window, and the very words."""
    del call
    chat = await service.chats.open(params.chat)
    return why(chat, _node(chat.graph, params.node))


@method("stats", m.ChatOnly, m.Stats)
async def stats(service: Service, params: m.ChatOnly, call: Call) -> m.Stats:
    """What is remembered, what is waiting, and what is still to be extracted."""
    del call
    chat = await service.chats.open(params.chat)
    view = graph_view(chat.graph)
    attempts = await attempts_of(service, chat)
    keys = chat.timeline.keys
    due = [plan.window_id(keys[w.first : w.last + 1]) for w in plan.due_for_model(chat.timeline, DEFAULT_LAG)]
    return m.Stats(
        len(chat.timeline.slots),
        len(chat.pool.sources),
        len(chat.pool.commits),
        sum(1 for _ in chat.timeline.placements()),
        dict(sorted(Counter(node.kind for node in view.nodes).items())),
        dict(sorted(Counter(edge.type for edge in view.edges).items())),
        sum(1 for node in view.nodes if node.state == "superseded"),
        [m.Waiting(node, _said(operation)) for node, _, operation in chat.graph.waiting()],
        len(plan.due_for_rules(chat.timeline, DEFAULT_LAG)),
        sum(1 for name in due if not attempts.aside(name)),
        sum(1 for name in due if attempts.aside(name)),
    )


def _node(graph: Graph, wanted: str) -> NodeState:
    node = graph.node(wanted)
    if node is not None:
        return node
    found = [each for each in graph.shown() if each.id.startswith(wanted)] if len(wanted) >= 4 else []
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{len(found)} nodes begin with {wanted!r}.", "Give more of the id.")
    raise NotFound(f"There is no node {wanted!r} in this chat now.", "graph.get lists the nodes; a memory goes when its messages do.")


def _entity_id(name: str) -> str:
    return named_id("entity", "chat", name)


def _said(operation: Patch | Retire) -> str:
    if isinstance(operation, Retire):
        return f"hide: {operation.expects}"
    return f"{operation.field}: {_value(operation.expects)} -> {_value(operation.value)}"


def _value(value: FieldValue | None) -> str:
    return "nothing" if value is None else ", ".join(value) if isinstance(value, tuple) else str(value)
