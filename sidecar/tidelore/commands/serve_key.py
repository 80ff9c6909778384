"""`tidelore key`: the key that other programs need."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.host.profiles import Profiles


def add(verbs: Verbs) -> None:
    verbs.add("key", run).option("--new", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    profiles, name = Profiles(context.data), context.profile
    key = profiles.renew(name) if arguments.new else profiles.key(name)
    if context.json:
        context.out.json({"profile": name, "key": key})
        return 0
    # Alone on standard output, so that it can be passed on.
    context.out.stream.write(key + "\n")
    if arguments.new:
        context.err.text(context.texts("key.renewed"), "dim")
    return 0
