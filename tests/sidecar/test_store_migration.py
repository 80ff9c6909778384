"""A store of the first format, as that version left it, is opened, goes on and takes part in the exchange."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from tests.engine.service_kit import rows
from tests.sidecar.store_contract import run
from tidelore.engine.ports import ChatRecord, LedgerRow
from tidelore.engine.service import Service
from tidelore.engine.sync.chain import GENESIS, link
from tidelore.host.open import open_service
from tidelore.host.store import FILE, SqliteStore

OLD = Path(__file__).with_name("format1.sql")
REPLICA = "0123456789abcdef"
SAID = rows(
    ("Mara", "My cat is called Biscuit."),
    ("Tobin", "Biscuit stole a herring from the stove."),
    ("Mara", "Then she is forgiven, since the herring was old."),
)


def old(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript(OLD.read_text("utf-8"))
    return folder


def test_what_was_stored_becomes_the_first_records_of_the_store(tmp_path: Path) -> None:
    store = SqliteStore(old(tmp_path))
    assert run(store.replica()) == REPLICA
    records = run(store.log(REPLICA, 0, 1 << 30))
    assert [each.kind for each in records] == [*["chat"] * 3, *["source"] * 3, *["commit"] * 5, "delivery"]
    assert [each.body for each in records].count(None) == 0
    chain = GENESIS
    for each in records:
        chain = link(chain, each.kind, each.pool, each.id)
    head = run(store.heads())[REPLICA]
    assert (head.sequence, head.chain) == (12, chain)
    chats = [each.body for each in records if isinstance(each.body, ChatRecord)]
    assert [(each.name, each.title) for each in chats] == [("c", ""), ("branch", ""), ("\x1fprofile", "")]
    assert isinstance(records[-1].body, LedgerRow)
    assert list(run(store.purges())) == []
    store.close()
    again = SqliteStore(tmp_path)
    assert run(again.heads()) == {REPLICA: head}
    again.close()


@asynccontextmanager
async def two(tmp_path: Path) -> AsyncIterator[tuple[Service, Service]]:
    async with open_service(old(tmp_path / "old")) as one, open_service(tmp_path / "new") as other:
        yield one, other


def test_memories_of_the_first_format_reach_a_new_replica(tmp_path: Path) -> None:
    async def main() -> None:
        async with two(tmp_path) as (one, other):

            async def call(service: Service, method: str, **params: Any) -> Any:
                return await service.call(method, params)

            before = await call(one, "graph.get", chat="c")
            assert "changed by hand" in [node["text"] for node in before["nodes"]]
            await call(other, "sync.push", **await call(one, "sync.pull", **await call(other, "sync.vector")))
            await call(other, "chat.update", chat="c", messages=SAID)
            assert await call(other, "graph.get", chat="c") == before
            assert [each["scope"] for each in (await call(other, "scope.list"))["scopes"]] == ["profile"]
            assert [each["chat"] for each in (await call(other, "recall.deliveries"))["deliveries"]] == ["c"]
            await call(one, "chat.purge", chat="branch")
            await call(other, "sync.push", **await call(one, "sync.pull", **await call(other, "sync.vector")))
            assert "branch" not in [each["chat"] for each in (await call(other, "chat.list"))["chats"]]

    asyncio.run(main())


def test_words_of_the_first_format_can_be_purged_from_the_file(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_service(old(tmp_path)) as service:
            for chat in ("branch", "c"):
                await service.call("chat.purge", {"chat": chat})

    asyncio.run(main())
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"herring" not in data
    assert b"changed by hand" not in data
    assert b"choir" in data
