"""Of a file that was imported one memory is wanted gone: it goes alone, everywhere, and the rest of the import stays what it was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tests.engine.sync.kit import meet, memory_file
from tests.engine.sync.test_exchange import POOL, SAID
from tests.engine.sync.test_purging import SECRET, held, purge
from tidelore.engine.model import EnsureNode, Needs, Own, Quote
from tidelore.engine.operations.graph import by_hand

FILE = memory_file("Wend", ["digs graves", "steals herrings", "rows at night"], "St. Ob", "chapel", "works at")


def imported(kit: Kit) -> Any:
    kit.remember("c", SAID[:1], pool=POOL)
    return kit.call("import", chat="c", text=FILE)


def texts(kit: Kit) -> set[str]:
    return {str(node["text"]) for node in kit.graph("c")["nodes"]}


def fact_of(kit: Kit, words: str) -> str:
    return next(str(node["id"]) for node in kit.graph("c")["nodes"] if words in node["text"])


def test_one_imported_memory_goes_alone_and_the_file_does_not_bring_it_back() -> None:
    kit = Kit("one")
    imported(kit)
    before = texts(kit)
    dry = kit.call("node.purge", chat="c", node=fact_of(kit, SECRET), dry=True)
    assert dry["going"] == []
    assert kit.call("node.purge", chat="c", node=fact_of(kit, SECRET))["going"] == []
    assert texts(kit) == before - {"steals herrings"}
    assert any(edge["label"] == "works at" for edge in kit.graph("c")["edges"])
    assert SECRET not in held(kit)
    again = kit.call("import", chat="c", text=FILE)
    assert (again["nodes"], again["edges"], again["commit"]) == (0, 0, "")
    assert texts(kit) == before - {"steals herrings"}


def test_all_replicas_make_the_same_of_what_is_left_of_an_import_in_whatever_order_the_purges_come() -> None:
    one, other, third = Kit("one"), Kit("other"), Kit("third")
    imported(one)
    for kit in (other, third):
        meet(one, kit)
        kit.remember("c", SAID[:1], pool=POOL)
    one.call("node.purge", chat="c", node=fact_of(one, SECRET))
    other.call("node.purge", chat="c", node=fact_of(other, "graves"))
    while meet(one, third) + meet(other, third) + meet(one, other):
        pass
    assert one.graph("c") == other.graph("c") == third.graph("c")
    assert "rows at night" in texts(one)
    assert texts(one).isdisjoint({"steals herrings", "digs graves"})
    assert sum("works at" in edge["label"] for edge in one.graph("c")["edges"]) == 1
    kept = {each.id for each in one.run_sync(one.store.pool(POOL, 0)).commits if each.author == "import"}
    assert len(kept) == 1, "the same commit, whoever made it"
    assert kept == {each.id for each in third.run_sync(third.store.pool(POOL, 0)).commits if each.author == "import"}


def test_an_import_that_was_undone_stays_undone_when_a_memory_of_it_is_purged_elsewhere() -> None:
    one, other = Kit("one"), Kit("other")
    done = imported(one)
    meet(one, other)
    other.remember("c", SAID[:1], pool=POOL)
    undone = one.call("undo", chat="c", commit=done["commit"])
    gone = texts(one)
    other.call("node.purge", chat="c", node=fact_of(other, SECRET))
    while meet(one, other):
        pass
    assert one.graph("c") == other.graph("c")
    assert texts(one) == gone
    assert SECRET not in held(one) + held(other)
    assert undone["commit"]
    # What is left of it can be brought back.
    one.call("redo", chat="c")
    assert "rows at night" in texts(one)
    assert "steals herrings" not in texts(one)


def test_what_a_person_merged_of_an_import_stays_merged_when_another_memory_of_it_goes() -> None:
    kit = Kit("one")
    imported(kit)
    kit.call("node.merge", chat="c", keep=fact_of(kit, "graves"), others=[fact_of(kit, "rows")])
    merged = texts(kit)
    kit.call("node.purge", chat="c", node=fact_of(kit, SECRET))
    assert texts(kit) == merged - {"steals herrings"}


def test_an_imported_person_takes_along_what_is_about_them_and_nothing_else() -> None:
    kit = Kit("one")
    imported(kit)
    node = next(each["id"] for each in kit.graph("c")["nodes"] if each["kind"] == "entity" and each["text"] == "Wend")
    going = kit.call("node.purge", chat="c", node=node)["going"]
    assert {each["text"] for each in going} >= {"digs graves", "steals herrings", "rows at night"}
    assert "St. Ob" in texts(kit)
    assert "Wend" not in held(kit)


def test_what_an_import_quotes_of_a_purged_message_goes_and_the_quotes_of_the_rest_stay_right() -> None:
    one, other = Kit("one"), Kit("other")
    one.remember("c", SAID, pool=POOL)
    keys = one.call("chat.keys", chat="c")["keys"]

    def stated(token: str, text: str, *quotes: int) -> EnsureNode:
        return EnsureNode(Own("fact", token), "state", {"text": text}, tuple(map(Quote, quotes)))

    async def write() -> None:
        async with one.service.chats.lock:
            chat = await one.service.chats.open("c")
            operations = [
                stated("a", "of the cat", 0),
                stated("b", "of the theft", 1),
                stated("c", "of the end", 2),
                stated("d", "of nothing"),
            ]
            await by_hand(one.service, chat, operations, author="import", needs=Needs(tuple(keys)))

    one.run_sync(write())
    meet(one, other)
    other.remember("c", SAID, pool=POOL)
    assert texts(other) == texts(one) >= {"of the cat", "of the theft", "of the end", "of nothing"}
    purge(other, SECRET)
    while meet(one, other):
        pass
    left = {str(node["text"]): node for node in one.graph("c")["nodes"]}
    assert one.graph("c") == other.graph("c")
    assert {"of the end", "of nothing"} <= left.keys()
    assert "of the theft" not in left
    assert [each["source"] for each in left["of the end"]["evidence"]] == [keys[2]]


@pytest.mark.parametrize("dry", [True, False])
def test_a_file_that_was_made_before_a_purge_comes_in_without_what_was_purged(dry: bool) -> None:
    kit = Kit("aa")
    kit.remember("c", rows(("Ann", "My cat is called Biscuit."), ("Bob", "A fine name.")))
    kit.call("node.write", chat="c", text="The first note.")
    secret = kit.call("node.write", chat="c", text="The second note is secret.")["node"]
    file = kit.call("export", chat="c", format="tidelore")["text"]
    kit.call("node.purge", chat="c", node=secret)
    before = kit.graph("c")
    done = kit.call("import", chat="c", text=file, dry=dry)
    assert done["left_out"] == {"memory that was forgotten for good": 1}
    assert (done["commits"], kit.graph("c")) == (0, before)
    new = Kit("bb")
    assert new.call("import", chat="c", text=file, dry=dry)["left_out"] == {}
