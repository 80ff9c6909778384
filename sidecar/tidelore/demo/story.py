"""A sample story, and the chat as it stands after each thing that a user can do to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

LANGUAGES = ("en", "zh")

Messages = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence`: indices of the messages that hold the answer."""

    text: str
    evidence: Sequence[int]
    answer: str


@dataclass(frozen=True, slots=True)
class Story:
    """`raw` is the sample file; the methods give whole lists of messages as `chat.update` wants them."""

    raw: dict[str, Any]

    @property
    def language(self) -> str:
        return str(self.raw["language"])

    @property
    def title(self) -> str:
        return str(self.raw["title"])

    @property
    def questions(self) -> list[Question]:
        return [Question(each["question"], each["evidence"], each["answer"]) for each in self.raw["questions"]]

    def index(self, action: str) -> int:
        """Which message an action is about."""
        return int(self.raw[action]["at" if action == "branch" else "index"])

    def messages(self) -> Messages:
        return [_message(each) for each in self.raw["messages"]]

    def with_text(self, action: str) -> Messages:
        """After "swipe", "edit" or "continue": another text of one message."""
        messages = self.messages()
        messages[self.index(action)]["text"] = self.raw[action]["text"]
        return messages

    def with_one_deleted(self) -> Messages:
        messages = self.messages()
        del messages[self.index("delete")]
        return messages

    def with_one_hidden(self) -> Messages:
        messages = self.messages()
        messages[self.index("hide")]["hidden"] = True
        return messages

    def up_to_branch(self) -> Messages:
        """What branch and parent share."""
        return self.messages()[: self.index("branch") + 1]

    def on_the_branch(self) -> Messages:
        """The branch after it went its own way."""
        return self.up_to_branch() + [_message(each) for each in self.raw["branch"]["messages"]]


def _message(raw: dict[str, Any]) -> dict[str, Any]:
    return {"role": raw["role"], "name": raw["name"], "text": raw["text"], "hidden": False, "date": raw.get("date", "")}


def load_story(language: str) -> Story:
    return Story(json.loads(resources.files("tidelore.samples").joinpath(f"{language}.json").read_text("utf-8")))
