"""Changes by hand: `edit`, `retire`, `alias`, and `undo` for each of them."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError, Namespace
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.nodes import call_on_node
from tidelore.commands.parser import Verbs


def add(verbs: Verbs) -> None:
    verbs.add("edit", run_edit).argument("NODE").argument("FIELD=VALUE", nargs="+", type=_field).chat_option()
    verbs.add("retire", run_retire).argument("NODE").chat_option()
    verbs.add("alias", run_alias).argument("NAME").argument("ALIAS").chat_option()
    verbs.add("undo", run_undo).argument("COMMIT", nargs="?", default="").chat_option()


def _field(text: str) -> tuple[str, Any]:
    """field=text, field:=JSON, and field= to take the field away. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\w+)(:?)=(.*)", text, re.DOTALL)
    if not found:
        raise ArgumentTypeError(text)
    name, is_json, value = found.groups()
    if not is_json:
        return name, value or None
    try:
        return name, json.loads(value)
    except ValueError:
        raise ArgumentTypeError(text) from None


async def run_edit(context: Context, arguments: Namespace) -> int:
    fields = dict(getattr(arguments, "field=value"))
    return await _change(context, arguments, "node.edit", {"node": arguments.node, "fields": fields}, "edit.changed")


async def run_retire(context: Context, arguments: Namespace) -> int:
    return await _change(context, arguments, "node.retire", {"node": arguments.node}, "edit.retired")


async def run_alias(context: Context, arguments: Namespace) -> int:
    params = {"name": arguments.name, "alias": arguments.alias}
    return await _change(context, arguments, "entity.alias", params, "edit.aliased")


async def run_undo(context: Context, arguments: Namespace) -> int:
    return await _change(context, arguments, "undo", {"commit": arguments.commit}, "edit.undone")


async def _change(context: Context, arguments: Namespace, method: str, params: dict[str, Any], said: str) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        params = {"chat": chat, **params}
        done = await (call_on_node(context, service, method, params) if "node" in params else service.call(method, params))
    if context.json:
        context.out.json({"chat": chat, **done})
        return 0
    context.out.text(context.texts(said, chat=chat, text=done["text"], alias=params.get("alias", "")), "good")
    context.out.text(context.texts("edit.undo_hint", commit=done["commit"]), "dim")
    return 0
