"""One memory from all sides: its versions, who knows it, when and why it was last recalled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import NotFound
from tidelore.engine.model import FieldValue
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.edges import hidden, maybe
from tidelore.engine.ports import LedgerRow
from tidelore.engine.table import Call, method
from tidelore.engine.upkeep.versions import versions
from tidelore.engine.view import state_of

if TYPE_CHECKING:
    from tidelore.engine.service import Service

RECEIPTS_READ = 10_000


@method("node.history", m.NodeOnly, rc.NodeHistory)
async def node_history(service: Service, params: m.NodeOnly, call: Call) -> rc.NodeHistory:
    """Every version of a memory: who said what and when, from which messages, and whether it counts now. Also of one that is hidden."""
    del call
    chat = await service.chats.open(params.chat)
    node = _any(chat, params.node)
    return rc.NodeHistory(node.id, node.kind, node.text, state_of(chat.graph, node), versions(chat, node))


@method("node.why", m.NodeOnly, rc.NodeWhy)
async def node_recalled(service: Service, params: m.NodeOnly, call: Call) -> rc.NodeWhy:
    """Who knows a memory, and when and why it was last recalled and delivered. What it rests on: see why."""
    del call
    chat = await service.chats.open(params.chat)
    node = _any(chat, params.node)
    receipts = await service.store.ledger("delivery", "", RECEIPTS_READ)
    return rc.NodeWhy(
        node.id,
        node.kind,
        node.text,
        state_of(chat.graph, node),
        node.marked("pinned"),
        node.marked("private"),
        _names(node.fields.get("known_by")),
        held if isinstance(held := node.fields.get("held_by"), str) else "",
        _present(node),
        _recalled(service, chat, node.id),
        _delivered(receipts, node.id),
    )


def _any(chat: OpenChat, wanted: str) -> NodeState:
    """A node that is shown or was hidden by hand. Raises NotFound, BadInput."""
    node = maybe(chat.graph, wanted) or hidden(chat.graph, wanted)
    if node is None:
        raise NotFound(f"There is no memory {wanted[:80]!r} in this chat now.", "node.list lists them; a memory goes when its messages do.")
    return node


def _names(value: FieldValue | None) -> list[str]:
    return list(value) if isinstance(value, tuple) else [value] if isinstance(value, str) and value else []


def _present(node: NodeState) -> list[str]:
    """Who spoke in the messages around it: they were there."""
    slots = {slot for part in node.parts for slot in part.placement.slots}
    return list(dict.fromkeys(slot.name for slot in sorted(slots, key=lambda slot: slot.order) if slot.name))


def _recalled(service: Service, chat: OpenChat, node: str) -> rc.LastRecall | None:
    for id_, held in service.recalls.newest(chat.record.id):
        looked = held.looked.get(node)
        if looked is not None:
            return rc.LastRecall(id_, held.at, held.query, looked.block, looked.taken, looked.reason, looked.score, dict(looked.signals))
    return None


def _delivered(receipts: Sequence[LedgerRow], node: str) -> rc.LastDelivery | None:
    """The newest receipt that names it. A node of another chat that was read beside has its receipts there."""
    mine = [row for row in receipts if node in row.body["nodes"]]
    if not mine:
        return None
    body = mine[0].body
    reason, score = body.get("why", {}).get(node, ("", 0.0))
    return rc.LastDelivery(body["recall"], mine[0].at, body["window"], reason, score, len(mine))
