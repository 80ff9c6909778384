"""Cards to decide: what contradicts and what is there twice is found without a model, and stays decided until its evidence changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.model import EnsureNode, Named
from tidelore.engine.ports import VectorModel

DEAD, GONE = "The ferryman lies in the churchyard.", "The ferryman lies in the river."


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _cards(kit: CareKit, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kit.call("cards.list", chat=CHAT, **more)["cards"]
    return found


def _conflict(kit: CareKit) -> dict[str, Any]:
    kit.fact(0, DEAD, attribute="grave", value="churchyard")
    kit.fact(3, GONE, attribute="grave", value="river")
    (card,) = _cards(kit)
    return card


def _duplicate(kit: CareKit) -> dict[str, Any]:
    kit.fact(2, "The ferryman wants a copper for each crossing.")
    kit.fact(4, "The ferryman wants a copper for every crossing.")
    (card,) = _cards(kit)
    return card


def _decide(kit: CareKit, card: dict[str, Any], choice: str, **more: Any) -> Any:
    return kit.call("cards.decide", chat=CHAT, card=card["id"], choice=choice, **more)


@pytest.mark.req("M6")
def test_two_people_who_say_different_things_are_a_conflict_with_the_very_words(kit: CareKit) -> None:
    card = _conflict(kit)
    assert (card["kind"], card["reason"], card["about"], card["attribute"]) == ("conflict", "speakers", "Ferryman", "grave")
    assert (card["old"]["text"], card["old"]["speakers"], card["old"]["first"]) == (DEAD, ["Mara"], 0)
    assert (card["new"]["text"], card["new"]["speakers"], card["new"]["first"]) == (GONE, ["Tobin"], 3)
    assert [each["text"] for each in card["new"]["messages"]] == [STORY[3]["text"]]


def test_somebody_who_changes_their_mind_is_no_conflict(kit: CareKit) -> None:
    kit.fact(0, DEAD, attribute="grave", value="churchyard")
    kit.fact(4, GONE, attribute="grave", value="river")
    assert _cards(kit) == []


def test_what_changes_by_itself_is_no_conflict_once_time_went_by(kit: CareKit) -> None:
    kit.fact(0, "The ferryman is at the mill.", sub="state", attribute="place", value="mill")
    kit.fact(5, "The ferryman is at the weir.", sub="state", attribute="place", value="weir")
    assert _cards(kit) == []
    kit.fact(4, "The ferryman is at the inn.", sub="state", attribute="place", value="inn")
    assert [card["new"]["text"] for card in _cards(kit)] == ["The ferryman is at the weir."]


def test_two_beliefs_of_two_people_are_no_conflict(kit: CareKit) -> None:
    kit.fact(0, DEAD, sub="belief", attribute="grave", value="churchyard", held_by="Mara")
    kit.fact(3, GONE, sub="belief", attribute="grave", value="river", held_by="Tobin")
    assert _cards(kit) == []


def test_one_message_that_says_both_is_a_conflict(kit: CareKit) -> None:
    kit.fact(3, DEAD, attribute="grave", value="churchyard")
    kit.fact(3, GONE, attribute="grave", value="river")
    assert [card["reason"] for card in _cards(kit)] == ["message"]


def test_a_doubt_that_somebody_stated_is_a_card(kit: CareKit) -> None:
    one, other = kit.fact(0, "The lantern is lit by the miller."), kit.fact(5, "The sexton walks at night.", "Sexton")
    kit.call("edge.add", chat=CHAT, start=one, end=other, type="doubt", author="tool")
    (card,) = _cards(kit)
    assert (card["kind"], card["reason"]) == ("conflict", "doubt")
    kit.call("node.private", chat=CHAT, node=one)
    assert _cards(kit) == []
    kit.call("node.public", chat=CHAT, node=one)
    _decide(kit, card, "keep_both")
    assert _cards(kit) == []
    assert {one, other} <= {node["id"] for node in kit.graph(CHAT)["nodes"]}


@pytest.mark.parametrize(
    ("choice", "shown", "current"),
    [
        ("keep_old", {DEAD}, {DEAD}),
        ("keep_new", {DEAD, GONE}, {GONE}),
        ("keep_both", {DEAD, GONE}, {DEAD, GONE}),
        ("merge", {GONE}, {GONE}),
    ],
)
def test_a_conflict_is_decided_by_one_commit_that_an_undo_takes_back(kit: CareKit, choice: str, shown: set[str], current: set[str]) -> None:
    card = _conflict(kit)
    before = kit.all()
    done = _decide(kit, card, choice)
    facts = kit.nodes(CHAT, "fact")
    assert {node["text"] for node in facts} == shown
    assert {node["text"] for node in facts if node["state"] == "current"} == current
    assert {fact["text"] for fact in kit.call("state.get", chat=CHAT, about="Ferryman")["facts"]} == current
    assert _cards(kit) == []
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == before
    assert _cards(kit) == [card]


@pytest.mark.parametrize(("choice", "left"), [("keep_old", 0), ("keep_new", 1), ("keep_both", None), ("merge", 1)])
def test_a_duplicate_is_decided_by_one_commit_that_an_undo_takes_back(kit: CareKit, choice: str, left: int | None) -> None:
    card = _duplicate(kit)
    assert (card["kind"], card["reason"]) == ("duplicate", "words")
    texts = [card["old"]["text"], card["new"]["text"]]
    before = kit.all()
    done = _decide(kit, card, choice)
    assert sorted(kit.texts(CHAT, "fact")) == sorted(texts if left is None else [texts[left]])
    assert _cards(kit) == []
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert kit.all() == before
    assert _cards(kit) == [card]


def test_one_text_can_be_given_for_both(kit: CareKit) -> None:
    card = _duplicate(kit)
    with pytest.raises(BadInput, match="merge alone"):
        _decide(kit, card, "keep_old", text="A crossing costs a copper.")
    _decide(kit, card, "merge", text="A crossing costs a copper.")
    assert kit.texts(CHAT, "fact") == ["A crossing costs a copper."]


def test_a_decided_card_comes_back_when_its_evidence_has_changed(kit: CareKit) -> None:
    card = _conflict(kit)
    _decide(kit, card, "keep_new")
    assert _cards(kit) == []
    kit.tell(3)
    assert _cards(kit) == []
    kit.call("node.edit", chat=CHAT, node=card["new"]["node"], fields={"text": "The ferryman lies under the weir."})
    assert [each["id"] for each in _cards(kit)] == [card["id"]]


def test_a_decision_goes_with_the_message_behind_it(kit: CareKit) -> None:
    card = _conflict(kit)
    _decide(kit, card, "keep_old")
    kit.edit_story(0, "Nothing burns.")
    assert [node["text"] for node in kit.nodes(CHAT, "fact")] == [GONE]
    kit.remember(CHAT, STORY)
    assert ([node["text"] for node in kit.nodes(CHAT, "fact")], _cards(kit)) == ([DEAD], [])


@pytest.mark.req("M36", "F25")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ferryman wants 3 coppers for each crossing.", "The ferryman wants 4 coppers for each crossing."),
        ("The ferryman will carry Mara over the river.", "The ferryman will carry Tobin over the river."),
        ("The ferryman will row over the river tonight.", "The ferryman will not row over the river tonight."),
        ("船夫每次渡河要三个铜板。", "船夫每次渡河要五个铜板。"),
        ("船夫今晚会渡过这条河。", "船夫今晚不会渡过这条河。"),
    ],
)
def test_facts_that_differ_in_a_number_a_name_or_a_not_are_never_duplicates(kit: CareKit, one: str, other: str) -> None:
    kit.fact(2, one)
    kit.fact(4, other)
    assert _cards(kit, alike=0.5) == []


def test_facts_about_two_people_are_no_duplicates(kit: CareKit) -> None:
    kit.fact(2, "He wants a copper for each crossing.", "Ferryman")
    kit.fact(4, "He wants a copper for every crossing.", "Sexton")
    assert _cards(kit) == []


def test_han_texts_that_say_the_same_are_duplicates(kit: CareKit) -> None:
    kit.fact(2, "船夫每次渡河都要收一个铜板。")
    kit.fact(4, "船夫每次渡河都要收一个铜板的。")
    assert [card["reason"] for card in _cards(kit)] == ["words"]


class Near:
    """Vectors by which every two texts are alike."""

    async def put(self, texts: Mapping[str, str]) -> None:
        del texts

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        del query, k, allowed
        return []

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[1.0 if one == other else 0.97 for other in nodes] for one in nodes]

    def model(self) -> VectorModel:
        return VectorModel("near", 2, 1.0, 0.5)


def test_an_embedder_finds_what_says_the_same_in_other_words() -> None:
    said = (2, "The ferryman takes one copper for the crossing."), (4, "For the crossing the ferryman asks a single copper.")
    without = CareKit()
    with_ = CareKit(vectors=Near())
    for kit in (without, with_):
        for index, text in said:
            kit.fact(index, text)
    assert _cards(without) == []
    assert [(card["reason"], card["likeness"]) for card in _cards(with_)] == [("meaning", 0.97)]
    with_.fact(5, "The ferryman takes three coppers for the crossing at night, if the moon is out and nobody else waits.")
    assert len(_cards(with_)) == 1


def test_a_name_that_the_model_takes_for_another_is_a_card_and_merges(kit: CareKit) -> None:
    kit.tell(5, EnsureNode(Named("Harl"), "character"), EnsureNode(Named("Old Harl"), "character", {"suggested_aliases": ("Harl",)}))
    (card,) = _cards(kit)
    assert (card["kind"], card["reason"]) == ("duplicate", "name")
    _decide(kit, card, "merge")
    assert _cards(kit) == []
    assert kit.call("state.get", chat=CHAT, about="Harl")["node"] == kit.call("state.get", chat=CHAT, about="Old Harl")["node"]


def test_an_archived_or_hidden_fact_asks_nothing(kit: CareKit) -> None:
    card = _duplicate(kit)
    kit.call("node.archive", chat=CHAT, node=card["old"]["node"])
    assert _cards(kit) == []
    kit.call("node.unarchive", chat=CHAT, node=card["old"]["node"])
    kit.call("node.retire", chat=CHAT, node=card["old"]["node"])
    assert _cards(kit) == []


def test_the_same_cards_are_found_after_a_new_start_and_in_any_order(kit: CareKit) -> None:
    _conflict(kit)
    _duplicate_texts = kit.fact(2, "The boat has a black sail.", "Boat"), kit.fact(4, "The boat has one black sail.", "Boat")
    cards = _cards(kit)
    assert [card["kind"] for card in cards] == ["conflict", "duplicate"]
    kit.restart()
    assert _cards(kit) == cards
    assert {cards[1]["old"]["node"], cards[1]["new"]["node"]} == set(_duplicate_texts)


def test_a_card_that_is_not_there_and_a_share_that_is_none_are_refused(kit: CareKit) -> None:
    with pytest.raises(NotFound, match="no such card"):
        kit.call("cards.decide", chat=CHAT, card="0" * 32, choice="keep_old")
    with pytest.raises(BadInput, match="alike"):
        kit.call("cards.list", chat=CHAT, alike=0.1)
