"""`tidelore backup` and `restore`: everything of a profile in one file, and back by union."""

from __future__ import annotations

import gzip
import io
import zlib
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO, cast

from tidelore.commands.context import Context
from tidelore.commands.output_file import free
from tidelore.commands.parser import Verbs
from tidelore.engine.errors import BadInput, NotFound, StoreError
from tidelore.engine.sync import backup
from tidelore.host.whole_files import written_whole

# So many characters of lines go into one call.
_PIECE = 1_000_000
# A line longer than this is none of ours; it is not read into memory whole.
_LONGEST = 64_000_000


def add(verbs: Verbs) -> None:
    verbs.add("backup", run_backup).argument("FILE", type=Path).option("--force", action="store_true")
    verbs.add("restore", run_restore).argument("FILE", type=Path).option("--check", action="store_true")


async def run_backup(context: Context, arguments: Namespace) -> int:
    file = free(context, arguments.file, arguments.force)
    lines = 0
    async with context.reading() as service:
        with _whole_file(context, file) as stream:
            at = ""
            while True:
                piece = await service.call("backup.read", {"at": at, "limit_bytes": _PIECE})
                stream.writelines(line + "\n" for line in piece["lines"])
                lines += len(piece["lines"])
                at = piece["at"]
                if not at:
                    break
    checked = _check(context, file)
    done = {"file": str(file), "bytes": file.stat().st_size, "records": checked["records"], "chats": checked["chats"]}
    if context.json:
        context.out.json(done)
    else:
        context.out.line(context.texts("backup.done", **done))
    return 0


async def run_restore(context: Context, arguments: Namespace) -> int:
    file: Path = arguments.file.expanduser()
    # Before the data folder is touched: a file that is no good makes none.
    checked = _check(context, file)
    if arguments.check:
        return _told(context, "backup.checked", {"file": str(file), **checked})
    async with context.service(with_vectors=True) as service:
        done = {"new": 0, "chats": 0, "kept": 0, "settings": 0}
        at = ""
        for lines in _pieces(context, file):
            restored = await service.call("backup.restore", {"lines": lines, "at": at})
            at = restored["at"]
            for name in done:
                done[name] += restored[name]
    return _told(context, "backup.restored", {"file": str(file), **done})


def _told(context: Context, key: str, done: dict[str, Any]) -> int:
    if context.json:
        context.out.json(done)
        return 0
    if "written" in done:
        done["written"] = f"{datetime.fromtimestamp(done['written'] / 1000).astimezone():%Y-%m-%d %H:%M}"
    context.out.line(context.texts(key, **done))
    return 0


def _check(context: Context, file: Path) -> dict[str, Any]:
    """Reads all of the file and takes nothing in. Raises BadInput."""
    found = {"records": 0, "chats": 0, "written": 0}
    at, whole = backup.Place(), False
    for lines in _pieces(context, file):
        if whole:
            raise BadInput(context.texts("backup.broken", file=file), context.texts("backup.other"))
        checked, at = backup.check(lines, at)
        whole = checked.whole
        found["records"] += len(checked.records)
        found["chats"] += len(checked.screens)
        found["written"] = found["written"] or checked.written
    if not whole:
        raise BadInput(context.texts("backup.broken", file=file), context.texts("backup.other"))
    return found


def _pieces(context: Context, file: Path) -> Iterator[list[str]]:
    """Raises NotFound, BadInput."""
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="\n") as stream:
            lines: list[str] = []
            size = 0
            while line := stream.readline(_LONGEST):
                lines.append(line.removesuffix("\n"))
                size += len(line)
                if size >= _PIECE:
                    yield lines
                    lines, size = [], 0
            if lines:
                yield lines
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError, OverflowError, zlib.error) as error:
        raise BadInput(context.texts("backup.broken", file=file), context.texts("backup.other")) from error
    except OSError as error:
        raise NotFound(context.texts("schema.unreadable", file=file, reason=error.strerror or error), "") from error


@contextmanager
def _whole_file(context: Context, file: Path) -> Iterator[TextIO]:
    """Written beside it and moved there when it is whole, readable by its owner alone. Raises StoreError."""
    try:
        with (
            written_whole(file, 0o600) as raw,
            # Without the time in it, equal backups are equal files.
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
            io.TextIOWrapper(cast(Any, packed), encoding="utf-8", newline="\n") as stream,
        ):
            yield stream
    except OSError as error:
        raise StoreError(
            context.texts("backup.unwritten", file=file, reason=error.strerror or error), context.texts("backup.room")
        ) from error
