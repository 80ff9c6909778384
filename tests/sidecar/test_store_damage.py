"""A damaged store file: the fault is a StoreError that says what to do, never one of SQLite's own."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.service_kit import Kit, rows
from tests.sidecar.store_contract import rule_commit, run
from tests.sidecar.store_files import filled, refused, use
from tidelore.engine.errors import StoreError
from tidelore.engine.ports import Batch
from tidelore.host.store import FILE, SqliteStore


@pytest.mark.parametrize("share", [0.001, 0.01, 0.3, 0.7, 0.99])
def test_a_file_that_was_cut_off_is_a_store_error(tmp_path: Path, share: float) -> None:
    filled(tmp_path)
    path = tmp_path / FILE
    os.truncate(path, int(path.stat().st_size * share))
    assert "damaged" in refused(tmp_path).sentence


def test_noise_in_the_file_is_a_store_error_or_changes_only_bytes_of_texts(tmp_path: Path) -> None:
    """SQLite has no checksums: what hits the inside of a text stays unseen, all else is an error of ours."""
    filled(tmp_path)
    path = tmp_path / FILE
    whole = path.read_bytes()
    chance = random.Random(7)
    hints: list[str] = []
    for _ in range(60):
        size = chance.choice((1, 16, 600, 5000))
        at = chance.randrange(len(whole))
        noise = chance.randbytes(size) if chance.random() < 0.7 else b"\0" * size
        path.write_bytes((whole[:at] + noise + whole[at + size :])[: len(whole)])
        try:
            use(tmp_path)
        except StoreError as error:
            hints.append(error.hint)
    assert len(hints) > 20
    assert all(hints)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"author":"rules","operations":[7]}', "nothing"])
def test_a_commit_that_is_not_what_was_written_is_a_store_error(tmp_path: Path, content: str) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        changed = "replace(content, 'person 5', 'person X')" if content == "nothing" else "?"
        values = [] if content == "nothing" else [content]
        db.execute(f"update commits set content = {changed} where id = ?", [*values, rule_commit("person 5").id])
        db.commit()
    assert rule_commit("person 5").id in refused(tmp_path).sentence


def test_a_fault_in_a_text_is_told_without_the_text(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("update sources set text = cast(x'736563726574ff' as text) where key = 'k5'")
        db.commit()
    error = refused(tmp_path)
    assert "damaged" in error.sentence
    assert "secret" not in error.sentence


def test_a_store_that_is_removed_or_replaced_while_open_takes_no_more_writes(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    run(store.write(Batch(settings={"a": 1})))
    (tmp_path / FILE).rename(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError, match="removed or replaced"):
        run(store.write(Batch(settings={"a": 2})))
    (tmp_path / FILE).write_bytes((tmp_path / "elsewhere.db").read_bytes())
    with pytest.raises(StoreError, match="removed or replaced"):
        run(store.write(Batch(settings={"a": 3})))
    store.close()


def test_a_damaged_schema_page_is_said_to_be_damaged(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    run(store.write(Batch(settings={"a": 1})))
    store.close()
    data = bytearray((tmp_path / FILE).read_bytes())
    data[data.find(b"tablechatschats") + 5] = 0x94
    (tmp_path / FILE).write_bytes(bytes(data))
    with pytest.raises(StoreError, match="damaged"):
        run(SqliteStore(tmp_path).chats())


@pytest.mark.parametrize("change", ["update commits set clock = 'x'", "update sources set text = x'ff'", "update chats set revision = 'x'"])
def test_rows_of_the_wrong_sort_are_said_to_be_damage(tmp_path: Path, change: str) -> None:
    kit = Kit(store=SqliteStore(tmp_path))
    kit.remember("c", rows(("Mara", "The lantern hangs in the mill.")))
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute(change)
        db.commit()
    with pytest.raises(StoreError):
        Kit(store=SqliteStore(tmp_path)).show("c", rows(("Mara", "The lantern is gone.")))
