"""A recall that is asked for once more is answered from what was kept, and never with anything but what a fresh start would answer."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.engine.recall.vectors import FixedVectors
from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import ModelUnreachable
from tidelore.engine.recall import repeats
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.run import Recall, Request, recall

SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove of the mill."),
    ("Mara", "I live in Saltmarsh."),
    ("Tobin", "The ferry leaves at dawn."),
)
QUERY = "What did Biscuit steal in the mill, and where does Mara live?"
USUAL: dict[str, Any] = {"scopes": ["profile"], "beside": ["other"], "context_from": 3}


class CountedVectors(FixedVectors):
    changes = 0


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries of all recalls that were made, not taken from what was kept."""
    out: list[str] = []

    async def noted(request: Request, indexes: Sequence[Index], vectors: Any) -> Recall:
        out.append(request.text)
        return await recall(request, indexes, vectors)

    monkeypatch.setattr(repeats, "recall", noted)
    return out


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("other", rows(("Mara", "Biscuit once slept in the boat of the harbour master.")))
    kit.remember("c", SAID)
    kit.call("node.write", chat="c", kind="fact", sub="rule", text="Nobody speaks of the whale.")
    kit.call("node.write", scope="profile", kind="fact", text="Mara is afraid of herring.")
    kit.call("node.write", scope="persona:Ann", kind="fact", text="Mara hates the mill.")
    return kit


def asked(kit: Kit, query: str = QUERY, **more: Any) -> dict[str, Any]:
    """Without what is another at every recall."""
    found: dict[str, Any] = kit.recall("c", query, **{**USUAL, **more})
    del found["recall"]
    return found


def fresh(kit: Kit, **more: Any) -> dict[str, Any]:
    return asked(Kit("fresh", vectors=kit.service.vectors, store=kit.store), **more)


def changed(at: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**each, **(fields if number == at else {})} for number, each in enumerate(SAID)]


def node_of(kit: Kit, words: str) -> str:
    return str(next(node["id"] for node in kit.graph("c")["nodes"] if words in str(node["fields"])))


def written(kit: Kit) -> str:
    return str(kit.call("node.write", chat="c", kind="fact", text="Biscuit steals only herring from the mill.")["commit"])


CHANGES: dict[str, Callable[[Kit], object]] = {
    "a message edited": lambda kit: kit.remember("c", changed(1, text="Biscuit stole a lamp from the stove of the mill.")),
    "a message deleted": lambda kit: kit.show("c", SAID[:1] + SAID[2:]),
    "a message more": lambda kit: kit.remember("c", [*SAID, *rows(("Mara", "Biscuit also stole a mill stone."))]),
    "a swipe": lambda kit: kit.show("c", changed(1, text="Nothing at all was there.")),
    "a message hidden": lambda kit: kit.show("c", changed(2, hidden=True)),
    "someone renamed": lambda kit: kit.show("c", [{**each, "name": {"Tobin": "Tom"}.get(each["name"], each["name"])} for each in SAID]),
    "a date": lambda kit: kit.show("c", [{**each, "date": "2024-05-01T10:00:00Z"} for each in SAID]),
    "a memory by hand": lambda kit: written(kit),
    "a memory edited": lambda kit: kit.call(
        "node.edit", chat="c", node=node_of(kit, "herring"), fields={"text": "Biscuit took a herring from the mill."}
    ),
    "a rule more": lambda kit: kit.call("node.write", chat="c", kind="fact", sub="rule", text="Nobody speaks of the mill."),
    "a memory under a scope": lambda kit: kit.call("node.write", scope="profile", kind="fact", text="Mara loves the mill."),
    "a chat beside edited": lambda kit: kit.remember("other", rows(("Mara", "Biscuit stole the bell of the mill."))),
    "a chat beside purged": lambda kit: kit.call("chat.purge", chat="other"),
    "the chat purged and made anew": lambda kit: (kit.call("chat.purge", chat="c"), kit.remember("c", SAID)),
    "the settings": lambda kit: kit.call("settings.set", values={"recall.limit": 1}),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("context_from", [None, 2])
def test_after_any_change_it_is_what_a_fresh_start_answers(kit: Kit, made: list[str], change: str, context_from: int | None) -> None:
    before = asked(kit, context_from=context_from)
    assert asked(kit, context_from=context_from) == before
    assert len(made) == 1, "the second was kept"
    CHANGES[change](kit)
    now = asked(kit, context_from=context_from)
    assert now == fresh(kit, context_from=context_from)
    # Hidden messages stand in no prompt, so they matter only where some do.
    assert (now != before) == (change != "a message hidden" or context_from is not None), "a change that shows, or this test shows nothing"


def test_deliveries_count_though_the_memories_are_as_they_were(kit: Kit) -> None:
    params: dict[str, Any] = {"preset": "strict", "context_from": None}
    first = kit.recall("c", QUERY, **params)
    assert first["cards"]
    kit.call("recall.delivered", chat="c", recall=first["recall"])
    assert asked(kit, **params)["cards"] != first["cards"]
    assert asked(kit, **params) == fresh(kit, **params)


@pytest.mark.parametrize(
    "other",
    [
        {"query": "Where does Mara live?"},
        {"budget": 300},
        {"limit": 1},
        {"preset": "plain"},
        {"context_from": 1},
        {"reply": "The ferry leaves."},
        {"earlier": "The ferry leaves."},
        {"scopes": []},
        {"scopes": ["persona:Ann"]},
        {"beside": []},
        {"exclude": ["x"]},
        {"delivered": ["x"]},
    ],
)
def test_another_question_is_another_recall(kit: Kit, made: list[str], other: dict[str, Any]) -> None:
    asked(kit)
    assert asked(kit, **other) == fresh(kit, **other)
    assert len(made) == 3
    asked(kit, **other)
    asked(kit)
    assert len(made) == 3


def test_each_has_an_id_of_its_own_and_either_can_be_delivered(kit: Kit, made: list[str]) -> None:
    one, two = (kit.recall("c", QUERY) for _ in range(2))
    assert len(made) == 1
    assert one["recall"] != two["recall"]
    for each in (two, one):
        assert kit.call("recall.delivered", chat="c", recall=each["recall"])["nodes"] == one["nodes"]


def test_how_patient_someone_is_makes_no_other_recall(kit: Kit, made: list[str]) -> None:
    asked(kit, patience=0.5)
    asked(kit, patience=1.0)
    assert len(made) == 1


def test_what_an_embedder_says_counts_while_its_vectors_are_the_same(made: list[str]) -> None:
    vectors = CountedVectors()
    kit = Kit(vectors=vectors)
    kit.remember("other", rows(("Mara", "Nothing.")))
    kit.remember("c", SAID)
    ferry = node_of(kit, "ferry")
    before = asked(kit)
    vectors.cosines = {ferry: 0.99}
    assert asked(kit) == before, "they did not say that they are others"
    vectors.changes += 1
    now = asked(kit)
    assert now != before
    assert now == fresh(kit)
    assert len(made) == 3


def test_vectors_that_do_not_say_when_they_change_are_asked_each_time(made: list[str]) -> None:
    kit = Kit(vectors=FixedVectors())
    kit.remember("c", SAID)
    for _ in range(2):
        asked(kit)
    assert len(made) == 2


def test_what_an_embedder_was_missing_for_is_asked_again(made: list[str]) -> None:
    async def away() -> None:
        raise ModelUnreachable("No one is there.")

    vectors = CountedVectors(rule=away)
    kit = Kit(vectors=vectors)
    kit.remember("c", SAID)
    assert asked(kit)["degraded"]
    vectors.rule = None
    assert not asked(kit)["degraded"]
    assert len(made) == 2


def test_a_change_while_the_embedder_was_thinking_is_not_kept_as_what_was_before(made: list[str]) -> None:
    async def run() -> None:
        vectors = CountedVectors()
        kit = Kit(vectors=vectors)
        service = kit.service
        await service.call("chat.update", {"chat": "c", "messages": SAID})
        await service.call("extract.run", {"chat": "c", "lag": 0})

        async def meanwhile() -> None:
            vectors.rule = None
            await service.call("node.write", {"chat": "c", "kind": "fact", "text": "Biscuit stole the mill."})

        vectors.rule = meanwhile
        for _ in range(2):
            found = await service.call("recall.run", {"chat": "c", "query": QUERY})
            assert "Biscuit stole the mill." in [card["text"] for card in found["cards"]]

    asyncio.run(run())
    assert len(made) == 2


def test_only_so_many_are_kept_and_no_chat_with_them(kit: Kit, made: list[str]) -> None:
    for number in range(repeats.KEPT + 1):
        asked(kit, f"{QUERY} {number}")
    asked(kit, f"{QUERY} 1")
    assert len(made) == repeats.KEPT + 1
    asked(kit, f"{QUERY} 0")
    assert len(made) == repeats.KEPT + 2
    other = weakref.ref(kit.run_sync(kit.service.chats.open("other")).index)
    kit.call("chat.purge", chat="other")
    gc.collect()
    assert other() is None
