from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelore.engine.errors import BadInput
from tidelore.engine.model import Message
from tidelore.host.importing import load

TALK = [
    {"role": "system", "content": "You are a captain."},
    {"role": "user", "content": "Hi", "name": "Mira", "timestamp": 1720816270},
    {"role": "assistant", "content": [{"type": "text", "text": "Ho"}, {"type": "image_url", "image_url": {}}, "and more"]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    {"role": "tool", "content": "4"},
    {"role": "assistant", "content": "Done", "reasoning_content": "hm"},
    {"role": "user", "content": ""},
]
MESSAGES = [
    Message("user", "Hi", "Mira", date="2024-07-12T20:31:10Z"),
    Message("assistant", "Ho\n\nand more"),
    Message("assistant", "Done"),
]
SKIPPED = {"system": 1, "attachment": 1, "tool": 2, "reasoning": 1, "empty": 1}


def lines(*values: object) -> str:
    return "\n".join(json.dumps(value) for value in values) + "\n"


@pytest.mark.req("S85", "F1", "F9")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("talk.json", json.dumps(TALK)),
        ("talk.json", json.dumps(TALK, indent=2)),
        ("talk.json", "[\n" + ",\n".join(map(json.dumps, TALK)) + "\n]"),
        ("talk.json", json.dumps({"messages": TALK})),
        ("talk.json", '{"model": "m",\n"messages": [\n' + ",\n".join(map(json.dumps, TALK)) + "\n]}"),
        ("talk.jsonl", lines(*TALK)),
        ("talk.txt", "\n\n" + lines(*TALK)),
    ],
)
def test_messages_come_in_every_wrapping(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (chat,) = load(path)
    assert (chat.origin, chat.messages, chat.skipped) == ("messages", MESSAGES, SKIPPED)


def test_a_list_of_chats_and_lines_of_chats_are_many_chats(tmp_path: Path) -> None:
    chats = [{"title": "One", "messages": TALK}, {"messages": TALK[:2]}]
    for name, text in (("talks.json", json.dumps(chats)), ("talks.jsonl", lines(*chats))):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        one, two = load(path)
        assert (one.title, one.messages) == ("One", MESSAGES)
        assert (two.title, two.messages) == ("talks 2", MESSAGES[:1])


def test_unknown_roles_and_broken_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(lines(TALK[1], {"role": "moon", "content": "x"}, {"role": "user"}) + "{", encoding="utf-8")
    (chat,) = load(path)
    assert chat.skipped == {"unreadable": 3}
    assert chat.notes == ("Lines that could not be read: 2, 3, 4.",)


def test_only_instructions_are_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK[:1]), encoding="utf-8")
    with pytest.raises(BadInput, match=r"\(system: 1\)"):
        list(load(path))
