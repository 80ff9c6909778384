"""Words, names and vectors together; and recall when the embedder is late, fails, or gives nonsense."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.engine.recall.vectors import FixedVectors, never
from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import ModelUnreachable
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.recall.run import PATIENCE, Recall, Request, recall

CHAT = rows(
    ("Mara", "The keeper hid the amulet of Zyrrakh below the stairs."),
    ("Sena", "We bought bread and salt at the market."),
    ("Mara", "The old mill burned down in winter."),
    ("Sena", "Nobody has seen the ferryman since the flood."),
    ("Mara", "My sister paints ships in the harbour town."),
)


def remembered(vectors: FixedVectors | None = None) -> Kit:
    kit = Kit(vectors=vectors)
    kit.remember("c", CHAT)
    return kit


def ids(kit: Kit) -> dict[str, str]:
    return {node["text"]: node["id"] for node in kit.nodes("c", "moment")}


def texts(found: Any) -> list[str]:
    return [card["text"] for card in found["cards"]]


def patiently(kit: Kit, vectors: FixedVectors, patience: float = PATIENCE) -> Recall:
    async def run() -> Recall:
        chat = await kit.service.chats.open("c")
        return await recall(Request("the amulet of Zyrrakh", PRESETS["story"], 1000, 12, "en", patience=patience), [chat.index], vectors)

    return asyncio.run(run())


async def fail() -> None:
    raise ModelUnreachable("The embedder answers 500.")


@pytest.mark.req("B23", "T11")
@pytest.mark.parametrize("query", ["Zyrrakh", "What about Zyrrakh?", "tell me of zyrrakh again"])
def test_a_rare_name_in_one_memory_wins_though_vectors_name_others(query: str) -> None:
    vectors = FixedVectors()
    kit = remembered(vectors)
    vectors.cosines = {id_: 0.59 for text, id_ in ids(kit).items() if "Zyrrakh" not in text}
    assert texts(kit.recall("c", query))[0] == "The keeper hid the amulet of Zyrrakh below the stairs."


@pytest.mark.req("T11")
def test_a_memory_that_only_the_vectors_find_is_recalled_for_its_meaning() -> None:
    vectors = FixedVectors()
    kit = remembered(vectors)
    vectors.cosines = {ids(kit)["The old mill burned down in winter."]: 0.8}
    found = kit.recall("c", "a blaze destroyed something")
    assert texts(found) == ["The old mill burned down in winter."]
    assert found["trace"]["cards"][0]["reason"] == "meaning"


@pytest.mark.req("B37")
def test_a_nearest_memory_below_the_floor_of_the_model_is_not_recalled() -> None:
    vectors = FixedVectors()
    kit = remembered(vectors)
    vectors.cosines = {ids(kit)["The old mill burned down in winter."]: 0.55}
    found = kit.recall("c", "quantum chromodynamics")
    assert texts(found) == []
    assert {card["reason"] for card in found["trace"]["cards"]} == {"weak"}, "nor is what a walk reaches from it"


@pytest.mark.req("B37")
@pytest.mark.parametrize("cosine", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_similarity_is_left_out(cosine: float) -> None:
    vectors = FixedVectors()
    kit = remembered(vectors)
    expected = kit.recall("c", "the amulet of Zyrrakh")["cards"]
    vectors.cosines = dict.fromkeys(ids(kit).values(), cosine)
    assert kit.recall("c", "the amulet of Zyrrakh")["cards"] == expected


def test_vectors_of_memories_that_are_gone_are_left_out() -> None:
    vectors = FixedVectors({"gone": 0.99})
    found = remembered(vectors).recall("c", "the amulet of Zyrrakh")
    assert texts(found)[0] == "The keeper hid the amulet of Zyrrakh below the stairs."


@pytest.mark.req("P77", "T13")
def test_when_the_embedder_fails_words_and_graph_recall_and_the_answer_says_so() -> None:
    alone = remembered().recall("c", "the amulet of Zyrrakh")
    found = remembered(FixedVectors(rule=fail)).recall("c", "the amulet of Zyrrakh")
    assert found["cards"] == alone["cards"] != []
    assert found["recalled"] == alone["recalled"]
    assert found["degraded"] == ["embedder: The embedder answers 500."]
    assert alone["degraded"] == []


@pytest.mark.req("P79")
def test_an_embedder_that_hangs_does_not_hold_up_the_reply() -> None:
    assert PATIENCE == 1.5
    found = patiently(remembered(), FixedVectors(rule=never), patience=0.01)
    assert found.cards[0].document.text == "The keeper hid the amulet of Zyrrakh below the stairs."
    assert len(found.degraded) == 1
    assert "late" in found.degraded[0]


def test_when_the_caller_loses_interest_the_embedder_is_not_waited_for() -> None:
    kit = remembered()

    async def run() -> None:
        chat = await kit.service.chats.open("c")
        request = Request("the amulet", PRESETS["story"], 1000, 12, "en", patience=60.0)
        task = asyncio.create_task(recall(request, [chat.index], FixedVectors(rule=never)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_a_greeting_asks_no_embedder() -> None:
    vectors = FixedVectors(rule=fail)
    found = remembered(vectors).recall("c", "Hello!")
    assert vectors.asked == []
    assert found["degraded"] == []


@pytest.mark.req("P1")
@pytest.mark.parametrize("left", [0, 1, 3])
@pytest.mark.parametrize("refreshed", [False, True])
def test_a_chat_that_changes_while_the_embedder_thinks_is_recalled_as_it_is_then(left: int, refreshed: bool) -> None:
    vectors = FixedVectors()
    kit = remembered(vectors)
    vectors.cosines = dict.fromkeys(ids(kit).values(), 0.9)

    async def cut() -> None:
        await kit.service.call("chat.update", {"chat": "c", "messages": CHAT[:left]})
        if refreshed:
            (await kit.service.chats.open("c")).index.refresh()

    vectors.rule = cut
    found = kit.recall("c", "the amulet of Zyrrakh, the mill, the market, the ferryman")
    assert set(texts(found)) == {row["text"] for row in CHAT[:left]}
    assert {card["text"] for card in found["trace"]["cards"]} == set(texts(found))


def test_the_embedder_gets_the_question_of_a_long_text_and_no_speakers_names() -> None:
    vectors = FixedVectors()
    kit = remembered(vectors)
    kit.recall("c", "The rain fell on the roofs and the dogs slept by the fire. " * 8 + "Where did Mara's sister go with Mara?")
    assert vectors.asked == ["Where did their sister go with they?"]


def test_of_two_speakers_whose_names_begin_alike_the_longer_is_replaced_whole() -> None:
    vectors = FixedVectors()
    kit = Kit(vectors=vectors)
    kit.remember("c", rows(("Ann", "The well is dry."), ("Ann Lee", "The well was never deep.")))
    kit.recall("c", "Did Ann Lee's well dry up?")
    assert vectors.asked == ["Did their well dry up?"]
