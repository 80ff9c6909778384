from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from tidelore.engine.errors import BadInput
from tidelore.engine.model import Message
from tidelore.host.importing import ImportedChat, load, preview

HEADER = {"user_name": "Mira", "character_name": "Old Captain", "create_date": "2024-7-12@20h31m10s", "chat_metadata": {}}


def entry(mes: object, is_user: bool = False, **more: object) -> dict[str, object]:
    return {"name": "Mira" if is_user else "Old Captain", "is_user": is_user, "is_system": False, "mes": mes, **more}


def write(folder: Path, *lines: object, name: str = "Harbour - 2024-07-12.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def only(path: Path) -> ImportedChat:
    (chat,) = load(path)
    return chat


@pytest.mark.req("S85", "T46")
def test_a_chat_comes_whole_and_in_order(tmp_path: Path) -> None:
    long = "The tide turns. " * 1000
    path = write(tmp_path, HEADER, entry(long), entry("Hello", True, send_date="November 29, 2026 9:40pm"))
    assert only(path) == ImportedChat(
        "Harbour - 2024-07-12",
        "sillytavern",
        [Message("assistant", long, "Old Captain"), Message("user", "Hello", "Mira", date="2026-11-29T21:40")],
    )


def test_a_group_chat_without_header_keeps_its_speakers(tmp_path: Path) -> None:
    path = write(tmp_path, entry("a", name="Ann"), entry("b", True), entry("c", name="Ben"))
    assert [(message.role, message.name) for message in only(path).messages] == [
        ("assistant", "Ann"),
        ("user", "Mira"),
        ("assistant", "Ben"),
    ]


def test_names_that_a_message_lacks_come_from_the_header_unless_it_has_none_either(tmp_path: Path) -> None:
    lines = entry("a", name=None), entry("b", True, name="")
    assert [message.name for message in only(write(tmp_path, HEADER, *lines)).messages] == ["Old Captain", "Mira"]
    unused = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}
    assert [message.name for message in only(write(tmp_path, unused, *lines)).messages] == ["", ""]


def test_a_hidden_message_is_kept_as_hidden(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, entry("secretly"), entry("hidden", is_system=True), {"mes": "no flag", "is_user": False})
    assert [message.hidden for message in only(path).messages] == [False, True, False]


@pytest.mark.req("F1")
@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"extra": {"type": "narrator"}}, "system"),
        ({"extra": {"type": "comment"}, "is_system": True}, "system"),
        ({"extra": {"type": "welcome_prompt"}, "is_system": True}, "system"),
        ({"extra": {"isSmallSys": True}}, "system"),
        ({"name": "SillyTavern System", "is_system": True}, "system"),
        ({"name": "Captain", "is_system": True, "force_avatar": "img/five.png"}, "system"),
        ({"extra": {"tool_invocations": [{"name": "roll"}]}, "is_system": True}, "tool"),
        ({"mes": " \n"}, "empty"),
        ({"mes": "\u0000"}, "empty"),
    ],
)
def test_what_nobody_said_is_counted_and_left_out(tmp_path: Path, more: dict[str, object], reason: str) -> None:
    chat = only(write(tmp_path, HEADER, entry("Hello"), {**entry("x"), **more}))
    assert [message.text for message in chat.messages] == ["Hello"]
    assert chat.skipped == {reason: 1}


@pytest.mark.parametrize("extra", [{"type": "assistant_message"}, {"api": "manual"}, {"tool_invocations": []}, None, "x", []])
def test_what_somebody_said_is_kept_whatever_else_is_noted_on_it(tmp_path: Path, extra: object) -> None:
    assert len(only(write(tmp_path, HEADER, entry("Hello", extra=extra))).messages) == 1


def test_the_other_swipes_are_variants_of_their_message(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER,
        entry("Hi", True),
        entry("", extra={"type": "narrator"}),
        entry("two", swipes=["one", "two", "three", "one", ""], swipe_id=1),
        entry("edited", swipes=["old", "other"], swipe_id=0),
    )
    chat = only(path)
    assert chat.variants == [(1, "one"), (1, "three"), (2, "other")]
    assert chat.notes == ()


@pytest.mark.parametrize("swipe_id", [7, -1, None, "1", 1.5, True, [], {}])
def test_a_swipe_that_is_not_there_does_no_harm_and_is_noted(tmp_path: Path, swipe_id: object) -> None:
    chat = only(write(tmp_path, HEADER, entry("two", swipes=["one", "two"], swipe_id=swipe_id)))
    assert chat.messages[0].text == "two"
    assert chat.variants == [(0, "one")]
    assert chat.notes == ("1 messages point to a swipe that is not there; the text on screen was taken.",)


@pytest.mark.parametrize("swipes", [None, "x", {}, [], [None, 3, {}]])
def test_swipes_of_another_form_are_no_variants(tmp_path: Path, swipes: object) -> None:
    chat = only(write(tmp_path, HEADER, entry("two", swipes=swipes, swipe_id=0)))
    assert (chat.messages[0].text, chat.variants) == ("two", [])


@pytest.mark.req("S85")
def test_broken_lines_are_counted_and_named_and_the_rest_comes(tmp_path: Path) -> None:
    deep = "[" * 100_000
    path = write(tmp_path, HEADER, entry("a"), '{"mes": "torn', "", "null", "[1]", entry(3), deep, "\0\0", HEADER, entry("b"))
    chat = only(path)
    assert [message.text for message in chat.messages] == ["a", "b"]
    assert chat.skipped == {"unreadable": 7}
    assert chat.notes == ("Lines that could not be read: 3, 5, 6, 7, 8, 9, 10.",)


def test_a_long_list_of_broken_lines_is_cut(tmp_path: Path) -> None:
    chat = only(write(tmp_path, HEADER, entry("a"), *["{"] * 25))
    assert chat.notes[0].endswith(", 22 and 5 more.")


def test_a_broken_first_line_does_not_hide_the_format(tmp_path: Path) -> None:
    assert only(write(tmp_path, '{"user_name": "Mi', entry("a"), entry("b"))).skipped == {"unreadable": 1}


def test_a_list_of_messages_in_one_json_value_is_a_chat_too(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps([HEADER, entry("a"), entry("b")], indent=1), name="chat.json")
    assert [message.text for message in only(path).messages] == ["a", "b"]


@pytest.mark.req("P9")
def test_messages_of_one_date_stay_apart(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, *[entry("same", send_date="2024-7-12@20h31m10s")] * 3)
    assert [message.date for message in only(path).messages] == ["2024-07-12T20:31:10"] * 3


def test_dates_that_cannot_be_read_are_left_empty_and_counted(tmp_path: Path) -> None:
    chat = only(write(tmp_path, HEADER, entry("a", send_date="29 ноября"), entry("b", send_date=""), entry("c", send_date={})))
    assert {message.date for message in chat.messages} == {""}
    assert chat.notes == ("2 dates could not be read; those messages have no date.",)


def test_half_characters_and_nul_do_not_reach_the_store(tmp_path: Path) -> None:
    chat = only(write(tmp_path, HEADER, r'{"mes": "a\ud83d b\u0000 \ud83d\ude00", "name": "\udc00M"}'))
    assert chat.messages == [Message("assistant", "a\ufffd b \U0001f600", "\ufffdM")]


@pytest.mark.req("P17")
def test_a_chat_without_any_message_is_refused_with_the_counts(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, entry("x", extra={"type": "comment"}), entry(""))
    with pytest.raises(BadInput, match=r"no message that can be imported \(empty: 1, system: 1\)"):
        list(load(path))


@pytest.mark.slow
@pytest.mark.req("T46")
def test_a_hundred_thousand_messages_come_in_seconds_and_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    extra = {"api": "openai", "model": "m", "reasoning": "r" * 800}
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(HEADER) + "\n")
        for number in range(100_000):
            line = entry(f"Message {number} from the harbour", number % 2 == 0, send_date="2024-7-12@20h31m10s", extra=extra)
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    chat = only(path)
    assert len(chat.messages) == 100_000
    assert chat.messages[-1].text == "Message 99999 from the harbour"
    del chat
    tracemalloc.start()
    preview(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The file has some 100 MB.
    assert path.stat().st_size > 90e6
    assert peak < 60e6
