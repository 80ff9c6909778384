"""What every store must do with records: its own, those of other replicas, and purges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.sidecar.store_kit import Asking, bury, dated, everything, purge_of, read_commit, record, rule_commit, run, slots
from tidelore.engine.codec import windowless
from tidelore.engine.errors import Conflict
from tidelore.engine.model import Patch, Source
from tidelore.engine.ports import (
    FOREVER,
    Batch,
    Body,
    Burial,
    ChatRecord,
    ChatWrite,
    Head,
    LedgerRow,
    Purged,
    Record,
    RecordKind,
    Store,
)
from tidelore.engine.sync.burial import delivery_id
from tidelore.engine.sync.chain import GENESIS, link
from tidelore.engine.sync.wire import made_purge


class RecordContract(Asking):
    """Inherited by StoreContract."""

    # ---- records ----

    def test_what_is_new_is_numbered_in_order_and_what_is_known_is_not(self, store: Store) -> None:
        mine = run(store.replica())
        assert (run(store.heads()), run(store.log(mine, 0, 1 << 30))) == ({}, [])
        self.full(store)
        self.write(store, Batch("p", [Source("k10", "user", "words 10")], [rule_commit("Ann", 8)], settings={"a": 1}))
        found = self.log(store, mine)
        assert [(each.sequence, each.kind, each.pool) for each in found] == [
            *((1, "chat", "p"), (2, "source", "p"), (3, "source", "p"), (4, "commit", "p"), (5, "delivery", "")),
            *((6, "chat", "q"), (7, "source", "q"), (8, "source", "q"), (9, "commit", "q"), (10, "delivery", "")),
        ]
        assert found[0].body == record("c")
        assert (found[1].id, found[1].body, found[1].clock) == ("k10", Source("k10", "user", "words 10"), 3 << 16)
        assert (found[3].body, found[3].clock) == (rule_commit("Ann"), 1)
        noted = found[4].body
        assert isinstance(noted, LedgerRow)
        assert (noted.chat, noted.at, noted.body, found[4].id) == ("p", 2, {"n": 2}, delivery_id(noted))
        self.write(store, Batch("p", (), [rule_commit("Ann", 0, "early")]))
        assert self.log(store, mine)[10:] == [Record(mine, 11, "commit", "p", rule_commit("Ann").id, 0, rule_commit("Ann", 0, "early"))]

    def test_chains_tell_two_histories_apart_from_the_first_record_that_differs(self, store: Store) -> None:
        mine = run(store.replica())
        self.full(store)
        expected = GENESIS
        for each in self.log(store, mine):
            expected = link(expected, each.kind, each.pool, each.id)
            assert run(store.chains([(mine, each.sequence), (mine, 99), ("nobody", 1), (mine, 0)])) == [expected, "", "", ""]
        assert run(store.heads()) == {mine: Head(10, expected)}

    def test_the_log_is_read_in_parts(self, store: Store) -> None:
        self.write(store, Batch("p", [Source(f"k{at:03d}", "user", "a word " * 20) for at in range(600)]))
        mine, after, parts = run(store.replica()), 0, 0
        while found := run(store.log(mine, after, 20_000)):
            assert [each.sequence for each in found] == list(range(after + 1, after + 1 + len(found)))
            assert sum(len(each.body.text) for each in found[:-1] if isinstance(each.body, Source)) < 20_000
            after, parts = found[-1].sequence, parts + 1
        assert after == 600
        assert 4 <= parts <= 6
        assert len(run(store.log(mine, 598, 1))) == 1

    def test_records_keep_their_origin_and_come_back_as_they_were(self, store: Store) -> None:
        came = self.foreign()
        self.write(store, Batch(records=came[:3]))
        self.write(store, Batch(records=came[3:]))
        assert self.log(store, "there") == came
        assert run(store.heads())["there"].sequence == len(came)
        assert [source.text for source in self.pool(store).sources] == ["their words"]
        assert list(self.pool(store).commits) == [rule_commit("Ann", 5, "there")]
        assert list(run(store.chats())) == [record("theirs")]
        assert [row.body for row in run(store.ledger("delivery", "", 9))] == [{"n": 7}]

    @staticmethod
    def foreign() -> list[Record]:
        """Records of a replica "there": one of each kind but a purge."""
        noted = LedgerRow("delivery", record("theirs").id, 12, {"n": 7})
        parts: list[tuple[RecordKind, str, str, int, Body]] = [
            ("chat", "p", record("theirs").id, 7 << 16, record("theirs")),
            ("source", "p", "k1", 4, Source("k1", "user", "their words")),
            ("commit", "p", rule_commit("Ann").id, 5, rule_commit("Ann", 5, "there")),
            ("delivery", "", delivery_id(noted), 12 << 16, noted),
        ]
        return [Record("there", at, kind, pool, id_, clock, body) for at, (kind, pool, id_, clock, body) in enumerate(parts, 1)]

    def log(self, store: Store, origin: str) -> list[Record]:
        """All of it, commits read; which number a row of the ledger has is each store's own."""
        return [replace(each, body=read_commit(each.id, each.body)) for each in run(store.log(origin, 0, 1 << 30))]

    @pytest.mark.parametrize("sequence", [1, 3])
    def test_a_record_that_is_not_the_next_one_is_a_conflict_and_stores_nothing(self, store: Store, sequence: int) -> None:
        came = self.foreign()
        self.write(store, Batch(records=came[:1]))
        before = self.snapshot(store), run(store.heads())
        with pytest.raises(Conflict):
            self.write(store, Batch("p", [Source("k9", "user", "x")], records=[replace(came[1], sequence=sequence)]))
        assert (self.snapshot(store), run(store.heads())) == before

    def test_a_record_of_what_is_known_is_a_record_all_the_same(self, store: Store) -> None:
        mine = run(store.replica())
        self.write(store, Batch("p", [Source("k1", "user", "their words")], [rule_commit("Ann", 3)]))
        cursor = self.pool(store).cursor
        self.write(store, Batch(records=self.foreign()))
        rows = self.pool(store, cursor=cursor)
        assert (list(rows.sources), list(rows.commits)) == ([], [])
        assert list(self.pool(store).commits) == [rule_commit("Ann", 3)], "the smaller clock stays"
        assert [run(store.heads())[origin].sequence for origin in (mine, "there")] == [2, 4]
        assert self.log(store, "there")[2].body == rule_commit("Ann", 3)

    def test_of_two_texts_under_one_key_every_replica_keeps_the_same(self, store: Store) -> None:
        first, second = "a 𐀀 sign", "a ￿ sign"
        self.write(store, Batch("p", [Source("k1", "user", first)]))
        cursor = self.pool(store).cursor
        self.write(store, Batch(records=[Record("there", 1, "source", "p", "k1", 4, Source("k1", "user", second))]))
        assert [source.text for source in self.pool(store, cursor=cursor).sources] == [second]
        self.write(store, Batch(records=[Record("there", 2, "source", "p", "k1", 4, Source("k1", "user", first))]))
        assert [source.text for source in self.pool(store).sources] == [second]

    def test_a_chat_that_came_is_one_with_that_of_its_id(self, store: Store) -> None:
        mine = ChatRecord("an id", "c", "p", "", 9 << 16)
        self.write(store, Batch("p", new_chat=mine, chat=ChatWrite("an id", 0, [], slots(10))))
        theirs = [replace(mine, parent="older", clock=8 << 16), replace(mine, clock=10 << 16)]
        self.write(store, Batch(records=[Record("there", at, "chat", "p", "an id", each.clock, each) for at, each in enumerate(theirs, 1)]))
        assert list(run(store.chats())) == [replace(mine, parent="older", clock=8 << 16)]
        assert (run(store.chat("an id")).revision, list(run(store.chat("an id")).rows)) == (1, slots(10))

    def test_a_chat_that_came_under_a_name_that_is_taken_has_another_one_here(self, store: Store) -> None:
        self.make(store)
        theirs = ChatRecord("another id", "c", "q", "", 1)
        self.write(store, Batch(records=[Record("there", 1, "chat", "q", theirs.id, 1, theirs)]))
        names = {each.id: (each.name, each.called) for each in run(store.chats())}
        assert names == {record("c").id: ("c", "c"), theirs.id: ("c (another )", "c")}
        sent = self.log(store, "there")[0].body
        assert isinstance(sent, ChatRecord)
        assert sent.called == "c"

    # ---- purges and records ----

    def test_a_purge_leaves_ids_and_no_words(self, store: Store) -> None:
        mine = run(store.replica())
        self.full(store)
        before = self.log(store, mine)
        burial = purge_of(store, record("c").id)
        run(store.purge(burial))
        after = self.log(store, mine)
        gone = {1, 2, 3, 4}
        assert [each.body is None for each in after[:10]] == [each.sequence in gone or each.sequence == 5 for each in before]
        assert [replace(each, body=None) for each in after[:10]] == [replace(each, body=None) for each in before]
        assert after[10:] == [Record(mine, 11, "purge", "p", burial.purge.id, burial.purge.clock, burial.purge)]
        assert [each.body for each in run(store.purges())] == [burial.purge]

    def test_nothing_that_a_purge_buried_comes_back_and_what_is_later_does(self, store: Store) -> None:
        self.full(store)
        bury(store, record("c").id)
        now = 9 << 16
        old = self.foreign()[:3]
        self.write(store, Batch(records=[replace(each, clock=now, body=dated(each.body, now)) for each in old]))
        assert (list(self.pool(store).sources), list(self.pool(store).commits)) == ([], [])
        assert [each.body for each in self.log(store, "there")][1:] == [None, None]
        again = [replace(each, sequence=at, clock=now + 1, body=dated(each.body, now + 1)) for at, each in enumerate(old, 4)]
        self.write(store, Batch(records=again))
        assert [source.text for source in self.pool(store).sources] == ["their words"]
        assert list(self.pool(store).commits) == [rule_commit("Ann", now + 1, "there")]

    def test_a_purge_that_comes_late_leaves_what_was_written_later(self, store: Store) -> None:
        """The same as when it comes first."""
        for at, clock in enumerate((5, 9), 1):
            body = rule_commit("Ann", clock, "there")
            self.write(store, Batch(records=[Record("there", at, "commit", "p", body.id, clock, body)]))
        self.write(store, Batch("p", [Source("k1", "user", "early")], [rule_commit("Bob", 5)], clock=5))
        self.write(store, Batch("p", [Source("k2", "user", "late")], clock=9))
        assert run(store.purge(Burial(made_purge("p", 7, whole=True)))) == Purged(0, 1, 1, shared=False)
        assert [source.text for source in self.pool(store).sources] == ["late"]
        assert list(self.pool(store).commits) == [rule_commit("Ann", 9, "there")]
        assert self.pool(store).floor == 7

    def test_of_two_purges_of_a_pool_the_later_one_counts_in_whatever_order_they_come(self, store: Store) -> None:
        self.make(store)
        records = [
            Record("there", at, "commit", "p", rule_commit("Ann").id, clock, rule_commit("Ann", clock, "there"))
            for at, clock in enumerate((3, 6, 9), 1)
        ]
        self.write(store, Batch(records=records[:2]))
        for clock, more in ((7, records[2:]), (5, [])):
            run(store.purge(Burial(made_purge("p", clock, chats=((record("c").id, ""),), whole=True))))
            self.write(store, Batch(records=more))
            assert [commit.clock for commit in self.pool(store).commits] == [9]
        assert [each.name for each in run(store.chats())] == ["c"], "its clock is later than both"

    def test_purged_messages_stay_gone_whoever_brings_them(self, store: Store) -> None:
        commits = everything()
        self.write(store, Batch("p", [Source("k1", "user", "secret"), Source("k2", "user", "other")], commits))
        rows = self.pool(store)
        self.write(store, Batch(ledger=[LedgerRow("attempt", "p", 1, {"raw": "secret"}), LedgerRow("attempt", "q", 1, {"raw": "x"})]))
        purge = made_purge("p", 4, keys=("k1",), commits=(commits[2].id,), nodes=(("n", FOREVER), ("m", 3)))
        dead = [commits[0].id, commits[1].id]
        cleaned = Batch(ledger=[LedgerRow("attempt", "p", 1, {"raw": ""})])
        assert run(store.purge(Burial(purge, dead, rows.cursor, then=cleaned))) == Purged(0, 1, 3, shared=False)
        after = self.pool(store)
        assert ([source.key for source in after.sources], list(after.commits)) == (["k2"], [commits[3]])
        assert (list(after.purged), after.burials != rows.burials, after.floor) == (["k1"], True, 3)
        assert [row.body["raw"] for row in run(store.ledger("attempt", "", 9))] == ["", "x"]
        self.write(store, Batch("p", [Source("k1", "user", "secret")], commits[:2], clock=FOREVER))
        came: list[tuple[RecordKind, str, Body]] = [("source", "k1", Source("k1", "user", "secret"))]
        came += [("commit", each.id, each) for each in commits]
        records = [Record("there", at, kind, "p", id_, 1 << 60, body) for at, (kind, id_, body) in enumerate(came, 1)]
        self.write(store, Batch(records=records))
        assert (list(self.pool(store).sources), list(self.pool(store).commits)) == (list(after.sources), list(after.commits))
        late = windowless("person", [Patch("m", "text", None, "new")], clock=9, replica="here", chat="c")
        self.write(store, Batch("p", (), [late]))
        early = windowless("person", [Patch("m", "text", None, "new")], clock=3, replica="here", chat="c")
        with pytest.raises(Conflict):
            self.write(store, Batch("p", (), [early]))
        assert late in self.pool(store).commits
        assert early not in self.pool(store).commits

    def test_a_purge_on_a_pool_that_was_changed_meanwhile_is_a_conflict_and_changes_nothing(self, store: Store) -> None:
        self.full(store)
        cursor = self.pool(store).cursor
        self.write(store, Batch("p", (), [rule_commit("Bob")]))
        chats = purge_of(store, record("c").id)
        branch = record("branch", parent=record("c").id)
        self.write(store, Batch("p", new_chat=branch, chat=ChatWrite(branch.id, 0, [], slots(10))))
        before = self.snapshot(store), run(store.heads())
        keys = made_purge("p", 4, keys=("k10",))
        for burial in (Burial(keys, cursor=cursor), chats, Burial(keys, cursor=99, origin="there", sequence=2)):
            with pytest.raises(Conflict):
                run(store.purge(burial))
            assert (self.snapshot(store), run(store.heads())) == before

    def test_a_purge_of_another_replica_keeps_its_number(self, store: Store) -> None:
        self.full(store)
        purge = purge_of(store, record("c").id)
        run(store.purge(replace(purge, origin="there", sequence=1, then=Batch("q", [Source("k9", "user", "after")]))))
        assert self.log(store, "there") == [Record("there", 1, "purge", "p", purge.purge.id, purge.purge.clock, purge.purge)]
        assert "after" in [source.text for source in self.pool(store, "q").sources]
        assert [(each.origin, each.sequence) for each in run(store.purges())] == [("there", 1)]

    def test_a_branch_that_comes_after_the_purge_of_its_parents_knows_all_of_them(self, store: Store) -> None:
        ids = {name: record(name).id for name in ("first", "second")}
        self.make(store, "first")
        second = record("second", parent=ids["first"])
        self.write(store, Batch("p", new_chat=second, chat=ChatWrite(second.id, 0, [], ())))
        bury(store, ids["second"])
        third = record("third", parent=ids["second"])
        self.write(store, Batch(records=[Record("there", 1, "chat", "p", third.id, third.clock, third)]))
        assert {each.name: each.parent for each in run(store.chats())}["third"] == f"{ids['second']},{ids['first']}"

    def test_a_store_under_another_id_writes_on_under_that(self, store: Store) -> None:
        mine = run(store.replica())
        self.full(store)
        run(store.rename("another"))
        self.write(store, Batch("p", (), [rule_commit("Bob")]))
        assert run(store.replica()) == "another"
        assert [run(store.heads())[origin].sequence for origin in (mine, "another")] == [10, 1]
        before = self.snapshot(store)
        run(store.rename("another", mine, 4))
        assert self.snapshot(store) == before
        assert [each.kind for each in self.log(store, mine)] == ["chat", "source", "source"]
        moved = self.log(store, "another")
        assert [each.kind for each in moved] == ["commit", "commit", "delivery", "chat", "source", "source", "commit", "delivery"]
        assert [each.sequence for each in moved] == list(range(1, 9))
        chain = run(store.chains([(mine, 3)]))[0]
        assert run(store.heads())[mine] == Head(3, chain)
        self.write(store, Batch(records=[Record(mine, 4, "source", "p", "k77", 1, Source("k77", "user", "theirs"))]))
        assert run(store.heads())[mine].sequence == 4
