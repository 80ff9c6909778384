from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelore.engine.model import Message
from tidelore.host.importing import ImportedChat, load


def chats(folder: Path, *values: object) -> list[ImportedChat]:
    path = folder / "conversations.json"
    path.write_text(json.dumps(list(values)), encoding="utf-8")
    return list(load(path))


def said(sender: str, text: str, **more: object) -> dict[str, object]:
    return {"sender": sender, "text": text, "created_at": "2024-07-12T20:31:10.123456Z", **more}


@pytest.mark.req("S85")
def test_several_chats_come_one_by_one(tmp_path: Path) -> None:
    first = {"name": "Harbour", "chat_messages": [said("human", "Hi"), said("assistant", "Ho")]}
    second = {"name": "", "chat_messages": [said("human", "Again")]}
    one, two = chats(tmp_path, first, second)
    date = "2024-07-12T20:31:10Z"
    assert one == ImportedChat("Harbour", "claude", [Message("user", "Hi", date=date), Message("assistant", "Ho", date=date)])
    assert (two.title, len(two.messages)) == ("Untitled", 1)


def test_only_the_text_blocks_of_a_message_are_taken(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "One."},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "text", "text": "Two."},
    ]
    placeholder = "This block is not supported on your current device yet."
    messages = [
        said("assistant", placeholder, content=blocks, files=[{"file_name": "a.png"}]),
        said("assistant", placeholder, content=blocks[:1]),
        said("system", "rules"),
        said("human", " "),
    ]
    (chat,) = chats(tmp_path, {"chat_messages": messages})
    assert [message.text for message in chat.messages] == ["One.\n\nTwo."]
    assert chat.skipped == {"reasoning": 2, "tool": 2, "attachment": 1, "system": 1, "empty": 1}


BRANCHED = [
    said("human", "Hi", uuid="a", parent_message_uuid="00000000-0000-4000-8000-000000000000"),
    said("assistant", "first", uuid="b1", parent_message_uuid="a"),
    said("assistant", "second", uuid="b2", parent_message_uuid="a"),
    said("human", "more", uuid="c2", parent_message_uuid="b2"),
]


def test_without_a_pointer_the_branch_with_the_last_message_is_taken_and_that_is_noted(tmp_path: Path) -> None:
    (chat,) = chats(tmp_path, {"chat_messages": BRANCHED})
    assert [message.text for message in chat.messages] == ["Hi", "second", "more"]
    assert chat.skipped == {"other branch": 1}
    assert "does not say which branch" in chat.notes[0]


def test_a_pointer_decides_the_branch(tmp_path: Path) -> None:
    (chat,) = chats(tmp_path, {"chat_messages": BRANCHED, "current_leaf_message_uuid": "b1"})
    assert [message.text for message in chat.messages] == ["Hi", "first"]
    assert chat.notes == ()


def test_a_chat_without_messages_beside_others_comes_last(tmp_path: Path) -> None:
    empty = {"name": "Empty", "chat_messages": []}
    full = {"name": "Full", "chat_messages": [said("human", "Hi")]}
    assert [chat.title for chat in chats(tmp_path, empty, full)] == ["Full", "Empty"]
