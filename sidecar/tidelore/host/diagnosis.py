"""Looks at the machine, the data folder and the store. Changes nothing and shows no secret."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tidelore.host.migrations import STEPS
from tidelore.host.store import APPLICATION_ID, FILE

Level = Literal["ok", "warn", "fail"]

PYTHON = (3, 11)
SQLITE = (3, 35)
LOW_SPACE, NO_SPACE = 500_000_000, 20_000_000
# Free pages of so much, and of such a share of the file, are worth giving back.
LOOSE_BYTES, LOOSE_SHARE = 10_000_000, 0.25


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. `name` and `outcome` name the text that says it; `values` fill it in."""

    name: str
    level: Level
    outcome: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])


def machine() -> Iterator[Finding]:
    """Python and SQLite."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", "ok" if sys.version_info >= PYTHON else "fail", "is", {"version": version})
    yield Finding("sqlite", "ok" if sqlite3.sqlite_version_info >= SQLITE else "fail", "is", {"version": sqlite3.sqlite_version})


def folder(data: Path) -> Iterator[Finding]:
    """The data folder, or the nearest one above it that exists: it must be writable and have room."""
    values: dict[str, Any] = {"folder": str(data)}
    if data.exists() and not data.is_dir():
        yield Finding("folder", "fail", "no_folder", values)
        return
    there = data
    while not there.exists() and there != there.parent:
        there = there.parent
    if not os.access(there, os.W_OK | os.X_OK):
        yield Finding("folder", "fail", "not_writable", {"folder": str(there)})
        return
    yield Finding("folder", "ok", "writable" if data.exists() else "not_there", values)
    free = shutil.disk_usage(there).free
    level: Level = "ok" if free >= LOW_SPACE else "warn" if free >= NO_SPACE else "fail"
    yield Finding("space", level, "free", {"megabytes": f"{free // 1_000_000:,}"})


def store(data: Path) -> Iterator[Finding]:
    """The store file, opened for reading alone. Ends at the first check that fails."""
    path = data / FILE
    if not path.exists():
        yield Finding("store", "ok", "none", {"file": str(path)})
        return
    values: dict[str, Any] = {"file": str(path)}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as db:
            yield from _database(db, values)
    except sqlite3.Error as error:
        yield Finding("store", "fail", "unreadable", {**values, "reason": str(error)})


def _database(db: sqlite3.Connection, values: dict[str, Any]) -> Iterator[Finding]:
    if db.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
        yield Finding("store", "fail", "foreign", values)
        return
    yield Finding("store", "ok", "opens", {**values, "megabytes": f"{_size(db) / 1_000_000:.1f}"})
    faults = [row[0] for row in db.execute("pragma quick_check(5)")]
    if faults != ["ok"]:
        yield Finding("integrity", "fail", "damaged", {"reason": "; ".join(faults)})
        return
    yield Finding("integrity", "ok", "sound")
    loose, whole = _loose(db), _size(db)
    if loose >= LOOSE_BYTES and loose >= LOOSE_SHARE * whole:
        yield Finding("loose", "warn", "are", {"megabytes": f"{loose / 1_000_000:.0f}", "of": f"{whole / 1_000_000:.0f}"})
    have = db.execute("pragma user_version").fetchone()[0]
    outcome: tuple[Level, str] = ("ok", "current") if have == len(STEPS) else ("warn", "older") if have < len(STEPS) else ("fail", "newer")
    yield Finding("format", *outcome, {"have": have, "known": len(STEPS)})
    if have == len(STEPS):
        replica = db.execute("select value from meta where name = 'replica'").fetchone()
        yield Finding("replica", "ok" if replica else "fail", "is" if replica else "missing", {"replica": replica[0] if replica else ""})


def _size(db: sqlite3.Connection) -> int:
    return int(db.execute("pragma page_count").fetchone()[0]) * int(db.execute("pragma page_size").fetchone()[0])


def _loose(db: sqlite3.Connection) -> int:
    """Bytes of what was deleted, which the file still has."""
    return int(db.execute("pragma freelist_count").fetchone()[0]) * int(db.execute("pragma page_size").fetchone()[0])
