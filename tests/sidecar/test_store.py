"""Both stores keep the contract; what only a store on disk can do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sidecar.store_contract import StoreContract, bury, everything, record, run, slots
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.memory import MemoryStore
from tidelore.engine.model import Source
from tidelore.engine.ports import FOREVER, Batch, ChatWrite, LedgerRow, Store
from tidelore.host.store import SqliteStore


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path)
        yield store
        store.close()

    @pytest.mark.req("LAW-3")
    def test_all_of_it_is_there_after_a_restart(self, store: SqliteStore) -> None:
        self.make(store, rows=slots(10, 20))
        self.write(store, Batch("p", [Source("k1", "user", "one\0two")], everything(), ledger=[LedgerRow("recall", "a", 1, {})]))
        self.write(store, Batch(settings={"a": [1]}))
        before, replica, cursor = self.snapshot(store), run(store.replica()), self.pool(store).cursor
        again = SqliteStore(store.path.parent)
        assert (self.snapshot(again), run(again.replica()), self.pool(again).cursor) == (before, replica, cursor)
        again.close()

    def test_anothers_write_changes_the_version(self, store: SqliteStore) -> None:
        other = SqliteStore(store.path.parent)
        seen = [run(store.version())]
        for name in ("c", "d"):
            self.make(other, name)
            seen.append(run(store.version()))
        assert len(set(seen)) == 3
        assert run(store.version()) == seen[-1]
        other.close()

    @pytest.mark.req("P19")
    def test_of_two_writers_on_one_revision_the_second_has_a_conflict(self, store: SqliteStore) -> None:
        self.make(store, rows=slots(10))
        other = SqliteStore(store.path.parent)
        self.write(other, Batch("p", chat=ChatWrite(record("c").id, 1, [10], slots(20))))
        with pytest.raises(Conflict):
            self.write(store, Batch("p", chat=ChatWrite(record("c").id, 1, [], slots(30))))
        assert list(self.chat(store).rows) == slots(20)
        other.close()

    def test_a_chat_that_is_not_there_is_a_conflict(self, store: SqliteStore) -> None:
        with pytest.raises(Conflict):
            self.write(store, Batch("p", chat=ChatWrite("nowhere", 0, [], slots(10))))
        assert run(store.sizes()) == {}

    def test_half_a_character_is_refused_and_nothing_is_stored(self, store: SqliteStore) -> None:
        with pytest.raises(BadInput) as caught:
            self.write(store, Batch("p", [Source("k1", "user", "fine"), Source("k2", "user", "half \ud83d")]))
        assert caught.value.hint
        assert list(self.pool(store).sources) == []

    def test_the_words_of_a_purged_chat_are_nowhere_in_the_folder(self, store: SqliteStore) -> None:
        secret = "the heron knows where the key lies"
        new = record("c", "q")
        batch = Batch("q", [Source("k10", "user", secret)], everything(), new, ChatWrite(new.id, 0, [], slots(10)))
        self.write(store, batch)
        self.make(store, "d")

        def files() -> bytes:
            return b"".join(path.read_bytes() for path in sorted(store.path.parent.iterdir()))

        assert secret.encode() in files()
        other = SqliteStore(store.path.parent)
        version = run(other.version())
        bury(store, new.id, FOREVER)
        assert run(other.version()) != version
        assert [each.name for each in run(other.chats())] == ["d"]
        other.close()
        assert secret.encode() not in files()
        assert b"likes" not in files(), "nor are those of its commits"

    def test_many_writes_at_once_are_all_stored(self, store: SqliteStore) -> None:
        async def many() -> None:
            await asyncio.gather(*(store.write(Batch(ledger=[LedgerRow("recall", "a", 1, {"n": n})])) for n in range(50)))

        run(many())
        assert sorted(row.body["n"] for row in run(store.ledger("recall", "", 100))) == list(range(50))
