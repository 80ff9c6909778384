"""The pool's id travels with the chat: two devices that open one chat make one record, and a branch finds its pool without its parent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.ports import Batch, ChatRecord

POOL, OTHER = "0f" * 16, "ab" * 16
SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove."),
    ("Mara", "Then she is forgiven, since the herring was old."),
)


@pytest.fixture
def kit() -> Kit:
    return Kit()


def listed(kit: Kit) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kit.call("chat.list")["chats"]
    return found


def records(kit: Kit) -> dict[str, ChatRecord]:
    return {record.name: record for record in kit.run_sync(kit.service.chats.records())}


def carry(pool: str, source: Kit, target: Kit) -> None:
    """What a sync does to a pool; the other side reads it at its next start."""
    held = source.run_sync(source.store.pool(pool, 0))
    target.run_sync(target.store.write(Batch(pool, held.sources, held.commits)))
    target.restart()


def test_a_new_chat_is_made_on_the_pool_that_it_brings(kit: Kit) -> None:
    kit.remember("c", SAID, pool=POOL)
    kit.show("without", SAID)
    assert [(each["chat"], each["pool"]) for each in listed(kit)] == [("c", POOL), ("without", records(kit)["without"].pool)]
    kit.restart()
    assert kit.call("chat.list")["chats"][0]["pool"] == POOL
    assert kit.nodes("c", "moment")


def test_two_devices_that_open_one_chat_make_one_record() -> None:
    one, two = Kit("one"), Kit("two")
    for kit in (one, two):
        kit.show("c", SAID, pool=POOL)
        kit.show("d", SAID, pool=POOL)
        kit.show("branch", SAID[:1], branch_of="c", pool=POOL)
    ids = [{name: (record.id, record.pool, record.parent) for name, record in records(kit).items()} for kit in (one, two)]
    assert ids[0] == ids[1]
    assert len({record.id for record in records(one).values()}) == 3
    three = Kit("three")
    three.show("c", SAID, pool=OTHER)
    assert records(three)["c"].id != records(one)["c"].id, "another pool, another chat"


def test_what_one_device_remembers_stands_on_the_other_when_the_pool_is_there() -> None:
    one, two = Kit("one"), Kit("two")
    one.remember("c", SAID, pool=POOL)
    one.call("node.edit", chat="c", node=one.nodes("c", "moment")[0]["id"], fields={"text": "changed on the first device"})
    two.show("c", SAID, pool=POOL)
    assert two.graph("c")["nodes"] == []
    carry(POOL, one, two)
    assert two.graph("c") == one.graph("c")
    assert "changed on the first device" in two.texts("c", "moment")


def test_a_second_chat_on_one_pool_has_its_memories_at_once(kit: Kit) -> None:
    kit.remember("c", SAID, pool=POOL)
    kit.show("copy", SAID[:2], pool=POOL)
    assert kit.call("extract.plan", chat="copy", by="rules", lag=0)["windows"] == []
    assert len(kit.nodes("copy", "moment")) == 2


def test_a_branch_uses_its_parents_pool_with_or_without_naming_it(kit: Kit) -> None:
    kit.remember("c", SAID, pool=POOL)
    kit.show("one", SAID[:1], branch_of="c")
    kit.show("two", SAID[:1], branch_of="c", pool=POOL)
    assert {each["pool"] for each in listed(kit)} == {POOL}
    assert [each["branch_of"] for each in listed(kit)] == ["", "c", "c"]
    with pytest.raises(BadInput) as raised:
        kit.show("three", SAID[:1], branch_of="c", pool=OTHER)
    assert POOL in raised.value.hint
    assert len(listed(kit)) == 3


def test_a_branch_whose_parent_is_not_here_is_made_on_the_pool_and_finds_its_memories_later() -> None:
    one, two = Kit("one"), Kit("two")
    one.remember("c", SAID, pool=POOL)
    one.call("node.edit", chat="c", node=one.nodes("c", "moment")[0]["id"], fields={"text": "changed in the parent"})
    one.show("branch", SAID, branch_of="c", pool=POOL)
    with pytest.raises(NotFound) as raised:
        two.show("branch", SAID, branch_of="c")
    assert "pool" in raised.value.hint
    assert listed(two) == []
    two.show("branch", SAID, branch_of="c", pool=POOL)
    assert [(each["branch_of"], each["parent_gone"], each["pool"]) for each in listed(two)] == [("", True, POOL)]
    carry(POOL, one, two)
    assert "changed in the parent" in two.texts("branch", "moment")
    assert two.graph("branch") == one.graph("branch")
    two.show("c", SAID, pool=POOL)
    assert {each["chat"]: (each["branch_of"], each["parent_gone"]) for each in listed(two)} == {"branch": ("c", False), "c": ("", False)}


def test_an_existing_chat_keeps_its_pool(kit: Kit) -> None:
    kit.remember("c", SAID, pool=POOL)
    before = kit.graph("c")
    assert kit.show("c", SAID)["inserted"] == 0
    assert kit.show("c", SAID, pool=POOL)["inserted"] == 0
    with pytest.raises(Conflict) as raised:
        kit.show("c", SAID[:1], pool=OTHER)
    assert "'c'" in raised.value.sentence
    assert POOL in raised.value.hint
    assert (kit.graph("c"), listed(kit)[0]["messages"]) == (before, 3)


@pytest.mark.parametrize("pool", ["x", "0f" * 15, "0f" * 17, "0F" * 16, "0g" * 16, f"{POOL}\n", " " * 32])
def test_what_is_no_id_of_a_pool_is_refused(kit: Kit, pool: str) -> None:
    with pytest.raises(BadInput) as raised:
        kit.show("c", SAID, pool=pool)
    assert "32" in raised.value.hint
    assert listed(kit) == []


def test_a_refused_message_leaves_no_chat_on_the_pool(kit: Kit) -> None:
    with pytest.raises(BadInput):
        kit.show("c", [*SAID, {"role": "user", "text": 7}], pool=POOL)
    assert listed(kit) == []
    kit.remember("c", SAID, pool=POOL)
    assert len(kit.nodes("c", "moment")) == 3
