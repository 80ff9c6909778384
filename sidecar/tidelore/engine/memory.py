"""A store in memory: for tests, and for a host whose own storage cannot be opened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tidelore.engine.codec import canonical
from tidelore.engine.errors import Conflict
from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, Source
from tidelore.engine.ports import PARENTS_BETWEEN, Batch, ChatRecord, ChatRows, LedgerRow, PoolRows, Purged


@dataclass(slots=True)
class _Pool:
    sources: dict[str, tuple[int, Source]] = field(default_factory=dict[str, tuple[int, Source]])
    commits: dict[str, tuple[int, Commit]] = field(default_factory=dict[str, tuple[int, Commit]])


class MemoryStore:
    """See `tidelore.engine.ports.Store`. For one service; nothing outlives the process."""

    def __init__(self, replica: str = "memory") -> None:
        self._replica = replica
        self._chats: dict[str, ChatRecord] = {}
        self._revisions: dict[str, int] = {}
        self._slots: dict[str, dict[int, Entry]] = {}
        self._pools: dict[str, _Pool] = {}
        self._ledger: list[LedgerRow] = []
        self._settings: dict[str, Any] = {}
        self._counter = 0

    async def replica(self) -> str:
        return self._replica

    async def version(self) -> int:
        return 0

    async def chats(self) -> Sequence[ChatRecord]:
        return list(self._chats.values())

    async def pool(self, pool: str, cursor: int) -> PoolRows:
        home = self._pools.setdefault(pool, _Pool())
        sources = [source for number, source in home.sources.values() if number > cursor]
        commits = [commit for number, commit in home.commits.values() if number > cursor]
        return PoolRows(sources, commits, self._counter)

    async def chat(self, chat: str) -> ChatRows:
        rows = self._slots.get(chat, {})
        return ChatRows(self._revisions.get(chat, 0), [(rows[order], order) for order in sorted(rows)])

    async def revisions(self) -> Mapping[str, int]:
        return dict(self._revisions)

    async def sizes(self) -> Mapping[str, int]:
        return {chat: len(rows) for chat, rows in self._slots.items() if rows}

    async def write(self, batch: Batch) -> None:
        record, write = batch.new_chat, batch.chat
        if record is not None and any(known.name == record.name for known in self._chats.values()):
            raise Conflict(f"A chat named {record.name!r} was made meanwhile.", "Send the update again.")
        known = {*self._revisions, *([record.id] if record is not None else [])}
        if write is not None and (write.chat not in known or self._revisions.get(write.chat, 0) != write.revision):
            raise Conflict("Another writer has changed this chat meanwhile.", "Send the update again.")
        if record is not None:
            self._chats[record.id] = record
            self._revisions.setdefault(record.id, 0)
        if write is not None:
            rows = self._slots.setdefault(write.chat, {})
            for order in write.orders_out:
                rows.pop(order, None)
            rows.update((order, entry) for entry, order in write.rows_in)
            self._revisions[write.chat] = write.revision + 1
        home = self._pools.setdefault(batch.pool, _Pool())
        for source in batch.sources:
            if source.key not in home.sources:
                home.sources[source.key] = (self._next(), source)
        for commit in batch.commits:
            known_commit = home.commits.get(commit.id)
            if known_commit is None or commit.clock < known_commit[1].clock:
                home.commits[commit.id] = (self._next(), commit)
        for row in batch.ledger:
            self._ledger.append(replace(row, id=self._next(), body=json.loads(canonical(row.body))))
        self._settings.update((name, json.loads(canonical(value))) for name, value in batch.settings.items())

    def _next(self) -> int:
        self._counter += 1
        return self._counter

    async def purge(self, chat: str) -> Purged:
        record = self._chats.pop(chat, None)
        if record is None:
            return Purged(0, 0, 0, shared=False)
        del self._revisions[chat]
        messages = len(self._slots.pop(chat, ()))
        for each in list(self._chats.values()):
            if record.parent and each.parent.split(PARENTS_BETWEEN)[-1] == chat:
                self._chats[each.id] = replace(each, parent=each.parent + PARENTS_BETWEEN + record.parent)
        shared = any(each.pool == record.pool for each in self._chats.values())
        gone = {chat} if shared else {chat, record.pool}
        self._ledger = [row for row in self._ledger if row.chat not in gone]
        home = _Pool() if shared else self._pools.pop(record.pool, _Pool())
        return Purged(messages, len(home.sources), len(home.commits), shared)

    async def ledger(self, kind: str, chat: str, limit: int) -> Sequence[LedgerRow]:
        return [row for row in reversed(self._ledger) if row.kind == kind and (not chat or row.chat == chat)][:limit]

    async def settings(self) -> Mapping[str, Any]:
        return dict(self._settings)
