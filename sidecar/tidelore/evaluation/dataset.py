"""Conversations with questions, one JSON file each:

{"id", "speakers": [...], "sessions": [{"date", "when"?, "turns": [{"id", "speaker", "text", "caption"?}]}],
 "questions": [{"id", "question", "category", "evidence": [ids of turns]}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidelore.engine.errors import BadInput

MONTHS = "january february march april may june july august september october november december".split()
_DATE = re.compile(r"(\d{1,2}):(\d{2})\s*(am|pm)\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """`text` with what a shared picture shows; `date` in ISO form where it could be read."""

    id: str
    speaker: str
    text: str
    date: str
    session: int


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    id: str
    turns: Sequence[Turn]
    questions: Sequence[Question]
    speakers: Sequence[str]

    def messages(self) -> list[dict[str, Any]]:
        """As chat.update takes them. The first speaker is the user, and so is who has no name."""
        others = self.speakers[1:]
        return [
            {"role": "assistant" if turn.speaker in others else "user", "name": turn.speaker, "text": turn.text, "date": turn.date}
            for turn in self.turns
        ]


def load(folder: Path) -> list[Conversation]:
    """All conversations of a folder, ordered by file name. Raises BadInput."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise BadInput(f"{folder} holds no conversations.", "It must be a folder with a JSON file for each (docs/cli.md, eval).")
    return [_read(path) for path in paths]


def _read(path: Path) -> Conversation:
    try:
        raw = json.loads(path.read_text("utf-8"))
        return _conversation(raw, path.stem)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", "See docs/cli.md, eval, for the form.") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is no conversation with questions: {error!r}.", "See docs/cli.md, eval, for the form.") from error


def _conversation(raw: Mapping[str, Any], name: str) -> Conversation:
    turns = [
        Turn(
            str(turn["id"]),
            str(turn.get("speaker", "")),
            turn["text"] + (f" [shares {turn['caption']}]" if turn.get("caption") else ""),
            iso(str(session.get("when") or session["date"])),
            number,
        )
        for number, session in enumerate(raw["sessions"])
        for turn in session["turns"]
    ]
    known = {turn.id for turn in turns}
    questions = [
        Question(str(each.get("id", at)), str(each["question"]), str(each["category"]), frozenset(map(str, each["evidence"])) & known)
        for at, each in enumerate(raw["questions"])
    ]
    return Conversation(str(raw.get("id", name)), turns, questions, [str(each) for each in raw.get("speakers", [])])


def iso(text: str) -> str:
    """ "1:56 pm on 8 May, 2023" as 2023-05-08T13:56; another text as it is."""
    found = _DATE.search(text)
    if not found or found[5].lower() not in MONTHS:
        return text.replace(" ", "T", 1) if re.match(r"\d{4}-\d\d-\d\d ", text) else text
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "pm" else 0)
    return f"{int(found[6]):04}-{MONTHS.index(found[5].lower()) + 1:02}-{int(found[4]):02}T{hour:02}:{found[2]}"
