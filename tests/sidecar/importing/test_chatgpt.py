from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelore.engine.errors import BadInput
from tidelore.engine.model import Message
from tidelore.host.importing import ImportedChat, load


def node(parent: str | None, role: str = "", text: str = "", **more: object) -> dict[str, object]:
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, **more}
    return {"parent": parent, "children": [], "message": message if role else None}


def chats(folder: Path, *values: object) -> list[ImportedChat]:
    path = folder / "conversations.json"
    path.write_text(json.dumps(list(values)), encoding="utf-8")
    return list(load(path))


def messages_of(folder: Path, message: dict[str, object]) -> ImportedChat:
    tree = {"root": node(None), "a": node("root", "user", "Hi"), "b": {"parent": "a", "message": message}}
    return chats(folder, {"title": "T", "mapping": tree, "current_node": "b"})[0]


BRANCHES = {
    "root": node(None),
    "a": node("root", "user", "Hi", create_time=1720816270.5),
    "b1": node("a", "assistant", "first answer"),
    "b2": node("a", "assistant", "second answer"),
    "c1": node("b1", "user", "on the first branch"),
}


@pytest.mark.req("S85", "F9")
def test_the_current_branch_is_imported_and_the_others_are_counted(tmp_path: Path) -> None:
    (chat,) = chats(tmp_path, {"title": "Harbour", "mapping": BRANCHES, "current_node": "b2"})
    assert chat.messages == [Message("user", "Hi", date="2024-07-12T20:31:10Z"), Message("assistant", "second answer")]
    assert (chat.title, chat.origin, chat.skipped) == ("Harbour", "chatgpt", {"other branch": 2})


@pytest.mark.req("S85")
@pytest.mark.parametrize("pointer", [None, "gone", 3])
def test_several_branches_without_a_pointer_are_refused(tmp_path: Path, pointer: object) -> None:
    with pytest.raises(BadInput, match='The chat "Harbour" has 2 branches and does not say which is the current one') as refusal:
        chats(tmp_path, {"title": "Harbour", "mapping": BRANCHES, "current_node": pointer})
    assert refusal.value.hint


def test_a_refused_chat_beside_good_ones_is_reported_last(tmp_path: Path) -> None:
    good = {"title": "Good", "mapping": {"a": node(None, "user", "Hi")}}
    first, broken, last = chats(tmp_path, {"title": "Bad", "mapping": BRANCHES}, "nonsense", good)
    assert (first.title, len(first.messages)) == ("Good", 1)
    assert (last.title, broken.title) == ("", "Bad")
    assert "2 branches" in broken.notes[0]
    assert (last.skipped, last.notes) == ({"unreadable": 1}, ("Entry 2 of the file is no chat.",))


def test_a_tree_of_one_branch_needs_no_pointer(tmp_path: Path) -> None:
    (chat,) = chats(tmp_path, {"mapping": {"a": node(None, "user", "Hi"), "b": node("a", "assistant", "Ho")}})
    assert [message.text for message in chat.messages] == ["Hi", "Ho"]
    assert chat.title == "Untitled"


def test_a_tree_that_runs_in_a_circle_ends(tmp_path: Path) -> None:
    circle = {"a": node("b", "user", "Hi"), "b": node("a", "assistant", "Ho")}
    (chat,) = chats(tmp_path, {"mapping": circle, "current_node": "b"})
    assert [message.text for message in chat.messages] == ["Hi", "Ho"]
    with pytest.raises(BadInput, match="has no end"):
        chats(tmp_path, {"mapping": circle})


@pytest.mark.req("F1")
@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"author": {"role": "system"}, "content": {"content_type": "text", "parts": ["x"]}}, "system"),
        ({"author": {"role": "user"}, "content": {"content_type": "user_editable_context", "user_profile": "x"}}, "system"),
        ({"author": {"role": "user"}, "content": {"parts": ["x"]}, "metadata": {"is_user_system_message": True}}, "system"),
        ({"author": {"role": "tool", "name": "browser"}, "content": {"content_type": "text", "parts": ["x"]}}, "tool"),
        ({"author": {"role": "assistant"}, "recipient": "python", "content": {"content_type": "code", "text": "x"}}, "tool"),
        ({"author": {"role": "assistant"}, "recipient": "dalle", "content": {"content_type": "text", "parts": ["x"]}}, "tool"),
        ({"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": []}}, "reasoning"),
        (
            {
                "author": {"role": "user"},
                "content": {"content_type": "text", "parts": ["x"]},
                "metadata": {"is_visually_hidden_from_conversation": True},
            },
            "hidden",
        ),
        ({"author": {"role": "user"}, "content": {"content_type": "text", "parts": [""]}}, "empty"),
        ({"author": {"role": "user"}, "content": {"content_type": "multimodal_text", "parts": [{"asset": 1}]}}, "attachment"),
        ({"author": {"role": "assistant"}, "content": None}, "empty"),
        ({"author": None, "content": []}, "tool"),
    ],
)
def test_what_is_no_part_of_the_talk_is_counted_and_left_out(tmp_path: Path, message: dict[str, object], reason: str) -> None:
    chat = messages_of(tmp_path, message)
    assert [entry.text for entry in chat.messages] == ["Hi"]
    assert chat.skipped == {reason: 1}


def test_parts_are_joined_and_pictures_counted(tmp_path: Path) -> None:
    parts = ["Look", {"content_type": "image_asset_pointer"}, {"content_type": "audio_transcription", "text": "spoken"}]
    chat = messages_of(tmp_path, {"author": {"role": "user"}, "content": {"content_type": "multimodal_text", "parts": parts}})
    assert chat.messages[1].text == "Look\n\nspoken"
    assert chat.skipped == {"attachment": 1}


def test_a_deepseek_export_is_read_by_its_fragments(tmp_path: Path) -> None:
    question = {"inserted_at": "2025-02-01T10:00:00.123000+08:00", "fragments": [{"type": "REQUEST", "content": "Hi"}]}
    answer = {"fragments": [{"type": "THINK", "content": "hm"}, {"type": "RESPONSE", "content": "Ho"}]}
    tree = {
        "root": {"parent": None, "message": None},
        "1": {"parent": "root", "message": question},
        "2": {"parent": "1", "message": answer},
    }
    (chat,) = chats(tmp_path, {"title": "T", "mapping": tree})
    assert chat.origin == "deepseek"
    assert chat.messages == [Message("user", "Hi", date="2025-02-01T10:00:00+08:00"), Message("assistant", "Ho")]
    assert chat.skipped == {"reasoning": 1}
