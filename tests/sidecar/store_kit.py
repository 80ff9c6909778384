"""What the contracts of a store are told with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from tidelore.engine.codec import commit_in, windowed, windowless
from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, Evident, Known, Named, Patch, Quote, Retire, Source, Speaker
from tidelore.engine.ports import (
    Batch,
    Body,
    Burial,
    ChatRecord,
    ChatRows,
    ChatWrite,
    CommitText,
    LedgerRow,
    PoolRows,
    Purged,
    Store,
)
from tidelore.engine.sync.wire import made_purge

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def record(name: str, pool: str = "p", parent: str = "") -> ChatRecord:
    return ChatRecord(f"id of {name}", name, pool, parent, 7 << 16)


def entry(key: str, name: str = "Ann", *, hidden: bool = False, date: str = "") -> Entry:
    return Entry(key, "user", name, hidden, date)


def slots(*orders: int) -> list[tuple[Entry, int]]:
    return [(entry(f"k{order}"), order) for order in orders]


def rule_commit(name: str, clock: int = 1, replica: str = "here") -> Commit:
    """Equal names give equal content."""
    return windowed("rules", [EnsureNode(Named(name), "character")], ["k1"], clock=clock, replica=replica, maker="rules")


def purge_of(store: Store, chat: str, clock: int = 9 << 16) -> Burial:
    """A purge of a chat of the store (id), and of its pool where no other stands on it."""
    chats = run(store.chats())
    gone = next(each for each in chats if each.id == chat)
    others = frozenset(each.id for each in chats if each.pool == gone.pool and each.id != chat)
    return Burial(made_purge(gone.pool, clock, chats=((chat, gone.parent),), whole=not others), others=others)


def read_commit(id_: str, body: Body | None) -> Body | None:
    match body:
        case CommitText(content, clock, replica, maker):
            return commit_in(json.loads(content), clock, replica, maker, id_)
        case LedgerRow():
            return replace(body, id=0)
        case _:
            return body


def dated(body: Body | None, clock: int) -> Body | None:
    return replace(body, clock=clock) if isinstance(body, Commit | ChatRecord) else body


def bury(store: Store, chat: str, clock: int = 9 << 16) -> Purged:
    return run(store.purge(purge_of(store, chat, clock)))


def everything() -> list[Commit]:
    """Each sort of operation, each family of commits."""
    first = rule_commit("Ann")
    model = windowed(
        "model",
        [
            EnsureNode(Evident("fact", (0, 1)), "trait", {"text": "likes\0🍰", "count": 3, "sure": 0.5, "tags": ("a", "b"), "on": True}),
            EnsureNode(Speaker(0), "character", evidence=(Quote(0, "the very words"), Quote(1)), subject=Named("Ann"), certainty="maybe"),
            EnsureEdge("knows", Named("Ann"), Known("00ff"), "old friends", {"weight": 2}),
        ],
        ["k1", "k2"],
        clock=1 << 60,
        replica="there",
        generation=2,
        maker="a model",
    )
    hand = windowless("person", [Patch("n", "text", None, "new"), Retire("m", "it was")], clock=5, replica="here", chat="c", anchor="k2")
    return [first, model, hand, windowless("person", [], clock=6, replica="here", chat="c", undoes=hand.id)]


class Asking:
    """What the tests of a contract ask a store."""

    @staticmethod
    def write(store: Store, batch: Batch) -> None:
        run(store.write(batch))

    @staticmethod
    def pool(store: Store, pool: str = "p", cursor: int = 0) -> PoolRows:
        return run(store.pool(pool, cursor))

    @staticmethod
    def chat(store: Store, name: str = "c") -> ChatRows:
        return run(store.chat(record(name).id))

    def make(self, store: Store, name: str = "c", rows: Sequence[tuple[Entry, int]] = ()) -> None:
        self.write(store, Batch("p", new_chat=record(name), chat=ChatWrite(record(name).id, 0, [], rows)))

    def snapshot(self, store: Store) -> object:
        """All that can be read."""
        records = sorted(run(store.chats()), key=lambda each: each.id)
        pools = [
            (sorted(rows.sources, key=repr), sorted(rows.commits, key=repr)) for rows in (self.pool(store, "p"), self.pool(store, "q"))
        ]
        chats = [(rows.revision, list(rows.rows)) for rows in (run(store.chat(each.id)) for each in records)]
        kinds = [run(store.ledger(kind, "", 100)) for kind in ("recall", "delivery")]
        return records, pools, chats, kinds, run(store.sizes()), run(store.settings())

    def full(self, store: Store) -> None:
        """Chats "c" and "other", each on a pool of its own, with rows of the ledger of both chats and both pools."""
        for name, pool in (("c", "p"), ("other", "q")):
            new = record(name, pool)
            noted = [LedgerRow("recall", new.id, 1, {"n": 1}), LedgerRow("delivery", pool, 2, {"n": 2})]
            sources = [Source(f"k{order}", "user", f"words {order}") for order in (10, 20)]
            chat = ChatWrite(new.id, 0, [], slots(10, 20, 30))
            self.write(store, Batch(pool, sources, [rule_commit("Ann")], new, chat, noted, clock=3 << 16))
