"""Cards to decide: what contradicts and what is there twice, and what a person says to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tidelore.engine import methods_care as mc
from tidelore.engine import results as r
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import BadInput, NotFound, TideloreError
from tidelore.engine.explain import messages_of
from tidelore.engine.model import EnsureEdge, Known, Needs, Operation, Patch, Retire
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.choosing import places
from tidelore.engine.operations.graph import by_hand
from tidelore.engine.operations.settings import value_of
from tidelore.engine.table import Call, method, positive
from tidelore.engine.text.privacy import mask
from tidelore.engine.upkeep.doubts import Doubt, compared, doubts, speakers
from tidelore.engine.upkeep.grounds import needs_of
from tidelore.engine.upkeep.merging import merge
from tidelore.engine.view import state_of

if TYPE_CHECKING:
    from tidelore.engine.service import Service

CHOICES = ("keep_old", "keep_new", "keep_both", "merge")
LEAST_ALIKE = 0.5
SHOWN_MESSAGES = 5
# Vectors that are late do not hold up a list of cards for longer.
GRAM_SECONDS = 5.0


@method("cards.list", mc.CardsList, rc.DecisionCards)
async def cards_list(service: Service, params: mc.CardsList, call: Call) -> rc.DecisionCards:
    """What there is to decide: facts that contradict and facts that say the same, side by side with their evidence. Found without a model
    whenever it is asked for; what was decided comes back only when the texts or the evidence have changed."""
    del call
    limit = positive(params.limit, "limit")
    chat = await service.chats.open(params.chat)
    found, degraded = await open_doubts(service, chat, params.alike)
    return rc.DecisionCards([_card(chat, doubt) for doubt in found[:limit]], len(found), degraded)


@method("cards.decide", mc.CardsDecide, rc.Decided, writes=True)
async def cards_decide(service: Service, params: mc.CardsDecide, call: Call) -> rc.Decided:
    """Decide a card: keep the older one, the newer one or both, or make one of them. One change, which can be undone; when the messages
    behind either go, the decision goes with them."""
    del call
    if params.text.strip() and params.choice != "merge":
        raise BadInput("A text belongs to the choice merge alone.", "Leave it out, or choose merge.")
    chat = await service.chats.open(params.chat)
    # Vectors are asked before the lock: they may take their time.
    cosines, _ = await _cosines(service, chat)
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        chat.index.refresh()
        # A card may have been listed with any share; its id does not depend on that.
        doubt = next((each for each in doubts(chat.index, LEAST_ALIKE, cosines) if each.id == params.card), None)
        if doubt is None:
            raise NotFound("There is no such card.", "It was decided, or what it is about has changed: see cards.list.")
        operations, stays = _decision(chat, doubt, params)
        both = [doubt.old, doubt.new]
        needs = Needs() if doubt.old.kind == "entity" else needs_of(both, chat.timeline)
        commit = await by_hand(service, chat, operations, needs=needs)
        gone = [each.id for each in both if each.id != stays.id and chat.graph.node(each.id) is not each]
        return rc.Decided(commit.id, params.card, params.choice, stays.id, gone)


async def open_doubts(service: Service, chat: OpenChat, alike: float | None = None) -> tuple[list[Doubt], list[str]]:
    """All cards, and what could not take part. Raises BadInput."""
    if alike is None:
        alike = await value_of(service, "cards.alike")
    if not LEAST_ALIKE <= alike <= 1:
        raise BadInput(f"alike is {alike}.", f"It is a share from {LEAST_ALIKE} to 1.")
    cosines, degraded = await _cosines(service, chat)
    chat.index.refresh()
    return doubts(chat.index, alike, cosines), degraded


async def _cosines(service: Service, chat: OpenChat) -> tuple[dict[tuple[str, str], float], list[str]]:
    """The cosines of facts about one subject, where there is an embedder."""
    chat.index.refresh()
    out: dict[tuple[str, str], float] = {}
    if service.vectors is None:
        return out, []
    try:
        async with asyncio.timeout(GRAM_SECONDS):
            for ids in compared(chat.index):
                for one, row in zip(ids, await service.vectors.gram(ids), strict=True):
                    out.update(((one, other), cosine) for other, cosine in zip(ids, row, strict=True) if one < other)
    except TimeoutError:
        return out, ["embedder: It is late; words alone compare."]
    except TideloreError as error:
        return out, [f"embedder: {error.sentence}"]
    return out, []


def _decision(chat: OpenChat, doubt: Doubt, params: mc.CardsDecide) -> tuple[list[Operation], NodeState]:
    """The operations, and which of the two stays."""
    old, new = doubt.old, doubt.new
    note = EnsureEdge("doubt", Known(old.id), Known(new.id), doubt.label, {"decided": params.choice, "of": doubt.of})
    match params.choice:
        case "keep_old":
            return [Retire(new.id, new.text), note], old
        case "keep_new":
            # In a line the older one is superseded and stays to be seen; else both would go on side by side.
            goes: list[Operation] = [] if chat.graph.superseded(old) else [Retire(old.id, old.text)]
            return [*goes, note], new
        case "keep_both":
            stands: list[Operation] = [Patch(old.id, "stands", old.fields.get("stands"), True)] if chat.graph.superseded(old) else []
            return [*stands, note], new
        case "merge":
            return [*merge(chat.graph, new, [old], mask(params.text.strip())), note], new


def _card(chat: OpenChat, doubt: Doubt) -> rc.DecisionCard:
    subject = chat.graph.node(doubt.new.subject) if doubt.new.subject else None
    attribute = doubt.new.fields.get("attribute")
    return rc.DecisionCard(
        doubt.id,
        doubt.kind,
        doubt.reason,
        subject.text if subject is not None else "",
        attribute if isinstance(attribute, str) else "",
        doubt.likeness,
        _side(chat, doubt.old),
        _side(chat, doubt.new),
        list(CHOICES),
    )


def _side(chat: OpenChat, node: NodeState) -> rc.CardSide:
    at = places(node, chat.timeline)
    messages: list[r.MessageView] = messages_of(chat, node)[:SHOWN_MESSAGES]
    return rc.CardSide(
        node.id,
        node.kind,
        node.sub,
        node.text,
        state_of(chat.graph, node),
        list(speakers(chat.index, node).values()),
        at[0] if at else None,
        messages,
    )
