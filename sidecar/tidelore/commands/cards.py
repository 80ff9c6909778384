"""`tidelore cards` and `tidelore decide`: what contradicts and what is there twice, and what a person says to it."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.edit import told
from tidelore.commands.measure import clip, flat
from tidelore.commands.parser import Verbs, whole
from tidelore.commands.places import shown
from tidelore.engine.errors import NotFound
from tidelore.engine.service import Service

CHOICES = {"old": "keep_old", "new": "keep_new", "both": "keep_both", "merge": "merge"}
_LONGEST = 300


def add(verbs: Verbs) -> None:
    verbs.add("cards", run_cards).chat_argument().option("--limit", type=whole, metavar="N", default=10)
    verb = verbs.add("decide", run_decide).argument("CARD").argument("CHOICE", choices=tuple(CHOICES))
    verb.option("--text", metavar="TEXT", default="").chat_option()


async def run_cards(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        found = await service.call("cards.list", {"chat": chat, "limit": arguments.limit})
        where = await context.elsewhere(service, chat)
    if context.json:
        context.out.json({"chat": shown(chat), **found})
        return 0
    out, texts = context.out, context.texts
    out.title(shown(chat))
    if not found["cards"]:
        out.text(texts("cards.none"), "good")
        return 0
    for card in found["cards"]:
        about = texts.list(filter(None, (card["about"], card["attribute"])))
        kind, reason = texts(f"card.{card['kind']}"), texts(f"card.{card['reason']}")
        out.text(f"{card['id'][:8]}  {kind}: {reason}" + (f"  ({flat(about)})" if about else ""), "strong")
        for which in ("old", "new"):
            _side(context, which, card[which])
        out.line()
    if found["total"] > len(found["cards"]):
        out.text(texts("cards.more", n=found["total"] - len(found["cards"])), "dim")
    out.advice(texts("cards.todo", where=where), "dim")
    return 0


def _side(context: Context, which: str, side: dict[str, Any]) -> None:
    out, texts = context.out, context.texts
    out.text(side["text"], first=texts(f"card.{which}") + ": ", first_style="name", indent=2)
    for message in side["messages"]:
        where = f"#{message['index']}" if message["index"] is not None else texts("why.elsewhere")
        head = f"{where} {flat(message['name']) or texts.word('role', message['role'])}: "
        out.text(clip(flat(message["quote"] or message["text"]), _LONGEST), "dim", indent=4, first=head, first_style="dim")


async def run_decide(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat, card = await _card(context, service, arguments)
        params = {"chat": chat, "card": card, "choice": CHOICES[arguments.choice], "text": arguments.text}
        done = await service.call("cards.decide", params)
        where = await context.elsewhere(service, chat)
    return told(context, chat, where, done, context.texts("cards.decided", n=len(done["gone"])))


async def _card(context: Context, service: Service, arguments: Namespace) -> tuple[str, str]:
    """The chat and the whole id of a card that is named by the beginning of its id. Raises NotFound."""
    for chat in await context.chats(service, arguments.chat):
        for card in (await service.call("cards.list", {"chat": chat, "limit": 10_000}))["cards"]:
            if card["id"].startswith(arguments.card) and len(arguments.card) >= 4:
                return chat, str(card["id"])
    raise NotFound(context.texts("cards.unknown", card=arguments.card), context.texts("cards.unknown.todo"))
