"""Gives the space of what was deleted back to the disk. SQLite keeps it in the file for what comes; nothing else ever shrinks it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tidelore.engine.errors import NotFound, StoreError
from tidelore.host.store import APPLICATION_ID, BUSY_SECONDS, FILE


@dataclass(frozen=True, slots=True)
class Compacted:
    """Bytes of the store and of what SQLite keeps beside it."""

    before: int
    after: int


def compact(folder: Path) -> Compacted:
    """Others may have the store open and go on; one that is just being written is waited for. Raises NotFound, StoreError; then the store
    is as it was."""
    path = folder / FILE
    if not path.exists():
        raise NotFound(f"There is no store at {path}.")
    before = _bytes(path)
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as db:
            if db.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
                raise StoreError(f"{path} is a database of another program.", "Choose another folder with --data.")
            db.execute("pragma secure_delete = on")
            db.execute("vacuum")
            db.execute("pragma wal_checkpoint(truncate)")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            hint = "It takes as much room as the store for a moment; the store is as it was."
            raise StoreError(f"There is no room to make {path} smaller.", hint) from error
        raise StoreError(f"{path} cannot be made smaller: {error}.", "Try again; the store is as it was.") from error
    return Compacted(before, _bytes(path))


def _bytes(path: Path) -> int:
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))
