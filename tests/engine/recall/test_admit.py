"""What of the candidates may become cards: repeats, cooling, and what is in the prompt anyway."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.recall.story import write
from tests.engine.service_kit import Kit, rows
from tidelore.engine.model import EnsureNode, Evident, Quote


def texts(found: Any) -> list[str]:
    return [card["text"] for card in found["cards"]]


def reasons(found: Any) -> dict[str, str]:
    return {card["text"]: card["reason"] for card in found["trace"]["cards"]}


# ---- repeats ----


@pytest.mark.req("F25", "M7")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The proxy listens on port 789", "The proxy listens on port 7897"),
        ("The proxy listens on port 7890.", "The proxy listens on port 7897."),
        ("The room costs 3", "The room costs 3.50 now."),
        ("The trip to Hangzhou is on Monday.", "The trip to Beijing is on Monday."),
        ("Ann lives with Max", "Ann lives with Maxine."),
        ("Mara died.", "It is not true that Mara died."),
        ("Mara died", "Mara died in the play only."),
        ("Mara died?", "Mara died."),
        ("去杭州的旅行在周一。", "去北京的旅行在周一。"),
        ("他欠我三十块", "他欠我三十块五毛钱"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_memories_that_differ_are_never_taken_for_repeats(one: str, other: str, turned: bool) -> None:
    kit = Kit()
    told = (other, one) if turned else (one, other)
    kit.remember("c", rows(*(("Ann", text) for text in told), user="Ann"))
    assert set(texts(kit.recall("c", " ".join(told)))) == {one, other}


@pytest.mark.parametrize(
    ("one", "other"), [("Mara died.", "It is not true that Mara died."), ("Ann likes tea.", "Ann likes tea of all kinds but green.")]
)
def test_what_was_written_by_hand_is_a_clause_of_nothing(one: str, other: str) -> None:
    kit = Kit()
    for text in (one, other):
        kit.call("node.write", scope="profile", kind="fact", text=text)
    kit.remember("c", rows(("Ann", "Good morning.")))
    assert {one, other} <= set(texts(kit.recall("c", f"{one} {other}", scopes=["profile"])))


def test_a_memory_whose_sentences_all_stand_in_one_that_is_taken_is_left_out() -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "The storm broke the mast. We drifted for nine days. Nobody slept."), ("Bob", "Aye.")))
    write(kit, "c", [EnsureNode(Evident("fact", (0,), 9), "context", {"text": "We drifted for nine days"}, (Quote(0),))])
    found = kit.recall("c", "How long did the storm last, and who slept while you drifted for days?")
    assert texts(found) == ["The storm broke the mast. We drifted for nine days. Nobody slept."]
    assert reasons(found)["We drifted for nine days"] == "repeats"


@pytest.mark.req("F11")
def test_the_same_words_of_two_people_are_two_memories() -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "I never stole the crown."), ("Bob", "I never stole the crown."), ("Ann", "Then who?")))
    found = kit.recall("c", "Who stole the crown?")
    assert sorted((card["speaker"], card["text"]) for card in found["cards"] if "crown" in card["text"]) == [
        ("Ann", "I never stole the crown."),
        ("Bob", "I never stole the crown."),
    ]


# ---- what is in the prompt anyway ----

HARBOUR = rows(
    ("Ann", "The lighthouse is haunted."),
    ("Bob", "We should visit the lighthouse at noon."),
    ("Ann", "The lighthouse door is locked."),
    ("Bob", "I found a key of the lighthouse."),
)


@pytest.mark.req("P3")
@pytest.mark.parametrize("context_from", range(6))
def test_what_still_stands_in_the_prompt_is_left_out(context_from: int) -> None:
    kit = Kit()
    kit.remember("c", HARBOUR)
    found = kit.recall("c", "the lighthouse", context_from=context_from)
    assert set(texts(found)) == {row["text"] for row in HARBOUR[:context_from]}
    assert {reasons(found)[row["text"]] for row in HARBOUR[context_from:]} <= {"in context"}


@pytest.mark.req("P3")
def test_what_is_out_of_the_prompt_in_part_is_recalled() -> None:
    kit = Kit()
    kit.remember("c", HARBOUR)
    both = EnsureNode(Evident("moment", (0, 3), 0), "event", {"text": "They got into the lighthouse."}, (Quote(0), Quote(3)))
    write(kit, "c", [both], at=0, size=4)
    assert texts(kit.recall("c", "the lighthouse", context_from=1)) == ["They got into the lighthouse."]
    assert texts(kit.recall("c", "the lighthouse", context_from=0)) == []


@pytest.mark.req("P3")
def test_a_message_that_stands_in_the_prompt_again_is_left_out() -> None:
    kit = Kit()
    kit.remember("c", [*HARBOUR, *HARBOUR])
    assert texts(kit.recall("c", "the lighthouse", context_from=4)) == []


def test_a_hidden_message_is_recalled_wherever_it_stands_for_it_is_not_in_the_prompt() -> None:
    kit = Kit()
    kit.remember("c", [*HARBOUR[:2], {**HARBOUR[2], "hidden": True}, HARBOUR[3]])
    assert texts(kit.recall("c", "the lighthouse", context_from=0)) == ["The lighthouse door is locked."]
    kit.show("c", [*HARBOUR[:2], HARBOUR[2], {**HARBOUR[3], "hidden": True}])
    assert texts(kit.recall("c", "the lighthouse", context_from=0)) == ["I found a key of the lighthouse."]


# ---- cooling ----


@pytest.mark.req("S33", "S34", "S47")
def test_with_the_strict_preset_a_delivered_memory_rests_for_five_answers_and_no_weaker_one_moves_up() -> None:
    kit = Kit()
    kit.remember("c", HARBOUR)
    query = "haunted lighthouse visit noon door locked key"

    def ask() -> Any:
        return kit.recall("c", query, preset="strict")

    best = texts(ask())
    assert len(best) == 2
    found = ask()
    assert kit.call("recall.delivered", chat="c", recall=found["recall"])["new"] is True
    for _ in range(5):
        found = ask()
        assert texts(found) == []
        assert [reasons(found)[text] for text in best] == ["cooling", "cooling"]
        kit.call("recall.delivered", chat="c", recall=found["recall"])
    assert texts(ask()) == best


@pytest.mark.req("S33")
def test_cooling_only_takes_cards_away() -> None:
    kit = Kit()
    kit.remember("c", [*HARBOUR, *rows(("Ann", "The lighthouse keeper drinks."), ("Bob", "Ships avoid the lighthouse."))])
    for preset in ("strict", "wake", "plain"):
        all_of_them = kit.recall("c", "the lighthouse keeper", preset=preset, budget=130, window=preset)
        first = all_of_them["cards"][0]["node"]
        kit.call("recall.delivered", chat="c", recall=all_of_them["recall"], nodes=[first], window=preset)
        rest = kit.recall("c", "the lighthouse keeper", preset=preset, budget=130, window=preset)
        assert rest["cards"] == all_of_them["cards"][1:]


@pytest.mark.req("S33", "S47")
def test_each_window_cools_by_itself_and_only_what_was_delivered_cools() -> None:
    kit = Kit()
    kit.remember("c", HARBOUR)
    found = kit.recall("c", "haunted", preset="strict", window="one")
    assert len(found["cards"]) == 1
    assert kit.recall("c", "haunted", preset="strict", window="one")["cards"] == found["cards"]
    kit.call("recall.delivered", chat="c", recall=found["recall"], window="one")
    assert kit.recall("c", "haunted", preset="strict", window="one")["cards"] == []
    assert kit.recall("c", "haunted", preset="strict", window="two")["cards"] == found["cards"]
    assert kit.recall("c", "haunted", preset="story", window="one")["cards"][:1] == found["cards"]
    kit.restart()
    assert kit.recall("c", "haunted", preset="strict", window="one")["cards"] == []


@pytest.mark.req("S47")
def test_the_same_receipt_twice_is_one_and_with_other_memories_a_conflict() -> None:
    kit = Kit()
    kit.remember("c", HARBOUR)
    found = kit.recall("c", "the haunted lighthouse")
    nodes = [card["node"] for card in found["cards"]]
    first = kit.call("recall.delivered", chat="c", recall=found["recall"], nodes=nodes)
    assert (first["nodes"], first["new"]) == (nodes, True)
    assert kit.call("recall.delivered", chat="c", recall=found["recall"], nodes=nodes)["new"] is False
    with pytest.raises(Exception, match="already") as caught:
        kit.call("recall.delivered", chat="c", recall=found["recall"], nodes=nodes[:1])
    assert getattr(caught.value, "code", "") == "conflict"
