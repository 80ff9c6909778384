"""A store of many pages on disk, and ways to look at it."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import pytest

from tests.sidecar.store_contract import entry, record, rule_commit, run
from tidelore.engine.errors import StoreError
from tidelore.engine.model import Source
from tidelore.engine.ports import Batch, ChatWrite, LedgerRow
from tidelore.host.store import SqliteStore


def filled(folder: Path, messages: int = 400) -> None:
    """A store of many pages, closed."""
    store = SqliteStore(folder)
    rows = [(entry(f"k{n}"), n) for n in range(1, messages + 1)]
    sources = [Source(row.key, "user", f"message {row.key} " * 20) for row, _ in rows]
    commits = [rule_commit(f"person {n}") for n in range(messages // 4)]
    run(store.write(Batch("p", sources, commits, record("c"), ChatWrite(record("c").id, 0, [], rows))))
    run(store.write(Batch(ledger=[LedgerRow("recall", "a", n, {"n": n}) for n in range(messages)], settings={"a": "b" * 500})))
    store.close()


def read_all(store: SqliteStore) -> int:
    """Reads whatever the store can be asked for; how many messages the chat has."""
    run(store.chats())
    run(store.replica())
    run(store.pool("p", 0))
    run(store.ledger("recall", "", 10_000))
    run(store.settings())
    run(store.sizes())
    for origin in run(store.heads()):
        run(store.log(origin, 0, 1 << 40))
    run(store.purges())
    return len(run(store.chat(record("c").id)).rows)


def use(folder: Path) -> int:
    store = SqliteStore(folder)
    try:
        return read_all(store)
    finally:
        store.close()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: blake2b(path.read_bytes()).digest() for path in folder.iterdir()}


def refused(folder: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        use(folder)
    assert caught.value.hint
    return caught.value
