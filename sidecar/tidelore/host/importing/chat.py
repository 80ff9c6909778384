"""What an import gives: a chat, and a count of everything that was left out of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tidelore.engine.model import Message, Role

from .dates import iso_date
from .values import readable

Origin = Literal["sillytavern", "chatgpt", "deepseek", "claude", "messages", "text", "markdown"]
# "reasoning", "tool" and "attachment" count parts of messages too; a message of nothing else is left out with them.
Reason = Literal[
    "system",  # instructions, narrator lines and comments
    "tool",
    "reasoning",
    "attachment",
    "hidden",  # never on screen
    "empty",
    "other branch",  # not on the current branch of a tree
    "preamble",  # lines before the first speaker
    "unreadable",  # lines that are not of the format
]

_SHOWN_LINES = 20


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """A chat of a file. `variants`: index of a message and the text of another swipe of it.

    `skipped` counts by `Reason` what is not in `messages`; `notes` are sentences for the person who imports.
    """

    title: str
    origin: Origin
    messages: list[Message]
    variants: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()


class ChatBuilder:
    """Collects the messages of one chat, and what is left out of it."""

    def __init__(self, title: str, origin: Origin, notes: Iterable[str] = ()) -> None:
        self.title = title
        self.origin: Origin = origin
        self.messages: list[Message] = []
        self.variants: list[tuple[int, str]] = []
        self.skipped: Counter[str] = Counter()
        self._notes = list(notes)
        self._unreadable: list[int] = []
        self._undated = 0

    def add(
        self,
        role: Role,
        text: str,
        name: str = "",
        *,
        hidden: bool = False,
        date: object = None,
        variants: Iterable[str] = (),
    ) -> None:
        """Adds a message; one without text is counted as empty. `date` is as the file has it."""
        text = readable(text)
        if not text.strip():
            self.skip("empty")
            return
        written = iso_date(date)
        if date not in (None, "") and not written:
            self._undated += 1
        others = dict.fromkeys(readable(variant) for variant in variants)
        self.variants += [(len(self.messages), other) for other in others if other.strip() and other != text]
        self.messages.append(Message(role, text, readable(name).strip(), hidden, written))

    def skip(self, reason: Reason, count: int = 1) -> None:
        if count:
            self.skipped[reason] += count

    def unreadable(self, line: int) -> None:
        """A line (from 1) of the file that cannot be read."""
        self.skip("unreadable")
        self._unreadable.append(line)

    def note(self, sentence: str) -> None:
        if sentence not in self._notes:
            self._notes.append(sentence)

    def build(self) -> ImportedChat:
        notes = list(self._notes)
        if self._unreadable:
            shown = ", ".join(map(str, self._unreadable[:_SHOWN_LINES]))
            more = len(self._unreadable) - _SHOWN_LINES
            notes.append(f"Lines that could not be read: {shown}" + (f" and {more} more." if more > 0 else "."))
        if self._undated:
            notes.append(f"{self._undated} dates could not be read; those messages have no date.")
        return ImportedChat(self.title, self.origin, self.messages, self.variants, dict(self.skipped), tuple(notes))
