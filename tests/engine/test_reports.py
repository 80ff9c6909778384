"""Reports about other tools that concern the fold, dates and replicas; each test carries its row."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.codec import windowed, windowless
from tidelore.engine.errors import BadInput
from tidelore.engine.model import EnsureEdge, EnsureNode, Evident, Named, Own, Quote
from tidelore.engine.ports import Batch
from tidelore.host.store import SqliteStore

SAID = rows(
    ("Mara", "Alice keeps the lantern at the mill, and Alice never sleeps."),
    ("Tobin", "Then Alice and I shall guard the Alder Bridge."),
    ("Mara", "The bridge is safe with Alice."),
)


@pytest.mark.req("P55")
def test_a_message_after_midnight_keeps_its_local_day() -> None:
    kit = Kit()
    said = [{**SAID[0], "date": "2026-05-02T00:30+08:00"}, {**SAID[1], "date": "2026-05-01T23:30+08:00"}]
    kit.remember("c", said)
    dates = {card["text"]: card["date"] for card in kit.recall("c", "Who keeps the lantern at the mill?")["cards"]}
    assert dates[SAID[0]["text"]].startswith("2026-05-02")
    assert "[2026-05-02]" in kit.recall("c", "Who keeps the lantern at the mill?")["recalled"]


@pytest.mark.req("P61")
def test_another_spelling_of_a_hub_keeps_its_edges() -> None:
    kit = Kit()
    kit.remember("c", SAID)
    hub = next(node for node in kit.nodes("c", "entity") if node["text"] == "Alice")
    before = {edge["id"] for edge in kit.graph("c")["edges"] if hub["id"] in (edge["from"], edge["to"])}
    assert len(before) == 3
    chat = kit.run_sync(kit.service.chats.open("c"))
    again = windowed(
        "model",
        [
            EnsureNode(Named("ＡＬＩＣＥ"), "character", {"traits": "wakeful"}, (Quote(0),)),
            EnsureNode(Evident("moment", (0,)), "event", {"text": "She never sleeps."}, (Quote(0),)),
            EnsureEdge("involved_in", Named("alice"), Evident("moment", (0,))),
        ],
        chat.timeline.keys[:1],
        clock=99,
        replica="r",
    )
    kit.run_sync(kit.service.chats.commit(chat, [again]))
    hubs = [node for node in kit.nodes("c", "entity") if node["text"].casefold() in ("alice", "ａｌｉｃｅ")]
    assert [node["id"] for node in hubs] == [hub["id"]]
    assert before == {edge["id"] for edge in kit.graph("c")["edges"] if hub["id"] in (edge["from"], edge["to"])}


@pytest.mark.req("B25", "LAW-TWO-DEVICES")
def test_two_devices_that_wrote_from_one_base_keep_both() -> None:
    kits = [Kit("one"), Kit("two")]
    notes = ["written on the first device", "written on the second device"]
    for kit in kits:
        kit.remember("c", SAID)
    chats = [kit.run_sync(kit.service.chats.open("c")) for kit in kits]
    for number, (kit, chat, note) in enumerate(zip(kits, chats, notes, strict=True)):
        page = EnsureNode(Own("page", f"note {number}"), "letter", {"title": note})
        kit.run_sync(kit.service.chats.commit(chat, [windowless("person", [page], clock=100 + number, replica=kit.service.chats.replica)]))
    for here, there in ((0, 1), (1, 0), (0, 1)):
        got = asyncio.run(kits[here].store.pool(chats[here].record.pool, 0))
        asyncio.run(kits[there].store.write(Batch(chats[there].record.pool, got.sources, got.commits)))
    for kit in kits:
        kit.restart()
    assert kits[0].graph("c") == kits[1].graph("c")
    assert sorted(kits[0].texts("c", "page")) == sorted(notes)


@pytest.mark.req("B39")
def test_deleting_one_of_fifty_messages_rewrites_one_record(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    kit = Kit(store=store)
    said = rows(*((("Mara", "Tobin")[at % 2], f"Chest {at} holds {at * 3} coins and a note.") for at in range(50)))
    kit.remember("c", said)
    with sqlite3.connect(store.path) as reader:
        before = set(reader.execute("select chat, position, key from slots"))
    kit.show("c", said[:20] + said[21:])
    with sqlite3.connect(store.path) as reader:
        after = set(reader.execute("select chat, position, key from slots"))
        assert reader.execute("select count(*) from commits").fetchone()[0] == 50
    assert (len(before - after), len(after - before)) == (1, 0)
    reader.close()
    store.close()


@pytest.mark.req("B13")
def test_a_betrayal_a_death_and_a_secret_are_remembered_in_any_language() -> None:
    said = rows(
        ("Mara", "Tobin betrayed the crew to the harbour master."),
        ("Tobin", "Old Perrin died in the fire that night."),
        ("Mara", "她把秘密藏在了井底的铁盒里。"),
        ("Tobin", "Он рассказал тайну только сестре."),
    )
    kit = Kit()
    kit.remember("c", said)
    assert set(kit.texts("c", "moment")) == {message["text"] for message in said}


@pytest.mark.req("B17")
def test_time_that_passes_takes_nothing_away() -> None:
    kit = Kit()
    kit.remember("c", [{**message, "date": f"20{10 + at}-01-01T10:00"} for at, message in enumerate(SAID)])
    graph = kit.graph("c")
    kit.service = type(kit.service)(kit.store, lambda: 4_000_000_000_000, lambda: "late")
    assert kit.graph("c") == graph
    assert kit.recall("c", "Who keeps the lantern at the mill?")["cards"]


def test_the_same_words_said_of_two_people_stand_in_two_lines() -> None:
    kit = Kit()
    said = rows(("Ann", "I live in Paris."), ("Ann", "I live in Rome."), user="Ann")
    kit.remember("d", [*said, {**said[0], "name": "Bob"}])
    states = {node["text"]: node["state"] for node in kit.nodes("d", "fact")}
    assert states["I live in Rome."] == "current"
    rome = next(node["id"] for node in kit.nodes("d", "fact") if node["text"] == "I live in Rome.")
    assert [edge["from"] for edge in kit.graph("d")["edges"] if edge["type"] == "replaces"] == [rome]


def test_the_language_of_the_blocks_follows_every_edit() -> None:
    kit = Kit()
    english = rows(("Mara", "My cat is called Biscuit and she sleeps a lot by the stove."), ("Tobin", "Nice."), ("Mara", "plum cake"))
    chinese = rows(("Mara", "我的猫叫饼干，她总是睡在炉子旁边，我非常爱她。"), ("Tobin", "很好，猫是很可爱的动物。"), ("Mara", "plum cake"))
    kit.remember("c", english)
    kit.recall("c", "cake?")
    kit.remember("c", chinese)
    kit.remember("fresh", chinese)
    assert kit.recall("c", "cake?")["recalled"] == kit.recall("fresh", "cake?")["recalled"]


def test_equal_messages_and_chains_of_names_stay_quick_enough_to_wait_for() -> None:
    kit = Kit()
    kit.remember("c", rows(*((("Mara", "Tobin")[at % 2], "We count the gulls above the mill.") for at in range(4000))))
    assert kit.recall("c", "Who counts the gulls?")["cards"]
    for number in range(150):
        kit.call("entity.alias", chat="c", name=f"N{number + 1}", alias=f"N{number}")
    assert len([node for node in kit.nodes("c", "entity") if node["text"].startswith("N")]) == 1


@pytest.mark.parametrize("marks", ["\u0301\u0317", "\u0591", "\u0e38\u0e48"])
def test_a_storm_of_marks_is_stored_and_keyed(marks: str) -> None:
    kit = Kit()
    text = "The lantern of Z" + marks * 20_000 + " hangs in the mill."
    kit.remember("c", rows(("Mara", text)))
    assert kit.show("c", rows(("Mara", text)))["inserted"] == 0
    assert kit.recall("c", "Where does the lantern hang?")["cards"]


def test_a_number_that_json_readers_do_not_know_is_refused() -> None:
    kit = Kit()
    kit.remember("c", SAID)
    node = kit.nodes("c", "moment")[0]["id"]
    for fields in ({"importance": 10**400}, {"n": 10**400}, {"n": 2**60}):
        with pytest.raises(BadInput):
            kit.call("node.edit", chat="c", node=node, fields=fields)
    with pytest.raises(BadInput):
        kit.recall("c", "lantern", budget=10**400)
