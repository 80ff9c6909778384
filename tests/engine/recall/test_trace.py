"""Every recall explains itself, and reading changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.recall.story import write
from tests.engine.recall.vectors import FixedVectors
from tests.engine.service_kit import Kit, rows
from tidelore.engine.model import EnsureNode, Evident, Quote

CHAT = rows(
    ("Ann", "I hid the silver crown in the crypt of Brightwater."),
    ("Bob", "Did the keeper see you with the crown?"),
    ("Ann", "Corvin saw me and wants forty coins."),
    ("Bob", "Then let us pay Corvin with the crown."),
    ("Ann", "The crypt floods at high tide."),
    ("Bob", "My boat leaks."),
)
QUERIES = ("Where did Ann hide the crown?", "Corvin", "What happened in May 2023?", "the crypt", "Hello!", "Who is Ann?")


@pytest.fixture(name="kit")
def a_kit() -> Kit:
    kit = Kit()
    kit.remember("c", [{**row, "date": f"2023-05-0{at + 1}"} for at, row in enumerate(CHAT)])
    return kit


def without_id(found: Any) -> str:
    return json.dumps({name: value for name, value in found.items() if name != "recall"}, ensure_ascii=False)


@pytest.mark.req("S39")
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("dense", [False, True])
def test_the_signals_of_each_card_add_up_to_its_score(query: str, dense: bool) -> None:
    vectors = FixedVectors()
    kit = Kit(vectors=vectors if dense else None)
    kit.remember("c", [{**row, "date": f"2023-05-0{at + 1}"} for at, row in enumerate(CHAT)])
    vectors.cosines = {node["id"]: 0.3 + 0.1 * at for at, node in enumerate(kit.nodes("c", "moment"))}
    found = kit.recall("c", query)
    assert len(found["trace"]["cards"]) == found["trace"]["found"]
    for card in found["trace"]["cards"]:
        assert sum(card["signals"].values()) == pytest.approx(card["score"], abs=1e-5)
        assert 0 not in card["signals"].values()
    scores = [card["score"] for card in found["trace"]["cards"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.req("S39")
def test_the_trace_says_what_was_looked_for(kit: Kit) -> None:
    trace = kit.recall("c", "Did Corvin tell Ann about the crypt?")["trace"]
    assert trace["words"] == ["corvin", "crypt"]
    assert trace["names"] == ["Corvin", "Ann", "ann"] or set(trace["names"]) == {"Corvin", "Ann", "ann"}


@pytest.mark.req("S34", "S39", "F15")
def test_what_was_found_admitted_selected_and_delivered_is_told_apart(kit: Kit) -> None:
    found = kit.recall("c", "the crown in the crypt, the keeper, Corvin", limit=2, context_from=5)
    cards = found["trace"]["cards"]
    taken = [card["node"] for card in cards if card["taken"]]
    assert taken == [card["node"] for card in found["cards"]]
    assert len(taken) == 2 < len(cards)
    assert {card["reason"] for card in cards if card["taken"]} <= {"name", "words", "meaning", "walk", "date"}
    assert {card["reason"] for card in cards if not card["taken"]} <= {"over the limit", "in context", "weak", "repeats"}
    assert "over the limit" in {card["reason"] for card in cards}
    again = kit.recall("c", "the crown in the crypt, the keeper, Corvin", limit=2, context_from=5, preset="wake")
    assert "cooling" not in {card["reason"] for card in again["trace"]["cards"]}
    kit.call("recall.delivered", chat="c", recall=found["recall"], nodes=taken[:1])
    after = kit.recall("c", "the crown in the crypt, the keeper, Corvin", limit=2, context_from=5, preset="wake")
    assert [card["node"] for card in after["trace"]["cards"] if card["reason"] == "cooling"] == taken[:1]


def test_each_reason_is_given_where_it_holds() -> None:
    vectors = FixedVectors()
    kit = Kit(vectors=vectors)
    kit.remember("c", [{**row, "date": f"2023-05-0{at + 1}"} for at, row in enumerate(CHAT)])
    node = {row["text"]: row["id"] for row in kit.nodes("c", "moment")}
    vectors.cosines = {node["My boat leaks."]: 0.7}

    def reason(query: str, text: str, **more: Any) -> str:
        return next(str(card["reason"]) for card in kit.recall("c", query, **more)["trace"]["cards"] if card["text"] == text)

    assert reason("Corvin", "Corvin saw me and wants forty coins.") == "name"
    assert reason("at high tide", "The crypt floods at high tide.") == "words"
    assert reason("a vessel that takes on water", "My boat leaks.") == "meaning"
    assert reason("What happened in May?", "The crypt floods at high tide.") == "date"
    assert reason("What of the high tide?", "Then let us pay Corvin with the crown.") == "walk"
    assert reason("at high tide", "The crypt floods at high tide.", context_from=0) == "in context"
    assert reason("at high tide", "The crypt floods at high tide.", budget=5) == "over the budget"


@pytest.mark.req("B19")
def test_the_same_query_twenty_times_changes_neither_answer_nor_graph(kit: Kit) -> None:
    graph = json.dumps(kit.graph("c"))
    for query in QUERIES:
        assert len({without_id(kit.recall("c", query)) for _ in range(20)}) == 1
    assert json.dumps(kit.graph("c")) == graph


@pytest.mark.req("B19", "M8")
def test_neither_reading_nor_delivery_raises_importance(kit: Kit) -> None:
    write(kit, "c", [EnsureNode(Evident("moment", (0,), 5), "event", {"text": "The crown is cursed.", "importance": 6}, (Quote(0),))])
    before = kit.graph("c")
    for _ in range(20):
        found = kit.recall("c", "Is the crown cursed?")
        kit.call("recall.delivered", chat="c", recall=found["recall"])
    assert kit.graph("c") == before


def test_importance_and_recency_only_break_ties() -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "We sailed."), ("Bob", "The crew slept."), ("Ann", "We landed.")))
    nodes = [
        EnsureNode(Evident("moment", (0,), at), "event", {"text": text, "importance": importance}, (Quote(0),))
        for at, (text, importance) in enumerate(
            (("The dragon ate a sheep.", 1), ("The dragon ate a goat.", 9), ("A goat ate a dragon.", 99)), 5
        )
    ]
    write(kit, "c", nodes)
    found = kit.recall("c", "the dragon ate a sheep")
    assert found["cards"][0]["text"] == "The dragon ate a sheep."
    shares = {card["text"]: card["signals"]["importance"] for card in found["trace"]["cards"] if "dragon" in card["text"]}
    assert shares["The dragon ate a sheep."] < shares["The dragon ate a goat."] < shares["A goat ate a dragon."] <= 0.2


def test_after_a_restart_the_same_query_gives_the_same_bytes(kit: Kit) -> None:
    first = [without_id(kit.recall("c", query)) for query in QUERIES]
    kit.restart()
    assert [without_id(kit.recall("c", query)) for query in QUERIES] == first


def test_how_the_chat_came_to_stand_does_not_matter() -> None:
    plain = Kit()
    plain.remember("c", CHAT)
    kit = Kit()
    kit.remember("c", CHAT[3:])
    kit.show("c", [])
    kit.remember("c", [*CHAT[:1], *CHAT[4:]])
    kit.remember("c", [*CHAT[:1], *rows(("Bob", "The crown is made of tin.")), *CHAT[2:], *rows(("Ann", "The crown melts."))])
    kit.recall("c", "the crown")
    kit.remember("c", CHAT)
    for query in QUERIES:
        assert without_id(kit.recall("c", query)) == without_id(plain.recall("c", query))


@pytest.mark.parametrize("vectors", [False, True])
def test_memories_are_ranked_by_the_sum_of_the_signals_that_the_trace_shows(vectors: bool) -> None:
    kit = Kit(vectors=FixedVectors() if vectors else None)
    said = [
        ("AB"[at % 2], f"{what} {at}?" if at % 5 == 0 else f"The {what} {at} of Bergen, last week.") for at, what in enumerate(WHAT * 4)
    ]
    kit.remember("c", rows(*said))
    if vectors:
        nodes = [node["id"] for node in kit.nodes("c", "moment")]
        kit.service.vectors = FixedVectors({node: at / 40 for at, node in enumerate(nodes)})
    for query in ("When was the ferry late?", "Where did A see the storm of last week?", "lamp", "Who is B?"):
        cards = kit.recall("c", query, limit=100, budget=100_000)["trace"]["cards"]
        assert len(cards) > 3
        assert [card["score"] for card in cards] == sorted((card["score"] for card in cards), reverse=True)
        assert all(sum(card["signals"].values()) == pytest.approx(card["score"], abs=1e-5) for card in cards)


WHAT = ["ferry", "storm", "lamp", "ledger", "violin", "harbour", "key"]
