"""What hosts and scripts ask of a room's memory."""

from __future__ import annotations

from typing import Any, TypeVar

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.scopes import scope_chat
from tidelore.engine.service import Call
from tidelore.host.config import GatewayConfig
from tidelore.serve import windows
from tidelore.serve.hooks import shapes as s
from tidelore.serve.hooks.context import Context, context
from tidelore.serve.rooms import Room

HOOK, SCRIPT = "strict", "plain"
MOST_IDS = 500
_LONGEST_ID = 200
_LONGEST_CLIENT = 80
_BETWEEN = "\n\n"
# The engine counts tokens and a host characters: so many that the characters decide.
_ROOMY = 3_000
T = TypeVar("T", int, float)


class Memory:
    """`config` says what is read where no chat is named."""

    def __init__(self, room: Room, config: GatewayConfig, by: object) -> None:
        self._table = room.table(by)
        self._config = config

    async def _ask(self, method: str, params: Any) -> Any:
        found = self._table.find(method)
        assert found is not None, method
        return await found.run(params, Call())

    async def _place(self, chat: str, scope: str, window: str) -> windows.Place | None:
        chats: r.ChatInfos = await self._ask("chat.list", m.NoParams())
        scopes: r.ScopeInfos = await self._ask("scope.list", m.NoParams())
        filled = [each.chat for each in chats.chats if each.holds]
        held = [each.scope for each in scopes.scopes]
        return windows.source(chat, scope, window, filled, held, self._config.chats, self._config.scopes)

    async def _delivered(self, window: str, preset: str) -> list[str]:
        """What the last answers of a window had, whichever client gave the receipts."""
        found: r.Deliveries = await self._ask("recall.deliveries", m.RecallDeliveries(window, PRESETS[preset].cooldown))
        return list(dict.fromkeys(node for each in found.deliveries for node in each.nodes))

    # ---- hosts ----

    async def hook(self, asked: s.HookRecall) -> s.HookRecalled:
        """Recall for a host that calls the model itself. Raises TideloreError."""
        query = next((text for text in (asked.query, asked.message, asked.prompt) if text.strip()), "")
        if not query:
            raise BadInput("There is no query.", "Give the user's words in `query`.")
        limit = within(asked.max_notes, 0, 5, "max_notes")
        longest = within(asked.max_chars, 160, 2400, "max_chars")
        room = within(asked.max_context_chars, 160, 12_000, "max_context_chars")
        window = windows.window(asked.session_id)
        place = await self._place(asked.chat, "", window)
        cooled = asked.delivered_ids if asked.delivered_ids is not None else await self._delivered(window, HOOK)
        if place is None or not limit:
            return _nothing(query, window, place, cooled)
        params = m.RecallRun(
            place.chat,
            query,
            _ROOMY,
            HOOK,
            limit,
            window=window,
            scopes=list(place.scopes),
            beside=list(place.beside),
            exclude=asked.exclude_ids,
            delivered=cooled,
        )
        found: r.Recalled = await self._ask("recall.run", params)
        shown = context(found.cards, found.recalled, longest, room)
        # What is always told comes along where there is room beside what was looked for.
        core = found.core if found.core and len(found.core) + len(_BETWEEN) + len(shown.text) <= room else ""
        return _told(query, window, place, cooled, found, shown, core)

    async def receipt(self, asked: s.Receipt) -> s.Receipted:
        """Raises Conflict for a receipt that was given for other memories."""
        id_ = asked.receipt_id.strip()
        if not id_ or len(id_) > _LONGEST_ID or not id_.isprintable():
            raise BadInput("This cannot be the id of a receipt.", f"It has 1 to {_LONGEST_ID} characters, on one line.")
        if len(asked.delivered_ids) > MOST_IDS:
            raise BadInput(f"{len(asked.delivered_ids)} memories are named.", f"A receipt has at most {MOST_IDS}.")
        window = windows.window(asked.window_id)
        nodes = list(dict.fromkeys(asked.delivered_ids))
        # In the scope that every profile has: a window may have been given memories of many chats.
        params = m.RecallDelivered(scope_chat(windows.EVERYWHERE), id_, nodes, window)
        done: r.Delivered = await self._ask("recall.delivered", params)
        return s.Receipted(True, id_, window, done.nodes, done.new)

    async def receipts(self, asked: s.ReceiptsAsked) -> s.Receipts:
        found: r.Deliveries = await self._ask("recall.deliveries", m.RecallDeliveries(asked.window_id, asked.limit))
        return s.Receipts([s.ReceiptShown(each.recall, each.window, each.nodes, each.at) for each in found.deliveries])

    # ---- scripts ----

    async def recall(self, asked: s.MemoryRecall) -> s.MemoryRecalled:
        """Raises TideloreError."""
        if not asked.query.strip():
            raise BadInput("There is no query.", "Give what to remember in `query`.")
        limit, budget = within(asked.limit, 1, 50, "limit"), within(asked.budget, 100, 8000, "budget")
        _client(asked.client)
        window = windows.window(asked.window) if asked.window else ""
        place = await self._place(asked.chat, asked.scope, window or windows.MAIN)
        if place is None:
            return s.MemoryRecalled("", [], "", 0, [], [])
        params = m.RecallRun(
            place.chat,
            asked.query,
            budget,
            SCRIPT,
            limit,
            window=window or windows.MAIN,
            scopes=list(place.scopes),
            beside=list(place.beside),
            delivered=await self._delivered(window, SCRIPT) if window else [],
            trace=False,
        )
        found: r.Recalled = await self._ask("recall.run", params)
        text = _BETWEEN.join(each for each in (found.core, found.recalled) if each)
        return s.MemoryRecalled(found.recall, list(map(_memo, found.cards)), text, found.tokens, place.labels(), list(found.degraded))

    async def write(self, asked: s.MemoryWrite) -> s.MemoryWritten:
        """Raises TideloreError."""
        chat, scope = windows.target(asked.chat, asked.scope)
        if asked.content and asked.text:
            raise BadInput("Both `content` and `text` are given.", "They are two names of the same: give one.")
        if not (asked.content or asked.text).strip():
            raise BadInput("There is nothing to remember.", "Give it in `content`.")
        if asked.attribute and not asked.about:
            raise BadInput("`attribute` is given without `about`.", "Name whom or what the fact is about.")
        fields: dict[str, Any] = {}
        if client := _client(asked.client):
            fields["client"] = client
        if asked.attribute:
            fields["attribute"] = asked.attribute
        if asked.importance is not None:
            fields["importance"] = within(asked.importance, 1, 10, "importance")
        params = m.NodeWrite(asked.content or asked.text, chat, scope, asked.kind, about=asked.about, fields=fields, author="tool")
        made: r.Written = await self._ask("node.write", params)
        return s.MemoryWritten(made.node, made.commit, chat, scope)


def _memo(card: r.Card) -> s.Memo:
    return s.Memo(card.node, card.kind, card.sub, card.scope, card.text, card.speaker, card.date, card.importance, card.score)


def _client(name: str) -> str:
    name = name.strip()
    if len(name) > _LONGEST_CLIENT or not name.isprintable():
        raise BadInput("This cannot be the name of a client.", f"It has at most {_LONGEST_CLIENT} characters, on one line.")
    return name


def within(value: T, least: T, most: T, name: str) -> T:
    """Raises BadInput."""
    if not least <= value <= most:
        raise BadInput(f"{name} is {value}.", f"It is a number from {least} to {most}.")
    return value


def _told(query: str, window: str, place: windows.Place, cooled: list[str], found: r.Recalled, shown: Context, core: str) -> s.HookRecalled:
    judged = [s.Judged(each.node, each.score, each.taken, each.reason) for each in (found.trace.cards if found.trace else [])]
    count = found.trace.found if found.trace else 0
    cards = {card.node for card in found.cards}
    standing = [node for node in found.nodes if node not in cards] if core else []
    debug = s.Debug(found.recall, HOOK, place.labels(), cooled, standing, count, judged, list(found.degraded))
    ids = [card.node for card in shown.cards]
    text = _BETWEEN.join(each for each in (core, shown.text) if each)
    return s.HookRecalled(True, query, window, list(map(_memo, shown.cards)), list(shown.lines), ids, text, debug, False)


def _nothing(query: str, window: str, place: windows.Place | None, cooled: list[str]) -> s.HookRecalled:
    debug = s.Debug("", HOOK, place.labels() if place is not None else [], cooled, [], 0, [], [])
    return s.HookRecalled(True, query, window, [], [], [], "", debug, False)
