"""What every store must do, whatever it is made of. A test class that inherits this gives the fixture `store`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.sidecar.record_contract import RecordContract
from tests.sidecar.store_kit import bury, entry, everything, record, rule_commit, run, slots
from tidelore.engine.codec import windowless
from tidelore.engine.errors import Conflict
from tidelore.engine.keys import Entry
from tidelore.engine.model import EnsureNode, Named, Source
from tidelore.engine.ports import (
    Batch,
    ChatWrite,
    LedgerRow,
    Purged,
    Store,
)

__all__ = ["StoreContract", "bury", "entry", "everything", "record", "rule_commit", "run", "slots"]

TEXTS = {
    "empty": "",
    "a NUL": "before\0after",
    "only NUL": "\0",
    "emoji": "👩‍👩‍👧 says 👋🏽",
    "astral": "𝕿𝖍𝖊 𠮷野家 🜁",
    "no characters": "\ufeff\ufffe\U0010ffff",
    "quotes": "'; drop table chats; -- \"",
    "like a number": "007",
    "lines": "a\nb\r\nc\u2028d",
    "right to left": "שלום \u202eabc",
    "a megabyte": "ä" * 500_000,
}


class StoreContract(RecordContract):
    """Inherit as a `Test...` class with a fixture `store`."""

    # ---- a new store ----

    def test_a_new_store_is_empty(self, store: Store) -> None:
        assert run(store.chats()) == []
        assert (list(self.pool(store).sources), list(self.pool(store).commits)) == ([], [])
        assert (self.chat(store).revision, list(self.chat(store).rows)) == (0, [])
        assert (run(store.sizes()), run(store.settings()), run(store.ledger("recall", "", 5))) == ({}, {}, [])

    def test_the_replica_stays(self, store: Store) -> None:
        first = run(store.replica())
        self.make(store)
        assert first
        assert run(store.replica()) == first

    def test_own_writes_do_not_change_the_version(self, store: Store) -> None:
        before = run(store.version())
        self.make(store)
        assert run(store.version()) == before

    # ---- chats ----

    def test_chats_come_back_as_they_were_given(self, store: Store) -> None:
        self.make(store)
        branch = record("branch 👋", parent=record("c").id)
        self.write(store, Batch("p", new_chat=branch, chat=ChatWrite(branch.id, 0, [], ())))
        assert {each.name: each for each in run(store.chats())} == {"c": record("c"), branch.name: branch}

    def test_slots_go_and_come_and_are_read_in_order(self, store: Store) -> None:
        self.make(store, rows=slots(30, 10, 20))
        assert [order for _, order in self.chat(store).rows] == [10, 20, 30]
        changed = (Entry("k20", "assistant", "Bob", True, "2024-02-29T12:00"), 20)
        self.write(store, Batch("p", chat=ChatWrite(record("c").id, 1, [10, 20], [changed, *slots(1 << 60)])))
        rows = self.chat(store)
        assert rows.revision == 2
        assert list(rows.rows) == [changed, *slots(30, 1 << 60)]

    def test_slots_of_one_chat_are_not_those_of_another(self, store: Store) -> None:
        self.make(store, "c", slots(10, 20))
        self.make(store, "d", slots(10))
        self.write(store, Batch("p", chat=ChatWrite(record("c").id, 1, [10], ())))
        assert [list(self.chat(store, name).rows) for name in ("c", "d")] == [slots(20), slots(10)]

    def test_sizes_count_the_messages_of_chats_that_have_any(self, store: Store) -> None:
        self.make(store, "c", slots(10, 20, 30))
        self.make(store, "d")
        self.make(store, "e", slots(10))
        self.write(store, Batch("p", chat=ChatWrite(record("e").id, 1, [10], ())))
        assert run(store.sizes()) == {record("c").id: 3}

    # ---- a write is all or nothing ----

    @pytest.mark.req("P19")
    def test_a_write_on_an_older_revision_is_a_conflict_and_stores_nothing(self, store: Store) -> None:
        self.make(store, rows=slots(10))
        self.write(store, Batch("p", chat=ChatWrite(record("c").id, 1, [], slots(20))))
        before = self.snapshot(store)
        with pytest.raises(Conflict) as caught:
            self.write(store, self.all_at_once(ChatWrite(record("c").id, 1, [10, 20], slots(40))))
        assert caught.value.hint
        assert self.snapshot(store) == before

    @pytest.mark.req("P19")
    def test_a_second_chat_of_the_same_name_is_a_conflict_and_stores_nothing(self, store: Store) -> None:
        self.make(store)
        before = self.snapshot(store)
        again = replace(record("c"), id="another id")
        with pytest.raises(Conflict):
            self.write(store, replace(self.all_at_once(ChatWrite(again.id, 0, [], slots(10))), new_chat=again))
        assert self.snapshot(store) == before

    def test_a_batch_stores_all_its_parts(self, store: Store) -> None:
        self.make(store, rows=slots(10))
        batch = self.all_at_once(ChatWrite(record("c").id, 1, [10], slots(40)))
        self.write(store, batch)
        assert list(self.chat(store).rows) == slots(40)
        assert list(self.pool(store).sources) == list(batch.sources)
        assert list(self.pool(store).commits) == list(batch.commits)
        assert [row.body for row in run(store.ledger("recall", "", 5))] == [{"n": 1}]
        assert run(store.settings()) == {"a": 1}

    @staticmethod
    def all_at_once(chat: ChatWrite) -> Batch:
        source = Source("k9", "user", "words")
        return Batch("p", [source], [rule_commit("Zoe")], None, chat, [LedgerRow("recall", chat.chat, 1, {"n": 1})], {"a": 1})

    # ---- a chat is purged ----

    def test_a_purge_removes_all_of_a_chat_and_nothing_of_another(self, store: Store) -> None:
        self.full(store)
        assert bury(store, record("c").id) == Purged(3, 2, 1, shared=False)
        assert [each.name for each in run(store.chats())] == ["other"]
        assert run(store.sizes()) == {record("other").id: 3}
        assert run(store.revisions()).keys() == {record("other").id}
        assert (self.chat(store).revision, list(self.chat(store).rows)) == (0, [])
        assert (list(self.pool(store).sources), list(self.pool(store).commits)) == ([], [])
        assert (len(self.pool(store, "q").sources), len(self.pool(store, "q").commits)) == (2, 1)
        assert [row.chat for kind in ("recall", "delivery") for row in run(store.ledger(kind, "", 9))] == [record("other").id, "q"]

    @pytest.mark.req("P13")
    def test_a_pool_that_another_chat_uses_outlives_a_purge(self, store: Store) -> None:
        self.full(store)
        branch = record("branch", parent=record("c").id)
        self.write(store, Batch("p", new_chat=branch, chat=ChatWrite(branch.id, 0, [], slots(10))))
        before = self.pool(store)
        assert bury(store, record("c").id) == Purged(3, 0, 0, shared=True)
        after = self.pool(store)
        assert after == replace(before, floor=9 << 16, cursor=after.cursor)
        assert {each.name for each in run(store.chats())} == {"branch", "other"}
        assert list(self.chat(store, "branch").rows) == slots(10)
        assert [row.chat for row in run(store.ledger("recall", "", 9))] == [record("other").id]
        assert {row.chat for row in run(store.ledger("delivery", "", 9))} == {"p", "q"}, "the pool's own rows stay with it"
        assert bury(store, branch.id) == Purged(1, 2, 1, shared=False)
        assert list(self.pool(store).commits) == []

    @pytest.mark.req("P13")
    def test_whoever_branched_from_a_purged_chat_keeps_the_line_to_those_before_it(self, store: Store) -> None:
        ids = {name: record(name).id for name in ("first", "second", "third", "fourth", "beside")}
        line = {"first": "", "second": ids["first"], "third": ids["second"], "fourth": ids["third"], "beside": ids["first"]}
        for name, parent in line.items():
            self.write(store, Batch("p", new_chat=record(name, parent=parent), chat=ChatWrite(ids[name], 0, [], ())))

        def parents() -> dict[str, str]:
            return {each.name: each.parent for each in run(store.chats())}

        bury(store, ids["second"])
        third = f"{ids['second']},{ids['first']}"
        assert parents() == {"first": "", "third": third, "fourth": ids["third"], "beside": ids["first"]}
        bury(store, ids["third"])
        bury(store, ids["first"])
        assert parents() == {"fourth": f"{ids['third']},{third}", "beside": ids["first"]}

    def test_the_name_and_the_pool_of_a_purged_chat_can_be_used_again(self, store: Store) -> None:
        self.full(store)
        cursor = self.pool(store).cursor
        bury(store, record("c").id)
        new = replace(record("c"), clock=10 << 16)
        chat = ChatWrite(new.id, 0, [], slots(10))
        self.write(store, Batch("p", [Source("k10", "user", "new words")], [rule_commit("Bob", 10 << 16)], new, chat, clock=10 << 16))
        rows = self.pool(store, cursor=cursor)
        assert [source.text for source in rows.sources] == ["new words"], "numbers are not given twice"
        assert list(rows.commits) == [rule_commit("Bob", 10 << 16)]
        assert self.pool(store).sources == rows.sources
        assert (self.chat(store).revision, list(self.chat(store).rows)) == (1, slots(10))

    def test_a_write_to_a_purged_chat_is_a_conflict_and_stores_nothing(self, store: Store) -> None:
        self.full(store)
        bury(store, record("c").id)
        before = self.snapshot(store)
        with pytest.raises(Conflict):
            self.write(store, self.all_at_once(ChatWrite(record("c").id, 1, [], slots(40))))
        assert self.snapshot(store) == before

    # ---- pools ----

    @pytest.mark.req("LAW-3")
    def test_commits_come_back_as_they_were_given(self, store: Store) -> None:
        commits = everything()
        self.write(store, Batch("p", commits=commits))
        assert {each.id: each for each in self.pool(store).commits} == {each.id: each for each in commits}

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_texts_come_back_as_they_were_given(self, store: Store, text: str) -> None:
        noted = {"text": text, text[:20]: [text[:20]]}
        hand = windowless("person", [EnsureNode(Named("Ann"), "character", {"text": text})], clock=1, replica="r", maker=text[:20])
        new = replace(record("c"), name=f"chat {text[:50]}")
        chat = ChatWrite(new.id, 0, [], [(entry("k1", text[:50], date=text[:50]), 10)])
        self.write(store, Batch("p", [Source("k1", "user", text)], [hand], new, chat, [LedgerRow("recall", "c", 1, noted)], {"s": text}))
        rows = self.pool(store)
        assert [source.text for source in rows.sources] == [text]
        assert list(rows.commits) == [hand]
        assert [each.name for each in run(store.chats())] == [new.name]
        assert list(self.chat(store).rows) == list(chat.rows_in)
        assert run(store.ledger("recall", "", 1))[0].body == noted
        assert run(store.settings())["s"] == text

    def test_the_cursor_reads_only_what_is_new(self, store: Store) -> None:
        self.write(store, Batch("p", [Source("k1", "user", "one")], [rule_commit("Ann")]))
        first = self.pool(store)
        nothing = self.pool(store, cursor=first.cursor)
        assert (list(nothing.sources), list(nothing.commits), nothing.cursor) == ([], [], first.cursor)
        self.write(store, Batch("p", [Source("k2", "user", "two")]))
        second = self.pool(store, cursor=nothing.cursor)
        assert ([source.key for source in second.sources], list(second.commits)) == (["k2"], [])
        self.write(store, Batch("p", (), [rule_commit("Bob")]))
        third = self.pool(store, cursor=second.cursor)
        assert (list(third.sources), list(third.commits)) == ([], [rule_commit("Bob")])
        assert first.cursor < second.cursor < third.cursor

    def test_pools_are_apart(self, store: Store) -> None:
        self.write(store, Batch("p", [Source("k1", "user", "one")], [rule_commit("Ann", clock=3)]))
        cursor = self.pool(store, "q").cursor
        self.write(store, Batch("q", [Source("k1", "user", "other")], [rule_commit("Ann", clock=9)]))
        assert [source.text for source in self.pool(store, "p").sources] == ["one"]
        rows = self.pool(store, "q", cursor)
        assert ([source.text for source in rows.sources], list(rows.commits)) == (["other"], [rule_commit("Ann", clock=9)])

    def test_a_source_is_kept_once_as_it_came_first(self, store: Store) -> None:
        self.write(store, Batch("p", [Source("k1", "user", "first"), Source("k1", "user", "second")]))
        first = self.pool(store)
        self.write(store, Batch("p", [Source("k1", "user", "third")]))
        assert [source.text for source in self.pool(store).sources] == ["first"]
        assert list(self.pool(store, cursor=first.cursor).sources) == []

    def test_of_equal_commits_the_smaller_clock_is_kept_and_read_again(self, store: Store) -> None:
        self.write(store, Batch("p", (), [rule_commit("Ann", clock=5, replica="here")]))
        cursor = self.pool(store).cursor
        self.write(store, Batch("p", (), [rule_commit("Ann", clock=8, replica="late")]))
        late = self.pool(store, cursor=cursor)
        assert list(late.commits) == []
        self.write(store, Batch("p", (), [rule_commit("Ann", clock=2, replica="early")]))
        early = self.pool(store, cursor=late.cursor)
        assert list(early.commits) == [rule_commit("Ann", clock=2, replica="early")]
        assert early.cursor > late.cursor
        assert list(self.pool(store).commits) == list(early.commits)

    def test_equal_commits_in_one_batch_are_one(self, store: Store) -> None:
        self.write(store, Batch("p", (), [rule_commit("Ann", clock=clock) for clock in (5, 3, 4)]))
        assert list(self.pool(store).commits) == [rule_commit("Ann", clock=3)]

    # ---- ledger and settings ----

    def test_the_ledger_is_newest_first_by_kind_and_by_chat(self, store: Store) -> None:
        for number, (kind, chat) in enumerate([("recall", "a"), ("delivery", "a"), ("recall", "b"), ("recall", "a")]):
            self.write(store, Batch(ledger=[LedgerRow(kind, chat, 100 - number, {"n": number})]))
        assert [row.body["n"] for row in run(store.ledger("recall", "", 10))] == [3, 2, 0]
        assert [row.body["n"] for row in run(store.ledger("recall", "a", 10))] == [3, 0]
        assert [row.body["n"] for row in run(store.ledger("recall", "a", 1))] == [3]
        assert run(store.ledger("import", "", 10)) == []
        row = run(store.ledger("delivery", "", 1))[0]
        assert (row.kind, row.chat, row.at, row.body) == ("delivery", "a", 99, {"n": 1})

    def test_ledger_numbers_count_up(self, store: Store) -> None:
        self.write(store, Batch(ledger=[LedgerRow("recall", "a", 1, {"n": number}) for number in range(3)]))
        rows = run(store.ledger("recall", "", 10))
        assert [row.body["n"] for row in rows] == [2, 1, 0]
        assert sorted({row.id for row in rows}, reverse=True) == [row.id for row in rows]

    def test_settings_are_replaced_by_name(self, store: Store) -> None:
        self.write(store, Batch(settings={"a": {"deep": [1, None, True, "x"]}, "b": 1}))
        self.write(store, Batch(settings={"b": None}))
        assert run(store.settings()) == {"a": {"deep": [1, None, True, "x"]}, "b": None}

    def test_a_body_is_stored_as_it_was_when_it_was_written(self, store: Store) -> None:
        body: dict[str, Any] = {"nodes": ["n1"]}
        self.write(store, Batch(ledger=[LedgerRow("recall", "a", 1, body)], settings={"s": body}))
        body["nodes"].append("n2")
        assert run(store.ledger("recall", "", 1))[0].body == {"nodes": ["n1"]}
        assert run(store.settings())["s"] == {"nodes": ["n1"]}
