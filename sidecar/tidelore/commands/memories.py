"""`tidelore list`, `overview`, `export`, `rebuild`: what is remembered, as a list, as one page, as a file, made anew."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any, get_args

from tidelore.commands.care import day
from tidelore.commands.context import Context
from tidelore.commands.measure import clip, flat
from tidelore.commands.output_file import chosen, write
from tidelore.commands.parser import Verbs, whole
from tidelore.commands.places import shown
from tidelore.commands.terminal import progress
from tidelore.engine.model import Kind
from tidelore.engine.service import Call
from tidelore.engine.view import STATES
from tidelore.texts import Texts

_LONGEST = 160


def add(verbs: Verbs) -> None:
    verb = verbs.add("list", run_list).argument("QUERY", nargs="?", default="").chat_option()
    verb.option("--kind", choices=get_args(Kind), action="append", default=[]).option(
        "--state", choices=STATES, action="append", default=[]
    )
    verb.option("--sort", choices=("newest", "oldest", "changed", "importance", "text"), default="newest")
    verb.option("--limit", type=whole, metavar="N", default=20)
    verbs.add("overview", run_overview).chat_argument()
    verb = verbs.add("export", run_export).chat_argument()
    verb.option("--format", choices=("tidelore", "markdown", "jsonl"), default="tidelore")
    verb.option("--output", type=Path, metavar="FILE").option("--private", action="store_true")
    verb.option("--force", action="store_true")
    verbs.add("rebuild", run_rebuild).chat_argument()


async def run_list(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        params = {"chat": chat, "query": arguments.query, "kinds": arguments.kind, "states": arguments.state}
        found = await service.call("node.list", {**params, "sort": arguments.sort, "limit": arguments.limit})
    if context.json:
        context.out.json({"chat": shown(chat), **found})
        return 0
    out, texts = context.out, context.texts
    for row in found["nodes"]:
        marks = [texts(f"state.{row['state']}")] if row["state"] != "current" else []
        marks += [texts(f"marked.{mark}") for mark, named in (("pin", "pinned"), ("private", "private")) if row[named]]
        where = f"#{row['first']}  {flat(row['speaker'])}".rstrip() + "  " if row["first"] is not None else ""
        said = f"{texts.word('kind', row['kind'])}  {where}{clip(flat(row['text']), _LONGEST)}"
        said += f"  ({texts.list(marks)})" if marks else ""
        out.text(said, "" if row["state"] == "current" else "dim", first=f"{row['id'][:8]}  ", first_style="name")
    out.line()
    out.text(texts("list.total", n=found["total"], shown=len(found["nodes"])), "dim")
    return 0


async def run_overview(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        found = await service.call("overview", {"chat": chat})
    if context.json:
        context.out.json({**found, "chat": shown(chat)})
        return 0
    out, texts = context.out, context.texts
    out.title(shown(chat))
    kinds = texts.list(f"{count} {_kind(texts, kind, count)}" for kind, count in found["nodes"].items())
    rows = [(texts("stats.messages"), str(found["messages"])), (texts("overview.nodes"), kinds or texts("stats.none"))]
    states = {name: count for name, count in found["states"].items() if count and name != "current"}
    marks = {texts("marked.pin"): found["pinned"], texts("marked.private"): found["private"]}
    aside = [f"{count} " + texts(f"state.{name}") for name, count in states.items()]
    aside += [f"{count} {name}" for name, count in marks.items() if count]
    if aside:
        rows.append((texts("overview.aside"), texts.list(aside)))
    rows += [(texts(f"stats.{name}"), str(found[name])) for name in ("rules_due", "model_due")]
    rows += [(texts("overview.cards"), str(found["cards"])), (texts("overview.waiting"), str(found["waiting"]))]
    rows.append((texts("overview.extraction"), _extraction(context, found["extraction"])))
    out.rows(rows, indent=0)
    for each in found["failed"]:
        out.text(each["error"], "warn", first=f"#{each['first']}-{each['last']}  ", first_style="warn")
    if found["failed"]:
        out.advice(texts("overview.retry", chat=shown(chat)), "dim")
    return 0


def _extraction(context: Context, last: dict[str, Any]) -> str:
    if not last["at"]:
        return context.texts("stats.none")
    return f"{day(last['at'])}, {flat(last['maker']) or context.texts.word('author', last['by'])}"


def _kind(texts: Texts, kind: str, count: int) -> str:
    """A kind in the form that goes with a number; one that has no words stands as it is."""
    return texts(f"kinds.{kind}", n=count) if texts.has(f"kinds.{kind}") else kind


async def run_export(context: Context, arguments: Namespace) -> int:
    file = chosen(context, arguments)
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        done = await service.call("export", {"chat": chat, "format": arguments.format, "private": arguments.private})
    if file is None:
        if context.json:
            context.out.json({"chat": shown(chat), **done})
        else:
            context.out.stream.write(done["text"])
        return 0
    write(context, file, done["text"])
    if context.json:
        context.out.json({"chat": shown(chat), "file": str(file), **{name: value for name, value in done.items() if name != "text"}})
        return 0
    context.out.text(context.texts("export.done", n=done["nodes"], file=file), "good")
    if done["left_out"]:
        words = {"superseded": context.texts("state.superseded")}
        left = context.texts.list(
            f"{count} {words.get(kind) or _kind(context.texts, kind, count)}" for kind, count in done["left_out"].items()
        )
        context.out.text(context.texts("export.left_out", left=left), "dim")
    return 0


async def run_rebuild(context: Context, arguments: Namespace) -> int:
    async with context.reading(with_vectors=True) as service:
        chat = await context.chat(service, arguments.chat)
        with progress(shown(chat)) as draw:
            done = await service.call("index.rebuild", {"chat": chat}, Call(draw))
    if context.json:
        context.out.json({"chat": shown(chat), **done})
    else:
        context.out.text(
            context.texts("rebuild.done", n=done["nodes"], documents=done["documents"]), "warn" if done["degraded"] else "good"
        )
        for reason in done["degraded"]:
            context.out.text(reason, "bad")
    return 1 if done["degraded"] else 0
