"""`tidelore serve`: one memory for every client on this machine."""

from __future__ import annotations

import argparse
from argparse import Namespace
from dataclasses import replace

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.engine.errors import BadInput
from tidelore.host.config import Config, port
from tidelore.host.profiles import DEFAULT, Profiles


def add(verbs: Verbs) -> None:
    verb = verbs.add("serve", run)
    verb.option("--host", metavar="ADDRESS").option("--port", metavar="N", type=_port)
    verb.option("--allow-origin", metavar="URL", action="append").option("--allow-host", metavar="NAME", action="append")
    verb.option("--remote", action="store_true").option("--runtime", metavar="DIR").option("--idle", metavar="MINUTES", type=int, default=0)
    verb.option("--open", action="store_true")
    verb.model_options()


async def run(context: Context, arguments: Namespace) -> int:
    # Only here: the server takes longer to import than most commands to run.
    from tidelore.commands.serve_screen import Screen
    from tidelore.commands.serve_words import in_words
    from tidelore.serve.process import Options
    from tidelore.serve.process import run as serve

    config = settings(context, arguments)
    screen = Screen(context, config, first=not Profiles(context.data).key_file(DEFAULT).exists(), opens=arguments.open)
    with in_words(context.texts):
        options = Options(context.data, config, remote=arguments.remote, on_pairing=screen.pairing, idle=60.0 * max(0, arguments.idle))
        await serve(options, screen.ready)
    screen.ended()
    return 0


def settings(context: Context, arguments: Namespace) -> Config:
    """config.toml, the environment, then the options, each over the one before. Raises BadInput."""
    from tidelore.serve.origins import origin_of

    config = context.config
    origins = [*config.serve.origins, *(arguments.allow_origin or [])]
    for origin in origins:
        if origin_of(origin) is None:
            raise BadInput(context.texts("serve.no_origin", origin=origin[:80]), context.texts("serve.no_origin.todo"))
    serve = replace(
        config.serve,
        host=arguments.host or config.serve.host,
        port=config.serve.port if arguments.port is None else arguments.port,
        origins=[found for origin in origins if (found := origin_of(origin))],
        hosts=[*config.serve.hosts, *(arguments.allow_host or [])],
        runtime=arguments.runtime or config.serve.runtime,
    )
    return replace(config, serve=serve)


def _port(text: str) -> int:
    try:
        return port(text, "--port")
    except BadInput as error:
        raise argparse.ArgumentTypeError(text) from error
