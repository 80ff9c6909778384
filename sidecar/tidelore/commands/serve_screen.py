"""What the terminal of a running sidecar shows, and what is typed into it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from dataclasses import dataclass

from tidelore.commands.browser import open_page
from tidelore.commands.context import Context
from tidelore.commands.measure import flat
from tidelore.commands.serve_words import in_words
from tidelore.engine.errors import TideloreError
from tidelore.host.config import Config
from tidelore.host.profiles import DEFAULT
from tidelore.serve.pairing import Pairing
from tidelore.serve.process import Running


@dataclass(slots=True)
class Screen:
    """`first`: the key is new, so it is shown. `opens`: the browser is to show the panel."""

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
            open_page(running.console(""))
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
                (texts("serve.panel"), running.console("")),
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
        self.listen(running)

    def listen(self, running: Running) -> None:
        """Takes the codes that are typed, where there is a terminal."""
        self.running = running
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
