"""`tidelore demo`: what Tidelore does, before your eyes, with no model, no key and no internet."""

from __future__ import annotations

from argparse import Namespace
from contextlib import aclosing
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.terminal import progress
from tidelore.demo.report import show_end, show_start, show_story
from tidelore.demo.run import run_demo
from tidelore.engine.errors import BadInput


def add(verbs: Verbs) -> None:
    verbs.add("demo", run).option("--keep", type=Path, metavar="DIR")


async def run(context: Context, arguments: Namespace) -> int:
    keep = arguments.keep.expanduser() if arguments.keep else None
    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise BadInput(context.texts("demo.keep_not_empty", folder=keep), context.texts("demo.keep_elsewhere"))
    if not context.json:
        show_start(context.out, context.texts)
        context.out.stream.flush()
    with progress(context.texts("demo.playing")) as draw:
        async with aclosing(run_demo(keep, draw)) as stories:
            results = [result async for result in stories]
    if context.json:
        context.out.json({"stories": [each.to_json() for each in results]})
    else:
        for number, result in enumerate(results, 1):
            show_story(context.out, context.texts, number, result)
        show_end(context.out, context.texts, results, keep)
    return 0 if all(each.holds for each in results) else 1
