"""What changes by hand are, as JSON says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of a memory, or a mark (pinned, archived, private: true or null): what it said before and what after, null for nothing."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change by hand that waits for its node to come back, or to read as it did. `change`, `text`, `subject` and `edits` as undo.list
    tells it."""

    node: str
    change: str
    text: str
    subject: str
    edits: list[FieldChange]
