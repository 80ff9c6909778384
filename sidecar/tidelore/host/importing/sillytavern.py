"""SillyTavern chats: a header line and one message a line; old group chats have no header."""

from __future__ import annotations

from collections.abc import Iterable

from .chat import ChatBuilder, ImportedChat, Reason
from .values import Object, as_list, as_object, as_text

# extra.type of messages that the program or its commands wrote. "assistant_message" is not among them: a character says it.
_SYSTEM_TYPES = frozenset(
    {"assistant_note", "comment", "empty", "formatting", "generic", "group", "help", "hotkeys", "macros", "narrator"}
    | {"slash_commands", "welcome", "welcome_prompt"}
)
_SYSTEM_NAME = "SillyTavern System"
# Newer versions write this for the names in the header.
_NO_NAME = "unused"


def is_header(value: Object) -> bool:
    return "mes" not in value and not value.keys().isdisjoint({"user_name", "character_name", "chat_metadata"})


def is_message(value: Object) -> bool:
    return "mes" in value


def load(title: str, entries: Iterable[tuple[int, object]], notes: Iterable[str]) -> ImportedChat:
    """The chat of `entries`: line numbers and JSON values, None for a line that could not be read."""
    chat = ChatBuilder(title, "sillytavern", notes)
    user = character = ""
    bad_swipes = 0
    for number, value in entries:
        entry = as_object(value)
        if is_message(entry) and isinstance(entry["mes"], str):
            bad_swipes += _add(chat, entry, user, character)
        elif is_header(entry) and not chat.messages and not user + character:
            user, character = _name(entry.get("user_name")), _name(entry.get("character_name"))
        else:
            chat.unreadable(number)
    if bad_swipes:
        chat.note(f"{bad_swipes} messages point to a swipe that is not there; the text on screen was taken.")
    return chat.build()


def _name(value: object) -> str:
    name = as_text(value).strip()
    return "" if name == _NO_NAME else name


def _add(chat: ChatBuilder, entry: Object, user: str, character: str) -> bool:
    """Adds or counts a message; whether its current swipe is not there."""
    reason = _left_out(entry)
    if reason:
        chat.skip(reason)
        return False
    is_user = entry.get("is_user") is True
    text = as_text(entry["mes"])
    swipes = [as_text(swipe) for swipe in as_list(entry.get("swipes"))]
    current = entry.get("swipe_id")
    found = isinstance(current, int) and not isinstance(current, bool) and 0 <= current < len(swipes)
    if found and isinstance(current, int):
        # `mes` is what is on screen: an edit may not have reached the swipe.
        text = text or swipes[current]
        swipes[current] = ""
    chat.add(
        "user" if is_user else "assistant",
        text,
        as_text(entry.get("name")) or (user if is_user else character),
        hidden=entry.get("is_system") is True,
        date=entry.get("send_date"),
        variants=swipes,
    )
    return bool(swipes) and not found


def _left_out(entry: Object) -> Reason | None:
    extra = as_object(entry.get("extra"))
    if extra.get("tool_invocations"):
        return "tool"
    name = as_text(entry.get("name")).strip()
    # Messages of the program itself have no type in old files, but its picture.
    pictured = entry.get("is_system") is True and as_text(entry.get("force_avatar")).endswith("img/five.png")
    if extra.get("type") in _SYSTEM_TYPES or extra.get("isSmallSys") is True or name == _SYSTEM_NAME or pictured:
        return "system"
    return None
