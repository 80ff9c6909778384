"""What an extraction by the model will cost in tokens, before it is asked. An estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelore.engine.chats import OpenChat
from tidelore.engine.extract.known import MEMORIES, NAMES
from tidelore.engine.extract.plan import Window
from tidelore.engine.extract.prompt import NO_TEMPLATES, build
from tidelore.engine.extract.run import CONTEXT_MESSAGES, chat_language
from tidelore.engine.schema import Schema
from tidelore.engine.text.counting import count_tokens
from tidelore.engine.token_counts import message_tokens

# Number, role and line of a message.
MESSAGE_FRAME = 8
# A line of <known>: key, kind, sub, and up to 160 characters of text.
KNOWN_LINE = 30
# One operation a message, with its quote, as JSON.
ANSWERED = 110


def estimate(chat: OpenChat, windows: Sequence[Window], schema: Schema, templates: Mapping[str, str] = NO_TEMPLATES) -> int:
    """Tokens of all prompts and answers together."""
    if not windows:
        return 0
    overhead = sum(count_tokens(message["content"]) for message in build([], [], [], schema, chat_language(chat), templates))
    known = len(chat.graph.nodes)
    slots = chat.timeline.slots
    total = 0
    for window in windows:
        read = slots[max(0, window.first - CONTEXT_MESSAGES) : window.last + 1]
        total += overhead + KNOWN_LINE * min(NAMES + MEMORIES, known)
        total += sum(message_tokens(chat, slot) + MESSAGE_FRAME for slot in read) + ANSWERED * len(window.positions)
        known += len(window.positions)  # what this window adds, the later ones are shown
    return total
