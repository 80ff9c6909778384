"""`tidelore mirror`: takes part in SillyTavern's memories as a replica, also while no page is open."""

from __future__ import annotations

import asyncio
import json
import signal
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.host.mirror.follow import Follower, Look, follow, user_folder


def add(verbs: Verbs) -> None:
    verbs.add("mirror", run).option("--user-data", type=Path, metavar="DIR", required=True).option("--once", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    folder = user_folder(arguments.user_data)
    teller = _Teller(context)
    async with context.service() as service:
        if arguments.once:
            look = await Follower(service, folder).look()
            teller.tell(look, always=True)
            return 1 if look.problems else 0
        teller.begin(folder)
        ended = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            try:
                asyncio.get_running_loop().add_signal_handler(name, ended.set)
            except NotImplementedError:
                # Windows: Ctrl-C ends it as it ends every command.
                break
        await follow(service, folder, ended, teller.tell)
    return 0


class _Teller:
    """Says what is new: a line for each look that came to something, and each problem once as long as it lasts."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._problems: list[str] = []

    def begin(self, folder: Path) -> None:
        if not self._context.json:
            self._context.out.line(self._context.texts("mirror.begins", folder=folder, data=self._context.folder))

    def tell(self, look: Look, *, always: bool = False) -> None:
        out, texts = self._context.out, self._context.texts
        problems = [*look.problems, *(texts("mirror.damaged", name=name) for name in look.damaged)]
        fresh = [problem for problem in problems if problem not in self._problems]
        self._problems = problems
        if not (always or look.chats or look.news or look.sent or fresh):
            return
        if self._context.json:
            out.stream.write(json.dumps(asdict(look), ensure_ascii=False) + "\n")
        else:
            for problem in fresh:
                self._context.err.line(problem)
            out.line(texts("mirror.look", chats=len(look.chats), news=look.news, sent=look.sent))
        out.stream.flush()
