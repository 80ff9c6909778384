"""`tidelore doctor`: what is right, what is wrong and what to do. It changes nothing."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.terminal import Style
from tidelore.engine.errors import TideloreError
from tidelore.host import diagnosis, diagnosis_rights
from tidelore.host.config import Config
from tidelore.host.diagnosis import Finding, Level
from tidelore.host.open import open_service
from tidelore.host.profiles import DEFAULT, Profiles
from tidelore.host.store import FILE

# Folding a chat takes time, and a store may hold thousands of them.
_CHATS = 20
_STYLES: dict[Level, Style] = {"ok": "good", "warn": "warn", "fail": "bad"}


def add(verbs: Verbs) -> None:
    verbs.add("doctor", run).model_options()


async def run(context: Context, arguments: Namespace) -> int:
    del arguments
    findings = [each async for each in _all(context)]
    failed = any(each.level == "fail" for each in findings)
    if context.json:
        context.out.json({"ok": not failed, "findings": [_document(context, each) for each in findings]})
    else:
        _show(context, findings)
    return 1 if failed else 0


async def _all(context: Context) -> AsyncIterator[Finding]:
    for finding in _still(context.data):
        yield finding
    config, said = diagnosis_rights.config(context.data, os.environ)
    for finding in said:
        yield finding
    for finding in diagnosis_rights.profiles(context.data):
        yield finding
    for name in Profiles(context.data).names():
        async for finding in _profile(context.data, name):
            yield finding
    if config is not None:
        # The options count more than what was read.
        async for finding in _asked(context, context.config):
            yield finding


def _still(data: Path) -> Iterator[Finding]:
    yield from diagnosis.machine()
    yield from diagnosis.folder(data)
    yield from diagnosis_rights.rights(data)


async def _profile(data: Path, name: str) -> AsyncIterator[Finding]:
    """The store of a profile; of another one than the default one only where there is one."""
    folder = Profiles(data).folder(name)
    if name != DEFAULT and not (folder / FILE).exists():
        return
    found = list(diagnosis.store(folder))
    for finding in found:
        yield finding
    if (folder / FILE).exists() and all(each.level == "ok" for each in found if each.name in ("store", "integrity", "format")):
        for finding in await _memory(folder, name):
            yield finding


async def _asked(context: Context, config: Config) -> AsyncIterator[Finding]:
    """What needs the network, be it that of this machine."""
    # Only here: these take longer to import than the rest to run.
    from tidelore.host import diagnosis_models
    from tidelore.host.models import secrets
    from tidelore.serve.diagnosis import sidecar, upstreams

    for finding in await sidecar(context.data, config.serve):
        yield finding
    try:
        key = secrets(context.data)
    except TideloreError:
        return  # it was told already
    yield await diagnosis_models.model(config.model, key)
    finding, dimension = await diagnosis_models.embedder(config.embedder, key)
    yield finding
    for finding in diagnosis_models.vectors(context.data, config.embedder, dimension):
        yield finding
    async for finding in upstreams(config.upstream, key):
        yield finding


async def _memory(folder: Path, profile: str) -> list[Finding]:
    """Chats and pending windows, through the service, since only the fold knows them."""
    try:
        async with open_service(folder) as service:
            names = [each["chat"] for each in (await service.call("chat.list", {}))["chats"]]
            stats = [await service.call("stats", {"chat": name}) for name in names[-_CHATS:]]
    except TideloreError as error:
        return [Finding("chats", "fail", "unreadable", {"reason": error.sentence, "profile": profile})]
    rules, model, aside = (sum(each[name] for each in stats) for name in ("rules_due", "model_due", "aside"))
    counts = {"rules": rules, "model": model, "checked": len(stats), "profile": profile}
    out = [Finding("chats", "ok", "are", {"n": len(names), "profile": profile}), Finding("pending", "ok", "are", counts)]
    if aside:
        out.append(Finding("aside", "warn", "are", {"n": aside, "profile": profile}))
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
