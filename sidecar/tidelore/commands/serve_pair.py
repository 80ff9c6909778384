"""`tidelore pair`: lets a page in by the code that it shows; lists and forgets those that were let in."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.measure import flat
from tidelore.commands.parser import Verbs
from tidelore.engine.errors import NotFound
from tidelore.host.daemon import Daemon, running
from tidelore.host.profiles import Profiles


def add(verbs: Verbs) -> None:
    verb = verbs.add("pair", run).argument("CODE", nargs="?")
    verb.option("--forget", metavar="ORIGIN")


async def run(context: Context, arguments: Namespace) -> int:
    from tidelore.commands.serve_words import in_words
    from tidelore.serve.client import ask

    daemon = daemon_of(context)
    key = Profiles(context.data).key(context.profile)
    with in_words(context.texts):
        if arguments.forget:
            _show_forgotten(context, await ask(daemon, key, "/pairings/forget", {"origin": arguments.forget.rstrip("/")}))
        elif arguments.code:
            _show_confirmed(context, await ask(daemon, key, "/pairings/confirm", {"code": arguments.code}))
        else:
            _show_all(context, await ask(daemon, key, "/pairings"))
    return 0


def daemon_of(context: Context) -> Daemon:
    """The sidecar that serves this data folder. Raises NotFound."""
    found = running(context.data) if context.data.is_dir() else None
    if found is None:
        raise NotFound(context.texts("pair.not_running", folder=context.data), context.texts("pair.not_running.todo"))
    return found


def _show_confirmed(context: Context, found: dict[str, Any]) -> None:
    if context.json:
        context.out.json(found)
        return
    origin = found["origin"] or context.texts("pair.program")
    context.out.text(context.texts("pair.done", client=flat(found["client"]), origin=origin), "good")


def _show_forgotten(context: Context, found: dict[str, Any]) -> None:
    if context.json:
        context.out.json(found)
    else:
        context.out.text(context.texts("pair.forgotten", n=found["forgotten"]))


def _show_all(context: Context, found: dict[str, Any]) -> None:
    out, texts = context.out, context.texts
    if context.json:
        out.json(found)
        return
    for each in found["waiting"]:
        out.text(texts("pair.asks", client=flat(each["client"]), origin=each["origin"] or texts("pair.program")), "strong")
    if found["waiting"]:
        out.advice(texts("pair.type_there"))
    for each in found["paired"]:
        day = datetime.fromtimestamp(each["at"] / 1000).date().isoformat()
        out.text(texts("pair.paired", client=flat(each["client"]), origin=each["origin"] or texts("pair.program"), day=day))
    if not found["waiting"] and not found["paired"]:
        out.text(texts("pair.none"), "dim")
