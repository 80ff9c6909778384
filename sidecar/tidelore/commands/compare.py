"""What an import would bring: each chat of a file against the chat of that name in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidelore.engine.keys import Door, Entry
from tidelore.engine.service import Service
from tidelore.host.importing import ImportedChat


@dataclass(slots=True)
class ImportPlan:
    """Counts of one chat of a file. `stored`: messages in the store now, None for a new chat; `new` and `gone` are against those.
    `same_as`: a chat of another name that holds the very same messages. `roles`: of the messages without a name."""

    name: str
    title: str
    messages: int
    from_user: int
    hidden: int
    swipes: int
    speakers: Sequence[str]
    first: str
    last: str
    skipped: Mapping[str, int]
    notes: Sequence[str]
    stored: int | None
    new: int
    gone: int
    changes: bool
    same_as: str = ""
    roles: Sequence[str] = ()
    wanted: bool = True
    written: bool = False
    extracted: int = 0
    model_due: int = 0

    def to_json(self, *, written: bool) -> dict[str, Any]:
        names = ("title", "messages", "from_user", "hidden", "swipes", "first", "last", "stored", "new", "gone", "changes", "same_as")
        out: dict[str, Any] = {"chat": self.name, **{name: getattr(self, name) for name in names}}
        out |= {"speakers": list(self.speakers), "skipped": dict(self.skipped), "notes": list(self.notes)}
        return out | ({"extracted": self.extracted, "model_due": self.model_due} if written else {})


class Planner:
    """Names and compares the chats of one file, in their order. Without a service everything is new."""

    def __init__(self, service: Service | None) -> None:
        self._service = service
        self._door = Door()
        self._taken: set[str] = set()
        self._sizes: Mapping[str, int] | None = None

    async def plan(self, chat: ImportedChat, stem: str) -> ImportPlan:
        """The chat under the first free name: a stored chat of the same title but with other messages is another chat."""
        entries = [self._door.enter(message) for message in chat.messages]
        for name in _names(chat.title.strip() or stem):
            if name in self._taken:
                continue
            stored = await self._stored(name)
            if stored is None or _same_chat(stored, entries):
                self._taken.add(name)
                plan = _compared(chat, name, entries, stored)
                if stored is None and entries and (same := await self._equal(entries)):
                    plan.same_as, plan.changes = same, False
                return plan
        raise AssertionError

    async def compare(self, chat: ImportedChat, name: str) -> ImportPlan:
        """The chat under a name that a person chose."""
        return _compared(chat, name, [self._door.enter(message) for message in chat.messages], await self._stored(name))

    async def _stored(self, name: str) -> list[Entry] | None:
        if self._service is None:
            return None
        record = next((each for each in await self._service.chats.records() if each.name == name), None)
        if record is None:
            return None
        return [entry for entry, _ in (await self._service.store.chat(record.id)).rows]

    async def _equal(self, entries: Sequence[Entry]) -> str:
        """The name of a stored chat with these messages, or ""."""
        if self._service is None:
            return ""
        if self._sizes is None:
            self._sizes = await self._service.store.sizes()
        keys = [entry.key for entry in entries]
        for record in await self._service.chats.records():
            if self._sizes.get(record.id) == len(keys):
                rows = (await self._service.store.chat(record.id)).rows
                if [entry.key for entry, _ in rows] == keys:
                    return record.name
        return ""


def _names(title: str) -> Iterator[str]:
    yield title
    number = 2
    while True:
        yield f"{title} ({number})"
        number += 1


def _same_chat(stored: Sequence[Entry], entries: Sequence[Entry]) -> bool:
    """More than half of the shorter one is in both; a greeting alone, which all chats with a character share, is not enough."""
    if not stored or not entries:
        return True
    shared = (Counter(entry.key for entry in stored) & Counter(entry.key for entry in entries)).total()
    return shared * 2 > min(len(stored), len(entries))


def _compared(chat: ImportedChat, name: str, entries: Sequence[Entry], stored: Sequence[Entry] | None) -> ImportPlan:
    here, there = Counter(entry.key for entry in entries), Counter(entry.key for entry in stored or ())
    dates = [message.date for message in chat.messages if message.date]
    return ImportPlan(
        name,
        chat.title,
        len(chat.messages),
        sum(message.role == "user" for message in chat.messages),
        sum(message.hidden for message in chat.messages),
        len(chat.variants),
        list(dict.fromkeys(message.name for message in chat.messages if message.name)),
        dates[0] if dates else "",
        dates[-1] if dates else "",
        chat.skipped,
        chat.notes,
        None if stored is None else len(stored),
        (here - there).total(),
        (there - here).total(),
        # A file without a message never empties a chat: a failed read is not an empty chat.
        bool(entries) and list(entries) != list(stored or ()),
        roles=list(dict.fromkeys(message.role for message in chat.messages if not message.name)),
    )
