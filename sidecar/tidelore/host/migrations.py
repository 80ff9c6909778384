"""The SQLite schema, as numbered steps. A step is never changed once released; a new one is added."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping

from tidelore.engine.ports import LedgerRow
from tidelore.engine.sync.burial import delivery_id
from tidelore.engine.sync.chain import GENESIS, link


def _number(db: sqlite3.Connection) -> None:
    """What was stored before there were records becomes the first records of this store, in the order in which it was written. Sources had
    no clock: they count as older than any purge."""
    replica = str(db.execute("select value from meta where name = 'replica'").fetchone()[0])
    rows: list[tuple[str, str, str, int]] = db.execute("select 'chat', pool, id, clock from chats order by clock, id").fetchall()
    rows += db.execute(
        "select kind, pool, id, clock from (select sequence, 'source' as kind, pool, key as id, 0 as clock from sources union all "
        "select sequence, 'commit', pool, id, clock from commits) order by sequence"
    ).fetchall()
    for number, chat, at, body in db.execute("select id, chat, at, body from ledger where kind = 'delivery' order by id").fetchall():
        id_ = delivery_id(LedgerRow("delivery", chat, at, json.loads(body)))
        # A receipt that stands twice is one.
        if db.execute("update or ignore ledger set record = ? where id = ?", (id_, number)).rowcount:
            rows.append(("delivery", "", id_, at << 16))
    chain = GENESIS
    for sequence, (kind, pool, id_, clock) in enumerate(rows, 1):
        chain = link(chain, kind, pool, id_)
        db.execute("insert into log values (?, ?, ?, ?, ?, ?, ?)", (replica, sequence, kind, pool, id_, clock, chain))
    if rows:
        db.execute("insert into heads values (?, ?, ?)", (replica, len(rows), chain))


AFTER: Mapping[int, Callable[[sqlite3.Connection], None]] = {2: _number}
"""Work that SQL alone cannot do, after the step of that number."""


def run_step(db: sqlite3.Connection, number: int, step: str) -> None:
    """Within a transaction of the caller."""
    for statement in filter(str.strip, step.split(";")):
        db.execute(statement)
    if number in AFTER:
        AFTER[number](db)


STEPS: tuple[str, ...] = (
    """
    create table meta (name text primary key, value text not null) without rowid;
    create table chats (
        id text primary key, name text not null unique, pool text not null, parent text not null,
        clock integer not null, revision integer not null default 0
    ) without rowid;
    create table slots (
        chat text not null references chats (id), position integer not null, key text not null, role text not null,
        name text not null, hidden integer not null, date text not null, primary key (chat, position)
    ) without rowid;
    create table sources (
        sequence integer primary key, pool text not null, key text not null, role text not null, text text not null,
        unique (pool, key)
    );
    create table commits (
        sequence integer primary key, pool text not null, id text not null, clock integer not null, replica text not null,
        maker text not null, content text not null, unique (pool, id)
    );
    create table ledger (
        id integer primary key, kind text not null, chat text not null, at integer not null, body text not null
    );
    create index ledger_by_kind on ledger (kind, chat, id);
    create table settings (name text primary key, value text not null) without rowid;
    """,
    """
    alter table chats add column title text not null default '';
    alter table ledger add column record text;
    create unique index ledger_by_record on ledger (record);
    create table log (
        origin text not null, sequence integer not null, kind text not null, pool text not null, id text not null,
        clock integer not null, chain text not null, primary key (origin, sequence)
    ) without rowid;
    create index log_of_purges on log (id) where kind = 'purge';
    create table heads (origin text primary key, sequence integer not null, chain text not null) without rowid;
    create table graves (pool text not null, mark text not null, clock integer not null, parent text not null, primary key (pool, mark))
        without rowid;
    create index graves_by_mark on graves (mark);
    create table purges (
        number integer primary key, id text not null unique, pool text not null, words integer not null, body text not null
    );
    create index purges_by_pool on purges (pool);
    """,
)
