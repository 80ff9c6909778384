"""A store in memory: for tests, and for a host whose own storage cannot be opened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tidelore.engine.codec import canonical
from tidelore.engine.errors import Conflict
from tidelore.engine.keys import Entry
from tidelore.engine.memory_log import Log, LogRow
from tidelore.engine.model import Commit, Source
from tidelore.engine.ports import (
    SHARED_LEDGER,
    Batch,
    Burial,
    ChatRecord,
    ChatRows,
    CommitText,
    Head,
    LedgerRow,
    PoolRows,
    Purge,
    Purged,
    Record,
    RecordKind,
)
from tidelore.engine.sync.burial import (
    POOL,
    buried,
    chat_mark,
    commit_marks,
    delivery_id,
    floor_of,
    graves_of,
    key_mark,
    lineage,
    merged_chat,
    other_name,
)
from tidelore.engine.sync.wire import record_out


@dataclass(slots=True)
class _Pool:
    """What is stored under a pool, each with its number; `graves`: marks with their clocks."""

    sources: dict[str, tuple[int, Source]] = field(default_factory=dict[str, tuple[int, Source]])
    commits: dict[str, tuple[int, Commit]] = field(default_factory=dict[str, tuple[int, Commit]])
    graves: dict[str, int] = field(default_factory=dict[str, int])
    burials: int = 0


class MemoryStore:
    """See `tidelore.engine.ports.Store`. For one service; nothing outlives the process."""

    def __init__(self, replica: str = "memory") -> None:
        self._replica = replica
        self._chats: dict[str, ChatRecord] = {}
        self._revisions: dict[str, int] = {}
        self._slots: dict[str, dict[int, Entry]] = {}
        self._pools: dict[str, _Pool] = {}
        self._ledger: list[LedgerRow] = []
        self._shared: dict[str, LedgerRow] = {}
        self._settings: dict[str, Any] = {}
        self._counter = 0
        self._log = Log()
        self._purges: dict[str, Purge] = {}
        self._gone: dict[str, str] = {}

    # ---- reading ----

    async def replica(self) -> str:
        return self._replica

    async def version(self) -> int:
        return 0

    async def chats(self) -> Sequence[ChatRecord]:
        return list(self._chats.values())

    async def pool(self, pool: str, cursor: int) -> PoolRows:
        home = self._home(pool)
        sources = [source for number, source in home.sources.values() if number > cursor]
        commits = [commit for number, commit in home.commits.values() if number > cursor]
        purged = [mark.removeprefix("key ") for mark in home.graves if mark.startswith("key ")]
        return PoolRows(sources, commits, self._counter, purged, home.burials, floor_of(home.graves))

    async def chat(self, chat: str) -> ChatRows:
        rows = self._slots.get(chat, {})
        return ChatRows(self._revisions.get(chat, 0), [(rows[order], order) for order in sorted(rows)])

    async def revisions(self) -> Mapping[str, int]:
        return dict(self._revisions)

    async def sizes(self) -> Mapping[str, int]:
        return {chat: len(rows) for chat, rows in self._slots.items() if rows}

    async def ledger(self, kind: str, chat: str, limit: int) -> Sequence[LedgerRow]:
        return [row for row in reversed(self._ledger) if row.kind == kind and (not chat or row.chat == chat)][:limit]

    async def settings(self) -> Mapping[str, Any]:
        return dict(self._settings)

    async def heads(self) -> Mapping[str, Head]:
        return self._log.heads()

    async def chains(self, asked: Sequence[tuple[str, int]]) -> Sequence[str]:
        return [self._log.chain(origin, sequence) for origin, sequence in asked]

    async def log(self, origin: str, after: int, limit: int) -> Sequence[Record]:
        out: list[Record] = []
        size = 0
        for sequence, row in self._log.after(origin, after):
            out.append(Record(origin, sequence, row.kind, row.pool, row.id, row.clock, self._body(row)))
            size += len(record_out(out[-1])["body"] or "")
            if size >= limit:
                break
        return out

    def _body(self, row: LogRow) -> Source | Commit | ChatRecord | LedgerRow | Purge | None:
        match row.kind:
            case "source":
                source = self._home(row.pool).sources.get(row.id)
                return source[1] if source is not None else None
            case "commit":
                commit = self._home(row.pool).commits.get(row.id)
                return commit[1] if commit is not None else None
            case "chat":
                return self._chats.get(row.id)
            case "delivery":
                return self._shared.get(row.id)
            case "purge":
                return self._purges[row.id]

    async def newest(self, pool: str) -> int:
        return max((row.clock for _, _, row in self._log.all() if row.pool == pool), default=0)

    async def purges(self) -> Sequence[Record]:
        rows = {row.id: (origin, sequence, row) for origin, sequence, row in self._log.all() if row.kind == "purge"}
        return [Record(rows[id_][0], rows[id_][1], "purge", purge.pool, id_, purge.clock, purge) for id_, purge in self._purges.items()]

    def _home(self, pool: str) -> _Pool:
        return self._pools.setdefault(pool, _Pool())

    # ---- writing ----

    async def write(self, batch: Batch) -> None:
        self._check(batch)
        self._write(batch)

    def _check(self, batch: Batch) -> None:
        """All that can be wrong with a batch, before anything is changed."""
        record, write = batch.new_chat, batch.chat
        if record is not None and any(known.name == record.name for known in self._chats.values()):
            raise Conflict(f"A chat named {record.name!r} was made meanwhile.", "Send the update again.")
        known = {*self._revisions, *([record.id] if record is not None else [])}
        if write is not None and (write.chat not in known or self._revisions.get(write.chat, 0) != write.revision):
            raise Conflict("Another writer has changed this chat meanwhile.", "Send the update again.")
        graves = self._home(batch.pool).graves
        for commit in batch.commits:
            if not commit.window and buried(graves, commit_marks(commit), commit.clock):
                raise Conflict("What this change is about was purged meanwhile.", "Read it again.")
        self._log.check(batch.records)

    def _write(self, batch: Batch) -> None:
        record, write = batch.new_chat, batch.chat
        if record is not None:
            self._chats[record.id] = record
            self._revisions.setdefault(record.id, 0)
            self._own("chat", record.pool, record.id, record.clock)
        if write is not None:
            rows = self._slots.setdefault(write.chat, {})
            for order in write.orders_out:
                rows.pop(order, None)
            rows.update((order, entry) for entry, order in write.rows_in)
            self._revisions[write.chat] = write.revision + 1
        for source in batch.sources:
            if self._source(batch.pool, source, batch.clock):
                self._own("source", batch.pool, source.key, batch.clock)
        for commit in batch.commits:
            if self._commit(batch.pool, commit):
                self._own("commit", batch.pool, commit.id, commit.clock)
        for row in batch.ledger:
            row = replace(row, id=self._next(), body=json.loads(canonical(row.body)))
            self._ledger.append(row)
            if row.kind in SHARED_LEDGER:
                self._shared[delivery_id(row)] = row
                self._own("delivery", "", delivery_id(row), row.at << 16)
        self._settings.update((name, json.loads(canonical(value))) for name, value in batch.settings.items())
        for each in batch.records:
            self._take(each)

    def _own(self, kind: RecordKind, pool: str, id_: str, clock: int) -> None:
        self._log.add(self._replica, LogRow(kind, pool, id_, clock))

    def _next(self) -> int:
        self._counter += 1
        return self._counter

    def _source(self, pool: str, source: Source, clock: int) -> bool:
        """True when it is new or reads differently than known."""
        home = self._home(pool)
        known = home.sources.get(source.key)
        if buried(home.graves, [key_mark(source.key)], clock) or (known is not None and known[1].text <= source.text):
            return False
        home.sources[source.key] = (self._next(), source)
        return True

    def _commit(self, pool: str, commit: Commit) -> bool:
        """True when it is new or came with a smaller clock."""
        home = self._home(pool)
        known = home.commits.get(commit.id)
        if buried(home.graves, commit_marks(commit), commit.clock) or (known is not None and known[1].clock <= commit.clock):
            return False
        home.commits[commit.id] = (self._next(), commit)
        return True

    def _take(self, record: Record) -> None:
        """A record of another replica, under its own number."""
        match record.body:
            case Source() as source:
                self._source(record.pool, source, record.clock)
            case Commit() as commit:
                self._commit(record.pool, commit)
            case ChatRecord() as chat:
                self._chat(chat)
            case LedgerRow() as row:
                clock = self._home_of(row.chat).graves.get(chat_mark(row.chat), -1)
                if record.id not in self._shared and record.clock > clock:
                    self._shared[record.id] = replace(row, id=self._next())
                    self._ledger.append(self._shared[record.id])
            case Purge() | CommitText() | None:
                pass
        self._log.add(record.origin, LogRow(record.kind, record.pool, record.id, record.clock))

    def _home_of(self, chat: str) -> _Pool:
        """The pool in whose graves a chat may lie."""
        mark = chat_mark(chat)
        return next((home for home in self._pools.values() if mark in home.graves), _Pool())

    def _chat(self, chat: ChatRecord) -> None:
        if chat.clock <= self._home(chat.pool).graves.get(chat_mark(chat.id), -1):
            return
        chat = merged_chat(self._chats.get(chat.id), replace(chat, parent=lineage(chat.parent, self._gone)))
        if any(each.name == chat.name and each.id != chat.id for each in self._chats.values()):
            chat = replace(chat, name=other_name(chat), title=chat.called)
        self._chats[chat.id] = chat
        self._revisions.setdefault(chat.id, 0)

    # ---- purging ----

    async def purge(self, burial: Burial) -> Purged:
        purge = burial.purge
        home = self._home(purge.pool)
        self._check(burial.then)
        if burial.origin:
            self._log.check([Record(burial.origin, burial.sequence, "purge", purge.pool, purge.id, purge.clock, purge)])
        named = {id_ for id_, _ in purge.chats}
        others = {each.id for each in self._chats.values() if each.pool == purge.pool and each.id not in named}
        newest = max((number for number, _ in (*home.sources.values(), *home.commits.values())), default=0)
        if (purge.chats and others != burial.others) or ((purge.keys or purge.commits) and newest > burial.cursor):
            raise Conflict("Another writer has changed the pool meanwhile.", "Try again.")
        for mark, clock in graves_of(purge).items():
            home.graves[mark] = max(clock, home.graves.get(mark, -1))
        home.burials += purge.words
        # An earlier purge may have said more than this one.
        messages = sum(self._bury_chat(chat, parent, home.graves[chat_mark(chat)]) for chat, parent in purge.chats)
        sources, commits = self._bury_words(home, burial)
        self._purges[purge.id] = purge
        self._log.add(burial.origin or self._replica, LogRow("purge", purge.pool, purge.id, purge.clock))
        self._write(burial.then)
        return Purged(messages, sources, commits, shared=bool(others) and not purge.whole)

    def _bury_chat(self, chat: str, parent: str, clock: int) -> int:
        """How many messages went from the screen."""
        self._gone[chat] = parent
        record = self._chats.get(chat)
        later = self._log.later("chat", clock, chat)
        if record is not None and chat not in later:
            del self._chats[chat], self._revisions[chat]
        elif record is not None:
            self._chats[chat] = replace(record, clock=later[chat])
        self._drop_ledger(chat, clock)
        for each in list(self._chats.values()):
            self._chats[each.id] = replace(each, parent=lineage(each.parent, self._gone))
        return 0 if chat in later else len(self._slots.pop(chat, ()))

    def _drop_ledger(self, chat: str, clock: int) -> None:
        self._ledger = [row for row in self._ledger if row.chat != chat or row.at << 16 > clock]
        self._shared = {id_: row for id_, row in self._shared.items() if row.chat != chat or row.at << 16 > clock}

    def _bury_words(self, home: _Pool, burial: Burial) -> tuple[int, int]:
        """How many sources and commits went."""
        purge = burial.purge
        before = len(home.sources), len(home.commits)
        if purge.whole:
            until = home.graves[POOL]
            sources = self._log.later("source", until, pool=purge.pool)
            commits = self._log.later("commit", until, pool=purge.pool)
            home.sources = {key: row for key, row in home.sources.items() if key in sources}
            home.commits = {
                id_: (number, replace(commit, clock=commits[id_])) for id_, (number, commit) in home.commits.items() if id_ in commits
            }
            self._drop_ledger(purge.pool, until)
        for key in purge.keys:
            home.sources.pop(key, None)
        for id_ in (*purge.commits, *burial.dead):
            home.commits.pop(id_, None)
        if purge.keys or purge.commits:
            self._ledger = [row for row in self._ledger if row.kind != "attempt" or row.chat != purge.pool]
        return before[0] - len(home.sources), before[1] - len(home.commits)

    async def rename(self, replica: str, origin: str = "", sequence: int = 0) -> None:
        self._replica = replica
        if origin:
            for row in self._log.cut(origin, sequence):
                self._log.add(replica, row)
