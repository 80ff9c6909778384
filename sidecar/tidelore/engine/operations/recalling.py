"""Methods on recall and delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.explain import card, trace
from tidelore.engine.extract.run import chat_language
from tidelore.engine.ports import Batch, LedgerRow
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.recall.run import Recall, Request, recall
from tidelore.engine.table import Call, method, positive

KEPT_RECALLS = 64
# How far back receipts are looked for; windows of one chat share the rows.
RECEIPTS_READ = 10_000

if TYPE_CHECKING:
    from tidelore.engine.service import Service


@method("recall.run", m.RecallRun, m.Recalled)
async def recall_run(service: Service, params: m.RecallRun, call: Call) -> m.Recalled:
    """From what the user wrote to the memories for the prompt, with a trace. Nothing counts as delivered yet."""
    del call
    preset = PRESETS.get(params.preset)
    if preset is None:
        raise BadInput(f"There is no preset named {params.preset!r}.", f"Presets: {', '.join(PRESETS)}.")
    chat = await service.chats.open(params.chat)
    request = Request(
        params.query,
        preset,
        preset.budget if params.budget is None else positive(params.budget, "budget"),
        preset.limit if params.limit is None else positive(params.limit, "limit"),
        chat_language(chat),
        params.reply,
        params.earlier,
        params.context_from,
        await _cooling(service, chat, params.window, preset.cooldown),
    )
    beside = [await service.chats.scoped(scope) for scope in dict.fromkeys(params.scopes)]
    found = await recall(request, [chat.index, *(each.index for each in beside if each is not None)], service.vectors)
    return _recalled(service, chat, found, wants_trace=params.trace)


def _recalled(service: Service, chat: OpenChat, found: Recall, *, wants_trace: bool) -> m.Recalled:
    id_ = service.chats.token()
    nodes = (*found.core.nodes, *(each.document.id for each in found.cards))
    service.recalls[id_] = (chat.record.id, nodes)
    while len(service.recalls) > KEPT_RECALLS:
        del service.recalls[next(iter(service.recalls))]
    return m.Recalled(
        id_,
        [card(found.homes[each.document.id], each) for each in found.cards],
        found.core.text,
        found.recalled.text,
        found.core.tokens + found.recalled.tokens,
        list(found.degraded),
        trace(chat, found) if wants_trace else None,
    )


async def _cooling(service: Service, chat: OpenChat, window: str, answers: int) -> frozenset[str]:
    if not answers:
        return frozenset()
    rows = await service.store.ledger("delivery", chat.record.id, RECEIPTS_READ)
    mine = [row for row in rows if row.body["window"] == window][:answers]
    return frozenset(node for row in mine for node in row.body["nodes"])


@method("recall.delivered", m.RecallDelivered, m.Delivered, writes=True)
async def recall_delivered(service: Service, params: m.RecallDelivered, call: Call) -> m.Delivered:
    """A receipt: these memories were in a request that succeeded. The presets strict, wake and plain leave what was delivered out of the
    next 5, 3 and 3 answers of the same window; story does not. The same receipt twice is one; with other memories it is a conflict."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        known = await _receipt(service, chat, params.recall)
        held = service.recalls.get(params.recall)
        if held is not None and held[0] != chat.record.id:
            raise BadInput("This recall was made for another chat.", "Name the chat that it was made for.")
        if held is None and params.nodes is None and known is None:
            raise NotFound("This recall is not known any more.", "Name the delivered memories in `nodes`.")
        nodes = params.nodes if params.nodes is not None else list(held[1]) if held is not None else known or []
        if known is not None:
            if set(known) != set(nodes):
                raise Conflict("This receipt was given already, for other memories.", "Give each recall one receipt.")
            return m.Delivered(params.recall, nodes, False)
        body = {"recall": params.recall, "nodes": nodes, "window": params.window}
        await service.store.write(Batch(ledger=[LedgerRow("delivery", chat.record.id, service.chats.now(), body)]))
        return m.Delivered(params.recall, nodes, True)


async def _receipt(service: Service, chat: OpenChat, id_: str) -> list[str] | None:
    for row in await service.store.ledger("delivery", chat.record.id, RECEIPTS_READ):
        if row.body["recall"] == id_:
            return list(row.body["nodes"])
    return None
