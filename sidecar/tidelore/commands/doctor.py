"""`tidelore doctor`: what is right, what is wrong and what to do. It changes nothing."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.terminal import Style
from tidelore.engine.errors import TideloreError
from tidelore.host import diagnosis
from tidelore.host.diagnosis import Finding, Level
from tidelore.host.store import FILE

# Folding a chat takes time, and a store may hold thousands of them.
_CHATS = 20
_STYLES: dict[Level, Style] = {"ok": "good", "warn": "warn", "fail": "bad"}


def add(verbs: Verbs) -> None:
    verbs.add("doctor", run).model_options()


async def run(context: Context, arguments: Namespace) -> int:
    del arguments
    findings = list(_still(context))
    if (context.data / FILE).exists() and all(each.level == "ok" for each in findings if each.name in ("store", "integrity", "format")):
        findings += await _memory(context)
    findings.append(await diagnosis.model(context.model.url, context.model.name, context.model.key))
    failed = any(each.level == "fail" for each in findings)
    if context.json:
        context.out.json({"ok": not failed, "findings": [_document(context, each) for each in findings]})
    else:
        _show(context, findings)
    return 1 if failed else 0


def _still(context: Context) -> Iterator[Finding]:
    yield from diagnosis.machine()
    yield from diagnosis.folder(context.data)
    yield from diagnosis.store(context.data)


async def _memory(context: Context) -> list[Finding]:
    """Chats and pending windows, through the service, since only the fold knows them."""
    try:
        async with context.service() as service:
            names = [each["chat"] for each in (await service.call("chat.list", {}))["chats"]]
            stats = [await service.call("stats", {"chat": name}) for name in names[-_CHATS:]]
    except TideloreError as error:
        return [Finding("chats", "fail", "unreadable", {"reason": error.sentence})]
    rules, model, aside = (sum(each[name] for each in stats) for name in ("rules_due", "model_due", "aside"))
    counts = {"rules": rules, "model": model, "checked": len(stats)}
    out = [Finding("chats", "ok", "are", {"n": len(names)}), Finding("pending", "ok", "are", counts)]
    if aside:
        out.append(Finding("aside", "warn", "are", {"n": aside}))
    return out


def _texts(context: Context, finding: Finding) -> tuple[str, str]:
    """What was found, and what to do about it."""
    key = f"doctor.{finding.name}.{finding.outcome}"
    todo = f"{key}.todo"
    wanted = finding.level != "ok" and context.texts.has(todo)
    return context.texts(key, **finding.values), context.texts(todo, **finding.values) if wanted else ""


def _document(context: Context, finding: Finding) -> dict[str, str]:
    said, todo = _texts(context, finding)
    return {"check": finding.name, "level": finding.level, "message": said, "todo": " ".join(todo.split())}


def _show(context: Context, findings: list[Finding]) -> None:
    out, texts = context.out, context.texts
    for finding in findings:
        said, todo = _texts(context, finding)
        out.text(said, first=texts(f"doctor.{finding.level}") + "  ", first_style=_STYLES[finding.level])
        if todo:
            out.advice(todo, "dim", indent=6)
    out.line()
    wrong = sum(each.level == "fail" for each in findings)
    doubtful = sum(each.level == "warn" for each in findings)
    if wrong:
        out.text(texts("doctor.wrong", n=wrong), "bad")
    elif doubtful:
        out.text(texts("doctor.doubtful", n=doubtful), "warn")
    else:
        out.text(texts("doctor.well"), "good")
