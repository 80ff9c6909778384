"""Forgetting one memory for good, and the receipts of every purge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelore.engine.chats import ROUNDS, OpenChat
from tidelore.engine.errors import Conflict
from tidelore.engine.operations.graph import find_node
from tidelore.engine.ports import Purge, Purged
from tidelore.engine.sync import params as p
from tidelore.engine.sync import results as r
from tidelore.engine.sync.absorb import forget
from tidelore.engine.sync.burial import stated
from tidelore.engine.sync.carry import bury
from tidelore.engine.sync.forgetting import Forgetting, forgetting
from tidelore.engine.table import Call, method

if TYPE_CHECKING:
    from tidelore.engine.service import Service


@method("node.purge", p.NodePurge, r.PurgedNode, writes=True)
async def node_purge(service: Service, params: p.NodePurge, call: Call) -> r.PurgedNode:
    """Forget a memory for good, with the words that it rests on: the stored texts of the messages that it quotes (of an entity: of all that
    name it), everything made from those, and changes by hand that tell of it, in all branches and replicas. Nothing is extracted from
    these messages again. It cannot be undone: look first, with `dry`. The chat itself is not Tidelore's to change."""
    del call
    for _ in range(ROUNDS):
        async with service.chats.lock:
            chat = await service.chats.open(params.chat)
            node = find_node(chat.graph, params.node)
            pool = chat.record.pool
            rows = await service.store.pool(pool, 0)
            clock = max(service.chats.tick(chat.home), await service.store.newest(pool))
            found = forgetting(chat, node, clock)
            shown = _shown(chat, found, node.id, node.text)
            if params.dry:
                return shown
            if any(id_ == chat.record.id for id_, _ in service.extracting):
                raise Conflict("An extraction of this chat is still running.", "Cancel it, or wait until it is done.")
            outside = len(shown.messages)
            try:
                done = await bury(service.chats, found.purge, rows)
            except Conflict:
                continue
        service.attempts.pop(pool, None)
        nodes = {node.id, *(each.id for each in found.going), *(id_ for each in found.commits for id_ in stated(each))}
        receipts = await receipts_of(service, found.purge, done, nodes, outside)
        return r.PurgedNode(found.purge.id, shown.node, shown.text, shown.messages, shown.commits, shown.going, receipts)
    raise Conflict("Other writers keep changing this chat.", "Try again.")


def _shown(chat: OpenChat, found: Forgetting, node: str, text: str) -> r.PurgedNode:
    timeline = chat.timeline
    messages = sorted(timeline.index(slot) for key in found.purge.keys for slot in timeline.places.get(key, ()))
    going = [r.Going(each.id, each.kind, each.text) for each in sorted(found.going, key=lambda each: each.id)]
    return r.PurgedNode("", node, text, messages, len(found.commits), going, [])


async def receipts_of(service: Service, purge: Purge, done: Purged, nodes: set[str], outside: int) -> list[r.Receipt]:
    """What became of the words, place by place. `outside`: how many messages on screen have them."""
    record = next(each for each in reversed(await service.store.purges()) if each.id == purge.id)
    forgot = await forget(service, nodes)
    peers = await service.sync.peers.all(service.store)
    waiting = sorted(name for name, peer in peers.items() if not peer.has(record))
    receipts = [
        r.Receipt("store", "done", done.sources + done.commits, []),
        r.Receipt("ledger", "done", 0, []),
        r.Receipt("vectors", "done" if forgot else "waiting", len(nodes), []),
    ]
    if service.files is not None:
        receipts.append(r.Receipt("mirror", "waiting", 0, []))
    receipts.append(r.Receipt("replicas", "waiting" if waiting else "done", len(peers) - len(waiting), waiting))
    if outside:
        receipts.append(r.Receipt("chat", "outside", outside, []))
    return receipts
