"""Looks at the machine, the data folder and the model endpoint. Changes nothing and shows no secret."""

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
MODEL_SECONDS = 5.0


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
    have = db.execute("pragma user_version").fetchone()[0]
    outcome: tuple[Level, str] = ("ok", "current") if have == len(STEPS) else ("warn", "older") if have < len(STEPS) else ("fail", "newer")
    yield Finding("format", *outcome, {"have": have, "known": len(STEPS)})
    if have == len(STEPS):
        replica = db.execute("select value from meta where name = 'replica'").fetchone()
        yield Finding("replica", "ok" if replica else "fail", "is" if replica else "missing", {"replica": replica[0] if replica else ""})


def _size(db: sqlite3.Connection) -> int:
    return int(db.execute("pragma page_count").fetchone()[0]) * int(db.execute("pragma page_size").fetchone()[0])


async def model(url: str, name: str, key: str) -> Finding:
    """Whether the endpoint of the memory model answers; asks for its list of models, which costs nothing."""
    if not url and not name:
        return Finding("model", "ok", "none")
    if not url or not name:
        return Finding("model", "warn", "half")
    import httpx  # only where a model is set: it takes longer to import than the rest of the doctor

    values: dict[str, Any] = {"url": _without_secrets(url), "model": name}
    try:
        async with httpx.AsyncClient(timeout=MODEL_SECONDS) as client:
            answer = await client.get(url.rstrip("/") + "/models", headers={"Authorization": f"Bearer {key}"} if key else {})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return Finding("model", "fail", "unreachable", {**values, "reason": type(error).__name__})
    if answer.status_code in (401, 403):
        return Finding("model", "fail", "refused", {**values, "status": answer.status_code})
    if answer.status_code >= 500:
        return Finding("model", "fail", "broken", {**values, "status": answer.status_code})
    if answer.status_code != 200:
        return Finding("model", "warn", "odd", {**values, "status": answer.status_code})
    return Finding("model", "ok", "answers", values)


def _without_secrets(url: str) -> str:
    """Without user, password and query, in which some services want their key."""
    scheme, _, rest = url.partition("://")
    if not rest:
        scheme, rest = "", url
    rest = rest.split("?")[0].split("#")[0]
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    return f"{scheme}://{host}{slash}{path}" if scheme else host + slash + path
