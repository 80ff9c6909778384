"""Memories put in order by hand: `merge`, `split`, `pin`, `archive`, `private` and what takes them back; `history`, `changes`, `redo`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from tidelore.commands.change_words import change_words, field_changes, subject_words
from tidelore.commands.context import Context
from tidelore.commands.edit import tell_fields, told
from tidelore.commands.measure import clip, flat
from tidelore.commands.nodes import chat_of_node
from tidelore.commands.parser import Verbs, whole
from tidelore.commands.places import first_answer, shown, turned
from tidelore.engine.errors import NotFound
from tidelore.engine.service import Service

MARKS = ("pin", "unpin", "archive", "unarchive", "private", "public")
_LONGEST = 160
_SHOWN = 20


def add(verbs: Verbs) -> None:
    verbs.add("merge", run_merge).argument("NODE").argument("OTHER", nargs="+").option("--text", metavar="TEXT", default="").chat_option()
    verbs.add("split", run_split).argument("NODE").argument("PART", nargs="+").chat_option()
    for mark in MARKS:
        verbs.add(mark, _marking(mark)).argument("NODE").chat_option()
    verbs.add("history", run_history).argument("NODE").chat_option()
    verbs.add("changes", run_changes).chat_option().option("--limit", type=whole, metavar="N", default=_SHOWN)
    verbs.add("redo", run_redo).argument("COMMIT", nargs="?", default="").chat_option()


async def run_merge(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await _chat_of(context, service, arguments.chat, arguments.node)
        params = {"chat": chat, "keep": arguments.node, "others": arguments.other, "text": arguments.text}
        done = await service.call("node.merge", params)
        where = await context.elsewhere(service, chat)
    return told(context, chat, where, done, context.texts("care.merged", n=len(done["merged"]), text=flat(done["text"])))


async def run_split(context: Context, arguments: Namespace) -> int:
    """The parts of an entity are names, those of anything else texts."""
    async with context.reading() as service:
        chat = await _chat_of(context, service, arguments.chat, arguments.node)
        rows = (await service.call("node.list", {"chat": chat, "about": arguments.node, "sort": "text", "limit": 500}))["nodes"]
        node = next(each for each in rows if _is(each, arguments.node))
        named = "names" if node["kind"] == "entity" else "texts"
        done = await service.call("node.split", {"chat": chat, "node": node["id"], named: arguments.part})
        where = await context.elsewhere(service, chat)
    return told(context, chat, where, done, context.texts("care.split", n=len(done["nodes"]) + 1, text=flat(done["text"])))


def _is(row: dict[str, Any], wanted: str) -> bool:
    return bool(row["id"].startswith(wanted)) or flat(row["text"]).casefold() == flat(wanted).casefold()


def _marking(mark: str) -> Callable[[Context, Namespace], Awaitable[int]]:
    async def run(context: Context, arguments: Namespace) -> int:
        async with context.reading() as service:
            chat = await chat_of_node(context, service, arguments.chat, arguments.node)
            done = await service.call(f"node.{mark}", {"chat": chat, "node": arguments.node})
            changed = (await service.call("undo.list", {"chat": chat, "limit": 1}))["changes"]
            where = await context.elsewhere(service, chat)
        said = context.texts(f"marking.{mark}", text=flat(done["text"]))
        if mark != "unpin" and any(each["field"] == "pinned" and not each["after"] for row in changed for each in row["edits"]):
            said = f"{said} {context.texts('marking.unpinned_too')}"
        return told(context, chat, where, done, said)

    return run


async def _chat_of(context: Context, service: Service, named: str | None, node: str) -> str:
    """As `chat_of_node`, where a name will do as well. Raises NotFound."""
    found = await first_answer(service, await context.chats(service, named), "node.list", {"about": node, "limit": 1})
    if found is not None:
        return found[0]
    raise NotFound(context.texts("error.no_node_anywhere", node=node), context.texts("hint.find_node"))


async def run_history(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        having = await first_answer(service, await context.chats(service, arguments.chat), "node.history", {"node": arguments.node})
        if having is None:
            raise NotFound(context.texts("error.no_node_anywhere", node=arguments.node), context.texts("hint.find_node"))
        chat, found = having
        known = await service.call("node.why", {"chat": chat, "node": arguments.node})
    if context.json:
        context.out.json({"chat": shown(chat), **found, "why": known})
        return 0
    out, texts = context.out, context.texts
    out.title(f"{found['node'][:8]}  {texts.word('kind', found['kind'])}")
    out.text(found["text"])
    for each in found["versions"]:
        by = texts.word("author", each["author"]) + (f" ({flat(each['maker'])})" if each["maker"] not in ("", each["author"]) else "")
        out.line()
        change = texts(f"change.{each['change']}")
        out.text(f"{day(each['at'])}  {change}, {by}", "name" if each["live"] else "dim", indent=2)
        for name, value in each["fields"].items():
            out.text(
                clip(texts("edit.nothing") if value is None else _said(value), _LONGEST), first=f"{name}: ", first_style="name", indent=4
            )
        if not each["live"]:
            out.text(texts(f"not_live.{each['why_not'].replace(' ', '_')}"), "warn", indent=4)
    out.line()
    if known["known_by"]:
        out.text(texts("care.known_by", names=texts.list(known["known_by"])))
    if known["delivered"] is not None:
        out.text(texts("care.delivered", n=known["delivered"]["times"], day=day(known["delivered"]["at"])))
    return 0


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def day(milliseconds: int) -> str:
    """A moment as people read it, in universal time."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M")


async def run_changes(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        found = await service.call("undo.list", {"chat": chat, "limit": arguments.limit})
        where = await context.elsewhere(service, chat)
    if context.json:
        context.out.json({"chat": shown(chat), **found})
        return 0
    out, texts = context.out, context.texts
    out.title(shown(chat))
    if not found["changes"]:
        out.text(texts("care.no_changes"))
        return 0
    for each in found["changes"]:
        state = texts("care.is_undone") if each["undone"] else texts("care.waits") if each["waiting"] else ""
        head = f"{each['commit'][:8]}  {day(each['at'])}  {change_words(context, each)}, {texts.word('author', each['author'])}"
        out.text(f"{head}{f'  {state}' if state else ''}", "dim" if each["undone"] else "name")
        out.text(subject_words(each, _LONGEST), indent=2)
        tell_fields(context, field_changes(each))
    if found["total"] > len(found["changes"]):
        out.text(texts("care.more_changes", n=found["total"] - len(found["changes"])), "dim")
    out.advice(texts("care.undo_or_redo", where=where), "dim")
    return 0


async def run_redo(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        # What was undone is looked for in all chats, the one that is meant by default first.
        chat, done = await turned(service, await context.chats(service, arguments.chat), "redo", arguments.commit)
        where = await context.elsewhere(service, chat)
    what = context.texts("care.change_of", change=change_words(context, done), text=subject_words(done, _LONGEST))
    return told(context, chat, where, done, context.texts("care.redone", text=what), field_changes(done))
