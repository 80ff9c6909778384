"""Where clients that name no chat read and write, one rule for all of them.

A client names a window: whatever it takes for one conversation, "main" where it names none. Of a window, cooldown is counted. What
clients write without a chat goes to the scope "profile", which holds everywhere; what they read is that scope and the conversations that
the gateway keeps (`gateway.chats`), that of the window first. A client that names a chat reads it, and the scope "profile" beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tidelore.engine.errors import BadInput
from tidelore.engine.scopes import SCOPE_MARK, scope_chat

MAIN = "main"
EVERYWHERE = "profile"
MOST_CHATS = 200
MARK, BETWEEN = "gateway:", "#"
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Place:
    """What a recall reads: a chat by the engine's name, scopes and other chats beside it."""

    chat: str
    scopes: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def labels(self) -> list[str]:
        """For people: "scope profile", "chat story"."""
        first = f"scope {self.chat.removeprefix(SCOPE_MARK)}" if self.chat.startswith(SCOPE_MARK) else f"chat {self.chat}"
        return list(dict.fromkeys([first, *(f"scope {each}" for each in self.scopes), *(f"chat {each}" for each in self.beside)]))


def window(named: str) -> str:
    """The window of a name that a client gave. Raises BadInput."""
    found = named.strip() or MAIN
    if len(found) > _LONGEST or not found.isprintable():
        raise BadInput("This cannot be the id of a window.", f"It has at most {_LONGEST} characters, on one line.")
    return found


def window_of(chat: str) -> str:
    """The window of one of the gateway's chats, "gateway:WINDOW#1" and so on; "" for another one."""
    named, between, number = chat.removeprefix(MARK).rpartition(BETWEEN)
    return named if chat.startswith(MARK) and between and number.isdecimal() else ""


def target(chat: str, scope: str) -> tuple[str, str]:
    """Where to write, as (chat, scope) of which one is empty. Raises BadInput."""
    if chat and scope:
        raise BadInput("Both `chat` and `scope` are given.", "A memory belongs to one of them: name the one or the other.")
    _no_scope(chat)
    if chat:
        return chat, ""
    scope_chat(scope or EVERYWHERE)
    return "", scope or EVERYWHERE


def source(
    chat: str, scope: str, window_: str, chats: Sequence[str], scopes: Sequence[str], patterns: Sequence[str], wanted: Sequence[str]
) -> Place | None:
    """Where to read; None where nothing is remembered yet. `chats` and `scopes`: the names of those that hold something, chats oldest
    first; `patterns` and `wanted` as `chats` and `scopes` of the gateway's settings. Raises BadInput for a scope that is none; whether a
    named chat is there is for the engine to say."""
    _no_scope(chat)
    asked = tuple(dict.fromkeys([*([scope] if scope else []), *wanted]))
    for each in asked:
        scope_chat(each)
    if chat:
        return Place(chat, asked)
    if scope:
        known = [each for each in asked if each in scopes]
        return Place(scope_chat(known[0]), tuple(known)) if known else None
    talks = [name for name in chats if any(fnmatchcase(name, each) for each in patterns)][-MOST_CHATS:]
    known = [each for each in asked if each in scopes]
    mine = [name for name in talks if window_of(name) == window_]
    if mine:
        return Place(mine[-1], tuple(known), tuple(name for name in talks if name != mine[-1]))
    if known:
        return Place(scope_chat(known[0]), tuple(known), tuple(talks))
    return Place(talks[-1], (), tuple(talks[:-1])) if talks else None


def _no_scope(chat: str) -> None:
    if chat.startswith(SCOPE_MARK):
        raise BadInput(f"{chat[1:41]!r} is a scope.", "Name it in `scope`.")
