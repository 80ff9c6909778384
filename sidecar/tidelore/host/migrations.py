"""The SQLite schema, as numbered steps. A step is never changed once released; a new one is added."""

from __future__ import annotations

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
)
