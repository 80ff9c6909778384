"""Which chat a command is about: by its name, by a part of it, by a scope, or the one that is meant without any.

A scope such as "profile" lies in a chat of the engine under a made-up name, which no person sees: here it goes by its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.scopes import SCOPE_MARK, scope_chat
from tidelore.engine.service import Service
from tidelore.engine.view import STATES
from tidelore.serve.windows import MOST_CHATS
from tidelore.texts import Texts


@dataclass(frozen=True, slots=True)
class Sources:
    """What a recall reads: a chat, scopes and other chats beside it, all but `scopes` by the engine's names. `all`: how many chats there
    are that hold something."""

    chat: str
    scopes: Sequence[str] = ()
    beside: Sequence[str] = ()
    all: int = 1

    def names(self) -> list[str]:
        """The chats that are read, those of scopes among them, each once."""
        return list(dict.fromkeys([self.chat, *map(scope_chat, self.scopes), *self.beside]))


def shown(chat: str) -> str:
    """The name of a chat as people read and write it."""
    return chat.removeprefix(SCOPE_MARK)


def is_scope(name: str) -> bool:
    """Whether it names a scope, as in "profile"."""
    try:
        scope_chat(name)
    except BadInput:
        return False
    return True


def said(texts: Texts, chat: str) -> str:
    """Where something is: "in the chat "story"", "in "profile""."""
    return texts("edit.in_scope" if chat.startswith(SCOPE_MARK) else "edit.in_chat", chat=shown(chat))


async def chosen(texts: Texts, service: Service, named: str | None, *, read: bool = False) -> str:
    """The chat that is meant: the one named, else the newest that holds a memory, else a scope, else the newest; to be `read`, the newest.
    Raises NotFound, BadInput."""
    listed, scopes = await _listed(service), await _scopes(service)
    if named is not None:
        return _named(texts, [str(each["chat"]) for each in listed], scopes, named)
    order = _newest_first(listed)
    if read and order:
        return order[0]
    for chat in [*order, *map(scope_chat, scopes)]:
        if await _holds(service, chat):
            return chat
    if not order:
        raise NotFound(texts("error.no_chats"), texts("hint.import_first"))
    return order[0]


async def all_of(texts: Texts, service: Service, named: str | None) -> list[str]:
    """The chat named, else all: the one that is meant by default, the others newest first, those of scopes. Raises NotFound, BadInput."""
    first = await chosen(texts, service, named)
    if named is not None:
        return [first]
    return list(dict.fromkeys([first, *_newest_first(await _listed(service)), *map(scope_chat, await _scopes(service))]))


async def sources(texts: Texts, service: Service, named: str | None) -> Sources:
    """What a recall reads: the chat named alone, else everything, of the chats the newest. Raises NotFound, BadInput."""
    chat = await chosen(texts, service, named)
    if named is not None:
        return Sources(chat)
    listed = [each for each in await _listed(service) if each["holds"] or each["chat"] == chat]
    beside = [name for name in _newest_first(listed) if name != chat][:MOST_CHATS]
    return Sources(chat, await _scopes(service), beside, len(listed))


async def first_answer(service: Service, chats: Sequence[str], method: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The first of these chats that has what is asked for, and what it answers."""
    for chat in chats:
        try:
            return chat, await service.call(method, {"chat": chat, **params})
        except NotFound:
            continue
    return None


async def turned(service: Service, chats: Sequence[str], method: str, commit: str) -> tuple[str, dict[str, Any]]:
    """A change undone or redone in the first of these chats that has it. Raises NotFound, as the last one says it."""
    found = await first_answer(service, chats[:-1], method, {"commit": commit})
    return found or (chats[-1], await service.call(method, {"chat": chats[-1], "commit": commit}))


async def _holds(service: Service, chat: str) -> bool:
    """Whether there is a memory: also in a chat without messages, as one that a file of memories was read into."""
    return bool((await service.call("node.list", {"chat": chat, "states": list(STATES), "limit": 1}))["total"])


async def _listed(service: Service) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await service.call("chat.list", {}))["chats"]
    return found


async def _scopes(service: Service) -> list[str]:
    """What holds everywhere first."""
    found = [str(each["scope"]) for each in (await service.call("scope.list", {}))["scopes"]]
    return sorted(found, key=lambda scope: (scope != "profile", scope))


def _newest_first(listed: Sequence[dict[str, Any]]) -> list[str]:
    """Names, newest first; branches that are shorter than what they came from after all others."""
    sizes = {each["chat"]: each["messages"] for each in listed}
    whole = [each for each in reversed(listed) if sizes.get(each["branch_of"], 0) <= each["messages"]]
    short = [each for each in reversed(listed) if sizes.get(each["branch_of"], 0) > each["messages"]]
    return [str(each["chat"]) for each in (*whole, *short)]


def _named(texts: Texts, chats: Sequence[str], scopes: Sequence[str], named: str) -> str:
    """By the whole name, then by a part of it that no other chat has, then so among scopes."""
    if named in chats:
        return named
    if named in scopes:
        return scope_chat(named)
    for names, chat_of in ((chats, str), (scopes, scope_chat)):
        alike = [name for name in names if named.casefold() in name.casefold()]
        if len(alike) == 1:
            return chat_of(alike[0])
        if alike:
            raise BadInput(texts("error.many_chats", chat=named, n=len(alike)), texts("hint.say_more"))
    raise NotFound(texts("error.no_chat", chat=named), texts("hint.list_chats"))
