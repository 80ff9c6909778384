"""A change by hand in words: what was done, of which memory, and which fields read otherwise since."""

from __future__ import annotations

from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.measure import clip, flat

# Marks by the change that sets them and the one that takes them away.
_MARKS = {"pinned": ("pin", "unpin"), "archived": ("archive", "unarchive"), "private": ("private", "public")}


def change_words(context: Context, change: dict[str, Any]) -> str:
    """A row of undo.list, or what undo and redo answer: "made private, unpinned"."""
    names = [change["change"]]
    names += [_MARKS[each["field"]][0 if each["after"] else 1] for each in change["edits"] if each["field"] in _MARKS]
    return context.texts.list(context.texts(f"change.{name}") for name in dict.fromkeys(names))


def subject_words(change: dict[str, Any], longest: int) -> str:
    """The memory that was changed; what the change itself says, where it is about none."""
    return clip(flat(change["subject"] or change["text"]), longest)


def field_changes(change: dict[str, Any]) -> dict[str, tuple[object, object]]:
    """The fields that read otherwise since, before and after; marks are said by `change_words`."""
    return {each["field"]: (each["before"], each["after"]) for each in change["edits"] if each["field"] not in _MARKS}
