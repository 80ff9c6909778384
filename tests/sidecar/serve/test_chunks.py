"""Long messages in short frames."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.errors import BadInput
from tidelore.serve.chunks import MARK, Joiner, split
from tidelore.serve.faults import Refusal

LIMIT = 400


def feed(joiner: Joiner, **chunk: Any) -> str | None:
    return joiner.feed({"id": "a", "at": 0, "of": 2, "text": "x", **chunk})


@given(st.text(max_size=2000))
def test_what_is_split_is_joined_to_the_same_and_no_frame_is_too_long(text: str) -> None:
    joiner = Joiner(1 << 20)
    frames = list(split(text, "7", LIMIT))
    assert all(len(frame.encode()) <= LIMIT for frame in frames)
    if len(frames) == 1:
        assert frames == [text]
        return
    found = [joiner.feed(json.loads(frame)[MARK]) for frame in frames]
    assert found == [None] * (len(frames) - 1) + [text]


def test_halves_of_a_character_that_javascript_cut_apart_are_one_again() -> None:
    joiner = Joiner(1000)
    assert feed(joiner, text="a\ud83d") is None
    assert feed(joiner, at=1, text="\ude00b") == "a😀b"


def test_messages_may_be_interleaved() -> None:
    joiner = Joiner(1000)
    feed(joiner, text="1")
    feed(joiner, id="b", text="2")
    assert feed(joiner, at=1, text="3") == "13"
    assert feed(joiner, id="b", at=1, text="4") == "24"


@pytest.mark.parametrize(
    "chunk", [{"at": 1}, {"at": 2, "of": 2}, {"at": -1}, {"of": 0}, {"id": 5}, {"text": None}, {"at": True}, {"at": "0"}, {"of": 1.0}]
)
def test_a_chunk_that_fits_nowhere_is_named(chunk: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        feed(Joiner(1000), **chunk)


def test_what_is_not_whole_is_bounded_by_size_and_number() -> None:
    joiner = Joiner(10)
    feed(joiner, text="12345")
    with pytest.raises(Refusal) as caught:
        feed(joiner, id="b", text="北北")
    assert caught.value.code == "message_too_large"
    joiner = Joiner(1000)
    for number in range(8):
        feed(joiner, id=str(number))
    with pytest.raises(Refusal):
        feed(joiner, id="8")


def test_room_is_given_back_when_a_message_is_whole_or_broken() -> None:
    joiner = Joiner(10)
    for _ in range(5):
        feed(joiner, text="123456")
        assert feed(joiner, at=1, text="78") == "12345678"
        feed(joiner, text="123456")
        with pytest.raises(BadInput):
            feed(joiner, at=0, text="1")
