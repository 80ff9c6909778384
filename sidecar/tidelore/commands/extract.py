"""`tidelore extract` and `tidelore plan`: from messages to memories, by rules or by a memory model."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.invocation import quoted
from tidelore.commands.measure import flat
from tidelore.commands.parser import Verb, Verbs, span, whole
from tidelore.commands.places import shown
from tidelore.commands.terminal import progress
from tidelore.engine.errors import BadInput
from tidelore.engine.service import Call

_SHOWN = 20


def add(verbs: Verbs) -> None:
    verb = verbs.add("extract", run_extract).chat_argument()
    _common(verb, "rules")
    verb.option("--range", type=span, metavar="A-B").option("--retry", action="store_true").model_options()
    _common(verbs.add("plan", run_plan).chat_argument(), "model")


def _common(verb: Verb, by: str) -> None:
    verb.option("--by", choices=("rules", "model"), default=by)
    verb.option("--lag", type=whole, metavar="N").option("--exchanges", type=whole, default=1, metavar="N")


async def run_extract(context: Context, arguments: Namespace) -> int:
    if arguments.by == "model" and not context.model.is_set:
        raise BadInput(context.texts("extract.no_model"), context.texts("extract.set_model"))
    async with context.reading() as opened:
        chat = await context.chat(opened, arguments.chat, read=True)
    async with context.service(with_model=arguments.by == "model", with_vectors=True) as service:
        params = {"chat": chat, "by": arguments.by, "lag": arguments.lag, "range": arguments.range}
        params |= {"retry": arguments.retry, "exchanges": arguments.exchanges}
        with progress(shown(chat)) as draw:
            done = await service.call("extract.run", params, Call(draw))
    # Windows that failed stand in the result; the run itself is only a failure when it could not go on.
    code = 1 if done["interrupted"] or (done["failed"] and not done["windows"]) else 0
    if context.json:
        context.out.json({"chat": shown(chat), **done})
    else:
        _show(context, shown(chat), done, arguments.by)
    return code


def _show(context: Context, chat: str, done: dict[str, Any], by: str) -> None:
    out, texts = context.out, context.texts
    if by == "rules":
        out.text(texts("extract.done_rules", n=done["windows"], chat=chat))
    elif done["windows"] or not done["interrupted"]:
        out.text(texts("extract.done_model", n=done["windows"], chat=chat))
    if done["empty"]:
        out.text(texts("extract.empty", n=done["empty"]), indent=2)
    if done["dropped"]:
        out.text(texts("extract.dropped", n=done["dropped"]), indent=2)
        for problem, number in sorted(done["problems"].items(), key=lambda item: -item[1]):
            out.text(f"{problem}: {number}", "dim", indent=4)
    for failed in done["failed"][:_SHOWN]:
        out.text(failed["error"], "warn", indent=2, first=f"{_place(failed)}  ")
    if len(done["failed"]) > _SHOWN:
        out.text(texts("extract.more_failed", n=len(done["failed"]) - _SHOWN), "warn", indent=2)
    if done["interrupted"]:
        out.text(texts("extract.interrupted", reason=done["interrupted"]), "bad")
    for reason in done["degraded"]:
        out.text(texts("recall.degraded", reason=reason), "warn", indent=2)
    if done["remaining"]:
        out.text(texts("extract.remaining", n=done["remaining"]))


async def run_plan(context: Context, arguments: Namespace) -> int:
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat, read=True)
        params = {"chat": chat, "by": arguments.by, "lag": arguments.lag, "exchanges": arguments.exchanges}
        plan = await service.call("extract.plan", params)
    if context.json:
        context.out.json({"chat": shown(chat), **plan})
        return 0
    out, texts = context.out, context.texts
    windows, aside = plan["windows"], plan["aside"]
    key = "plan.due_rules" if arguments.by == "rules" else "plan.due_model"
    out.text(texts(key, n=len(windows), lag=plan["lag"]) if windows else texts("plan.nothing", lag=plan["lag"]))
    if windows:
        places = ", ".join(_place(window) for window in windows[:_SHOWN])
        out.text(places + (" …" if len(windows) > _SHOWN else ""), "dim", indent=2)
    if aside:
        out.line()
        out.text(texts("plan.aside", n=len(aside)), "warn")
        for window in aside[:_SHOWN]:
            out.text(window["reason"], indent=2, first=f"{_place(window)}  ", first_style="dim")
        out.advice(texts("plan.retry", chat=quoted(flat(shown(chat)))))
    return 0


def _place(window: dict[str, Any]) -> str:
    return f"#{window['first']}" if window["first"] == window["last"] else f"#{window['first']}-{window['last']}"
