"""The chats of the store by name: which there are, how they came from one another, and how their ids are made."""

from __future__ import annotations

from tidelore.engine.codec import digest
from tidelore.engine.ports import PARENTS_BETWEEN, ChatRecord, Store


def chat_id(pool: str, name: str) -> str:
    """The id of a chat, the same on every device that opens the chat. The name stands last, so it may hold anything."""
    return digest("chat", pool, name)


class Records:
    """What the store said last, and what was made or purged here since."""

    def __init__(self) -> None:
        self._by_name: dict[str, ChatRecord] = {}
        self._changes = 0

    def get(self, name: str) -> ChatRecord | None:
        return self._by_name.get(name)

    def all(self) -> list[ChatRecord]:
        """Oldest first."""
        return sorted(self._by_name.values(), key=lambda record: (record.clock, record.id))

    def add(self, record: ChatRecord) -> None:
        self._by_name[record.name] = record
        self._changes += 1

    async def read(self, store: Store) -> set[ChatRecord]:
        """Read them anew; those that are gone, or were purged and made again, are the answer. Read once more when a chat was made here
        meanwhile, or another call has read later: what came first must not stand over what came after."""
        while True:
            changes = self._changes
            found = {record.name: record for record in await store.chats()}
            if changes == self._changes:
                break
        standing = {(record.id, record.clock) for record in found.values()}
        gone = {record for record in self._by_name.values() if (record.id, record.clock) not in standing}
        if found != self._by_name:
            self._by_name = found
            self._changes += 1
        return gone

    def ancestors(self, record: ChatRecord) -> list[str]:
        """The ids of the chats that it branched from, nearest first, those that are gone among them."""
        by_id = {each.id: each for each in self._by_name.values()}
        out: list[str] = []
        waiting = _parents(record)
        while waiting:
            id_ = waiting.pop(0)
            if id_ not in out:
                out.append(id_)
                if not waiting and id_ in by_id:
                    waiting = _parents(by_id[id_])
        return out

    def parents(self) -> dict[str, str]:
        """The name of the chat that a chat (id) branched from; "" where that one is not here."""
        names = {each.id: each.name for each in self._by_name.values()}
        return {each.id: names.get(_parents(each)[0], "") for each in self._by_name.values() if each.parent}


def _parents(record: ChatRecord) -> list[str]:
    return record.parent.split(PARENTS_BETWEEN) if record.parent else []
