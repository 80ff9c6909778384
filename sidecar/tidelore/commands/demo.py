"""`tidelore demo`: what Tidelore does, before your eyes, with no model, no key and no internet; then the panel, to look around in it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.terminal import progress
from tidelore.demo.report import show_end, show_panel, show_start, show_story
from tidelore.demo.run import run_demo
from tidelore.engine.errors import BadInput


def add(verbs: Verbs) -> None:
    verb = verbs.add("demo", run).option("--keep", type=Path, metavar="DIR")
    verb.option("--no-serve", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    keep = arguments.keep.expanduser() if arguments.keep else None
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise BadInput(context.texts("demo.keep_not_empty", folder=keep), context.texts("demo.keep_elsewhere"))
    serves = not arguments.no_serve and _is_watched(context)
    with _folder(keep, wanted=serves) as folder:
        if not context.json:
            show_start(context.out, context.texts)
            context.out.stream.flush()
        with progress(context.texts("demo.playing")) as draw:
            async with aclosing(run_demo(folder, draw)) as stories:
                results = [result async for result in stories]
        if context.json:
            context.out.json({"stories": [each.to_json() for each in results]})
        else:
            for number, result in enumerate(results, 1):
                show_story(context.out, context.texts, number, result)
            show_end(context.out, context.texts, results, keep, goes_on=serves)
        if serves:
            assert folder is not None
            mine = next((each for each in results if each.story.language == context.texts.language), results[0])
            await _serve(context, folder, mine.story.title)
    return 0 if all(each.holds for each in results) else 1


def _is_watched(context: Context) -> bool:
    """Whether somebody sits before it who can look at the panel and end it: not in a pipe, not in a test, not under CI."""
    return not context.json and sys.stdin.isatty() and sys.stdout.isatty() and not os.environ.get("CI")


@contextmanager
def _folder(keep: Path | None, *, wanted: bool) -> Iterator[Path | None]:
    """Where the store with the stories is, for those who look at it afterwards."""
    if keep is not None or not wanted:
        yield keep
        return
    # What is still being written when the person ends it must not turn into an error.
    with TemporaryDirectory(prefix="tidelore-demo-", ignore_cleanup_errors=True) as temporary:
        yield Path(temporary)


async def _serve(context: Context, folder: Path, chat: str) -> None:
    """The sidecar on the stories, until Ctrl-C; the panel opens on `chat`. It has the models that come with it, and none that this person
    has set up."""
    # Only here: the server takes longer to import than the demo to run.
    from tidelore.commands.browser import has_desktop, open_page
    from tidelore.commands.serve_screen import Screen
    from tidelore.host.config import Config, ServeConfig
    from tidelore.serve.process import Options, Running
    from tidelore.serve.process import run as serve

    config = Config(serve=ServeConfig(port=0))
    screen = Screen(context, config, first=False)

    def ready(running: Running) -> None:
        url, opens = running.console(chat), has_desktop()
        show_panel(context.out, context.texts, url, opens=opens)
        context.out.stream.flush()
        if opens:
            open_page(url)
        screen.listen(running)

    await serve(Options(folder, config, on_pairing=screen.pairing), ready)
