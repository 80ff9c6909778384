"""The texts of all that a chat can recall are given to the embedder in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from tests.engine.recall.vectors import FixedVectors, never
from tests.engine.service_kit import Kit
from tidelore.engine.errors import BadInput, Cancelled, ModelUnreachable, NotFound
from tidelore.engine.table import Call

SAID = [{"role": "user", "name": "Mara", "text": f"The lantern number {at} burns over the quay of Saltmarsh."} for at in range(150)]


class Noting(FixedVectors):
    """Notes what it is given; from the batch numbered `fails` on it fails."""

    def __init__(self, fails: int = 1000) -> None:
        super().__init__()
        self.batches: list[dict[str, str]] = []
        self.fails = fails

    async def put(self, texts: Mapping[str, str]) -> None:
        if self.rule is not None:
            await self.rule()
        if len(self.batches) >= self.fails:
            raise ModelUnreachable("The embedder is not there.", "Start it.")
        self.batches.append(dict(texts))


def filled(vectors: Noting) -> Kit:
    """The chat was remembered before there was an embedder."""
    kit = Kit()
    kit.remember("c", SAID)
    kit.service.vectors = vectors
    return kit


def embed(kit: Kit, call: Call = Call()) -> Any:  # noqa: B008
    return kit.run_sync(kit.service.call("embed.run", {"chat": "c"}, call))


def test_all_that_can_be_recalled_is_given_once_in_batches_with_progress() -> None:
    vectors = Noting()
    kit = filled(vectors)
    seen: list[tuple[int, int]] = []
    done = embed(kit, Call(progress=lambda *at: seen.append(at)))
    chat = kit.run_sync(kit.service.chats.open("c"))
    passages = chat.index.passages()
    assert len(passages) > 128
    assert done == {"texts": len(passages), "degraded": []}
    assert [len(batch) for batch in vectors.batches] == [64, 64, len(passages) - 128]
    assert {node: text for batch in vectors.batches for node, text in batch.items()} == passages
    assert seen == [(64, len(passages)), (128, len(passages)), (len(passages), len(passages))]


def test_it_can_be_stopped_between_batches() -> None:
    vectors = Noting()
    kit = filled(vectors)
    with pytest.raises(Cancelled) as raised:
        embed(kit, Call(cancelled=lambda: len(vectors.batches) == 2))
    assert len(vectors.batches) == 2
    assert raised.value.hint.startswith("128 of ")


def test_an_embedder_that_fails_is_named_with_what_was_done() -> None:
    vectors = Noting(fails=1)
    done = embed(filled(vectors))
    assert (done["texts"], len(vectors.batches)) == (64, 1)
    assert done["degraded"] == ["embedder: The embedder is not there."]


def test_an_embedder_that_hangs_is_not_waited_for() -> None:
    vectors = Noting()
    kit = filled(vectors)
    kit.service.embed_seconds = 0.01
    vectors.rule = never
    done = embed(kit)
    assert done["texts"] == 0
    assert "late" in done["degraded"][0]


def test_without_an_embedder_it_says_so() -> None:
    kit = Kit()
    kit.remember("c", SAID[:3])
    with pytest.raises(BadInput) as raised:
        embed(kit)
    assert "embedder" in raised.value.sentence
    assert raised.value.hint
    kit.service.vectors = Noting()
    with pytest.raises(NotFound):
        kit.call("embed.run", chat="nowhere")


def test_an_empty_chat_has_nothing_to_embed() -> None:
    vectors = Noting()
    kit = Kit(vectors=vectors)
    kit.show("c", [])
    assert embed(kit) == {"texts": 0, "degraded": []}
    assert vectors.batches == []


def test_vectors_that_are_missing_or_of_what_is_gone_do_not_break_recall() -> None:
    kit = Kit()
    kit.remember("c", SAID[:20])
    moments = kit.nodes("c", "moment")
    kit.service.vectors = FixedVectors({node["id"]: 0.9 for node in moments[:10]} | {"gone": 0.99})
    query = "Which lantern burns over the quay?"
    kit.call("node.edit", chat="c", node=moments[0]["id"], fields={"text": "The stove is cold."})
    kit.call("node.retire", chat="c", node=moments[1]["id"])
    written = kit.call("node.write", chat="c", text="The lantern over the quay of Greyford is new.")
    found = kit.recall("c", query, limit=100, budget=5000)
    nodes = [card["node"] for card in found["cards"]]
    assert written["node"] in nodes, "it has no vector"
    assert moments[1]["id"] not in nodes
    assert found["degraded"] == []
    kit.call("undo", chat="c")
    kit.show("c", SAID[:2])
    found = kit.recall("c", query, limit=100, budget=5000)
    standing = {node["id"] for node in kit.graph("c")["nodes"]}
    assert found["cards"]
    assert {card["node"] for card in found["cards"]} <= standing


def test_the_chat_may_change_while_the_embedder_works() -> None:
    vectors = Noting()
    kit = filled(vectors)

    async def main() -> Any:
        async def shorter() -> None:
            await kit.service.call("chat.update", {"chat": "c", "messages": SAID[:10]})

        vectors.rule = shorter
        return await kit.service.call("embed.run", {"chat": "c"})

    assert asyncio.run(main())["degraded"] == []
    assert len(kit.nodes("c", "moment")) == 10
