"""A chat that is gone where it came from is forgotten for good; what others branched from it stays theirs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import Cancelled, Conflict, NotFound, StoreError
from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import Burial, Purged
from tidelore.engine.table import Call

POOL = "0f" * 16
SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove."),
    ("Mara", "Then she is forgiven, since the herring was old."),
)


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("c", SAID, pool=POOL)
    return kit


class FindsNothing:
    """A model."""

    name = "model"

    async def __call__(self, messages: object, schema: object, budget: float) -> str:
        del messages, schema, budget
        return '{"operations": []}'


def edit(kit: Kit, chat: str, text: str, new: str) -> None:
    node = next(node["id"] for node in kit.nodes(chat, "moment") if node["text"] == text)
    kit.call("node.edit", chat=chat, node=node, fields={"text": new})


def names(kit: Kit) -> list[str]:
    return [each["chat"] for each in kit.call("chat.list")["chats"]]


def test_nothing_of_a_purged_chat_is_left(kit: Kit) -> None:
    kit.remember("other", rows(("Tobin", "The ferry leaves Saltmarsh at dawn.")))
    found = kit.recall("c", "Who stole the herring?")
    kit.call("recall.delivered", chat="c", recall=found["recall"])
    counts = kit.call("stats", chat="c")
    done = kit.call("chat.purge", chat="c")
    assert [each["state"] for each in done.pop("receipts")] == ["done"] * 4
    assert done.pop("purge") == kit.call("sync.status")["purges"][0]["purge"]
    assert done == {**{"chat": "c", "messages": 3, "sources": counts["sources"], "commits": counts["commits"], "shared": False}}
    for _ in range(2):
        assert names(kit) == ["other"]
        for method in ("graph.get", "stats", "extract.plan", "chat.purge"):
            with pytest.raises(NotFound):
                kit.call(method, chat="c")
        assert kit.run_sync(kit.store.ledger("delivery", "", 9)) == []
        assert kit.texts("other", "moment") == ["The ferry leaves Saltmarsh at dawn."]
        kit.restart()
    held = kit.run_sync(kit.store.pool(POOL, 0))
    assert (list(held.sources), list(held.commits)) == ([], [])


def test_the_name_may_be_used_again_on_the_same_pool_or_another(kit: Kit) -> None:
    before = kit.graph("c")
    edit(kit, "c", SAID[1]["text"], "changed by hand")
    for pool in (POOL, "ab" * 16, ""):
        kit.call("chat.purge", chat="c")
        kit.show("c", SAID, pool=pool)
        assert kit.graph("c")["nodes"] == [], "nothing came back by itself"
        kit.call("extract.run", chat="c", lag=0)
        assert kit.graph("c") == before


@pytest.mark.req("P13")
def test_branches_keep_what_is_theirs_when_the_chat_they_came_from_is_purged(kit: Kit) -> None:
    edit(kit, "c", SAID[1]["text"], "changed in the first")
    kit.show("second", SAID, branch_of="c")
    edit(kit, "second", SAID[0]["text"], "changed in the second")
    kit.remember("third", [*SAID, *rows(("Mara", "The ferry leaves Saltmarsh at dawn."))], branch_of="second")
    before = kit.graph("third")
    assert {"changed in the first", "changed in the second"} <= set(kit.texts("third", "moment"))
    for gone in ("second", "c"):
        done = kit.call("chat.purge", chat=gone)
        assert (done["messages"], done["sources"], done["commits"], done["shared"]) == (3, 0, 0, True)
        for _ in range(2):
            assert kit.graph("third") == before
            kit.restart()
    assert [(each["chat"], each["branch_of"], each["parent_gone"]) for each in kit.call("chat.list")["chats"]] == [("third", "", True)]
    kit.show("third", SAID)
    assert "changed in the second" in kit.texts("third", "moment")
    edit(kit, "third", SAID[2]["text"], "changed in the third")
    kit.call("undo", chat="third")
    assert kit.call("extract.run", chat="third", lag=0)["remaining"] == 0
    assert kit.recall("third", "Who is forgiven?")["cards"]
    done = kit.call("chat.purge", chat="third")
    assert not done["shared"]
    assert done["sources"] == 4


@pytest.mark.req("P13")
def test_a_branch_can_be_made_from_a_branch_whose_parent_is_gone(kit: Kit) -> None:
    edit(kit, "c", SAID[1]["text"], "changed in the first")
    kit.show("second", SAID, branch_of="c")
    kit.call("chat.purge", chat="c")
    kit.show("third", SAID, branch_of="second")
    assert kit.graph("third") == kit.graph("second")
    assert "changed in the first" in kit.texts("third", "moment")


def test_a_scope_can_be_forgotten_like_a_chat(kit: Kit) -> None:
    written = kit.call("node.write", scope="profile", text="I sing in a choir.")
    assert kit.call("scope.list")["scopes"]
    kit.call("chat.purge", chat=written["chat"])
    assert kit.call("scope.list")["scopes"] == []
    assert kit.recall("c", "Where do I sing?", scopes=["profile"])["cards"] == []


def test_windows_that_were_set_aside_are_not_remembered_for_a_new_chat_of_the_pool() -> None:
    kit = Kit(complete=FindsNothing())
    kit.show("c", SAID, pool=POOL)
    kit.call("extract.run", chat="c", by="model", lag=0)
    assert kit.call("extract.plan", chat="c", lag=0)["aside"]
    kit.call("chat.purge", chat="c")
    kit.show("c", SAID, pool=POOL)
    assert kit.call("extract.plan", chat="c", lag=0)["aside"] == []
    kit.restart()
    assert kit.call("extract.plan", chat="c", lag=0)["aside"] == []


def test_a_chat_is_not_purged_under_a_running_extraction(kit: Kit) -> None:
    async def main() -> None:
        kit.service.extracting.add(((await kit.service.chats.open("c")).record.id, "rules"))
        with pytest.raises(Conflict) as raised:
            await kit.service.call("chat.purge", {"chat": "c"})
        assert raised.value.hint
        kit.service.extracting.clear()

    asyncio.run(main())
    assert len(kit.nodes("c", "moment")) == 3


class Troubled(MemoryStore):
    """A purge that fails, before or after it is stored."""

    error: Exception | None = None
    stored = False

    async def purge(self, burial: Burial) -> Purged:
        if self.error is None:
            return await super().purge(burial)
        if self.stored:
            await super().purge(burial)
        raise self.error


@pytest.mark.parametrize("error", [StoreError("The disk is full."), Cancelled("Enough.")], ids=["failed", "cancelled"])
@pytest.mark.parametrize("stored", [True, False], ids=["stored", "not stored"])
def test_after_a_purge_that_failed_the_service_shows_what_is_stored(error: Exception, *, stored: bool) -> None:
    store = Troubled()
    kit = Kit(store=store)
    kit.remember("c", SAID)
    before = kit.graph("c")
    store.error, store.stored = error, stored
    with pytest.raises(type(error)):
        kit.call("chat.purge", chat="c")
    if stored:
        assert names(kit) == []
    else:
        assert kit.graph("c") == before
    store.error = None
    kit.remember("c", SAID)
    assert kit.graph("c") == before


def test_an_update_that_comes_while_a_chat_is_purged_makes_it_anew(kit: Kit) -> None:
    async def main() -> tuple[Any, Any]:
        update = kit.service.call("chat.update", {"chat": "c", "messages": SAID[:2]}, Call())
        return tuple(await asyncio.gather(kit.service.call("chat.purge", {"chat": "c"}), update))

    purged, updated = asyncio.run(main())
    assert (purged["messages"], updated["inserted"], updated["messages"]) == (3, 2, 2)
    assert kit.graph("c")["nodes"] == []
