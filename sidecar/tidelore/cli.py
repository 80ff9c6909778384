"""The command `tidelore`. Exit codes: 0 done, 1 an error that is explained, 2 wrong usage, 130 interrupted, 141 the reader went away."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from tidelore import texts as locale
from tidelore.commands import (
    backup,
    cards,
    care,
    chats,
    choices,
    demo,
    doctor,
    edit,
    eval,
    extract,
    graph,
    importing,
    mcp,
    memories,
    mirror,
    nodes,
    recall,
    rpc,
    schema,
    serve,
    serve_console,
    serve_key,
    serve_pair,
    serve_profile,
    service,
    upkeep,
)
from tidelore.commands.context import Context, data_folder, model_options
from tidelore.commands.faults import in_words
from tidelore.commands.invocation import command, quoted
from tidelore.commands.parser import FOR_ALL_PROFILES, Parser, new_parser
from tidelore.engine.errors import TideloreError
from tidelore.host.profiles import DEFAULT

# In the order of use, which is the order of the help.
MODULES = (
    demo,
    importing,
    chats,
    extract,
    recall,
    nodes,
    memories,
    edit,
    care,
    cards,
    graph,
    schema,
    choices,
    upkeep,
    backup,
    doctor,
    eval,
    serve,
    serve_key,
    serve_console,
    serve_pair,
    serve_profile,
    service,
    mcp,
    mirror,
    rpc,
)

OK, FAILED, INTERRUPTED, READER_GONE = 0, 1, 130, 141


def build_parser(texts: locale.Texts) -> Parser:
    parser, verbs = new_parser(texts)
    for module in MODULES:
        module.add(verbs)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _use_utf8()
    texts = locale.load(locale.choose(given, os.environ), command(sys.argv[0]))
    try:
        code = _run(given, texts)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    return code


def _run(given: Sequence[str], texts: locale.Texts) -> int:
    parser = build_parser(texts)
    parsed = parser.parse_args(given)
    if parsed.verb is None:
        parser.print_help()
        return OK
    if parsed.data:
        texts = replace(texts, command=f"{texts.command} --data {quoted(parsed.data)}")
    profile = parsed.profile or os.environ.get("TIDELORE_PROFILE") or DEFAULT
    if parsed.profile:
        if parsed.verb in FOR_ALL_PROFILES:
            parser.error(texts("usage.no_profile", verb=parsed.verb))
        texts = replace(texts, command=f"{texts.command} --profile {quoted(parsed.profile)}")
    context = Context(texts, data_folder(parsed.data, os.environ), parsed.json, profile, model_options(parsed))
    try:
        code: int = asyncio.run(parsed.run(context, parsed))
        return code
    except TideloreError as error:
        report(context, error)
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write(texts("error.interrupted") + "\n")
        return INTERRUPTED


def report(context: Context, error: TideloreError) -> None:
    """An error, for people on stderr, for programs on stdout."""
    error = in_words(context.texts, error)
    if context.json:
        hint = " ".join(error.hint.split())
        context.out.json({"error": {"code": error.code, "message": error.sentence, "hint": hint}})
        return
    sys.stdout.flush()
    context.err.text(error.sentence, first=context.texts("error.label"), first_style="bad")
    if error.hint:
        context.err.advice(error.hint, first=context.texts("hint.label"), first_style="dim")


def _use_utf8() -> None:
    """A pipe may have another encoding than the texts; a character that cannot be shown must not end a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
