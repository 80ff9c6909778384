"""What a write and a purge do to the tables of the SQLite store, each within the transaction of its caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tidelore.engine.codec import canonical, content_out
from tidelore.engine.errors import Conflict
from tidelore.engine.model import Commit, Source
from tidelore.engine.ports import SHARED_LEDGER, Batch, Burial, ChatRecord, ChatWrite, CommitText, LedgerRow, Purge, Purged, Record
from tidelore.engine.sync.burial import (
    POOL,
    buried,
    chat_mark,
    commit_marks,
    delivery_id,
    graves_of,
    key_mark,
    lineage,
    merged_chat,
    other_name,
)
from tidelore.engine.sync.wire import purge_out
from tidelore.host.store_log import LogWriter, later

CHAT_COLUMNS = "id, name, pool, parent, clock, title"


class Writing:
    """One transaction. `numbers` are above all that sources and commits have or had, so that one cursor reads both tables."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._log = LogWriter(db)
        self._numbers: Iterator[int] = iter(range(last_number(db) + 1, 1 << 62))
        self._graves: dict[str, Mapping[str, int]] = {}

    def batch(self, batch: Batch) -> None:
        db = self._db
        if batch.new_chat is not None:
            self._new_chat(batch.new_chat)
        if batch.chat is not None:
            self._slots(batch.chat)
        for source in batch.sources:
            if self._source(batch.pool, source, batch.clock):
                self._log.add("source", batch.pool, source.key, batch.clock)
        for commit in batch.commits:
            if not commit.window and buried(self._graves_of(batch.pool), commit_marks(commit), commit.clock):
                raise Conflict("What this change is about was purged meanwhile.", "Read it again.")
            if self._commit(batch.pool, commit):
                self._log.add("commit", batch.pool, commit.id, commit.clock)
        for row in batch.ledger:
            id_ = delivery_id(row) if row.kind in SHARED_LEDGER else ""
            self._ledger(row, id_)
            if id_:
                self._log.add("delivery", "", id_, row.at << 16)
        db.executemany(
            "insert into settings values (?, ?) on conflict (name) do update set value = excluded.value",
            [(name, canonical(value)) for name, value in batch.settings.items()],
        )
        for record in batch.records:
            self._take(record)
        self._log.flush()

    # ---- parts of a batch ----

    def _new_chat(self, record: ChatRecord) -> None:
        if self._db.execute("select 1 from chats where name = ?", (record.name,)).fetchone():
            raise Conflict(f"A chat named {record.name!r} was made meanwhile.", "Send the update again.")
        self._put_chat(record)
        self._log.add("chat", record.pool, record.id, record.clock)

    def _put_chat(self, record: ChatRecord) -> None:
        self._db.execute(
            "insert into chats (id, name, pool, parent, clock, title) values (?, ?, ?, ?, ?, ?) on conflict (id) do update set "
            "parent = excluded.parent, clock = excluded.clock",
            (record.id, record.name, record.pool, record.parent, record.clock, record.title),
        )

    def _slots(self, write: ChatWrite) -> None:
        db = self._db
        done = db.execute("update chats set revision = revision + 1 where id = ? and revision = ?", (write.chat, write.revision))
        if done.rowcount != 1:
            raise Conflict("Another writer has changed this chat meanwhile.", "Send the update again.")
        db.executemany("delete from slots where chat = ? and position = ?", [(write.chat, order) for order in write.orders_out])
        db.executemany(
            "insert into slots values (?, ?, ?, ?, ?, ?, ?)",
            [(write.chat, order, row.key, row.role, row.name, row.hidden, row.date) for row, order in write.rows_in],
        )

    def _graves_of(self, pool: str) -> Mapping[str, int]:
        found = self._graves.get(pool)
        if found is None:
            found = self._graves[pool] = dict(self._db.execute("select mark, clock from graves where pool = ?", (pool,)))
        return found

    def _source(self, pool: str, source: Source, clock: int) -> bool:
        """True when it is new. Of two texts the smaller one stays, so that all replicas have the same one."""
        if buried(self._graves_of(pool), [key_mark(source.key)], clock):
            return False
        done = self._db.execute(
            "insert into sources values (?, ?, ?, ?, ?) on conflict (pool, key) do update set sequence = excluded.sequence, "
            "text = excluded.text where excluded.text < text",
            (next(self._numbers), pool, source.key, source.role, source.text),
        )
        return done.rowcount > 0

    def _commit(self, pool: str, commit: Commit, content: str = "") -> bool:
        """True when it is new or came with a smaller clock, which is kept under a new number, so that other readers notice. `content`: its
        canonical text, where that is known."""
        if buried(self._graves_of(pool), commit_marks(commit), commit.clock):
            return False
        done = self._db.execute(
            "insert into commits values (?, ?, ?, ?, ?, ?, ?) on conflict (pool, id) do update set sequence = excluded.sequence, "
            "clock = excluded.clock, replica = excluded.replica, maker = excluded.maker where excluded.clock < clock",
            (
                *(next(self._numbers), pool, commit.id, commit.clock, commit.replica, commit.maker),
                content or canonical(content_out(commit)),
            ),
        )
        return done.rowcount > 0

    def _ledger(self, row: LedgerRow, record: str) -> None:
        self._db.execute(
            "insert or ignore into ledger (kind, chat, at, body, record) values (?, ?, ?, ?, ?)",
            (row.kind, row.chat, row.at, canonical(row.body), record or None),
        )

    # ---- records of other replicas ----

    def _take(self, record: Record) -> None:
        match record.body:
            case Source() as source:
                self._source(record.pool, source, record.clock)
            case Commit() as commit:
                self._commit(record.pool, commit, record.text)
            case ChatRecord() as chat:
                self._chat(chat)
            case LedgerRow() as row:
                found = self._db.execute("select max(clock) from graves where mark = ?", (chat_mark(row.chat),)).fetchone()[0]
                if found is None or record.clock > found:
                    self._ledger(row, record.id)
            case Purge() | CommitText() | None:
                pass
        self._log.add(record.kind, record.pool, record.id, record.clock, record.origin, record.sequence)

    def _chat(self, chat: ChatRecord) -> None:
        db = self._db
        if chat.clock <= self._graves_of(chat.pool).get(chat_mark(chat.id), -1):
            return
        row = db.execute(f"select {CHAT_COLUMNS} from chats where id = ?", (chat.id,)).fetchone()
        chat = merged_chat(ChatRecord(*row) if row else None, replace(chat, parent=lineage(chat.parent, _gone(db))))
        if db.execute("select 1 from chats where name = ? and id <> ?", (chat.name, chat.id)).fetchone():
            chat = replace(chat, name=other_name(chat), title=chat.called)
        self._put_chat(chat)

    # ---- purging ----

    def purge(self, burial: Burial) -> Purged:
        db, purge = self._db, burial.purge
        named = {id_ for id_, _ in purge.chats}
        others = {str(row[0]) for row in db.execute("select id from chats where pool = ?", (purge.pool,))} - named
        numbers = "select max(sequence) as n from sources where pool = ? union all select max(sequence) from commits where pool = ?"
        newest = db.execute(f"select max(n) from ({numbers})", (purge.pool, purge.pool)).fetchone()[0] or 0
        if (purge.chats and others != burial.others) or ((purge.keys or purge.commits) and newest > burial.cursor):
            raise Conflict("Another writer has changed the pool meanwhile.", "Try again.")
        # Numbers are never given twice: another process may have read the pool as far as they go.
        db.execute("insert or replace into meta values ('sequence', ?)", (str(last_number(db)),))
        parents = dict(purge.chats)
        db.executemany(
            "insert into graves values (?, ?, ?, ?) on conflict (pool, mark) do update set clock = max(clock, excluded.clock)",
            [(purge.pool, mark, clock, parents.get(mark.removeprefix("chat "), "")) for mark, clock in graves_of(purge).items()],
        )
        # An earlier purge may have said more than this one.
        self._graves.pop(purge.pool, None)
        messages = sum(self._bury_chat(chat, self._graves_of(purge.pool)[chat_mark(chat)]) for chat in parents)
        counts = self._bury_words(burial)
        db.execute(
            "insert or ignore into purges (id, pool, words, body) values (?, ?, ?, ?)",
            (purge.id, purge.pool, purge.words, canonical(purge_out(purge))),
        )
        self._log.add("purge", purge.pool, purge.id, purge.clock, burial.origin, burial.sequence)
        self._graves.clear()
        self.batch(burial.then)
        return Purged(messages, *counts, shared=bool(others) and not purge.whole)

    def _bury_chat(self, chat: str, clock: int) -> int:
        """How many messages went from the screen."""
        db = self._db
        standing = later(db, "chat", clock, id_=chat)
        messages = 0
        db.execute("delete from ledger where chat = ? and at <= ?", (chat, clock >> 16))
        if chat in standing:
            db.execute("update chats set clock = ? where id = ?", (standing[chat], chat))
        else:
            messages = db.execute("delete from slots where chat = ?", (chat,)).rowcount
            db.execute("delete from chats where id = ?", (chat,))
        gone = _gone(db)
        for id_, parent in db.execute("select id, parent from chats where parent <> ''").fetchall():
            if (longer := lineage(parent, gone)) != parent:
                db.execute("update chats set parent = ? where id = ?", (longer, id_))
        return messages

    def _bury_words(self, burial: Burial) -> tuple[int, int]:
        """How many sources and commits went."""
        db, purge = self._db, burial.purge
        sources = commits = 0
        if purge.whole:
            until = self._graves_of(purge.pool)[POOL]
            sources += self._bury_all("sources", "key", later(db, "source", until, pool=purge.pool), purge.pool)
            standing = later(db, "commit", until, pool=purge.pool)
            commits += self._bury_all("commits", "id", standing, purge.pool)
            db.executemany(
                "update commits set clock = ? where pool = ? and id = ?", [(clock, purge.pool, id_) for id_, clock in standing.items()]
            )
            db.execute("delete from ledger where chat = ? and at <= ?", (purge.pool, until >> 16))
        sources += self._bury_some("sources", "key", purge.keys, purge.pool)
        commits += self._bury_some("commits", "id", (*purge.commits, *burial.dead), purge.pool)
        if purge.keys or purge.commits:
            db.execute("delete from ledger where kind = 'attempt' and chat = ?", (purge.pool,))
        return sources, commits

    def _bury_all(self, table: str, column: str, standing: Mapping[str, int], pool: str) -> int:
        """All of the pool but what was written later."""
        if not standing:
            return self._db.execute(f"delete from {table} where pool = ?", (pool,)).rowcount
        ids = [str(row[0]) for row in self._db.execute(f"select {column} from {table} where pool = ?", (pool,))]
        return self._bury_some(table, column, [id_ for id_ in ids if id_ not in standing], pool)

    def _bury_some(self, table: str, column: str, ids: Sequence[str], pool: str) -> int:
        statement = f"delete from {table} where pool = ? and {column} = ?"
        return sum(self._db.execute(statement, (pool, id_)).rowcount for id_ in dict.fromkeys(ids))

    def rename(self, replica: str, origin: str, sequence: int) -> None:
        db = self._db
        db.execute("update meta set value = ? where name = 'replica'", (replica,))
        self._log.replica = replica
        if origin:
            for kind, pool, id_, clock in self._log.cut(origin, sequence):
                self._log.add(kind, pool, id_, clock)
        self._log.flush()


def _gone(db: sqlite3.Connection) -> dict[str, str]:
    """The parent of each chat that was purged."""
    rows = db.execute("select mark, parent from graves where mark like 'chat %'")
    return {str(mark).removeprefix("chat "): str(parent) for mark, parent in rows}


def last_number(db: sqlite3.Connection) -> int:
    numbers = (
        "select max(sequence) as n from sources union all select max(sequence) from commits "
        "union all select cast(value as integer) from meta where name = 'sequence'"
    )
    return int(db.execute(f"select max(n) from ({numbers})").fetchone()[0] or 0)
