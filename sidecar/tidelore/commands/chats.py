"""`tidelore chats` and `tidelore stats`: what is stored."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.change_words import change_words, field_changes, subject_words
from tidelore.commands.context import Context
from tidelore.commands.edit import tell_fields
from tidelore.commands.parser import Verbs
from tidelore.commands.places import shown
from tidelore.host.store import FILE

# Characters of a memory in a list.
_LONGEST = 160


def add(verbs: Verbs) -> None:
    verbs.add("chats", run_chats)
    verbs.add("stats", run_stats).chat_argument()


async def run_chats(context: Context, arguments: Namespace) -> int:
    del arguments
    listed, scopes = [], []
    if (context.folder / FILE).exists():
        async with context.service() as service:
            listed = (await service.call("chat.list", {}))["chats"]
            scopes = [each["scope"] for each in (await service.call("scope.list", {}))["scopes"]]
    if context.json:
        context.out.json({"chats": listed, "scopes": scopes})
        return 0
    texts = context.texts
    if not listed and scopes:
        context.out.text(texts("chats.scopes", scopes=texts.list(scopes)))
        return 0
    if not listed:
        context.out.text(texts("error.no_chats"))
        context.out.advice(texts("hint.import_first"))
        return 0
    rows = [(texts("chats.chat"), texts("chats.messages"), texts("chats.branch_of"))]
    rows += [(each["chat"], str(each["messages"]), each["branch_of"]) for each in listed]
    if not any(each["branch_of"] for each in listed):
        rows = [(row[0], row[1], "") for row in rows]
    context.out.table(rows, "<><", head=True, indent=0)
    if scopes:
        context.out.line()
        context.out.text(texts("chats.scopes", scopes=texts.list(scopes)), "dim")
    return 0


async def run_stats(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        stats = await service.call("stats", {"chat": chat})
    if context.json:
        context.out.json({"chat": shown(chat), **stats})
        return 0
    out, texts = context.out, context.texts
    out.title(shown(chat))
    rows = [(texts(f"stats.{name}"), str(stats[name])) for name in ("messages", "sources", "commits", "live", "superseded")]
    rows += [(texts(f"stats.{name}"), str(stats[name])) for name in ("rules_due", "model_due", "aside")]
    out.table(rows, "<>")
    for name, group in (("nodes", "kind"), ("edges", "edge")):
        out.line()
        out.line(texts(f"stats.{name}"), "strong")
        out.table([(texts.word(group, kind), str(count)) for kind, count in stats[name].items()] or [(texts("stats.none"), "")], "<>")
    if stats["waiting"]:
        out.line()
        out.line(texts("stats.waiting"), "strong")
        for each in stats["waiting"]:
            said = texts("care.change_of", change=change_words(context, each), text=subject_words(each, _LONGEST))
            out.text(said, first=f"{each['node'][:8]}  ", first_style="dim", indent=2)
            tell_fields(context, field_changes(each))
    return 0
