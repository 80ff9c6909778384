"""Changes by hand: `edit`, `retire`, `alias`, and `undo` for each of them."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Mapping
from typing import Any

from tidelore.commands.change_words import change_words, field_changes, subject_words
from tidelore.commands.context import Context
from tidelore.commands.invocation import quoted
from tidelore.commands.measure import clip, flat
from tidelore.commands.nodes import chat_of_node
from tidelore.commands.parser import Verbs
from tidelore.commands.places import said as said_where
from tidelore.commands.places import shown, turned
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.service import Service

# Columns of a value or a change that is told again.
_LONGEST = 160
# Whose changes count as made by hand, and how many of a chat are looked through for one that is not undone.
_BY_HAND = ["person", "import"]
_LOOKED_AT = 500


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
    async with context.reading() as service:
        chat = await chat_of_node(context, service, arguments.chat, arguments.node)
        params = {"chat": chat, "node": arguments.node}
        node = await service.call("node.get", params)
        before = node["fields"]
        own = "name" if node["kind"] in ("entity", "thread") else "text"
        if own in fields and not str(fields[own] or "").strip():
            raise BadInput(context.texts("edit.no_text", field=own), context.texts("edit.retire_hint", node=quoted(arguments.node)))
        done = await service.call("node.edit", {**params, "fields": fields})
        where = await context.elsewhere(service, chat)
    changes = {name: (before.get(name), value) for name, value in fields.items() if before.get(name) != value}
    return told(context, chat, where, done, context.texts("edit.changed", text=flat(done["text"])), changes)


async def run_retire(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await chat_of_node(context, service, arguments.chat, arguments.node)
        done = await service.call("node.retire", {"chat": chat, "node": arguments.node})
        where = await context.elsewhere(service, chat)
    return told(context, chat, where, done, context.texts("edit.retired", text=done["text"]))


async def run_alias(context: Context, arguments: Namespace) -> int:
    name, alias = arguments.name, arguments.alias
    if _same(name) == _same(alias):
        raise BadInput(context.texts("edit.one_name", name=name), context.texts("edit.two_names"))
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        known = _names((await service.call("graph.get", {"chat": chat}))["nodes"])
        if _same(name) not in known:
            turned = context.texts("edit.turn_round", alias=quoted(alias), name=quoted(name))
            hint = turned if _same(alias) in known else context.texts("edit.find_name")
            raise NotFound(context.texts("edit.unknown_name", name=name, chat=shown(chat)), hint)
        done = await service.call("entity.alias", {"chat": chat, "name": name, "alias": alias})
        where = await context.elsewhere(service, chat)
    return told(context, chat, where, done, context.texts("edit.aliased", text=done["text"], alias=alias))


async def run_undo(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat, done = await _undone(context, service, arguments.chat, arguments.commit)
        where = await context.elsewhere(service, chat)
        several = arguments.chat is None and len(await context.chats(service, None)) > 1
    what = context.texts("care.change_of", change=change_words(context, done), text=subject_words(done, _LONGEST))
    return told(context, chat, where, done, context.texts("edit.undone_text", text=what), field_changes(done), say_where=several)


async def _undone(context: Context, service: Service, named: str | None, commit: str) -> tuple[str, dict[str, Any]]:
    """The newest change, or one by its id, in the chat named or in whichever has it. Raises NotFound."""
    if named is None and not commit:
        chat, commit = await _newest(context, service)
        return chat, await service.call("undo", {"chat": chat, "commit": commit})
    return await turned(service, await context.chats(service, named), "undo", commit)


async def _newest(context: Context, service: Service) -> tuple[str, str]:
    """The newest change by hand of all chats and scopes that is not undone yet, and where. Raises NotFound."""
    found: list[tuple[int, str, str]] = []
    chats = await context.chats(service, None)
    for chat in chats:
        rows = (await service.call("undo.list", {"chat": chat, "authors": _BY_HAND, "limit": _LOOKED_AT}))["changes"]
        found += [(row["at"], chat, row["commit"]) for row in rows if not row["undone"]][:1]
    if not found:
        # Where tools changed something, else the chat that is meant by default.
        held = [each for each in chats if (await service.call("undo.list", {"chat": each, "limit": 1}))["changes"]]
        where = await context.elsewhere(service, held[0]) if held else ""
        raise NotFound(context.texts("edit.nothing_to_undo"), context.texts("edit.nothing_to_undo.todo", where=where))
    # Of what a branch shares with its chat the chat that is meant comes first.
    _, chat, commit = max(found, key=lambda each: each[0])
    return chat, commit


def told(
    context: Context,
    chat: str,
    where: str,
    done: dict[str, Any],
    said: str,
    changes: Mapping[str, tuple[object, object]] | None = None,
    *,
    say_where: bool = False,
) -> int:
    """What was done, field by field where fields were changed, and how to take it back. Where it was done is said when that is not the
    chat that is meant by default, or when nobody named it (`say_where`)."""
    if context.json:
        context.out.json({"chat": shown(chat), **done})
        return 0
    context.out.text(said, "good")
    if where or say_where:
        context.out.text(said_where(context.texts, chat), "dim", indent=2)
    tell_fields(context, changes or {})
    context.out.advice(context.texts("edit.undo_hint", commit=done["commit"], where=where), "dim")
    return 0


def tell_fields(context: Context, changes: Mapping[str, tuple[object, object]]) -> None:
    """A line for each field: what it said before, and after."""
    for name, (old, new) in changes.items():
        context.out.text(
            f"{clip(_said(context, old), _LONGEST)} -> {clip(_said(context, new), _LONGEST)}",
            first=f"{name}: ",
            first_style="name",
            indent=2,
        )


def _said(context: Context, value: object) -> str:
    if value is None:
        return context.texts("edit.nothing")
    return context.texts.list(map(str, value)) if isinstance(value, list) else str(value)


def _same(name: str) -> str:
    return " ".join(name.split()).casefold()


def _names(nodes: Iterable[dict[str, Any]]) -> set[str]:
    """All names of those that can have a second one."""
    out: set[str] = set()
    for node in nodes:
        if node["kind"] == "entity":
            out |= {_same(name) for name in (node["text"], str(node["fields"].get("name", "")), *node["fields"].get("aliases", ()))}
    return out
