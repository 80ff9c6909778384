"""Words that somebody wants gone are gone: here, in every replica, in the mirror; and nobody brings them back."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tests.engine.sync.kit import Folder, fetch, meet, mirror
from tests.engine.sync.test_exchange import POOL, SAID, told
from tidelore.engine.codec import windowed
from tidelore.engine.errors import Conflict, NotFound
from tidelore.engine.model import EnsureNode, Evident, Quote
from tidelore.engine.ports import Batch, LedgerRow, VectorModel
from tidelore.engine.sync.wire import record_out

SECRET = "herring"


class NotedVectors:
    """Vectors that can be told to forget. See `tidelore.engine.ports.Vectors`."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def model(self) -> VectorModel:
        return VectorModel("noted", 1, 1.0, 2.0)

    async def put(self, texts: Mapping[str, str]) -> None:
        self.texts.update(texts)

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        del query, k, allowed
        return []

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[1.0] * len(nodes) for _ in nodes]

    async def forget(self, nodes: Collection[str]) -> None:
        for node in nodes:
            self.texts.pop(node, None)


def node_of(kit: Kit, words: str, chat: str = "c") -> str:
    return next(str(node["id"]) for node in kit.nodes(chat, "moment") if words in node["text"])


def purge(kit: Kit, words: str, **more: Any) -> Any:
    return kit.call("node.purge", chat="c", node=node_of(kit, words), **more)


def held(kit: Kit) -> str:
    """All that a store holds, as text."""

    async def read() -> str:
        store = kit.store
        out = [json.dumps(record_out(each)) for origin in await store.heads() for each in await store.log(origin, 0, 1 << 40)]
        for kind in ("attempt", "delivery"):
            out += [json.dumps(dict(row.body)) for row in await store.ledger(kind, "", 99)]
        return "\n".join(out)

    return str(kit.run_sync(read()))


def model_commit(kit: Kit, first: int, last: int, text: str) -> None:
    """A model's commit over these messages whose one moment quotes the last."""

    async def commit() -> None:
        async with kit.service.chats.lock:
            chat = await kit.service.chats.open("c")
            window = chat.timeline.keys[first : last + 1]
            stated = EnsureNode(Evident("moment", (last - first,), 1), "event", {"text": text}, (Quote(last - first),))
            clock = kit.service.chats.tick(chat.home)
            await kit.service.chats.commit(chat, [windowed("model", [stated], window, clock=clock, replica="aa")])

    kit.run_sync(commit())


@pytest.mark.req("P27")
def test_a_preview_says_what_would_go_and_changes_nothing() -> None:
    kit = told("aa")
    before, vector = kit.graph("c"), kit.call("sync.vector")
    found = purge(kit, "stole", dry=True)
    assert (found["purge"], found["messages"], found["commits"], found["receipts"]) == ("", [1], 1, [])
    assert [each["text"] for each in found["going"]] == ["Tobin", "Biscuit"]
    assert (kit.graph("c"), kit.call("sync.vector")) == (before, vector)
    done = purge(kit, "stole")
    assert {**done, "purge": "", "receipts": []} == found
    after = {node["id"] for node in kit.graph("c")["nodes"]}
    assert {node["id"] for node in before["nodes"]} - after == {done["node"], *(each["node"] for each in done["going"])}


def test_words_that_were_purged_are_in_no_table_and_every_place_has_a_receipt() -> None:
    kit, folder = told("aa"), Folder()
    vectors = kit.service.vectors = NotedVectors()
    kit.call("extract.run", chat="c", lag=0)
    attempts = [LedgerRow("attempt", POOL, at, {"window": f"w{at}", "outcome": "failed", "error": SECRET, "raw": SECRET}) for at in (1, 2)]
    kit.run_sync(kit.store.write(Batch(ledger=attempts)))
    kit.call("node.edit", chat="c", node=node_of(kit, "stole"), fields={"text": f"stole a red {SECRET}"})
    mirror(kit, folder)
    meet(kit, Kit("bb"))
    assert SECRET in held(kit) + folder.text() + json.dumps(vectors.texts)
    node = node_of(kit, "stole")
    done = kit.call("node.purge", chat="c", node=node)
    done_too = purge(kit, "forgiven")
    assert SECRET not in held(kit)
    assert SECRET not in json.dumps(vectors.texts)
    assert [row.body["outcome"] for row in kit.run_sync(kit.store.ledger("attempt", POOL, 9))] == ["failed", "failed"]
    states = {each["place"]: (each["state"], each["count"], each["replicas"]) for each in done["receipts"]}
    assert states["store"] == ("done", 3, [])
    assert states["mirror"][0] == "waiting"
    assert states["replicas"] == ("waiting", 0, ["bb"])
    assert states["chat"] == ("outside", 1, [])
    assert states["vectors"][0] == "done"
    assert mirror(kit, folder)["held"] == []
    assert SECRET not in folder.text()
    purges = kit.call("sync.status")["purges"]
    assert [each["purge"] for each in purges] == [done_too["purge"], done["purge"]]
    assert [each["waiting"] for each in purges] == [["bb"], ["bb"]]


def test_extraction_leaves_purged_messages_out_for_good_and_says_so() -> None:
    kit = told("aa")
    purge(kit, "stole")
    for _ in range(2):
        plan = kit.call("extract.plan", chat="c", by="rules", lag=0)
        assert (plan["windows"], plan["purged"]) == ([], 1)
        plan = kit.call("extract.plan", chat="c", lag=0)
        assert [(each["first"], each["last"]) for each in plan["windows"]] == [(0, 0), (2, 2)]
        for more in ({}, {"range": [0, 2]}):
            kit.call("extract.run", chat="c", lag=0, **more)
        assert len(kit.texts("c", "moment")) == 2
        # The host's chat file still has them.
        kit.show("c", SAID[:1])
        kit.show("c", SAID)
        kit.restart()
    kit.remember("other", SAID, pool=POOL)
    assert len(kit.texts("other", "moment")) == 2
    assert not [text for text in kit.texts("other", "moment") if "stole" in text]
    kit.remember("elsewhere", SAID)
    assert len(kit.texts("elsewhere", "moment")) == 3, "a pool of its own is a memory of its own"


def test_the_graph_is_that_of_the_same_chat_from_scratch_without_the_purged_messages() -> None:
    kit, scratch = told("aa"), Kit("bb")
    purge(kit, "stole")
    kit.call("extract.run", chat="c", lag=0)
    fetch(scratch, kit)
    rebuilt = Kit("cc")

    async def tombstones() -> None:
        found = await kit.store.purges()
        await rebuilt.service.call("sync.push", {"records": [{**record_out(each), "origin": "zz", "sequence": 1} for each in found]})

    rebuilt.run_sync(tombstones())
    rebuilt.remember("c", SAID, pool=POOL)
    scratch.show("c", SAID)
    assert kit.graph("c") == rebuilt.graph("c") == scratch.graph("c")


def test_neither_an_old_replica_nor_one_that_knew_more_brings_purged_words_back() -> None:
    one, old = told("aa"), Kit("bb")
    fetch(old, one)
    old.show("c", SAID)
    # The other one has extracted and changed more meanwhile.
    model_commit(old, 0, 1, f"a {SECRET} was stolen, says the model")
    told_of = node_of(old, "says the model")
    old.call("node.edit", chat="c", node=told_of, fields={"text": f"no {SECRET} was stolen"})
    purge(one, "stole")
    purge(one, "forgiven")
    meet(one, old)
    for kit in (one, old):
        kit.call("extract.run", chat="c", lag=0)
    meet(one, old)
    for kit in (one, old):
        assert SECRET not in held(kit)
        assert kit.texts("c", "moment") == [SAID[0]["text"]]
    assert one.call("sync.vector")["chains"] == old.call("sync.vector")["chains"]
    assert [each["waiting"] for each in one.call("sync.status")["purges"]] == [[], [], []]


def test_what_other_messages_support_comes_back_with_the_next_extraction() -> None:
    kit = Kit("aa")
    kit.show("c", SAID, pool=POOL)
    model_commit(kit, 0, 1, "the cat and the herring")
    found = purge(kit, "the cat and", dry=True)
    assert found["messages"] == [1], "only what it quotes"
    purge(kit, "the cat and")
    kit.call("extract.run", chat="c", lag=0)
    assert sorted(kit.texts("c", "moment")) == sorted([SAID[0]["text"], SAID[2]["text"]])


def test_what_was_written_by_hand_goes_with_all_that_was_changed_in_it() -> None:
    kit = told("aa")
    written = kit.call("node.write", chat="c", kind="page", text=f"My {SECRET} diary.")
    kit.call("node.edit", chat="c", node=written["node"], fields={"text": f"My {SECRET} diary, part two."})
    before = kit.texts("c", "moment")
    done = kit.call("node.purge", chat="c", node=written["node"])
    assert (done["messages"], done["commits"], done["going"]) == ([], 2, [])
    assert kit.texts("c", "moment") == before
    assert kit.texts("c", "page") == []
    assert f"{SECRET} diary" not in held(kit)


def test_purging_somebody_purges_every_message_that_names_them() -> None:
    kit = told("aa")
    node = next(str(each["id"]) for each in kit.nodes("c", "entity") if each["text"] == "Biscuit")
    found = kit.call("node.purge", chat="c", node=node, dry=True)
    assert found["messages"] == [0, 1]
    kit.call("node.purge", chat="c", node=node)
    assert "Biscuit" not in held(kit)
    assert kit.texts("c", "moment") == [SAID[2]["text"]]
    kit.call("node.write", chat="c", kind="entity", name="Biscuit", sub="character")
    assert "Biscuit" in kit.texts("c", "entity"), "the name may be written anew"


def test_a_purge_is_for_a_memory_that_is_there_and_not_under_a_running_extraction() -> None:
    kit = told("aa")
    with pytest.raises(NotFound):
        kit.call("node.purge", chat="c", node="00" * 16)
    node = node_of(kit, "stole")

    async def main() -> None:
        kit.service.extracting.add(((await kit.service.chats.open("c")).record.id, "rules"))
        with pytest.raises(Conflict) as raised:
            await kit.service.call("node.purge", {"chat": "c", "node": node})
        assert raised.value.hint
        kit.service.extracting.clear()

    kit.run_sync(main())
    assert purge(kit, "stole")["purge"]


def test_a_change_to_what_was_purged_meanwhile_is_a_conflict_or_not_found() -> None:
    one, other = told("aa"), Kit("bb")
    meet(one, other)
    other.show("c", SAID)
    node = node_of(other, "stole")
    purge(one, "stole")
    meet(one, other)
    with pytest.raises((Conflict, NotFound)):
        other.call("node.edit", chat="c", node=node, fields={"text": "changed"})


# ---- chats ----


def test_a_purged_chat_is_gone_everywhere_and_an_old_replica_does_not_bring_it_back() -> None:
    one, other, old = told("aa"), Kit("bb"), Kit("cc")
    meet(one, other)
    meet(one, old)
    for kit in (other, old):
        kit.show("c", SAID)
    one.call("chat.purge", chat="c")
    meet(one, other)
    meet(other, old)
    meet(one, old)
    for kit in (one, other, old):
        assert kit.call("chat.list") == {"chats": []}
        assert SECRET not in held(kit)


def test_a_chat_that_is_shown_again_after_its_purge_is_remembered_anew_on_every_replica() -> None:
    one, other = told("aa"), told("bb")
    meet(one, other)
    one.call("chat.purge", chat="c")
    meet(one, other)
    one.remember("c", SAID, pool=POOL)
    before = one.graph("c")
    meet(one, other)
    other.show("c", SAID)
    assert other.graph("c") == before
    late = Kit("cc")
    meet(other, late)
    late.show("c", SAID)
    assert late.graph("c") == before


def test_a_branch_that_the_one_who_purged_did_not_know_keeps_its_memories() -> None:
    one, other = told("aa"), Kit("bb")
    meet(one, other)
    other.show("c", SAID)
    other.show("branch", SAID[:2], branch_of="c")
    other.call("node.write", chat="branch", kind="page", text="A note of the branch.")
    before = other.graph("branch")
    one.call("chat.purge", chat="c")
    meet(one, other)
    meet(one, other)
    assert other.graph("branch") == before
    one.show("branch", SAID[:2])
    assert one.graph("branch") == before
    assert [each["chat"] for each in one.call("chat.list")["chats"]] == ["branch"]


def test_a_new_replica_does_not_save_what_was_purged_before_the_chat_was_made_anew() -> None:
    """However the records of two others come to it."""
    one, other = told("aa"), Kit("bb")
    meet(one, other)
    one.call("chat.purge", chat="c")
    meet(one, other)
    other.show("new", rows(("Mara", "Something else.")), pool=POOL)
    meet(one, other)
    late = Kit("cc")
    whole = one.call("sync.pull", **late.call("sync.vector"), limit_bytes=1_000_000)
    first = [each for each in whole["records"] if each["origin"] == "bb"]
    for records in (first, whole["records"]):
        late.call("sync.push", **{**whole, "records": records, "before": {}})
    assert SECRET not in held(late)
    assert "cc" not in late.call("sync.vector")["vector"]
