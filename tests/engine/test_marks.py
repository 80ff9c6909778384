"""Pinned, archived, private: how a person wants a memory to be treated, and that every part of recall does so."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tidelore.engine.codec import windowless
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.model import Patch
from tidelore.engine.ports import VectorModel

QUESTION = "Who drowned at Alder Bridge last winter?"


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _recalled(kit: CareKit, **more: Any) -> str:
    found = kit.recall(CHAT, QUESTION, **more)
    return str(found["core"] + found["recalled"])


@pytest.mark.req("M33")
def test_what_is_pinned_is_in_every_prompt_and_says_who_said_it(kit: CareKit) -> None:
    node = kit.id_of(STORY[0]["text"])
    assert STORY[0]["text"] not in _recalled(kit, limit=1)
    done = kit.call("node.pin", chat=CHAT, node=node)
    found = kit.recall(CHAT, QUESTION, limit=1)
    assert f"Mara: {STORY[0]['text']}" in found["core"]
    assert STORY[0]["text"] not in found["recalled"]
    assert node in found["nodes"]
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert STORY[0]["text"] not in _recalled(kit, limit=1)


def test_what_is_pinned_comes_before_rules_and_stays_within_the_budget(kit: CareKit) -> None:
    rules = [f"Rule number {number}: the bell of the chapel by the weir is rung {number} times at dusk." for number in range(40)]
    kit.call("nodes.write", chat=CHAT, items=[{"kind": "fact", "sub": "rule", "text": rule} for rule in rules])
    assert STORY[2]["text"] not in kit.recall(CHAT, QUESTION, budget=200)["core"]
    kit.call("node.pin", chat=CHAT, node=kit.id_of(STORY[2]["text"]))
    found = kit.recall(CHAT, QUESTION, budget=200)
    assert STORY[2]["text"] in found["core"].splitlines()[2]
    assert found["tokens"] <= 200


def test_an_outdated_fact_is_not_told_as_true_because_it_is_pinned(kit: CareKit) -> None:
    old = kit.fact(2, "The ferryman is alive.", attribute="fate")
    kit.call("node.pin", chat=CHAT, node=old)
    assert "The ferryman is alive." in _recalled(kit)
    kit.fact(3, "The ferryman is dead.", attribute="fate")
    assert "The ferryman is alive." not in _recalled(kit)


@pytest.mark.req("M9")
def test_what_is_archived_is_not_recalled_but_found(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    assert STORY[3]["text"] in _recalled(kit)
    kit.call("node.archive", chat=CHAT, node=node)
    assert STORY[3]["text"] not in _recalled(kit)
    assert kit.node(node)["state"] == "archived"
    (row,) = kit.call("node.list", chat=CHAT, query="drowned last winter")["nodes"]
    assert (row["id"], row["state"]) == (node, "archived")
    kit.call("node.unarchive", chat=CHAT, node=node)
    assert STORY[3]["text"] in _recalled(kit)


@pytest.mark.req("M16")
def test_what_is_private_is_in_no_prompt_and_no_graph_that_does_not_ask(kit: CareKit) -> None:
    node = kit.id_of(STORY[3]["text"])
    done = kit.call("node.private", chat=CHAT, node=node)
    assert STORY[3]["text"] not in _recalled(kit)
    assert node not in {each["id"] for each in kit.graph(CHAT)["nodes"]}
    assert node in {each["id"] for each in kit.call("graph.get", chat=CHAT, private=True)["nodes"]}
    assert STORY[3]["text"] not in str(kit.call("node.list", chat=CHAT, private=False))
    for form in ("markdown", "jsonl"):
        assert STORY[3]["text"] not in kit.call("export", chat=CHAT, format=form)["text"]
    kit.call("undo", chat=CHAT, commit=done["commit"])
    assert STORY[3]["text"] in _recalled(kit)


def test_a_private_fact_is_not_in_the_state_that_is_told_of_somebody(kit: CareKit) -> None:
    node = kit.fact(3, "The ferryman drowned last winter.")
    kit.call("node.private", chat=CHAT, node=node)
    assert kit.call("state.get", chat=CHAT, about="Ferryman")["facts"] == []


class Heard:
    """Vectors that only note what they are sent."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def put(self, texts: Mapping[str, str]) -> None:
        self.texts += texts.values()

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        del query, k, allowed
        return []

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(one == other) for other in nodes] for one in nodes]

    def model(self) -> VectorModel:
        return VectorModel("heard", 2, 1.0, 0.5)


@pytest.mark.req("M16")
def test_what_is_private_is_sent_to_no_embedder() -> None:
    heard = Heard()
    kit = CareKit(vectors=heard)
    kit.call("node.private", chat=CHAT, node=kit.id_of(STORY[3]["text"]))
    heard.texts.clear()
    kit.call("embed.run", chat=CHAT)
    assert any(STORY[5]["text"] in text for text in heard.texts)
    assert not any(STORY[3]["text"] in text for text in heard.texts)


@pytest.mark.req("M16")
def test_what_is_private_is_shown_to_no_memory_model() -> None:
    asked: list[str] = []

    class Model:
        name = "model"

        async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
            del schema, budget
            asked.append(messages[1]["content"])
            return '{"operations": []}'

    kit = CareKit(complete=Model())
    secret = kit.fact(3, "The ferryman had a daughter named Ilse.")
    kit.fact(3, "The ferryman had a boat.")
    kit.call("node.private", chat=CHAT, node=secret)
    kit.show(CHAT, [*STORY, {"role": "user", "text": "And the ferryman, did he have a daughter, a boat?", "name": "Mara"}])
    kit.call("extract.run", chat=CHAT, by="model", lag=0, range=[6, 6])
    assert "had a boat" in asked[-1]
    assert "Ilse" not in asked[-1]


def test_marks_are_no_knowledge_of_a_person(kit: CareKit) -> None:
    """A mark on a bare name does not make it a card, and is never printed."""
    entity = kit.id_of("Mara")
    before = kit.recall(CHAT, "Mara")
    kit.call("node.archive", chat=CHAT, node=entity)
    kit.call("node.unarchive", chat=CHAT, node=entity)
    kit.call("node.pin", chat=CHAT, node=entity)
    found = kit.recall(CHAT, "Mara")
    assert "pinned" not in found["core"] + found["recalled"]
    assert [card["node"] for card in found["cards"]] == [card["node"] for card in before["cards"]]


def test_pinning_takes_out_of_the_archive_and_archiving_unpins(kit: CareKit) -> None:
    node = kit.id_of(STORY[0]["text"])
    kit.call("node.archive", chat=CHAT, node=node)
    kit.call("node.pin", chat=CHAT, node=node)
    assert {"pinned": True}.items() <= kit.node(node)["fields"].items()
    assert "archived" not in kit.node(node)["fields"]
    kit.call("node.private", chat=CHAT, node=node)
    assert "pinned" not in kit.node(node)["fields"]
    with pytest.raises(Conflict, match="private"):
        kit.call("node.pin", chat=CHAT, node=node)


def test_a_mark_that_is_there_is_said(kit: CareKit) -> None:
    node = kit.id_of(STORY[0]["text"])
    with pytest.raises(Conflict, match="not pinned"):
        kit.call("node.unpin", chat=CHAT, node=node)
    kit.call("node.pin", chat=CHAT, node=node)
    with pytest.raises(Conflict, match="pinned already"):
        kit.call("node.pin", chat=CHAT, node=node)
    with pytest.raises(BadInput):
        kit.call("node.edit", chat=CHAT, node=node, fields={"pinned": "yes"})


def test_two_devices_that_pin_the_same_memory_wait_for_nothing(kit: CareKit) -> None:
    node = kit.id_of(STORY[0]["text"])
    chat = kit.run_sync(kit.service.chats.open(CHAT))
    first = kit.call("node.pin", chat=CHAT, node=node)
    clock = kit.service.chats.tick(chat.home)
    other = windowless("person", [Patch(node, "pinned", None, True)], clock=clock, replica="other", chat=chat.record.id)
    kit.run_sync(kit.service.chats.commit(chat, [other]))
    assert kit.call("stats", chat=CHAT)["waiting"] == []
    kit.call("undo", chat=CHAT, commit=first["commit"])
    assert kit.node(node)["fields"]["pinned"] is True
    kit.call("undo", chat=CHAT, commit=other.id)
    assert "pinned" not in kit.node(node)["fields"]


def test_a_page_cannot_be_pinned(kit: CareKit) -> None:
    page = kit.call("node.write", chat=CHAT, kind="page", text="Dear diary.")["node"]
    with pytest.raises(BadInput, match="page"):
        kit.call("node.pin", chat=CHAT, node=page)


def test_a_mark_stays_when_the_message_comes_back(kit: CareKit) -> None:
    node = kit.id_of(STORY[0]["text"])
    kit.call("node.pin", chat=CHAT, node=node)
    kit.edit_story(0, "Nothing burns.")
    assert STORY[0]["text"] not in _recalled(kit)
    kit.remember(CHAT, STORY)
    assert STORY[0]["text"] in _recalled(kit)


def test_no_sub_of_a_schema_can_take_the_name_of_a_mark(kit: CareKit) -> None:
    sub = {"name": "vow", "meaning": "a vow", "fields": [{"name": "pinned", "meaning": "x"}]}
    with pytest.raises(BadInput, match="pinned"):
        kit.call("schema.set", schema={"kinds": {"fact": [sub]}})
