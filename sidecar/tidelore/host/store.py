"""The SQLite store: one writer thread, readers that never lock, every write one transaction that is on disk when it answers."""

from __future__ import annotations

import asyncio
import errno
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from tidelore.engine.bulk import in_bulk
from tidelore.engine.codec import commit_in, digest
from tidelore.engine.errors import BadInput, StoreError
from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, Role, Source
from tidelore.engine.ports import (
    Batch,
    Body,
    Burial,
    ChatRecord,
    ChatRows,
    CommitText,
    Head,
    LedgerRow,
    PoolRows,
    Purged,
    Record,
    RecordKind,
)
from tidelore.engine.sync.burial import floor_of
from tidelore.engine.sync.wire import purge_in
from tidelore.host.migrations import STEPS, run_step
from tidelore.host.store_log import chain_at, heads, records
from tidelore.host.store_writes import CHAT_COLUMNS, Writing

T = TypeVar("T")
FILE = "tidelore.db"
BUSY_SECONDS = 30.0
_PAUSE = 0.005
# "Tide" as a number: tells our files from other SQLite files.
APPLICATION_ID = 0x54696465

# What is stored of a record under its pool and id.
_BODIES: Mapping[RecordKind, str] = {
    "source": "select role, text from sources where pool = :pool and key = :id",
    "commit": "select content, clock, replica, maker from commits where pool = :pool and id = :id",
    "chat": f"select {CHAT_COLUMNS} from chats where id = :id",
    "delivery": "select kind, chat, at, body, id from ledger where record = :id",
    "purge": "select body from purges where id = :id",
}


class SqliteStore:
    """See `tidelore.engine.ports.Store`. Several processes may have one folder open; each sees the others' writes."""

    def __init__(self, folder: Path) -> None:
        """Opens or makes the store in `folder`. Raises StoreError, which names the file and what to do."""
        self.path = folder / FILE
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="tidelore-store")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = self._thread.submit(self._connect).result()
        except (OSError, sqlite3.Error) as error:
            self._thread.shutdown()
            raise _store_error(self.path, error) from error
        except UnicodeDecodeError as error:
            # SQLite's own words about a damaged page hold bytes that are no text.
            self._thread.shutdown()
            raise _damaged(self.path, "its first page cannot be read") from error
        except StoreError:
            self._thread.shutdown()
            raise
        self._opened = self._identity()

    def _connect(self) -> sqlite3.Connection:
        new = not self.path.exists()
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        if new:
            # Years of private talk: for its owner only. What SQLite puts beside it takes its rights over.
            self.path.chmod(0o600)
        until = time.monotonic() + BUSY_SECONDS
        try:
            while not self._prepared(db, until):
                time.sleep(_PAUSE)
        except BaseException:
            db.close()
            raise
        return db

    def _prepared(self, db: sqlite3.Connection, until: float) -> bool:
        """False when another process was in the way. SQLite itself does not wait where two turn a new file to WAL at one moment."""
        try:
            self._prepare(db)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            return False
        return True

    def _prepare(self, db: sqlite3.Connection) -> None:
        # All that only reads comes first: a file that is refused stays as it is.
        have = self._format(db)
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = full")
        db.execute("pragma foreign_keys = on")
        # What a purge removes is overwritten, not only let go.
        db.execute("pragma secure_delete = on")
        if have == len(STEPS):
            return
        db.execute("begin exclusive")
        try:
            have = self._format(db)
            for number, step in enumerate(STEPS[have:], have + 1):
                run_step(db, number, step)
                if number == 1:
                    db.execute("insert into meta values ('replica', ?)", (secrets.token_hex(8),))
                db.execute(f"pragma user_version = {number}")
            db.execute(f"pragma application_id = {APPLICATION_ID}")
            db.execute("commit")
        except BaseException:
            if db.in_transaction:
                db.execute("rollback")
            raise

    def _format(self, db: sqlite3.Connection) -> int:
        """How many steps the file has had. Raises StoreError for one that is not ours to write."""
        # Tables before owner: another process that makes the store just now commits both at once.
        tables = db.execute("select count(*) from sqlite_schema").fetchone()[0]
        owner = db.execute("pragma application_id").fetchone()[0]
        if owner != APPLICATION_ID and (tables or owner):
            raise StoreError(f"{self.path} is a database of another program.", "Choose another folder with --data.")
        have = int(db.execute("pragma user_version").fetchone()[0])
        if have > len(STEPS):
            raise StoreError(f"{self.path} was written by a newer Tidelore (format {have}).", "Update Tidelore; nothing was changed.")
        return have if owner else 0

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def guarded() -> T:
            try:
                return work(self._db)
            except sqlite3.Error as error:
                raise _store_error(self.path, error) from error
            except UnicodeEncodeError as error:
                raise BadInput(
                    "A text holds half of a character (a lone surrogate).", "Send whole characters; nothing was stored."
                ) from error
            except (ValueError, TypeError, KeyError, OverflowError) as error:
                # What this module wrote it can read, so the file holds something else.
                raise _damaged(self.path, f"{type(error).__name__} in what was read") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, guarded)

    def close(self) -> None:
        """Waits for what is being written."""
        self._thread.submit(self._db.close).result()
        self._thread.shutdown()

    # ---- the port ----

    async def replica(self) -> str:
        return await self._run(lambda db: str(db.execute("select value from meta where name = 'replica'").fetchone()[0]))

    async def version(self) -> int:
        # Changes only when another connection has written, so our own writes do not make us read again.
        return await self._run(lambda db: int(db.execute("pragma data_version").fetchone()[0]))

    async def chats(self) -> Sequence[ChatRecord]:
        return await self._run(lambda db: [ChatRecord(*row) for row in db.execute(f"select {CHAT_COLUMNS} from chats")])

    async def pool(self, pool: str, cursor: int) -> PoolRows:
        def work(db: sqlite3.Connection) -> PoolRows:
            with _reading(db):
                sources = db.execute("select sequence, key, role, text from sources where pool = ? and sequence > ?", (pool, cursor))
                commits = db.execute(
                    "select sequence, id, content, clock, replica, maker from commits where pool = ? and sequence > ?", (pool, cursor)
                )
                rows, changes = sources.fetchall(), commits.fetchall()
                graves = dict(db.execute("select mark, clock from graves where pool = ?", (pool,)))
                burials = int(db.execute("select count(*) from purges where pool = ? and words", (pool,)).fetchone()[0])
            # Both tables number from one counter, see `last_number`, so one cursor serves both.
            last = max([cursor, *(row[0] for row in rows), *(row[0] for row in changes)])
            purged = [mark.removeprefix("key ") for mark in graves if mark.startswith("key ")]
            with in_bulk():
                found, made = [_source(*row[1:]) for row in rows], [self._commit(*row[1:]) for row in changes]
            return PoolRows(found, made, last, purged, burials, floor_of(graves))

        return await self._run(work)

    def _commit(self, id_: str, content: str, clock: int, replica: str, maker: str) -> Commit:
        # What is stored is the canonical text, so the id can be checked without writing it once more.
        if digest("commit", content) != id_:
            raise _damaged(self.path, f"commit {id_} is not what was written")
        try:
            return commit_in(json.loads(content), int(clock), replica, maker, id_)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _damaged(self.path, f"commit {id_} cannot be read") from error

    async def chat(self, chat: str) -> ChatRows:
        def work(db: sqlite3.Connection) -> ChatRows:
            with _reading(db):
                found = db.execute("select revision from chats where id = ?", (chat,)).fetchone()
                rows = db.execute(
                    "select key, role, name, hidden, date, position from slots where chat = ? order by position", (chat,)
                ).fetchall()
            return ChatRows(int(found[0]) if found else 0, [(Entry(row[0], row[1], row[2], bool(row[3]), row[4]), row[5]) for row in rows])

        return await self._run(work)

    async def revisions(self) -> Mapping[str, int]:
        return await self._run(lambda db: dict(db.execute("select id, revision from chats")))

    async def sizes(self) -> Mapping[str, int]:
        return await self._run(lambda db: dict(db.execute("select chat, count(*) from slots group by chat")))

    async def write(self, batch: Batch) -> None:
        def work(db: sqlite3.Connection) -> None:
            self._check_identity()
            with _transaction(db):
                Writing(db).batch(batch)

        await self._run(work)

    async def purge(self, burial: Burial) -> Purged:
        def work(db: sqlite3.Connection) -> Purged:
            self._check_identity()
            with _transaction(db):
                counts = Writing(db).purge(burial)
            # The words stand in the log, too, until it is written back. It is done already: where it cannot be now, SQLite does it later.
            with suppress(sqlite3.OperationalError):
                db.execute("pragma wal_checkpoint(truncate)")
            return counts

        return await self._run(work)

    async def heads(self) -> Mapping[str, Head]:
        return await self._run(heads)

    async def chains(self, asked: Sequence[tuple[str, int]]) -> Sequence[str]:
        return await self._run(lambda db: [chain_at(db, origin, sequence) for origin, sequence in asked])

    async def log(self, origin: str, after: int, limit: int) -> Sequence[Record]:
        def work(db: sqlite3.Connection) -> Sequence[Record]:
            with _reading(db), in_bulk():
                return list(records(db, origin, after, limit, lambda kind, pool, id_: self._body(db, kind, pool, id_)))

        return await self._run(work)

    async def newest(self, pool: str) -> int:
        return await self._run(lambda db: int(db.execute("select max(clock) from log where pool = ?", (pool,)).fetchone()[0] or 0))

    async def purges(self) -> Sequence[Record]:
        def work(db: sqlite3.Connection) -> Sequence[Record]:
            rows = db.execute(
                "select origin, log.sequence, body from purges join log on log.kind = 'purge' and log.id = purges.id order by number"
            ).fetchall()
            made = [(origin, sequence, purge_in(json.loads(body))) for origin, sequence, body in rows]
            return [Record(origin, sequence, "purge", each.pool, each.id, each.clock, each) for origin, sequence, each in made]

        return await self._run(work)

    async def rename(self, replica: str, origin: str = "", sequence: int = 0) -> None:
        def work(db: sqlite3.Connection) -> None:
            self._check_identity()
            with _transaction(db):
                Writing(db).rename(replica, origin, sequence)

        await self._run(work)

    def _body(self, db: sqlite3.Connection, kind: RecordKind, pool: str, id_: str) -> tuple[Body | None, int]:
        """The body of a record, None where it was purged, and how long its text is."""
        row = db.execute(_BODIES[kind], {"pool": pool, "id": id_}).fetchone()
        if row is None:
            return None, 0
        match kind:
            case "source":
                return _source(id_, *row), len(row[1])
            case "commit":
                if digest("commit", row[0]) != id_:
                    raise _damaged(self.path, f"commit {id_} is not what was written")
                return CommitText(row[0], int(row[1]), row[2], row[3]), len(row[0])
            case "chat":
                return ChatRecord(*row), len(row[1])
            case "delivery":
                return LedgerRow(row[0], row[1], row[2], json.loads(row[3]), row[4]), len(row[3])
            case "purge":
                return purge_in(json.loads(row[0])), len(row[0])

    def _check_identity(self) -> None:
        if self._identity() != self._opened:
            raise StoreError(
                f"{self.path} was removed or replaced while it was open; nothing was stored.",
                "Start again, from a copy if you have one.",
            )

    def _identity(self) -> tuple[int, int]:
        """Which file the path names now; a file that is gone is none."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return (0, 0)
        return (found.st_dev, found.st_ino)

    async def ledger(self, kind: str, chat: str, limit: int) -> Sequence[LedgerRow]:
        def work(db: sqlite3.Connection) -> list[LedgerRow]:
            where, values = ("kind = ? and chat = ?", [kind, chat]) if chat else ("kind = ?", [kind])
            rows = db.execute(f"select kind, chat, at, body, id from ledger where {where} order by id desc limit ?", [*values, limit])
            return [LedgerRow(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows]

        return await self._run(work)

    async def settings(self) -> Mapping[str, Any]:
        return await self._run(lambda db: {name: json.loads(value) for name, value in db.execute("select name, value from settings")})


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("begin immediate")
    try:
        yield
        db.execute("commit")
    except BaseException:
        if db.in_transaction:
            db.execute("rollback")
        raise


@contextmanager
def _reading(db: sqlite3.Connection) -> Iterator[None]:
    """All that is read within is of one moment."""
    db.execute("begin")
    try:
        yield
    finally:
        db.execute("commit")


def _store_error(path: Path, error: Exception) -> StoreError:
    text = str(error)
    # The code of SQLite without its details, as in https://www.sqlite.org/rescode.html
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(f"{path} is being written by another process ({text}).", "Try again; nothing was stored.")
    if code == sqlite3.SQLITE_FULL or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        return StoreError(f"There is no room left to write {path}.", "Free some space and try again; nothing was lost.")
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(f"{path} could not be read or written ({text}).", "Check that the disk has room and no fault, then try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(path, text)
    if not code and "decode" in text:
        return _damaged(path, "a text in it is no text any more")  # SQLite's own words quote the text
    return StoreError(f"{path} cannot be used: {text}.", "Check that the folder exists and may be written, or choose another with --data.")


def _source(key: str, role: Role, text: str) -> Source:
    if not isinstance(text, str):
        raise TypeError(f"the text of source {key!r} is no text")
    return Source(key, role, text)


def _damaged(path: Path, reason: str) -> StoreError:
    return StoreError(f"{path} is damaged or not a Tidelore store ({reason}).", "Restore a backup, or choose another folder with --data.")
