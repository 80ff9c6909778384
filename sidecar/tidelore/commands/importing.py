"""`tidelore import`: look at a file, then store its chats and what the rules remember of them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidelore.commands import import_memories
from tidelore.commands.compare import ImportPlan, Planner
from tidelore.commands.context import Context
from tidelore.commands.faults import sentence
from tidelore.commands.invocation import quoted
from tidelore.commands.measure import flat
from tidelore.commands.parser import Verbs
from tidelore.commands.places import is_scope
from tidelore.commands.terminal import progress
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.service import Call, Service
from tidelore.host.importing import ImportedChat, detect, load
from tidelore.host.store import FILE

_SPEAKERS = 6
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many memories have no vector yet, and why."""

    pending: int
    reasons: Sequence[str]


def add(verbs: Verbs) -> None:
    verb = verbs.add("import", run)
    verb.argument("FILE", type=Path)
    verb.option("--chat", metavar="NAME").option("--user", metavar="NAME", default="").option("--yes", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    file, wanted = arguments.file.expanduser(), arguments.chat
    if import_memories.is_memories(file):
        return await import_memories.run(context, arguments, file)
    if wanted is not None and is_scope(wanted):
        raise BadInput(context.texts("import.scope", scope=wanted), context.texts("import.scope.todo"))
    form = detect(file)
    # A preview must not make a store, so without one everything is new.
    if arguments.yes or (context.folder / FILE).exists():
        async with context.service(with_vectors=True) as service:
            plans = await _plan(context, service, file, wanted, arguments.user)
            return await _finish(context, arguments, form, file, plans, service)
    plans = await _plan(context, None, file, wanted, arguments.user)
    if not _asked(context, form, file, plans):
        return 0
    async with context.service(with_vectors=True) as service:
        return await _write(context, service, form, file, plans, arguments.user)


async def _finish(context: Context, arguments: Namespace, form: str, file: Path, plans: list[ImportPlan], service: Service) -> int:
    if arguments.yes:
        if not context.json:
            _show(context, form, file, plans)
        return await _write(context, service, form, file, plans, arguments.user)
    if not _asked(context, form, file, plans):
        return 0
    return await _write(context, service, form, file, plans, arguments.user)


async def _plan(context: Context, service: Service | None, file: Path, wanted: str | None, user: str) -> list[ImportPlan]:
    planner = Planner(service)
    plans: list[ImportPlan] = []
    with progress(context.texts("import.reading")) as draw:
        for number, chat in enumerate(load(file, user_name=user), 1):
            plans.append(await planner.plan(chat, file.stem))
            draw(number, number)
    if wanted is None:
        return plans
    return await _chosen(context, planner, plans, wanted, file, user)


async def _chosen(context: Context, planner: Planner, plans: list[ImportPlan], wanted: str, file: Path, user: str) -> list[ImportPlan]:
    """--chat: which chat of a file with several, or the name for the only one."""
    if len(plans) == 1:
        chat = next(load(file, user_name=user))
        return [await planner.compare(chat, wanted)]
    chosen = [plan for plan in plans if wanted in (plan.name, plan.title)]
    if not chosen:
        titles = ", ".join(flat(plan.title) for plan in plans[:_SHOWN])
        raise NotFound(context.texts("import.no_such_chat", chat=wanted), context.texts("import.chats_of_file", titles=titles))
    for plan in plans:
        plan.wanted = plan in chosen
    return plans


def _asked(context: Context, form: str, file: Path, plans: list[ImportPlan]) -> bool:
    """Shows what would happen; whether a person at the terminal says yes to it."""
    if context.json:
        context.out.json(_document(form, file, plans, written=False))
        return False
    _show(context, form, file, plans)
    if not any(plan.changes for plan in plans):
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        context.out.line()
        context.out.text(context.texts("import.not_written"))
        return False
    context.out.line()
    try:
        answer = input(context.texts("import.ask") + " ")
    except EOFError:
        answer = ""
    if answer.strip().casefold() in ("y", "yes", "是", "好"):
        return True
    context.out.line(context.texts("import.nothing_written"))
    return False


def _show(context: Context, form: str, file: Path, plans: Sequence[ImportPlan]) -> None:
    out, texts = context.out, context.texts
    shown = [plan for plan in plans if plan.wanted]
    out.title(texts("import.title", file=file.name, form=texts.word("form", form)))
    for plan in shown[:_SHOWN]:
        out.line()
        out.text(plan.name, "strong")
        rows = [
            (texts("import.messages"), texts("import.of_user", n=plan.messages, user=plan.from_user)),
            (texts("import.speakers"), _some([*plan.speakers, *(texts.word("role", role) for role in plan.roles)])),
        ]
        if plan.first:
            rows.append((texts("import.dates"), plan.first[:10] + (f" – {plan.last[:10]}" if plan.last[:10] != plan.first[:10] else "")))
        if plan.hidden:
            rows.append((texts("import.hidden"), str(plan.hidden)))
        if plan.swipes:
            rows.append((texts("import.swipes"), texts("import.swipes_left", n=plan.swipes)))
        if plan.skipped:
            left_out = ", ".join(f"{texts.word('skip', reason)}: {number}" for reason, number in sorted(plan.skipped.items()))
            rows.append((texts("import.skipped"), left_out))
        rows.append((texts("import.store"), _news(context, plan)))
        out.rows(rows)
        for note in plan.notes:
            out.text(sentence(texts, note), "warn", indent=2)
    if len(shown) > _SHOWN:
        out.line()
        more = shown[_SHOWN:]
        out.text(texts("import.more_chats", n=len(more), messages=sum(plan.messages for plan in more), new=sum(plan.new for plan in more)))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SPEAKERS]) + (f" (+{len(names) - _SPEAKERS})" if len(names) > _SPEAKERS else "")


def _news(context: Context, plan: ImportPlan) -> str:
    texts = context.texts
    if not plan.messages:
        return texts("import.nothing_in_it")
    if plan.same_as:
        return texts("import.same_as", chat=plan.same_as)
    if not plan.changes:
        return texts("import.nothing_new")
    if plan.stored is None:
        return texts("import.new_chat")
    parts = [texts("import.new", n=plan.new)]
    if plan.gone:
        parts.append(texts("import.gone", n=plan.gone))
    if not plan.new and not plan.gone:
        parts = [texts("import.details")]
    return ", ".join(parts)


async def _write(context: Context, service: Service, form: str, file: Path, plans: list[ImportPlan], user: str) -> int:
    chats = _again(load(file, user_name=user), plans)
    reasons: dict[str, None] = {}
    for plan, chat in chats:
        reasons |= dict.fromkeys(await _store(service, plan, chat))
    waiting = Waiting(_pending(service), list(reasons))
    if context.json:
        context.out.json({**_document(form, file, plans, written=True), "pending": waiting.pending, "degraded": list(waiting.reasons)})
        return 0
    written = [plan for plan in plans if plan.written]
    context.out.line()
    if not written:
        if not all(plan.same_as for plan in plans if plan.wanted and plan.messages):
            context.out.text(context.texts("import.all_known"), "good")
        else:
            context.out.text(context.texts("import.nothing_written"))
        return 0
    new, gone = sum(plan.new for plan in written), sum(plan.gone for plan in written)
    key = "import.done_both" if gone else "import.done"
    said = context.texts(key, new=new, gone=gone, n=len(written))
    context.out.text(said, "warn" if waiting.pending else "good")
    if waiting.pending:
        context.out.text(context.texts("import.no_vectors", n=waiting.pending), "warn")
        for reason in waiting.reasons:
            context.out.text(reason, "dim", indent=2)
        context.out.advice(context.texts("import.no_vectors.todo"))
    _tell_of_model(context, written)
    return 0


def _tell_of_model(context: Context, written: Sequence[ImportPlan]) -> None:
    """What a memory model could add: the command where one is set, else how to set one."""
    waiting = sum(plan.model_due for plan in written)
    if not context.model.is_set:
        context.out.text(context.texts("import.no_model"), "dim")
    elif waiting:
        context.out.advice(context.texts("import.pending", n=waiting, chat=quoted(flat(written[0].name))))


def _again(chats: Iterator[ImportedChat], plans: list[ImportPlan]) -> Iterator[tuple[ImportPlan, ImportedChat]]:
    """The plans with their chats, which are read once more: two chats need not be in memory at once."""
    for plan, chat in zip(plans, chats, strict=False):
        if len(chat.messages) != plan.messages:
            raise BadInput("The file has changed meanwhile.", "Import it again.")
        if plan.wanted and plan.messages and not plan.same_as:
            yield plan, chat


def _pending(service: Service) -> int:
    """Memories that the embedder could not do."""
    vectors: Any = service.vectors
    return len(vectors.pending) if vectors is not None else 0


async def _store(service: Service, plan: ImportPlan, chat: ImportedChat) -> list[str]:
    """One chat, and what the rules remember of it: then it can be recalled. A model is never asked by itself. The result is what could not
    take part."""
    if plan.changes:
        messages: list[dict[str, Any]] = [
            {"role": each.role, "name": each.name, "text": each.text, "hidden": each.hidden, "date": each.date} for each in chat.messages
        ]
        await service.call("chat.update", {"chat": plan.name, "messages": messages})
        plan.written = True
    # Also for a chat that has nothing new: an import that was interrupted goes on here.
    with progress(plan.name) as draw:
        done = await service.call("extract.run", {"chat": plan.name, "by": "rules", "lag": 0}, Call(draw))
    plan.extracted = done["windows"]
    plan.model_due = len((await service.call("extract.plan", {"chat": plan.name, "by": "model"}))["windows"])
    return [str(reason) for reason in done["degraded"]]


def _document(form: str, file: Path, plans: Sequence[ImportPlan], *, written: bool) -> dict[str, Any]:
    chats = [plan.to_json(written=written) for plan in plans if plan.wanted]
    return {"file": str(file), "format": form, "written": written and any(plan.written for plan in plans), "chats": chats}
