"""`tidelore node` and `tidelore why`: one memory, and the very words behind it."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.measure import flat
from tidelore.commands.parser import Verbs
from tidelore.commands.places import first_answer, shown
from tidelore.commands.terminal import Terminal
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.service import Service
from tidelore.texts import Texts

_BELIEFS = 8
_LONGEST = 600


def add(verbs: Verbs) -> None:
    verbs.add("why", run_why).argument("NODE").chat_option()
    verbs.add("node", run_node).argument("NODE").chat_option()


_DIGITS = 4


async def chat_of_node(context: Context, service: Service, named: str | None, node: str) -> str:
    """The chat that has the node: the one named, else whichever has it, newest first. Raises NotFound, BadInput."""
    if len(node) < _DIGITS:
        raise BadInput(context.texts("error.short_node", node=node, n=_DIGITS), context.texts("hint.find_node"))
    chats = await context.chats(service, named)
    found = await first_answer(service, chats, "node.get", {"node": node})
    if found is not None:
        return found[0]
    if len(chats) == 1:
        raise NotFound(context.texts("error.no_node", node=node, chat=shown(chats[0])), context.texts("hint.find_node"))
    raise NotFound(context.texts("error.no_node_anywhere", node=node), context.texts("hint.find_node"))


async def run_why(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await chat_of_node(context, service, arguments.chat, arguments.node)
        why = await service.call("why", {"chat": chat, "node": arguments.node})
    if context.json:
        context.out.json({"chat": shown(chat), **why})
        return 0
    context.out.title(f"{why['node'][:8]}  {context.texts.word('kind', why['kind'])}")
    context.out.text(why["text"])
    show_beliefs(context.out, context.texts, why["beliefs"], _BELIEFS)
    return 0


def show_beliefs(out: Terminal, texts: Texts, beliefs: list[dict[str, Any]], shown: int) -> None:
    """Each commit behind a memory: who made it, from which message, in which words."""
    for belief in beliefs[:shown]:
        out.line()
        maker = f" ({flat(belief['maker'])})" if belief["maker"] not in ("", belief["author"]) else ""
        out.text(texts("why.by", author=texts.word("author", belief["author"]) + maker), "dim", indent=2)
        if not belief["messages"]:
            for name, value in belief["fields"].items():
                out.text(_said(value), first=f"{name}: ", first_style="name", indent=4)
        for message in belief["messages"]:
            where = f"#{message['index']}" if message["index"] is not None else texts("why.elsewhere")
            speaker = flat(message["name"]) or texts.word("role", message["role"])
            out.text(f"{where}  {speaker}", "name", indent=4)
            quote, text = message["quote"], message["text"]
            if quote and quote.strip() != text.strip():
                out.text(_short(quote), "strong", indent=4, first="» ", first_style="good")
                out.text(_around(text, quote), "dim", indent=6)
            else:
                out.text(_short(text), "strong", indent=4, first="» ", first_style="good")
    if len(beliefs) > shown:
        out.line()
        out.text(texts("why.more", n=len(beliefs) - shown), "dim", indent=2)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _around(text: str, quote: str) -> str:
    """The part of a message in which the quote stands."""
    at = max(0, text.find(quote))
    start, end = max(0, at - 80), at + len(quote) + 80
    return ("…" if start else "") + flat(text[start:end]) + ("…" if end < len(text) else "")


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


async def run_node(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await chat_of_node(context, service, arguments.chat, arguments.node)
        node = await service.call("node.get", {"chat": chat, "node": arguments.node})
    if context.json:
        context.out.json({"chat": shown(chat), **node})
        return 0
    out, texts = context.out, context.texts
    sub = f"sub.{node['sub']}"
    out.title(f"{node['id']}  {texts.word('kind', node['kind'])}/{texts(sub) if texts.has(sub) else node['sub']}")
    out.text(node["text"])
    if node["state"] == "superseded":
        out.text(texts("node.superseded"), "warn")
    out.line()
    for name, value in node["fields"].items():
        out.text(_said(value), first=f"{name}: ", first_style="name", indent=2)
    out.line()
    out.advice(texts("node.evidence", n=len(node["evidence"]), node=node["id"][:8]), "dim", indent=2)
    return 0
