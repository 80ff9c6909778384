"""The log of the SQLite store: which records there are, by origin, each with the chain up to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence

from tidelore.engine.errors import Conflict
from tidelore.engine.ports import Body, Head, Record, RecordKind
from tidelore.engine.sync.chain import GENESIS, link

NO_HEAD = Head(0, GENESIS)
AT_ONCE = 256


def replica_of(db: sqlite3.Connection) -> str:
    return str(db.execute("select value from meta where name = 'replica'").fetchone()[0])


class LogWriter:
    """Adds rows within one transaction; `flush` before it ends. Heads are read once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._heads: dict[str, Head] = {}
        self._rows: list[tuple[str, int, str, str, str, int, str]] = []
        self.replica = replica_of(db)

    def head(self, origin: str) -> Head:
        found = self._heads.get(origin)
        if found is None:
            row = self._db.execute("select sequence, chain from heads where origin = ?", (origin,)).fetchone()
            found = self._heads[origin] = Head(int(row[0]), str(row[1])) if row else NO_HEAD
        return found

    def add(self, kind: str, pool: str, id_: str, clock: int, origin: str = "", sequence: int = 0) -> None:
        """The next record of `origin`, or of this store. Raises Conflict where `sequence` is given and not the next one."""
        origin = origin or self.replica
        head = self.head(origin)
        if sequence not in (0, head.sequence + 1):
            raise Conflict(f"Record {sequence} of {origin} is not the next one, {head.sequence + 1}.", "Ask for the records again.")
        head = self._heads[origin] = Head(head.sequence + 1, link(head.chain, kind, pool, id_))
        self._rows.append((origin, head.sequence, kind, pool, id_, clock, head.chain))

    def flush(self) -> None:
        self._db.executemany("insert into log values (?, ?, ?, ?, ?, ?, ?)", self._rows)
        heads = [(origin, head.sequence, head.chain) for origin, head in self._heads.items() if head.sequence]
        self._db.executemany("insert or replace into heads values (?, ?, ?)", heads)
        self._rows = []

    def cut(self, origin: str, sequence: int) -> list[tuple[str, str, str, int]]:
        """Takes out the rows of an origin from `sequence` on: kind, pool, id and clock of each."""
        where = "from log where origin = ? and sequence >= ?"
        rows = self._db.execute(f"select kind, pool, id, clock {where} order by sequence", (origin, sequence)).fetchall()
        self._db.execute(f"delete {where}", (origin, sequence))
        self._db.execute("delete from heads where origin = ?", (origin,))
        chain = chain_at(self._db, origin, sequence - 1)
        self._heads[origin] = Head(sequence - 1, chain)
        return rows


def chain_at(db: sqlite3.Connection, origin: str, sequence: int) -> str:
    row = db.execute("select chain from log where origin = ? and sequence = ?", (origin, sequence)).fetchone()
    return str(row[0]) if row else GENESIS


def heads(db: sqlite3.Connection) -> Mapping[str, Head]:
    return {str(origin): Head(int(sequence), str(chain)) for origin, sequence, chain in db.execute("select * from heads")}


def later(db: sqlite3.Connection, kind: RecordKind, clock: int, *, id_: str = "", pool: str = "") -> dict[str, int]:
    """For what was written later than `clock`, the smallest clock of those. Reads the whole log: a purge is rare."""
    where, value = ("id = ?", id_) if id_ else ("pool = ?", pool)
    rows = db.execute(f"select id, min(clock) from log where kind = ? and {where} and clock > ? group by id", (kind, value, clock))
    return {str(id_): int(least) for id_, least in rows}


def records(
    db: sqlite3.Connection, origin: str, after: int, limit: int, body: Callable[[RecordKind, str, str], tuple[Body | None, int]]
) -> Iterator[Record]:
    """The records of an origin after a sequence, until their texts have `limit` characters. `body` gives a body with its size."""
    size = 0
    while True:
        rows: Sequence[tuple[int, RecordKind, str, str, int]] = db.execute(
            "select sequence, kind, pool, id, clock from log where origin = ? and sequence > ? order by sequence limit ?",
            (origin, after, AT_ONCE),
        ).fetchall()
        for after, kind, pool, id_, clock in rows:
            found, length = body(kind, pool, id_)
            yield Record(origin, after, kind, pool, id_, clock, found)
            size += length
            if size >= limit:
                return
        if len(rows) < AT_ONCE:
            return
