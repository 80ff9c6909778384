"""`tidelore profile list|add`: several people, each with a memory and a key of their own."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.host.profiles import Profiles


def add(verbs: Verbs) -> None:
    group = verbs.group("profile")
    group.add("list", run_list)
    group.add("add", run_add).argument("NAME")


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
