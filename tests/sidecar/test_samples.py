"""The shape of the two sample stories: the demo and the tests that use them rely on it."""

import json
import re
from importlib import resources
from typing import Any

import pytest

Story = dict[str, Any]

LANGUAGES = ["en", "zh"]
KEYS = {
    "language",
    "title",
    "user",
    "character",
    "messages",
    "edit",
    "delete",
    "branch",
    "continue",
    "swipe",
    "hide",
    "questions",
}


def load(language: str) -> Story:
    story: Story = json.loads(resources.files("tidelore.samples").joinpath(f"{language}.json").read_text("utf-8"))
    return story


@pytest.fixture(params=LANGUAGES)
def story(request: pytest.FixtureRequest) -> Story:
    return load(request.param)


def swiped(story: Story) -> set[int]:
    return {i for i, m in enumerate(story["messages"]) if m.get("swipes")}


def test_head(story: Story) -> None:
    assert set(story) == KEYS
    assert story["language"] in LANGUAGES
    for key in ("title", "user", "character"):
        assert story[key].strip()
    assert story["user"] != story["character"]


def test_language_is_the_file_name() -> None:
    assert [load(x)["language"] for x in LANGUAGES] == LANGUAGES


def test_messages_alternate_from_a_greeting(story: Story) -> None:
    messages = story["messages"]
    assert len(messages) == 151
    for i, m in enumerate(messages):
        role = "user" if i % 2 else "assistant"
        assert m["role"] == role, i
        assert m["name"] == (story["user"] if role == "user" else story["character"]), i
        assert set(m) <= {"role", "name", "text", "date", "swipes"}, i


def test_no_text_is_empty_or_padded(story: Story) -> None:
    texts = [m["text"] for m in story["messages"] + story["branch"]["messages"]]
    texts += [s for m in story["messages"] for s in m.get("swipes", [])]
    texts += [story[k]["text"] for k in ("edit", "continue", "swipe")]
    texts += [q[k] for q in story["questions"] for k in ("question", "answer")]
    for text in texts:
        assert text.strip()
        assert text == text.strip()
        assert text.count("*") % 2 == 0, text
    current = [m["text"] for m in story["messages"]]
    assert len(set(current)) == len(current)


def test_dates_rise(story: Story) -> None:
    dates = [m["date"] for m in story["messages"] if "date" in m]
    assert dates == sorted(dates)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d", d) for d in dates)
    assert len({d[:10] for d in dates}) >= 5


def test_swipes(story: Story) -> None:
    assert len(swiped(story)) >= 4
    for i in swiped(story):
        m = story["messages"][i]
        assert m["role"] == "assistant"
        assert m["text"] not in m["swipes"]


def test_edit_delete_hide(story: Story) -> None:
    messages = story["messages"]
    edit = story["edit"]
    assert messages[edit["index"]]["role"] == "user"
    assert edit["text"] != messages[edit["index"]]["text"]
    indexes = [story[k]["index"] for k in ("edit", "delete", "hide")]
    assert all(0 < i < len(messages) - 1 for i in indexes)
    assert len(set(indexes)) == 3


def test_continue_and_swipe_are_of_the_last_message(story: Story) -> None:
    last = len(story["messages"]) - 1
    text = story["messages"][last]["text"]
    more, other = story["continue"], story["swipe"]
    assert more["index"] == other["index"] == last
    assert more["text"].startswith(text)
    assert len(more["text"]) > len(text) + 50
    assert other["text"] not in [text, *story["messages"][last].get("swipes", [])]
    assert not other["text"].startswith(text)


def test_branch(story: Story) -> None:
    at, messages = story["branch"]["at"], story["branch"]["messages"]
    assert at % 2 == 0
    assert 0 < at < len(story["messages"]) - 1
    assert len(messages) == 6
    for i, m in enumerate(messages):
        assert m["role"] == ("assistant" if i % 2 else "user")
        assert m["name"] == (story["user"], story["character"])[i % 2]
    assert messages[0]["text"] != story["messages"][at + 1]["text"]


def test_questions(story: Story) -> None:
    questions = story["questions"]
    assert len(questions) == 5
    assert any(len(q["evidence"]) > 1 for q in questions)
    touched = {story[k]["index"] for k in ("edit", "delete", "swipe", "continue", "hide")} | swiped(story)
    for q in questions:
        assert set(q) == {"question", "evidence", "answer"}
        assert 1 <= len(q["evidence"]) <= 3
        assert q["evidence"] == sorted(set(q["evidence"]))
        assert all(0 <= i < len(story["messages"]) for i in q["evidence"])
        assert not touched & set(q["evidence"]), q["question"]


@pytest.mark.parametrize(
    ("language", "answer", "where"),
    [
        ("en", "Three hundred and forty crowns", {32}),
        ("en", "blue thread", {14}),
        ("en", "He lives on her", {48}),
        ("en", "net loft", {108}),
        ("en", "Tallow Lane", {99}),
        ("en", "Because I can't read", {62}),
        ("zh", "四万六", {44}),
        ("zh", "砸核桃", {14}),
        ("zh", "楼上，二十年", {38}),
        ("zh", "灯市街十二号", {144}),
        ("zh", "上课铃", {24}),
        ("zh", "视力表背下来", {64}),
    ],
)
def test_the_answer_stands_in_the_evidence_and_nowhere_else(language: str, answer: str, where: set[int]) -> None:
    story = load(language)
    assert {i for i, m in enumerate(story["messages"]) if answer in m["text"]} == where
    assert where <= {i for q in story["questions"] for i in q["evidence"]}


def test_the_chinese_file_is_not_escaped() -> None:
    raw = resources.files("tidelore.samples").joinpath("zh.json").read_bytes()
    assert b"\\u" not in raw
    assert "芦花号".encode() in raw
