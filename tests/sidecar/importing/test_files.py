from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidelore.engine.errors import BadInput, NotFound
from tidelore.host.importing import detect, load, preview

HEADER = '{"user_name": "我", "character_name": "船长", "chat_metadata": {}}'
LINE = '{"name": "船长", "is_user": false, "mes": "今晚起航", "send_date": "2024-7-12@20h31m10s"}'


@pytest.mark.req("S85")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chat.jsonl", f"{HEADER}\r\n{LINE}\r\n{LINE}\r\n"),
        ("chat.json", f"[{LINE},\r\n{LINE}]"),
        ("chat.txt", "船长：今晚起航\r\n我：好\r\n船长：今晚起航\r\n"),
    ],
)
def test_encodings_that_people_have_are_read(tmp_path: Path, encoding: str, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    (chat,) = load(path)
    assert [message.text for message in chat.messages if message.name == "船长"] == ["今晚起航"] * 2
    assert ("Read as GB18030, because it is not UTF-8." in chat.notes) == (encoding == "gb18030")


def test_a_torn_character_breaks_its_line_only(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    line = LINE.encode()
    path.write_bytes(b"\n".join([HEADER.encode(), line, line[:50] + b"\xe4\n" + line, line]))
    (chat,) = load(path)
    assert [message.text for message in chat.messages] == ["今晚起航"] * 3
    assert chat.skipped == {"unreadable": 1}
    assert chat.notes == ("1 lines hold bytes that are not UTF-8.", "Lines that could not be read: 3.")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"PK\x03\x04rest", "is a ZIP archive"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "No line of the text|encoding|not a text file"),
        (b"\0\0\0\0", "is not a text file"),
        ("a".encode("utf-32"), "is written in UTF-32"),
        (b"\xff\xff\xff\n\xfe\xff\xff", "The encoding of x.json is not known"),
        (b"{", "is broken JSON"),
        (b'{"a": 1}', "holds no chat"),
        (b"[]", "holds no chat"),
        (b"[1, null, []]", "holds no chat"),
        (b"3", "No line of the text"),
        (b"[" * 200_000, "nested too deeply|broken JSON"),
        (b'{"messages":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b'{"messages": []}', "no message that can be imported"),
        (b'{"mapping": {}}', "no message that can be imported"),
        (b'[{"a": ' + b"9" * 10_000 + b"}]", "broken JSON"),
    ],
)
def test_a_file_that_holds_no_chat_is_refused_with_a_hint(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=sentence) as refusal:
        list(load(path))
    assert refusal.value.hint


def test_a_file_is_refused_at_the_call(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"")
    with pytest.raises(BadInput):
        load(path)
    with pytest.raises(NotFound):
        load(tmp_path / "missing.jsonl")
    with pytest.raises(BadInput, match="cannot be read"):
        load(tmp_path)


def test_nul_bytes_after_a_crash_are_unreadable_lines(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(f"{HEADER}\n{LINE}\n".encode() + b"\0" * 5000)
    (chat,) = load(path)
    assert (len(chat.messages), chat.skipped) == (1, {"unreadable": 1})


@pytest.mark.parametrize(
    ("value", "format_"),
    [
        ([{"mapping": {}}], "chatgpt"),
        ([{"chat_messages": []}], "claude"),
        ({"messages": [], "user_name": "x"}, "messages"),
        ([{"role": "user", "content": ""}], "messages"),
        ([{"mes": ""}], "sillytavern"),
    ],
)
def test_the_form_decides_the_format_whatever_the_name(tmp_path: Path, value: object, format_: str) -> None:
    path = tmp_path / "anything.bin"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert detect(path) == format_


@pytest.mark.req("S85")
def test_a_preview_tells_what_would_come(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    hidden = '{"name": "我", "is_user": true, "is_system": true, "mes": "嘘", "swipes": ["嘘", "不"], "swipe_id": 0}'
    path.write_text("\n".join([HEADER, LINE, hidden, LINE, "{"]), encoding="utf-8")
    seen = preview(path)
    (chat,) = seen.chats
    assert seen.format == "sillytavern"
    assert (chat.title, chat.messages, chat.from_user, chat.hidden, chat.variants) == ("chat", 3, 1, 1, 1)
    assert (chat.speakers, chat.first, chat.last) == (("船长", "我"), "2024-07-12T20:31:10", "2024-07-12T20:31:10")
    assert [message.text for message in chat.sample] == ["今晚起航", "嘘", "今晚起航"]
    assert (chat.skipped, chat.notes) == ({"unreadable": 1}, ("Lines that could not be read: 5.",))


KEYS = st.sampled_from(
    "mapping current_node message messages author role content parts content_type fragments type text parent metadata "
    "chat_messages sender uuid parent_message_uuid files mes swipes swipe_id extra name user_name send_date is_user title a".split()
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["user", "human", "text", "a", "REQUEST"]) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=JSON, broken=st.booleans())
def test_json_of_any_form_is_read_or_refused(tmp_path: Path, value: object, broken: bool) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value)[: -1 if broken else None], encoding="utf-8")
    _read_or_refuse(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text(alphabet='aB:：*_[]{}"\r\n \0我', max_size=80).map(str.encode))
def test_bytes_of_any_kind_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    _read_or_refuse(path)


def _read_or_refuse(path: Path) -> None:
    try:
        chats = list(load(path))
    except BadInput as refusal:
        refusal.sentence.encode()
        return
    for chat in chats:
        " ".join((chat.title, *chat.notes)).encode()
    for message in (message for chat in chats for message in chat.messages):
        assert message.text.strip()
        assert "\0" not in message.text
        message.text.encode()
        message.name.encode()
