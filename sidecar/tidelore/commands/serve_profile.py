"""`tidelore profile list|add|remove`: several people, each with a memory and a key of their own."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.host.daemon import claimed
from tidelore.host.profiles import Profiles
from tidelore.host.removal import Remains, remains, remove


def add(verbs: Verbs) -> None:
    group = verbs.group("profile")
    group.add("list", run_list)
    group.add("add", run_add).argument("NAME")
    group.add("remove", run_remove).argument("NAME").option("--yes", action="store_true")


async def run_list(context: Context, arguments: Namespace) -> int:
    del arguments
    profiles = Profiles(context.data)
    names = profiles.names()
    if context.json:
        context.out.json({"profiles": [{"name": name, "data": str(profiles.folder(name))} for name in names]})
    else:
        context.out.rows([(name, str(profiles.folder(name))) for name in names])
    return 0


async def run_add(context: Context, arguments: Namespace) -> int:
    profiles, name = Profiles(context.data), arguments.name
    key = profiles.add(name)
    if context.json:
        context.out.json({"name": name, "data": str(profiles.folder(name)), "key": key})
    else:
        context.out.text(context.texts("profile.added", name=name), "good")
        context.out.rows([(context.texts("serve.key"), key), (context.texts("serve.data"), str(profiles.folder(name)))])
        context.out.advice(context.texts("profile.key_later", name=name), "dim")
    return 0


async def run_remove(context: Context, arguments: Namespace) -> int:
    """Nothing goes before its files were named and the person has said so."""
    from tidelore.commands.serve_words import in_words

    name, data = arguments.name, context.data
    found = remains(data, name)
    if not context.json:
        _show(context, name, found)
    if not (arguments.yes or (not context.json and _confirmed(context, name))):
        if context.json:
            context.out.json(_document(data, name, found, removed=False))
        else:
            context.out.text(context.texts("profile.not_removed"), "warn")
        return 0 if not found.files else 1
    # A sidecar that runs has it open, and one that starts now would open it.
    with in_words(context.texts), claimed(data):
        found = remove(data, name)
    if context.json:
        context.out.json(_document(data, name, found, removed=True))
    else:
        context.out.text(context.texts("profile.removed", name=name), "good")
        context.out.advice(context.texts("profile.elsewhere"), "dim")
    return 0


def _show(context: Context, name: str, found: Remains) -> None:
    out, texts = context.out, context.texts
    out.text(texts("profile.goes", name=name, n=len(found.files), megabytes=f"{found.size / 1_000_000:.1f}"), "strong")
    for path in found.files:
        out.text(str(path), indent=2)
    if found.pages:
        out.text(texts("profile.pages_go", pages=", ".join(found.pages)))
    out.advice(texts("profile.elsewhere"), "dim")


def _confirmed(context: Context, name: str) -> bool:
    """Whether the person at the terminal has typed the name."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        return input(context.texts("profile.ask", name=name) + " ").strip() == name
    except EOFError:
        return False


def _document(data: Path, name: str, found: Remains, *, removed: bool) -> dict[str, object]:
    files = [str(path) for path in found.files]
    return {"name": name, "data": str(Profiles(data).folder(name)), "removed": removed, "files": files, "pages": list(found.pages)}
