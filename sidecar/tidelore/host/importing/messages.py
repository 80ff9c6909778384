"""Messages with role and content, as the APIs of models take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tidelore.engine.model import Role

from .chat import ChatBuilder, ImportedChat, Reason
from .content import count, text_of
from .values import Object, as_list, as_object, as_text

_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "char": "assistant",
    "character": "assistant",
}
_LEFT_OUT: dict[str, Reason] = {"system": "system", "developer": "system", "tool": "tool", "function": "tool"}
_DATES = ("date", "timestamp", "created_at", "create_time", "created", "time")


def is_message(value: Object) -> bool:
    return isinstance(value.get("role"), str) and not value.keys().isdisjoint({"content", "parts", "tool_calls"})


def is_chat(value: Object) -> bool:
    return isinstance(value.get("messages"), list)


def load_chat(title: str, chat: Object, notes: Iterable[str]) -> ImportedChat:
    own = as_text(chat.get("title")) or as_text(chat.get("name"))
    return load(own.strip() or title, enumerate(as_list(chat.get("messages")), 1), notes)


def load(title: str, entries: Iterable[tuple[int, object]], notes: Iterable[str]) -> ImportedChat:
    """The chat of `entries`: line numbers and JSON values, None for a line that could not be read."""
    chat = ChatBuilder(title, "messages", notes)
    for number, value in entries:
        message = as_object(value)
        role = as_text(message.get("role")).lower()
        if role in _LEFT_OUT:
            chat.skip(_LEFT_OUT[role])
        elif role in _ROLES and is_message(message):
            _add(chat, message, _ROLES[role])
        else:
            chat.unreadable(number)
    return chat.build()


def _add(chat: ChatBuilder, message: Object, role: Role) -> None:
    left_out: Counter[Reason] = Counter()
    text = text_of(message.get("content", message.get("parts")), left_out)
    if message.get("tool_calls") or message.get("function_call"):
        left_out["tool"] += 1
    if message.get("reasoning_content") or message.get("reasoning"):
        left_out["reasoning"] += 1
    if count(chat, left_out, text):
        date = next((message[key] for key in _DATES if message.get(key)), None)
        chat.add(role, text, as_text(message.get("name")), date=date)
