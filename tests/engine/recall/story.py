"""Commits that rules do not make, written into a chat of a `Kit`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count

from tests.engine.service_kit import Kit
from tidelore.engine.codec import windowed
from tidelore.engine.model import Author, EnsureNode, Evident, Operation, Quote

_CLOCK = count(1)


def write(kit: Kit, chat: str, *groups: Sequence[Operation], at: int = 0, size: int = 1, author: Author = "model") -> None:
    """One commit of all operations on the window of `size` messages from `at`."""

    async def run() -> None:
        async with kit.service.chats.lock:
            opened = await kit.service.chats.open(chat)
            keys = opened.timeline.keys[at : at + size]
            operations = [operation for group in groups for operation in group]
            standing = opened.timeline.slots[at].rule
            # The rules' memories stay: a commit of the model takes their place.
            kept = standing.commit.operations if standing is not None and size == 1 else ()
            commit = windowed(author, [*kept, *operations], keys, clock=next(_CLOCK), replica="test")
            await kit.service.chats.commit(opened, [commit])

    asyncio.run(run())


def core_commit(text: str = "No one may lie to Corvin.", ordinal: int = 0) -> list[Operation]:
    """A rule of the world."""
    return [EnsureNode(Evident("fact", (0,), 70 + ordinal), "rule", {"text": text}, (Quote(0),))]
