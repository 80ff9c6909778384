"""A pool and a chat in memory, and what changed between two lists of messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tidelore.engine.errors import BadInput
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.pool import Pool
from tidelore.engine.ports import ChatRecord
from tidelore.engine.recall.index import Index

CHUNK = 128


@dataclass(slots=True)
class OpenPool:
    """A pool in memory. `cursor` is how far the store was read, `chats` the open chats on it, `tokens` what its sources take of a
    prompt and `words` what they are found by, both as far as that was asked for. `burials` is that of PoolRows, `floor` the clock
    that whatever is written to the pool has to exceed."""

    id: str
    pool: Pool = field(default_factory=Pool)
    cursor: int = 0
    chats: dict[str, OpenChat] = field(default_factory=dict[str, "OpenChat"])
    tokens: dict[str, int] = field(default_factory=dict[str, int])
    words: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    burials: int = -1
    floor: int = 0


@dataclass(slots=True)
class OpenChat:
    """A chat in memory. `raw` is the list of messages as the host last gave it, and `screen` the number of that state (0: not known);
    `language` is that of the chat while its newest messages are these."""

    record: ChatRecord
    home: OpenPool
    timeline: Timeline
    graph: Graph
    index: Index
    revision: int
    raw: list[Any] = field(default_factory=list[Any])
    screen: int = 0
    language: tuple[tuple[str, ...], str] = (("",), "und")

    @property
    def pool(self) -> Pool:
        return self.home.pool


def difference(old: Sequence[Any], new: Sequence[Any], size: int) -> tuple[int, int, int]:
    """(start, end, stop): slots[start:end] became new[start:stop]. Without an old list of this chat's size all is new."""
    if not old:
        return 0, size, len(new)
    shorter = min(len(old), len(new))
    start = 0
    while start + CHUNK <= shorter and old[start : start + CHUNK] == new[start : start + CHUNK]:
        start += CHUNK
    while start < shorter and old[start] == new[start]:
        start += 1
    back, room = 0, shorter - start
    while back + CHUNK <= room and old[len(old) - back - CHUNK : len(old) - back] == new[len(new) - back - CHUNK : len(new) - back]:
        back += CHUNK
    while back < room and old[-1 - back] == new[-1 - back]:
        back += 1
    return start, len(old) - back, len(new) - back


def check_index(chat: OpenChat, index: int, what: str) -> None:
    """Raises BadInput for a message index that the chat does not have."""
    if not 0 <= index < len(chat.timeline.slots):
        last = len(chat.timeline.slots) - 1
        hint = (
            f"The chat {chat.record.name!r} has messages 0 to {last}." if last >= 0 else f"The chat {chat.record.name!r} has no messages."
        )
        raise BadInput(f"{what} is {index}, and there is no such message.", hint)
