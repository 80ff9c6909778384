"""Methods on the graph: reading it, asking why, and changing it by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat, check_index
from tidelore.engine.codec import field_value, named_id, windowless
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.explain import why
from tidelore.engine.extract import plan
from tidelore.engine.graph import Graph
from tidelore.engine.history import Placement
from tidelore.engine.model import (
    Author,
    Commit,
    EnsureNode,
    FieldValue,
    Kind,
    Named,
    Needs,
    Operation,
    Own,
    Patch,
    Retire,
    Scope,
)
from tidelore.engine.nodes import FLAGS, SWITCHES, NodeState
from tidelore.engine.operations.choosing import Wanted
from tidelore.engine.operations.extraction import attempts_of, schema_of
from tidelore.engine.params import parse
from tidelore.engine.schema import Schema
from tidelore.engine.scopes import SCOPE_MARK, scope_chat
from tidelore.engine.table import DEFAULT_LAG, Call, method
from tidelore.engine.text.privacy import mask
from tidelore.engine.upkeep.changes import waiting_of
from tidelore.engine.upkeep.same_words import same_words
from tidelore.engine.view import GraphView, NodeView, graph_counts, graph_view, node_view

if TYPE_CHECKING:
    from tidelore.engine.service import Service

NO_NEEDS = Needs()
# To resolve a name where no message is concerned.
NOTHING = Commit("", "person", (), 0, "")
USUAL_SUBS: dict[Kind, str] = {
    "entity": "character",
    "moment": "event",
    "fact": "context",
    "thread": "plot",
    "digest": "synopsis",
    "page": "diary",
}


@method("graph.get", m.GraphGet, GraphView)
async def graph_get(service: Service, params: m.GraphGet, call: Call) -> GraphView:
    """The graph of a chat: nodes and edges sorted by id, without clocks, so that two graphs are equal when their JSON is. What is private
    is left out unless it is asked for, so that it goes nowhere by itself."""
    del call
    chat = await service.chats.open(params.chat)
    timeline, graph = chat.timeline, chat.graph
    if params.at is not None:
        check_index(chat, params.at, "at")
        timeline, graph = service.chats.as_of(chat, params.at)
    wanted = Wanted(params.kinds, params.subs, params.scopes, params.states, params.first, params.last, params.private, what="graph.get")
    return graph_view(graph, wanted.among(graph, timeline))


@method("node.get", m.NodeOnly, NodeView)
async def node_get(service: Service, params: m.NodeOnly, call: Call) -> NodeView:
    """One node, with its fields and evidence."""
    del call
    chat = await service.chats.open(params.chat)
    return node_view(chat.graph, find_node(chat.graph, params.node))


@method("node.edit", m.NodeEdit, r.Changed, writes=True)
async def node_edit(service: Service, params: m.NodeEdit, call: Call) -> r.Changed:
    """Change fields of a node by hand. The change stays on top of whatever is extracted, and waits while the node is gone or reads
    differently."""
    del call
    if not params.fields:
        raise BadInput("params.fields is empty.", 'Name the fields to change, as in {"text": "the new text"}.')
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = find_node(chat.graph, params.node)
        seen = node.fields
        for name, value in (params.expects or {}).items():
            if seen.get(name) != (None if value is None else field_value(value)):
                raise Conflict(f"The field {name!r} reads {seen.get(name)!r} by now.", "Read the node again before you change it.")
        operations: list[Operation] = []
        for name, value in params.fields.items():
            new = None if value is None else masked(field_value(value))
            _check_field(node, name, new)
            if seen.get(name) != new:
                operations.append(Patch(node.id, name, seen.get(name), new))
        if not operations:
            raise BadInput("Nothing would change: the node reads like this already.")
        commit = await by_hand(service, chat, operations)
        return r.Changed(commit.id, node.id, node.text)


@method("node.write", m.NodeWrite, r.Written, writes=True)
async def node_write(service: Service, params: m.NodeWrite, call: Call) -> r.Written:
    """Remember something that no message says: in a chat, or under a scope that holds beyond one chat."""
    del call
    return (await _write(service, params.chat, params.scope, params.author, [params]))[0]


@method("nodes.write", m.NodesWrite, r.WrittenMany, writes=True)
async def nodes_write(service: Service, params: m.NodesWrite, call: Call) -> r.WrittenMany:
    """Remember several things at once: all of them or, after an error, none. Each can be undone alone."""
    del call
    items = [parse(m.NodeWrite, item, f"params.items[{at}]") for at, item in enumerate(params.items)]
    if any(item.chat or item.scope for item in items):
        raise BadInput("An item names a place of its own.", "All items go to the one `chat` or `scope` beside them.")
    return r.WrittenMany(await _write(service, params.chat, params.scope, params.author, items))


async def _write(service: Service, name: str, scope: str, author: Author, items: Sequence[m.NodeWrite]) -> list[r.Written]:
    if bool(name) == bool(scope):
        raise BadInput("Where does it belong?", "Name either a chat or a scope.")
    schema = await schema_of(service)
    stated = [_written(replace(item, scope=scope), schema, service.chats.token()) for item in items]
    if scope:
        await service.chats.open_scope(scope)
    async with service.chats.lock:
        chat = await service.chats.open(name or scope_chat(scope))
        nowhere = Placement(NOTHING)
        coming = {chat.graph.resolve(each.ref, nowhere) for each in stated}
        commits: list[Commit] = []
        for operation in stated:
            operations: list[Operation] = [operation]
            subject = operation.subject
            if subject is not None:
                id_ = chat.graph.resolve(subject, nowhere)
                if id_ not in coming and chat.graph.node(id_) is None:
                    operations.append(EnsureNode(subject, "topic"))
                    coming.add(id_)
            commits.append(_made(service, chat, operations, author=author))
        if commits:
            await service.chats.commit(chat, commits)
        return [
            r.Written(commit.id, chat.graph.resolve(each.ref, Placement(commit)), chat.record.name)
            for commit, each in zip(commits, stated, strict=True)
        ]


@method("scope.list", m.NoParams, r.ScopeInfos)
async def scope_list(service: Service, params: m.NoParams, call: Call) -> r.ScopeInfos:
    """The scopes under which something is remembered, with the names of the chats that hold them."""
    del params, call
    names = [record.name for record in await service.chats.records() if record.name.startswith(SCOPE_MARK)]
    return r.ScopeInfos([r.ScopeInfo(name[len(SCOPE_MARK) :], name) for name in names])


def _written(params: m.NodeWrite, schema: Schema, token: str) -> EnsureNode:
    name = params.name.strip()
    sub = params.sub or USUAL_SUBS[params.kind]
    found = schema.find(sub)
    if found is None or found.kind != params.kind:
        known = ", ".join(each.name for each in schema.of(params.kind))
        raise BadInput(f"{sub!r} is no sub of {params.kind}.", f"Subs: {known}.")
    fields = {field: masked(field_value(value)) for field, value in params.fields.items() if value is not None}
    if params.text.strip():
        fields["text"] = mask(params.text.strip())
    scope: Scope = "chat"
    if params.scope:
        kind = params.scope.partition(":")[0]
        scope = "profile" if kind == "profile" else "persona" if kind == "persona" else "character"
    subject = Named(params.about.strip(), "entity", scope) if params.about.strip() else None
    if params.kind in ("entity", "thread"):
        if not name:
            raise BadInput(f"{params.kind} has no name.", "Give it in `name`.")
        return EnsureNode(Named(name, "entity" if params.kind == "entity" else "thread", scope), sub, fields, subject=subject)
    if "text" not in fields:
        raise BadInput("There is nothing to remember.", "Give it in `text`.")
    return EnsureNode(Own(params.kind, token, scope), sub, fields, subject=subject)


@method("node.retire", m.NodeRetire, rc.Retired, writes=True)
async def node_retire(service: Service, params: m.NodeRetire, call: Call) -> rc.Retired:
    """Hide a node from graph and recall; with `siblings` its sentences go from all other memories, too. It can be undone."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = find_node(chat.graph, params.node)
        text = node.text
        others = same_words(chat.graph, node) if params.siblings else []
        commit = await by_hand(service, chat, [Retire(node.id, text), *others])
        siblings = [rc.Sibling(each.node, str(each.expects), str(each.value) if isinstance(each, Patch) else "") for each in others]
        return rc.Retired(commit.id, node.id, text, siblings)


@method("entity.alias", m.AliasAdd, r.Changed, writes=True)
async def entity_alias(service: Service, params: m.AliasAdd, call: Call) -> r.Changed:
    """Another name of an entity, as when a character or persona was renamed: both names lead to one node from now on."""
    del call
    if not params.name.strip() or not params.alias.strip():
        raise BadInput("Both names must hold a letter.")
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        known = chat.graph.node(_entity_id(params.name))
        sub = known.sub if known is not None else "character"
        commit = await by_hand(service, chat, [EnsureNode(Named(params.name), sub, {"aliases": (params.alias,)})])
        return r.Changed(commit.id, _entity_id(params.name), params.name)


def masked(value: FieldValue) -> FieldValue:
    """Secrets and numbers of people are not stored, whoever writes them down."""
    if isinstance(value, str):
        return mask(value)
    return tuple(map(mask, value)) if isinstance(value, tuple) else value


def _check_field(node: NodeState, name: str, value: FieldValue | None) -> None:
    """Raises BadInput for a change that would leave a node with nothing to say, or with an importance that is none."""
    if name == ("name" if node.kind in ("entity", "thread") else "text") and (value is None or not str(value).strip()):
        raise BadInput(f"The {name} of a {node.kind} cannot be empty.", "Hide it with node.retire.")
    if name in FLAGS and not (name in SWITCHES and value in (None, True)):
        raise BadInput(f"{name} cannot be {value!r}.", "Use node.pin, node.archive, node.private, node.merge and node.split.")
    if name == "importance" and value is not None and not (type(value) is int and 1 <= value <= 10):
        raise BadInput(f"importance cannot be {value!r}.", "It is a whole number from 1 to 10.")


async def by_hand(
    service: Service, chat: OpenChat, operations: Sequence[Operation], undoes: str = "", author: Author = "person", needs: Needs = NO_NEEDS
) -> Commit:
    """Stores a change. Call with the lock held."""
    commit = _made(service, chat, operations, undoes, author, needs)
    await service.chats.commit(chat, [commit])
    return commit


def _made(
    service: Service, chat: OpenChat, operations: Sequence[Operation], undoes: str = "", author: Author = "person", needs: Needs = NO_NEEDS
) -> Commit:
    keys = chat.timeline.keys
    return windowless(
        author,
        operations,
        clock=service.chats.tick(chat.home),
        replica=service.chats.replica,
        chat=chat.record.id,
        anchor=keys[-1] if keys else "",
        needs=needs,
        undoes=undoes,
        token=service.chats.token(),
    )


@method("why", m.NodeOnly, r.Why)
async def node_why(service: Service, params: m.NodeOnly, call: Call) -> r.Why:
    """Why the engine believes something: commit, window, and the very words."""
    del call
    chat = await service.chats.open(params.chat)
    return why(chat, find_node(chat.graph, params.node))


@method("stats", m.ChatOnly, r.Stats)
async def stats(service: Service, params: m.ChatOnly, call: Call) -> r.Stats:
    """What is remembered, what is waiting, and what is still to be extracted."""
    del call
    chat = await service.chats.open(params.chat)
    counts = graph_counts(chat.graph)
    attempts = await attempts_of(service, chat)
    keys = chat.timeline.keys
    due = [plan.window_id(keys[w.first : w.last + 1]) for w in plan.due_for_model(chat.timeline, DEFAULT_LAG)]
    return r.Stats(
        len(chat.timeline.slots),
        len(chat.pool.sources),
        len(chat.pool.commits),
        sum(1 for _ in chat.timeline.placements()),
        counts.nodes,
        counts.edges,
        counts.superseded,
        waiting_of(chat.graph),
        len(plan.due_for_rules(chat.timeline, DEFAULT_LAG)),
        sum(1 for name in due if not attempts.aside(name)),
        sum(1 for name in due if attempts.aside(name)),
    )


def find_node(graph: Graph, wanted: str) -> NodeState:
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
