"""How much of the chat stands in the prompt anyway, told in tokens instead of as an index."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.service_kit import Kit
from tidelore.engine.errors import BadInput
from tidelore.engine.text.counting import count_tokens
from tidelore.engine.token_counts import first_that_fits, message_tokens

COLOURS = "amber blue copper dun ecru fawn grey hazel ivory jade".split()
QUERY = "Which lantern burns over the quay?"


def lanterns(hidden: frozenset[int] = frozenset()) -> list[dict[str, Any]]:
    """Ten messages that all answer the query."""
    return [
        {
            "role": "assistant" if at % 2 else "user",
            "name": ("Mara", "Tobin")[at % 2],
            "text": f"The {colour} lantern number {at} burns over the quay.",
            "hidden": at in hidden,
        }
        for at, colour in enumerate(COLOURS)
    ]


def told(kit: Kit, **more: Any) -> list[str]:
    found = kit.recall("c", QUERY, limit=20, budget=5000, **more)
    return sorted(card["text"] for card in found["cards"])


def cost(messages: list[dict[str, Any]]) -> int:
    return sum(count_tokens(each["text"]) + count_tokens(f"\n{each['name']}: ") for each in messages if not each["hidden"])


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("c", lanterns())
    return kit


def test_tokens_leave_out_what_an_index_leaves_out(kit: Kit) -> None:
    everything = told(kit)
    assert len(everything) == 10
    for first in range(11):
        by_index = told(kit, context_from=first)
        exact = cost(lanterns()[first:])
        assert told(kit, context_tokens=exact) == by_index
        if first < 10:
            assert told(kit, context_tokens=exact - 1) == told(kit, context_from=first + 1), "a message that fits in part does not fit"
    assert told(kit, context_tokens=0) == everything
    assert told(kit, context_tokens=1_000_000) == told(kit, context_from=0) == []


def test_hidden_messages_take_nothing_and_are_recalled() -> None:
    kit = Kit()
    messages = lanterns(frozenset({7, 9}))
    kit.remember("c", messages)
    recalled = told(kit, context_tokens=cost(messages[6:]))
    assert recalled == sorted(messages[at]["text"] for at in (*range(6), 7, 9))


def test_a_chat_that_grows_is_counted_anew(kit: Kit) -> None:
    tokens = cost(lanterns()[8:])
    assert told(kit, context_tokens=tokens) == told(kit, context_from=8)
    longer = {
        "role": "user",
        "name": "Mara",
        "text": "Good night to all of you who keep the long watch at the end of the pier. " * 3,
        "hidden": False,
    }
    kit.show("c", [*lanterns(), longer])
    assert cost([longer]) > tokens
    assert len(told(kit, context_tokens=tokens)) == 10
    assert told(kit, context_tokens=tokens + cost([longer])) == told(kit, context_from=8)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"context_from": 3, "context_tokens": 100}, "Both"),
        ({"context_tokens": -1}, "context_tokens is -1"),
        ({"context_tokens": 1.5}, "1.5"),
    ],
)
def test_tokens_that_mean_nothing_are_refused(kit: Kit, more: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as raised:
        kit.recall("c", QUERY, **more)
    assert words in raised.value.sentence


@given(st.lists(st.tuples(st.text(max_size=40), st.booleans()), max_size=12), st.integers(0, 120))
def test_the_newest_messages_that_fit_are_those_whose_sum_fits(said: list[tuple[str, bool]], tokens: int) -> None:
    kit = Kit()
    kit.show("c", [{"role": "user", "text": text, "name": "Ann", "hidden": hidden} for text, hidden in said])
    chat = kit.run_sync(kit.service.chats.open("c"))
    slots = chat.timeline.slots
    costs = [0 if slot.hidden else message_tokens(chat, slot) for slot in slots]
    first = first_that_fits(chat, tokens)
    assert sum(costs[first:]) <= tokens
    assert first == len(slots) or not slots[first].hidden
    visible = [at for at in range(first) if not slots[at].hidden]
    assert not visible or sum(costs[visible[-1] :]) > tokens


def test_each_text_is_counted_once(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(text: str) -> int:
        asked.append(text)
        return count_tokens(text)

    monkeypatch.setattr("tidelore.engine.token_counts.count_tokens", counted)
    for _ in range(3):
        told(kit, context_tokens=1_000_000)
    texts = [text for text in asked if "lantern" in text]
    assert sorted(texts) == sorted(each["text"] for each in lanterns())
