"""Memories put in order by hand: merged, split, pinned, archived, made private. One commit each, which can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results as r
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.history import Placement
from tidelore.engine.model import EnsureNode, Needs, Operation, Patch
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.edges import found
from tidelore.engine.operations.graph import by_hand
from tidelore.engine.table import Call, method
from tidelore.engine.text.privacy import mask
from tidelore.engine.upkeep.grounds import needs_of
from tidelore.engine.upkeep.merging import merge, split_names, split_text

if TYPE_CHECKING:
    from tidelore.engine.service import Service

MOST_MERGED = 100
MOST_PARTS = 20


@method("node.merge", mc.NodeMerge, rc.Merged, writes=True)
async def node_merge(service: Service, params: mc.NodeMerge, call: Call) -> rc.Merged:
    """Make one memory of several: the others go into the one that is kept, with what they hang together with. What they rest on stays; when
    the message behind one of them goes, the merge does not count any more and the rest is back."""
    del call
    if not 1 <= len(params.others) <= MOST_MERGED:
        raise BadInput(f"others names {len(params.others)} memories.", f"Name 1 to {MOST_MERGED} that go into the one that is kept.")
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        keep = found(chat.graph, params.keep)
        others = _others(chat, keep, params.others)
        operations = merge(chat.graph, keep, others, mask(params.text.strip()))
        needs = Needs() if keep.kind == "entity" else needs_of((keep, *others), chat.timeline)
        gone = [other.id for other in others]
        commit = await by_hand(service, chat, operations, needs=needs)
        return rc.Merged(commit.id, keep.id, keep.text, gone)


def _others(chat: OpenChat, keep: NodeState, wanted: Sequence[str]) -> list[NodeState]:
    others = list({other.id: other for each in wanted if (other := found(chat.graph, each)) is not keep}.values())
    if not others:
        raise BadInput("There is nothing to merge: all are the same memory.", "Name another one in `others`.")
    return others


@method("node.split", mc.NodeSplit, rc.SplitUp, writes=True)
async def node_split(service: Service, params: mc.NodeSplit, call: Call) -> rc.SplitUp:
    """Make several memories of one, each with the same evidence; or take names apart that do not mean the same."""
    del call
    texts = [mask(text.strip()) for text in params.texts]
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = found(chat.graph, params.node)
        if node.kind == "entity":
            if texts or not params.names:
                raise BadInput("An entity is split by its names.", "Name in `names` those that mean somebody else.")
            operations, needs = split_names(chat.graph, node, params.names), Needs()
        else:
            if params.names or not 2 <= len(texts) <= MOST_PARTS or not all(texts):
                raise BadInput("A memory is split into texts.", f"Give 2 to {MOST_PARTS} in `texts`, none of them empty.")
            needs = needs_of([node], chat.timeline)
            operations = split_text(node, texts, [service.chats.token() for _ in texts[1:]], needs)
        commit = await by_hand(service, chat, operations, needs=needs)
        place = Placement(commit)
        made = [chat.graph.resolve(each.ref, place) for each in commit.operations if isinstance(each, EnsureNode)]
        return rc.SplitUp(commit.id, node.id, node.text, made)


@method("node.pin", m.NodeOnly, r.Changed, writes=True)
async def node_pin(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """Put a memory into the core block of every prompt, before all others there and as far as the block has room. Takes it out of the
    archive."""
    del call
    return await _mark(service, params, {"pinned": True, "archived": False})


@method("node.unpin", m.NodeOnly, r.Changed, writes=True)
async def node_unpin(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """The memory comes into a prompt only when it is recalled."""
    del call
    return await _mark(service, params, {"pinned": False})


@method("node.archive", m.NodeOnly, r.Changed, writes=True)
async def node_archive(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """Put a memory out of recall; it stays in the graph and is found by a search. Unpins it."""
    del call
    return await _mark(service, params, {"archived": True, "pinned": False})


@method("node.unarchive", m.NodeOnly, r.Changed, writes=True)
async def node_unarchive(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """The memory takes part in recall again."""
    del call
    return await _mark(service, params, {"archived": False})


@method("node.private", m.NodeOnly, r.Changed, writes=True)
async def node_private(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """Keep a memory to yourself: it goes into no prompt, to no embedder and no memory model, and into no graph or file that does not ask
    for what is private. Unpins it."""
    del call
    return await _mark(service, params, {"private": True, "pinned": False})


@method("node.public", m.NodeOnly, r.Changed, writes=True)
async def node_public(service: Service, params: m.NodeOnly, call: Call) -> r.Changed:
    """The memory is not private any more."""
    del call
    return await _mark(service, params, {"private": False})


async def _mark(service: Service, params: m.NodeOnly, marks: Mapping[str, bool]) -> r.Changed:
    """The first mark is what the caller wants, the others follow from it."""
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        node = found(chat.graph, params.node)
        flag, wanted = next(iter(marks.items()))
        if node.marked(flag) == wanted:
            raise Conflict(f"This memory is {'' if wanted else 'not '}{flag} already.", "Nothing was changed.")
        if marks.get("pinned"):
            _check_pin(node)
        operations: list[Operation] = [
            Patch(node.id, name, node.fields.get(name), True if value else None)
            for name, value in marks.items()
            if node.marked(name) != value
        ]
        commit = await by_hand(service, chat, operations)
        return r.Changed(commit.id, node.id, node.text)


def _check_pin(node: NodeState) -> None:
    if node.kind == "page":
        raise BadInput("A page cannot be pinned.", "Pages are private writing and never go into a prompt by themselves.")
    if node.marked("private"):
        raise Conflict("This memory is private, so it goes into no prompt.", "Take that back first (node.public).")
