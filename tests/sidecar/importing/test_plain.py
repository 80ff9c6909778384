from __future__ import annotations

from pathlib import Path

import pytest

from tidelore.engine.errors import BadInput
from tidelore.engine.model import Message
from tidelore.host.importing import ImportedChat, load


def read(folder: Path, text: str, user_name: str = "", name: str = "talk.txt") -> ImportedChat:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (chat,) = load(path, user_name=user_name)
    return chat


@pytest.mark.req("S85", "F9", "F11")
def test_speakers_stay_apart_and_paragraphs_stay_with_their_speaker(tmp_path: Path) -> None:
    chat = read(tmp_path, "Mira: Hello.\n\nStill me.\nAnd: I go on.\n\nCaptain: Ho!\nMira: Bye.\nBen: Me too.\nCaptain: Go.\nBen: Yes.\n")
    assert chat.messages == [
        Message("user", "Hello.\n\nStill me.\nAnd: I go on.", "Mira"),
        Message("assistant", "Ho!", "Captain"),
        Message("user", "Bye.", "Mira"),
        Message("assistant", "Me too.", "Ben"),
        Message("assistant", "Go.", "Captain"),
        Message("assistant", "Yes.", "Ben"),
    ]
    assert chat.notes == ("Taken for text, not for speakers, because they stand only once: And.", "The user is Mira.")


def test_full_width_colons_and_windows_lines_are_read(tmp_path: Path) -> None:
    chat = read(tmp_path, "船长：你好。\r\n我：明天见\r\n再见\r\n")
    assert chat.messages == [Message("assistant", "你好。", "船长"), Message("user", "明天见\n再见", "我")]


@pytest.mark.parametrize(
    ("text", "user_name", "user"),
    [
        ("Captain: a\nUser: b\n", "Captain", "User"),
        ("Captain: a\nYou: b\n", "", "You"),
        ("Captain: a\nme: b\n", "", "me"),
        ("船长: a\n用户: b\n", "", "用户"),
        ("Assistant: a\nHuman: b\n", "", "Human"),
        ("Captain: a\nMira: b\n", "mira", "Mira"),
        ("Captain: a\nMira: b\n", "Nobody", "Captain"),
        ("Captain: a\nMira: b\n", "", "Captain"),
        ("System: s\nAssistant: a\nMira: b\n", "", "Mira"),
    ],
)
def test_the_user_is_found_by_name_then_by_option_then_as_the_first_speaker(tmp_path: Path, text: str, user_name: str, user: str) -> None:
    chat = read(tmp_path, text, user_name)
    assert {message.name for message in chat.messages if message.role == "user"} == {user}
    assert f"The user is {user}." in chat.notes


@pytest.mark.parametrize(
    "line",
    ["Note: bring water", "https://example.com/a", "At 10:30 we left", '"Wait," he said: stop', "10:30", "- item: x", ": x",
     "and then all of us said: go", "# Chapter: one", "[aside] Mira: x", "http: x"],
)  # fmt: skip
def test_a_colon_in_running_text_makes_no_speaker(tmp_path: Path, line: str) -> None:
    chat = read(tmp_path, f"Mira: Hello.\n{line}\nCaptain: Ho!\n")
    assert [message.text for message in chat.messages] == [f"Hello.\n{line}", "Ho!"]


@pytest.mark.req("S85")
@pytest.mark.parametrize("label", ["**{}:** {}", "**{}**: {}", "__{}:__ {}", "- **{}**：{}", "**{}：** {}"])
def test_markdown_with_bold_names_is_read(tmp_path: Path, label: str) -> None:
    first, second = label.format("Mira", "Hello.\n\nRecipe: salt"), label.format("Captain", "*nods*\n\n---")
    chat = read(tmp_path, f"# A chat\n\n{first}\n\n---\n\n{second}\n", name="talk.md")
    assert (chat.origin, chat.skipped) == ("markdown", {"preamble": 1})
    assert chat.messages == [Message("user", "Hello.\n\nRecipe: salt", "Mira"), Message("assistant", "*nods*", "Captain")]


def test_dates_before_names_are_read(tmp_path: Path) -> None:
    chat = read(tmp_path, "[2024-07-12 20:31] Mira: Hello\n[2024-07-12 20:32:05] Captain: Ho")
    assert [message.date for message in chat.messages] == ["2024-07-12T20:31", "2024-07-12T20:32:05"]


@pytest.mark.parametrize("mark", ["12:30 ", "- ", "* ", "[12:30] ", "9:05 pm - ", "- 12:30:01 "])
def test_a_time_of_day_or_a_list_mark_before_the_name_is_dropped(tmp_path: Path, mark: str) -> None:
    chat = read(tmp_path, f"{mark}Bob: hi\n{mark}Ann: hello\nand more\n{mark}Bob: bye\n")
    assert [(each.name, each.text, each.date) for each in chat.messages] == [
        ("Bob", "hi", ""),
        ("Ann", "hello\nand more", ""),
        ("Bob", "bye", ""),
    ]


def test_a_list_in_a_message_stays_in_it_unless_a_speaker_is_named(tmp_path: Path) -> None:
    chat = read(tmp_path, "Bob: hi\n- salt: a lot\n- pepper: none\nAnn: ok\nBob: fine\n12:30 Ann: yes\n")
    assert [each.text for each in chat.messages] == ["hi\n- salt: a lot\n- pepper: none", "ok", "fine", "yes"]


def test_a_known_speaker_speaks_without_bold_too(tmp_path: Path) -> None:
    chat = read(tmp_path, "**Bob:** hi\n\n**Ann:** hello\nRecipe: salt\n\nBob: ok\n- Ann: yes\n", name="talk.md")
    assert [(each.name, each.text) for each in chat.messages] == [
        ("Bob", "hi"),
        ("Ann", "hello\nRecipe: salt"),
        ("Bob", "ok"),
        ("Ann", "yes"),
    ]


@pytest.mark.req("F1")
def test_system_and_tools_and_empty_messages_are_counted(tmp_path: Path) -> None:
    chat = read(tmp_path, "System: Be nice.\nUser: Hi\nTool: 4\nAssistant:\nUser: Bye\nAssistant: Ho")
    assert [message.text for message in chat.messages] == ["Hi", "Bye", "Ho"]
    assert chat.skipped == {"system": 1, "tool": 1, "empty": 1}


@pytest.mark.parametrize("text", ["Once upon a time.\nThe end.", "{{a\nb", "[x] y"])
def test_a_text_without_speakers_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="No line of the text begins with a speaker's name") as refusal:
        read(tmp_path, text)
    assert "Name: text" in refusal.value.hint


def test_a_text_that_begins_with_a_bracket_is_no_broken_json(tmp_path: Path) -> None:
    assert read(tmp_path, "{{user}}: Hi\n{{char}}: Ho").messages[0] == Message("user", "Hi", "{{user}}")
