"""Methods on recall and delivery."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.explain import card, trace
from tidelore.engine.extract.run import chat_language
from tidelore.engine.operations.settings import values_at_hand
from tidelore.engine.ports import Batch, LedgerRow
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.pack import SEVERAL
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.recall.repeats import repeated
from tidelore.engine.recall.rerank import Judge
from tidelore.engine.recall.run import Recall, Request, recall
from tidelore.engine.recall.standing import made_again, reading
from tidelore.engine.recalls import Held, LookedAt
from tidelore.engine.scopes import SCOPE_MARK, scope_chat
from tidelore.engine.table import Call, method, positive
from tidelore.engine.token_counts import first_that_fits

QUERY_KEPT = 400
MOST_PATIENCE = 60.0
# How far back receipts are looked for; windows of one chat share the rows.
RECEIPTS_READ = 10_000
MOST_DELIVERIES = 200

if TYPE_CHECKING:
    from tidelore.engine.service import Service


@method("recall.run", m.RecallRun, r.Recalled)
async def recall_run(service: Service, params: m.RecallRun, call: Call) -> r.Recalled:
    """From what the user wrote to the memories for the prompt, with a trace. Nothing counts as delivered yet."""
    del call
    chat, indexes = await _read(service, params.chat, params.scopes, params.beside)
    usual = await values_at_hand(service)
    preset = PRESETS.get(params.preset or usual["recall.preset"])
    if preset is None:
        raise BadInput(f"There is no preset named {params.preset!r}.", f"Presets: {', '.join(PRESETS)}.")
    if params.context_from is not None and params.context_tokens is not None:
        raise BadInput("Both `context_from` and `context_tokens` are given.", "Send the one or the other.")
    if params.context_tokens is not None and params.context_tokens < 0:
        raise BadInput(f"context_tokens is {params.context_tokens}.", "0 means that no message is in the prompt anyway.")
    request = Request(
        params.query,
        preset,
        (usual["recall.budget"] or preset.budget) if params.budget is None else positive(params.budget, "budget"),
        (usual["recall.limit"] or preset.limit) if params.limit is None else positive(params.limit, "limit"),
        _language(chat, indexes),
        params.reply,
        params.earlier,
        params.context_from if params.context_tokens is None else first_that_fits(chat, params.context_tokens),
        await _cooling(service, chat, params, preset.cooldown),
        params.exclude,
        patience=_patience(usual["recall.patience"] if params.patience is None else params.patience),
    )
    judge = _judge(service, usual["recall.rerank"] if params.rerank is None else params.rerank)
    # What a model says is no function of the chat, so such an answer is not kept.
    found = await repeated(request, indexes, service.vectors) if judge is None else await recall(request, indexes, service.vectors, judge)
    return _recalled(service, chat, params.query, found, indexes, wants_trace=params.trace)


@method("recall.check", m.RecallCheck, r.Checked)
async def recall_check(service: Service, params: m.RecallCheck, call: Call) -> r.Checked:
    """Whether a recall that was made earlier is still supported by the chat on screen, so that its text can be used once more, as for
    another swipe of the same answer. A text that was kept somewhere else need not be believed: with `cards` it is made again."""
    del call
    chat, indexes = await _read(service, params.chat, params.scopes, params.beside)
    for index in indexes:
        index.refresh()
    state, gone = reading(params.nodes, indexes)
    stands = state == params.state and not gone
    if not stands or params.cards is None:
        return r.Checked(stands, gone, "", "")
    core, recalled = made_again(params.nodes, params.cards, indexes, _language(chat, indexes))
    return r.Checked(stands, gone, core.text, recalled.text)


async def _read(service: Service, name: str, scopes: Sequence[str], beside: Sequence[str]) -> tuple[OpenChat, list[Index]]:
    """The chat that is named, and the indexes that are read: its own first, then those of scopes, then those of other chats. A scope may
    be the chat itself: no memory counts twice. Raises NotFound, BadInput."""
    found = await service.chats.among([name, *map(scope_chat, scopes), *beside])
    if not found or found[0].record.name != name:
        # It is not there, or was made just now.
        chat = await service.chats.open(name)
        found = [chat, *(each for each in found if each is not chat)]
    return found[0], [each.index for each in found]


def _language(chat: OpenChat, indexes: Sequence[Index]) -> str:
    """That of the blocks."""
    several = len(indexes) > 1 or chat.record.name.startswith(SCOPE_MARK)
    return chat_language(chat) + (SEVERAL if several else "")


def _judge(service: Service, seconds: float) -> Judge | None:
    if not 0 <= seconds <= MOST_PATIENCE:
        raise BadInput(f"rerank is {seconds}.", f"It is a number of seconds from 0 to {MOST_PATIENCE:g}.")
    return Judge(service.complete, seconds) if seconds else None


def _patience(seconds: float) -> float:
    if not 0 <= seconds <= MOST_PATIENCE:
        raise BadInput(f"patience is {seconds}.", f"It is a number of seconds from 0 to {MOST_PATIENCE:g}.")
    return seconds


def _recalled(service: Service, chat: OpenChat, query: str, found: Recall, indexes: Sequence[Index], *, wants_trace: bool) -> r.Recalled:
    id_ = service.chats.token()
    nodes = list(dict.fromkeys((*found.core.nodes, *(each.document.id for each in found.cards))))
    cost = found.core.tokens + found.recalled.tokens
    looked = LookedAt(found.decisions, found.core.nodes)
    service.recalls.add(id_, Held(chat.record.id, service.chats.now(), query[:QUERY_KEPT], tuple(nodes), cost, looked))
    return r.Recalled(
        id_,
        [card(found.homes[each.document.id], each) for each in found.cards],
        found.core.text,
        found.recalled.text,
        found.core.tokens + found.recalled.tokens,
        nodes,
        reading(nodes, indexes)[0],
        list(found.degraded),
        trace(chat, found) if wants_trace else None,
    )


async def _cooling(service: Service, chat: OpenChat, params: m.RecallRun, answers: int) -> frozenset[str]:
    if params.delivered is not None:
        return frozenset(params.delivered)
    if not answers:
        return frozenset()
    rows = await service.store.ledger("delivery", chat.record.id, RECEIPTS_READ)
    mine = [row for row in rows if row.body["window"] == params.window][:answers]
    return frozenset(node for row in mine for node in row.body["nodes"])


@method("recall.deliveries", m.RecallDeliveries, r.Deliveries)
async def recall_deliveries(service: Service, params: m.RecallDeliveries, call: Call) -> r.Deliveries:
    """The receipts of all chats, newest first."""
    del call
    if not 1 <= params.limit <= MOST_DELIVERIES:
        raise BadInput(f"limit is {params.limit}.", f"It is a number from 1 to {MOST_DELIVERIES}.")
    names = {record.id: record.name for record in await service.chats.records()}
    rows = await service.store.ledger("delivery", "", RECEIPTS_READ)
    mine = [row for row in rows if not params.window or row.body["window"] == params.window][: params.limit]
    return r.Deliveries(
        [r.Delivery(row.body["recall"], names.get(row.chat, ""), row.body["window"], list(row.body["nodes"]), row.at) for row in mine]
    )


@method("recall.delivered", m.RecallDelivered, r.Delivered, writes=True)
async def recall_delivered(service: Service, params: m.RecallDelivered, call: Call) -> r.Delivered:
    """A receipt: these memories were in a request that succeeded. The presets strict, wake and plain leave what was delivered out of the
    next 5, 3 and 3 answers of the same window; story does not. The same receipt twice is one; with other memories it is a conflict."""
    del call
    if params.chat.startswith(SCOPE_MARK) and await service.chats.find(params.chat) is None:
        await service.chats.open_scope(params.chat.removeprefix(SCOPE_MARK))
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        known = await _receipt(service, chat, params.recall)
        held = service.recalls.get(params.recall)
        if held is not None and held.chat != chat.record.id:
            raise BadInput("This recall was made for another chat.", "Name the chat that it was made for.")
        if held is None and params.nodes is None and known is None:
            raise NotFound("This recall is not known any more.", "Name the delivered memories in `nodes`.")
        nodes = params.nodes if params.nodes is not None else list(held.nodes) if held is not None else known or []
        if known is not None:
            if set(known) != set(nodes):
                raise Conflict("This receipt was given already, for other memories.", "Give each recall one receipt.")
            return r.Delivered(params.recall, nodes, False)
        body = {"recall": params.recall, "nodes": nodes, "window": params.window, **_reasons(held, nodes)}
        await service.store.write(Batch(ledger=[LedgerRow("delivery", chat.record.id, service.chats.now(), body)]))
        return r.Delivered(params.recall, nodes, True)


def _reasons(held: Held | None, nodes: Sequence[str]) -> dict[str, Any]:
    """Why each memory was taken, for the ledger; nothing for a recall that is not known any more."""
    if held is None:
        return {}
    looked = {node: held.looked.get(node) for node in nodes}
    return {"why": {node: [each.reason, each.score] for node, each in looked.items() if each is not None}}


async def _receipt(service: Service, chat: OpenChat, id_: str) -> list[str] | None:
    for row in await service.store.ledger("delivery", chat.record.id, RECEIPTS_READ):
        if row.body["recall"] == id_:
            return list(row.body["nodes"])
    return None
