"""A file that a command writes its result into: never over one that is there, unless told to, and whole or not at all."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.engine.errors import BadInput, StoreError
from tidelore.host.whole_files import written_whole


def free(context: Context, file: Path, force: bool) -> Path:
    """The file with the home folder spelt out. What is no file of its own, like a pipe, holds nothing that could be lost. Raises
    BadInput where a file is there and nobody said that it may go."""
    file = file.expanduser()
    if file.exists() and not force and (file.is_file() or file.is_dir()):
        raise BadInput(context.texts("backup.there", file=file), context.texts("backup.force"))
    return file


def chosen(context: Context, arguments: Namespace) -> Path | None:
    """The file that `--output` names, free to write. Raises BadInput."""
    return free(context, arguments.output, arguments.force) if arguments.output is not None else None


def write(context: Context, file: Path, text: str) -> None:
    """Raises StoreError."""
    try:
        if file.exists() and not file.is_file():
            file.write_text(text, encoding="utf-8", newline="\n")
            return
        with written_whole(file) as stream:
            stream.write(text.encode("utf-8"))
    except OSError as error:
        raise StoreError(context.texts("graph.not_written", file=file, reason=error.strerror), context.texts("graph.elsewhere")) from error
