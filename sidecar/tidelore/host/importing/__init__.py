"""Import of chats from files of other programs.

`load` gives the chats of a file, `preview` tells what it would give. Nothing is left out without being counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tidelore.engine.errors import BadInput
from tidelore.engine.model import Message

from . import chatgpt, claude, messages, plain, sillytavern
from .chat import ImportedChat, Origin
from .detect import Examined, Format, detect, examine
from .reading import ACCEPTED
from .values import Object, as_list, as_object, as_text, parse

__all__ = ["ChatPreview", "Format", "ImportedChat", "Origin", "Preview", "detect", "load", "preview"]

_SAMPLE = 3


@dataclass(frozen=True, slots=True)
class ChatPreview:
    """What importing a chat would give. `first` and `last` are the dates of its first and last dated message, or ""."""

    title: str
    origin: Origin
    messages: int
    from_user: int
    hidden: int
    variants: int
    speakers: tuple[str, ...]
    first: str
    last: str
    sample: tuple[Message, ...]
    skipped: Mapping[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    format: Format
    chats: tuple[ChatPreview, ...]


def load(path: Path, *, user_name: str = "") -> Iterator[ImportedChat]:
    """The chats of a file, one at a time. `user_name`: who is the user in a text that does not say.

    A file that `detect` refuses is refused at the call. Chats of which nothing can be imported come last, the reason in
    their notes; where that is so of all of them, or a text has no speakers, the iterator raises BadInput.
    """
    return _with_messages_first(examine(path), user_name)


def preview(path: Path, *, user_name: str = "") -> Preview:
    """What `load` would give, without keeping the messages."""
    examined = examine(path)
    return Preview(examined.format, tuple(_summary(chat) for chat in _with_messages_first(examined, user_name)))


def _with_messages_first(examined: Examined, user_name: str) -> Iterator[ImportedChat]:
    without: list[ImportedChat] = []
    refusal: BadInput | None = None
    found = False
    for chat in _chats(examined, user_name):
        if isinstance(chat, _Refused):
            refusal = refusal or chat.error
            without.append(chat.rest)
        elif chat.messages:
            found = True
            yield chat
        else:
            without.append(chat)
    if not found:
        raise refusal or _nothing(examined.file.path.name, without)
    yield from without


def _nothing(name: str, chats: list[ImportedChat]) -> BadInput:
    skipped = sum((Counter(chat.skipped) for chat in chats), Counter[str]())
    counts = ", ".join(f"{reason}: {number}" for reason, number in sorted(skipped.items())) or "it is empty"
    return BadInput(f"{name} holds no message that can be imported ({counts}).", ACCEPTED)


@dataclass(frozen=True, slots=True)
class _Refused:
    """A chat that cannot be read: what is left of it, and why."""

    rest: ImportedChat
    error: BadInput


def _chats(examined: Examined, user_name: str) -> Iterator[ImportedChat | _Refused]:
    file, notes = examined.file, examined.file.notes
    title = file.path.stem
    match examined.format:
        case "sillytavern":
            yield sillytavern.load(title, _entries(examined), notes)
        case "chatgpt":
            yield from _each(examined, "chatgpt", chatgpt.is_chat, lambda _, chat: chatgpt.load(chat, notes))
        case "claude":
            yield from _each(examined, "claude", claude.is_chat, lambda _, chat: claude.load(chat, notes))
        case "messages" if examined.many:
            yield from _each(
                examined,
                "messages",
                messages.is_chat,
                lambda number, chat: messages.load_chat(f"{title} {number}" if number else title, chat, notes),
            )
        case "messages":
            yield messages.load(title, _entries(examined), notes)
        case "text":
            yield plain.load(title, file.text(), user_name, notes)


def _entries(examined: Examined) -> Iterator[tuple[int, object]]:
    """Numbers from 1 and JSON values of the list or of the lines; None for what is no JSON."""
    if examined.document is None:
        for number, line in examined.file.lines():
            if line is None or line.strip():
                yield number, None if line is None else parse(line)
    elif isinstance(examined.document, list):
        yield from enumerate(as_list(examined.document), 1)
    else:
        yield 0, examined.document


def _each(
    examined: Examined, origin: Origin, is_chat: Callable[[Object], bool], read: Callable[[int, Object], ImportedChat]
) -> Iterator[ImportedChat | _Refused]:
    for number, value in _entries(examined):
        chat = as_object(value)
        if not is_chat(chat):
            yield ImportedChat("", origin, [], skipped={"unreadable": 1}, notes=(f"Entry {number} of the file is no chat.",))
            continue
        try:
            yield read(number, chat)
        except BadInput as refusal:
            title = as_text(chat.get("title")) or as_text(chat.get("name"))
            yield _Refused(ImportedChat(title, origin, [], notes=(refusal.sentence, refusal.hint)), refusal)


def _summary(chat: ImportedChat) -> ChatPreview:
    dates = [message.date for message in chat.messages if message.date]
    return ChatPreview(
        title=chat.title,
        origin=chat.origin,
        messages=len(chat.messages),
        from_user=sum(message.role == "user" for message in chat.messages),
        hidden=sum(message.hidden for message in chat.messages),
        variants=len(chat.variants),
        speakers=tuple(dict.fromkeys(message.name for message in chat.messages if message.name)),
        first=dates[0] if dates else "",
        last=dates[-1] if dates else "",
        sample=tuple(chat.messages[:_SAMPLE]),
        skipped=chat.skipped,
        notes=chat.notes,
    )
