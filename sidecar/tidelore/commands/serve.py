"""`tidelore serve`: one memory for every client on this machine."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import threading
import webbrowser
from argparse import Namespace
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelore.commands.context import Context
from tidelore.commands.measure import flat
from tidelore.commands.parser import Verbs
from tidelore.engine.errors import BadInput, TideloreError
from tidelore.host.config import Config, port
from tidelore.host.profiles import DEFAULT, Profiles

if TYPE_CHECKING:
    from tidelore.serve.pairing import Pairing
    from tidelore.serve.process import Running


def add(verbs: Verbs) -> None:
    verb = verbs.add("serve", run)
    verb.option("--host", metavar="ADDRESS").option("--port", metavar="N", type=_port)
    verb.option("--allow-origin", metavar="URL", action="append").option("--allow-host", metavar="NAME", action="append")
    verb.option("--remote", action="store_true").option("--runtime", metavar="DIR").option("--idle", metavar="MINUTES", type=int, default=0)
    verb.option("--open", action="store_true")
    verb.model_options()


async def run(context: Context, arguments: Namespace) -> int:
    # Only here: the server takes longer to import than most commands to run.
    from tidelore.commands.serve_words import in_words
    from tidelore.serve.process import Options
    from tidelore.serve.process import run as serve

    config = settings(context, arguments)
    screen = _Screen(context, config, first=not Profiles(context.data).key_file(DEFAULT).exists(), opens=arguments.open)
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


@dataclass(slots=True)
class _Screen:
    """What the person sees, and types. `first`: the key is new, so it is shown. `opens`: the browser is to show the page of the sidecar."""

    context: Context
    config: Config
    first: bool
    opens: bool = False
    running: Running | None = None

    @property
    def _asks(self) -> bool:
        """Whether codes can be typed here."""
        return not self.context.json and sys.stdin.isatty()

    def ready(self, running: Running) -> None:
        self.running = running
        if self.opens:
            # Aside, since a browser of the terminal ends only when its person leaves it.
            threading.Thread(target=webbrowser.open, args=(f"{running.url}/",), name="tidelore-browser", daemon=True).start()
        out, texts = self.context.out, self.context.texts
        if self.context.json:
            # One line, on a terminal too: it is for whoever started this process.
            out.stream.write(json.dumps({"url": running.url, "key": running.key}) + "\n")
            out.stream.flush()
            return
        out.title(texts("serve.title", url=running.url))
        model, embedder = self.config.model, self.config.embedder
        out.rows(
            [
                (texts("serve.key"), running.key if self.first else texts("serve.key_known")),
                (texts("serve.data"), str(self.context.data)),
                (texts("serve.model"), model.name if model.is_set else texts("serve.no_model")),
                (texts("serve.embedder"), embedder.name if embedder.is_set else texts("serve.no_embedder")),
            ]
        )
        out.line()
        if self.first:
            out.advice(texts("serve.key_new"))
        out.advice(texts("serve.pair_here" if self._asks else "serve.pair_there"))
        out.advice(texts("serve.stop"), "dim")
        out.stream.flush()
        if self._asks:
            _read_lines(self._line)

    def pairing(self, pairing: Pairing) -> None:
        """A page asks to be let in. Its code is not shown here: who types it has seen the page."""
        if self.context.json:
            return
        out, texts = self.context.out, self.context.texts
        out.line()
        who = texts("pair.asks", client=flat(pairing.client), origin=pairing.origin or texts("pair.program"))
        out.text(who, "strong")
        out.advice(texts("pair.type_here" if self._asks else "pair.type_there"))
        out.stream.flush()

    def _line(self, text: str) -> None:
        from tidelore.commands.serve_words import in_words

        if self.running is None:
            return
        out, texts = self.context.out, self.context.texts
        pairings = self.running.pairings
        try:
            with in_words(texts):
                if text.strip():
                    found = pairings.confirm(text, DEFAULT)
                    out.text(texts("pair.done", client=flat(found.client), origin=found.origin or texts("pair.program")), "good")
                elif pairings.refuse():
                    out.text(texts("pair.refused"), "warn")
        except TideloreError as error:
            out.text(error.sentence, "bad")
            out.advice(error.hint, "dim")
        out.stream.flush()

    def ended(self) -> None:
        if not self.context.json:
            self.context.out.text(self.context.texts("serve.ended"), "dim")


def _read_lines(take: object) -> None:
    """Passes on what is typed. A daemon thread reads, since such a read cannot be cancelled."""
    assert callable(take)
    loop = asyncio.get_running_loop()

    def read() -> None:
        rest = b""
        try:
            while data := os.read(sys.stdin.fileno(), 4096):
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(take, line.decode("utf-8", "replace"))
        except (OSError, RuntimeError):  # the terminal or the loop is gone
            return

    threading.Thread(target=read, name="tidelore-keyboard", daemon=True).start()
