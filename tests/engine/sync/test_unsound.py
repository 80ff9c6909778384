"""Records that no store can hold are refused where they come in, each for itself; clocks that cannot be are the same for everybody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.engine.service_kit import Kit
from tests.engine.sync.kit import fetch, meet, over_the_wire
from tests.engine.sync.test_exchange import POOL, SAID, told
from tidelore.engine.clock import LATEST, MOST_CLOCK
from tidelore.engine.codec import canonical
from tidelore.engine.errors import BadInput
from tidelore.engine.ports import LedgerRow
from tidelore.engine.records import chat_id
from tidelore.engine.sync.burial import delivery_id
from tidelore.engine.sync.wire import made_purge, purge_out, record_in

KEY, LONE = "b" * 32, "\ud800"


def record(kind: str, id_: str, body: Any, pool: str = POOL, **more: Any) -> dict[str, Any]:
    text = body if body is None else json.dumps(body)
    return {"origin": "ff", "sequence": 1, "kind": kind, "pool": pool, "id": id_, "clock": "1000", "body": text, **more}


def purge(clock: int, pool: str = POOL, **more: Any) -> dict[str, Any]:
    made = made_purge(pool, clock, **more)
    return record("purge", made.id, purge_out(made), pool)


def delivery(at: int, chat: str = "") -> dict[str, Any]:
    row = LedgerRow("delivery", chat, at, {"ids": []})
    return record("delivery", delivery_id(row), {"chat": chat, "at": at, "body": row.body})


def source(text: str = "x", key: str = KEY, pool: str = POOL, **more: Any) -> dict[str, Any]:
    return record("source", key, {"role": "user", "text": text}, pool, **more)


UNSOUND = {
    "a purge beyond all clocks": purge(10**30, whole=True),
    "a purge that leaves no room": purge(1 << 62, whole=True),
    "a purge before all clocks": purge(-5, whole=True),
    "a purge of a node beyond all clocks": purge(5, nodes=((KEY, 10**30),)),
    "a purge of half a character": purge(5, keys=(LONE,)),
    "a delivery too late for a store": delivery(2**70),
    "a delivery too early for a store": delivery(-(2**70)),
    "a delivery at no time": record("delivery", KEY, {"chat": "", "at": float("inf"), "body": {}}),
    "a delivery in half a character": delivery(5, LONE),
    "a text with half a character": source(f"{LONE} x"),
    "a key of half a character": source(key=LONE),
    "a key of half a character without a body": record("source", LONE, None),
    "a pool of half a character": source(pool=LONE),
    "a chat of half a character": record("chat", chat_id(POOL, LONE), {"name": LONE, "parent": ""}),
    "a parent of half a character": record("chat", chat_id(POOL, "n"), {"name": "n", "parent": LONE}),
    "a clock without end": source(clock=float("inf")),
    "a maker of half a character": source(maker=LONE),
}


@pytest.mark.parametrize("what", UNSOUND)
def test_a_record_that_no_store_can_hold_is_refused_and_the_rest_is_taken(what: str) -> None:
    with pytest.raises(BadInput):
        record_in(UNSOUND[what])
    kit, good = told("aa"), source(origin="ee")
    done = kit.call("sync.push", records=[UNSOUND[what], good])
    assert list(done["refused"]) == ["ff"]
    assert done["new"] == 1


@pytest.mark.parametrize("text", ["a 🦢 whole", "a backslash \\ud800 in words", "\u2028", "é"])
def test_whole_characters_pass(text: str) -> None:
    assert record_in(over_the_wire(source(text))).body is not None


@pytest.mark.parametrize("year", [1900, 1969, 3200, 9999])
def test_a_machine_far_from_now_writes_what_is_the_same_everywhere(year: int) -> None:
    one, other = Kit("aa"), told("bb")
    one.service.chats.now = lambda: int((year - 1970) * 31_556_952_000)
    one.remember("c", SAID, pool=POOL)
    for text in ("A first fact.", "A second fact."):
        one.call("node.write", chat="c", kind="fact", text=text)
    node = str(one.nodes("c", "moment")[0]["id"])
    for text in ("said once", "said twice", "said a third time"):
        one.call("node.edit", chat="c", node=node, fields={"text": text})
    meet(one, other)
    clocks = [sorted((each.id, each.clock) for each in kit.run_sync(kit.store.pool(POOL, 0)).commits) for kit in (one, other)]
    assert clocks[0] == clocks[1]
    assert max(clock for _, clock in clocks[0]) <= MOST_CLOCK
    for kit in (one, other):
        kit.show("c", SAID)
    assert one.graph("c") == other.graph("c")
    assert "said a third time" in other.texts("c", "moment")
    one.call("chat.purge", chat="c")
    meet(one, other)
    assert other.call("chat.list")["chats"] == []
    other.remember("c", SAID, pool=POOL)
    other.call("node.write", chat="c", kind="fact", text="Written anew.")
    assert "Written anew." in other.texts("c", "fact")


def test_after_the_latest_purge_there_is_room_to_write() -> None:
    kit, other = told("aa"), Kit("bb")
    assert kit.call("sync.push", records=[purge(LATEST, whole=True, chats=((chat_id(POOL, "c"), ""),))])["new"] == 1
    kit.remember("c", SAID, pool=POOL)
    assert kit.nodes("c", "moment")
    fetch(other, kit)
    other.show("c", SAID)
    assert other.graph("c") == kit.graph("c")


def test_a_clock_is_passed_on_as_it_was_taken_in() -> None:
    for clock, taken in ((-3, 0), (0, 0), (LATEST + 9, LATEST + 9), (MOST_CLOCK + 1, LATEST), (10**400, LATEST)):
        assert record_in(source(clock=str(clock))).clock == taken
    assert canonical({"room": MOST_CLOCK < 1 << 62}) == '{"room":true}'
