"""The store file and what can be wrong with it: each fault is a StoreError that says what to do, and nothing is made worse."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.sidecar.processes import python, script
from tests.sidecar.store_contract import record, rule_commit, run, slots
from tests.sidecar.store_files import files, filled, read_all, refused, use
from tidelore.engine.errors import StoreError
from tidelore.engine.model import Source
from tidelore.engine.ports import Batch, ChatWrite
from tidelore.host import store as module
from tidelore.host.migrations import STEPS
from tidelore.host.store import APPLICATION_ID, FILE, SqliteStore

OPEN = """
import sys
from pathlib import Path
from tidelore.engine.errors import StoreError
from tidelore.host.store import SqliteStore
"""


# ---- files that are not ours ----


@pytest.mark.req("P87")
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_the_database_of_another_program_is_refused_and_not_touched(tmp_path: Path, journal: str) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute(f"pragma journal_mode = {journal}")
        db.execute("create table songs (title text)")
        db.commit()
    before = files(tmp_path)
    assert "another program" in refused(tmp_path).sentence
    assert files(tmp_path) == before


@pytest.mark.req("P87")
def test_an_empty_database_that_another_program_has_signed_is_refused_and_not_touched(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("pragma application_id = 252006674")
    before = files(tmp_path)
    assert "another program" in refused(tmp_path).sentence
    assert files(tmp_path) == before


@pytest.mark.req("P87")
@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_newer_format_is_refused_and_not_touched(tmp_path: Path, journal: str) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute(f"pragma journal_mode = {journal}")
        db.execute(f"pragma user_version = {len(STEPS) + 1}")
    before = files(tmp_path)
    error = refused(tmp_path)
    assert "newer" in error.sentence
    assert "Update" in error.hint
    assert files(tmp_path) == before


@pytest.mark.req("P87")
@pytest.mark.parametrize("content", [b"{}", b"SQLite format 2\0" * 300, os.urandom(5000)], ids=["JSON", "another format", "noise"])
def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    before = files(tmp_path)
    assert "not a Tidelore store" in refused(tmp_path).sentence
    assert files(tmp_path) == before


# ---- folders ----


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to(path.with_name("nowhere"))], ids=["file", "broken link"])
def test_a_folder_that_is_none_is_a_store_error_that_names_it(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "full of busy bees")  # the words of SQLite's errors in a path mean nothing
    sentence = refused(tmp_path / "full of busy bees").sentence
    assert str(tmp_path / "full of busy bees" / FILE) in sentence
    assert "cannot be used" in sentence


def test_a_folder_below_a_file_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot be used" in refused(tmp_path / "file" / "folder").sentence


def test_a_folder_in_place_of_the_file_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert "cannot be used" in refused(tmp_path).sentence


NOBODY = (
    OPEN
    + """
import os
if os.geteuid() == 0:
    os.setuid(65534)
try:
    SqliteStore(Path(sys.argv[1]))
except StoreError as error:
    print(error.sentence, error.hint, sep="|")
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
@pytest.mark.parametrize("where", ["", "below"], ids=["itself", "the one above"])
def test_a_folder_that_may_not_be_written_is_a_store_error(where: str) -> None:
    folder = Path("/")  # another user may look into it, unlike tmp_path
    sentence, hint = script(NOBODY, str(folder / where)).strip().split("|")
    assert str(folder / where / FILE) in sentence
    assert "may be written" in hint


# ---- a full disk ----


def limit_pages(store: SqliteStore, pages: int) -> None:
    """The file may not grow beyond so many pages (but at least to the size that it has)."""
    store._thread.submit(store._db.execute, f"pragma max_page_count = {pages}").result()


def test_a_write_on_a_full_disk_fails_whole_and_works_when_there_is_room(tmp_path: Path) -> None:
    filled(tmp_path)
    store = SqliteStore(tmp_path)
    limit_pages(store, 1)
    sources = [Source(f"n{n}", "user", "x" * 3000) for n in range(200)]
    batch = Batch("p", sources, [rule_commit("Zoe")], None, ChatWrite(record("c").id, 1, [1], slots(5000)), settings={"a": 1})
    with pytest.raises(StoreError) as caught:
        run(store.write(batch))
    assert "no room" in caught.value.sentence
    assert caught.value.hint
    for same in (store, SqliteStore(tmp_path)):
        rows = run(same.pool("p", 0))
        assert (len(rows.sources), len(rows.commits)) == (400, 100)
        assert read_all(same) == 400
        assert run(same.settings()) == {"a": "b" * 500}
    same.close()
    limit_pages(store, 1 << 30)
    run(store.write(batch))
    assert len(run(store.pool("p", 0)).sources) == 600
    assert read_all(store) == 400
    store.close()


FULL = (
    OPEN
    + """
import asyncio, json, resource
from tidelore.engine.ports import Batch, LedgerRow

async def main(store):
    written = failed = 0
    try:
        while failed < 3:
            try:
                await store.write(Batch(ledger=[LedgerRow("recall", "a", 1, {"n": written, "text": "x" * 20_000})]))
                written += 1
            except StoreError as error:
                failed += 1
                assert error.hint, error
    finally:
        rows = await store.ledger("recall", "", 10_000)
    assert [row.body["n"] for row in rows] == list(reversed(range(written)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await store.write(Batch(ledger=[LedgerRow("recall", "a", 1, {"n": written})]))
    print(written)

store = SqliteStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
asyncio.run(main(store))
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of resources")
@pytest.mark.req("LAW-3")
def test_a_file_that_cannot_grow_fails_the_write_and_keeps_what_was_written(tmp_path: Path) -> None:
    written = int(script(FULL, str(tmp_path)))
    assert written > 5
    store = SqliteStore(tmp_path)
    assert [row.body["n"] for row in run(store.ledger("recall", "", 10_000))] == list(reversed(range(written + 1)))
    store.close()


def test_a_disk_that_is_full_from_the_start_is_a_store_error(tmp_path: Path) -> None:
    text = OPEN + (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n    SqliteStore(Path(sys.argv[1]))\nexcept StoreError as error:\n    print(error.hint)\n"
    )
    assert script(text, str(tmp_path)).strip()
    assert use(tmp_path) == 0


# ---- formats ----


def formats(folder: Path) -> tuple[int, list[str]]:
    with closing(sqlite3.connect(folder / FILE)) as db:
        names = [row[0] for row in db.execute("select name from sqlite_schema where name like 'more%' order by name")]
        return db.execute("pragma user_version").fetchone()[0], names


def test_steps_run_once_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    assert formats(tmp_path) == (len(STEPS), [])
    more = (*STEPS, "create table more1 (a text); insert into more1 values ('x');", "insert into more1 values ('y')")
    monkeypatch.setattr(module, "STEPS", more)
    for _ in range(2):
        assert use(tmp_path) == 400
        assert formats(tmp_path) == (len(more), ["more1"])
        with closing(sqlite3.connect(tmp_path / FILE)) as db:
            assert db.execute("select a from more1").fetchall() == [("x",), ("y",)]


def test_a_step_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    monkeypatch.setattr(module, "STEPS", (*STEPS, "create table more1 (a text)", "insert into nowhere values (1)"))
    refused(tmp_path)
    assert formats(tmp_path) == (len(STEPS), [])
    monkeypatch.setattr(module, "STEPS", STEPS)
    assert use(tmp_path) == 400


def test_a_new_store_carries_our_sign_and_the_number_of_its_steps(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "deep" / "down").close()
    with closing(sqlite3.connect(tmp_path / "deep" / "down" / FILE)) as db:
        assert db.execute("pragma application_id").fetchone()[0] == APPLICATION_ID
        assert db.execute("pragma user_version").fetchone()[0] == len(STEPS)
        assert db.execute("pragma integrity_check").fetchone()[0] == "ok"


OPENS = (
    OPEN
    + """
import asyncio
print("ready", flush=True)
for line in sys.stdin:
    try:
        store = SqliteStore(Path(line.strip()))
        print(asyncio.run(store.replica()), flush=True)
        store.close()
    except StoreError as error:
        print(error.sentence, flush=True)
"""
)


@pytest.mark.req("P85")
def test_processes_that_make_one_store_at_the_same_time_all_succeed(tmp_path: Path) -> None:
    with python("-c", OPENS) as one, python("-c", OPENS) as two, python("-c", OPENS) as three:
        others = (one, two, three)
        assert [other.hear() for other in others] == ["ready"] * 3
        for number in range(60):
            for other in others:
                other.tell(str(tmp_path / str(number)))
            said = {other.hear() for other in others}
            assert len(said) == 1
            assert len(said.pop()) == 16


@pytest.mark.req("P85")
@pytest.mark.parametrize("step", range(1, 8))
def test_a_store_that_another_makes_while_we_look_is_no_other_programs(tmp_path: Path, step: int) -> None:
    """The other process has it made just before our statement number `step`."""
    made: list[SqliteStore] = []

    class Slow(SqliteStore):
        def _prepare(self, db: sqlite3.Connection) -> None:
            statements: list[str] = []

            def trace(statement: str) -> None:
                statements.append(statement)
                if len(statements) == step:
                    made.append(SqliteStore(tmp_path))

            db.set_trace_callback(trace)
            super()._prepare(db)
            db.set_trace_callback(None)

    slow = Slow(tmp_path)
    assert run(slow.replica()) == run(made[0].replica())
    for store in (slow, *made):
        store.close()


# ---- readers ----

WRITER = (
    OPEN
    + """
import sqlite3
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("begin immediate")
db.execute("update settings set value = '1'")
print("writing", flush=True)
sys.stdin.readline()
db.execute("commit")
print("done", flush=True)
"""
)


@pytest.mark.req("P89")
def test_reading_and_opening_do_not_wait_for_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.0)
    filled(tmp_path)
    before = SqliteStore(tmp_path)
    with python("-c", WRITER, str(tmp_path / FILE)) as writer:
        assert writer.hear() == "writing"
        after = SqliteStore(tmp_path)  # the writer goes on only when it is told to, below
        for store in (before, after):
            assert read_all(store) == 400
            assert run(store.settings()) == {"a": "b" * 500}
        with pytest.raises(StoreError, match="another process"):
            run(after.write(Batch(settings={"c": 1})))
        assert writer.ask("go on") == "done"
    assert run(before.settings()) == {"a": 1}
    run(after.write(Batch(settings={"c": 1})))
    assert run(before.settings()) == {"a": 1, "c": 1}
    before.close()
    after.close()


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX systems")
def test_a_store_is_for_its_owner_only(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data")
    run(store.write(Batch(settings={"a": 1})))
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()} == {0o600}
    store.close()
