"""What the messages of a chat take of a prompt, in tokens. Each text is counted once."""

from __future__ import annotations

from functools import lru_cache

from tidelore.engine.chats import OpenChat
from tidelore.engine.history import Slot
from tidelore.engine.text.counting import count_tokens


def message_tokens(chat: OpenChat, slot: Slot) -> int:
    """The tokens of a message with the name of its speaker before it."""
    known = chat.home.tokens
    tokens = known.get(slot.key)
    if tokens is None:
        source = chat.pool.sources.get(slot.key)
        tokens = known[slot.key] = count_tokens(source.text) if source is not None else 0
    return tokens + _speaker_tokens(slot.name or slot.role)


@lru_cache(maxsize=1024)
def _speaker_tokens(name: str) -> int:
    return count_tokens(f"\n{name}: ")


def first_that_fits(chat: OpenChat, tokens: int) -> int:
    """Index of the first message of the newest ones that together take no more than so many tokens, each of them whole; the number of
    messages when not even the last one fits. Hidden messages are in no prompt and take nothing."""
    slots = chat.timeline.slots
    left = tokens
    first = len(slots)
    for at in range(len(slots) - 1, -1, -1):
        if not slots[at].hidden:
            left -= message_tokens(chat, slots[at])
            if left < 0:
                break
            first = at
    return first
