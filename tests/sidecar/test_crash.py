"""A process is killed in the midst of its writing, again and again: what it had acknowledged is there, and the store is sound."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.crash_driver import message
from tests.sidecar.processes import Other, python
from tidelore.engine.keys import message_key
from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import Batch, ChatRecord
from tidelore.engine.service import Service
from tidelore.host.store import FILE, SqliteStore

FOLDERS, KILLS = 5, 10
MOST_CALLS = 30
LONGEST_DELAY = 0.006


def keys(screen: list[int]) -> list[str]:
    return [message_key(each["role"], each["text"]) for each in map(message, screen)]


@dataclass
class Acknowledged:
    """What the workers on one folder have said is stored. `open`: what was begun when the last one was killed."""

    screens: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    shown: set[str] = field(default_factory=set[str])
    extracted: set[str] = field(default_factory=set[str])
    commits: set[str] = field(default_factory=set[str])
    receipts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    open: dict[str, Any] | None = None

    def hear(self, word: str, body: dict[str, Any]) -> None:
        match word, self.open:
            case "try", None:
                self.open = body
                return
            case "ok", {"call": "chat.update", "chat": chat, "screen": screen}:
                self.screens[chat] = screen
                self.shown.update(keys(screen))
            case "ok", {"call": "extract.run", "chat": chat}:
                self.extracted.update(keys(self.screens[chat]))
            case "ok", {"call": "node.edit" | "entity.alias" | "undo"}:
                self.commits.add(body["commit"])
            case "ok", {"call": "recall.delivered"}:
                self.receipts[body["recall"]] = body["nodes"]
            case "no", dict():
                pass
            case _:
                raise AssertionError((word, body, self.open))
        self.open = None


def run_and_kill(zygote: Other, folder: Path, seed: int, known: Acknowledged) -> int:
    """Lets a worker do a number of calls and then some moments more. How many calls it has acknowledged in all."""
    chance = random.Random(seed)
    calls, delay = chance.randrange(MOST_CALLS), chance.uniform(0, LONGEST_DELAY)
    known.open = None
    zygote.tell(json.dumps({"folder": str(folder), "seed": seed, "screens": known.screens}))
    pid = done = 0
    while not pid or done < calls:
        word, body = said(zygote)
        if word == "pid":
            pid = body["pid"]
        else:
            known.hear(word, body)
            done += word != "try"
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    while (heard := said(zygote))[0] != "dead":
        known.hear(*heard)
        done += heard[0] != "try"
    assert heard[1] == {"signal": signal.SIGKILL}
    return done


def said(zygote: Other) -> tuple[str, dict[str, Any]]:
    word, body = zygote.hear().split(" ", 1)
    return word, json.loads(body)


async def check(folder: Path, known: Acknowledged) -> None:
    """Opens the store as any start does, and compares."""
    store = SqliteStore(folder)
    try:
        service = Service(store, count(1 << 41).__next__, lambda: "")
        records = {record.name: record for record in await store.chats()}
        for name, record in records.items():
            rows = (await store.chat(record.id)).rows
            was = known.open or {}
            maybe = was["screen"] if was.get("screen") is not None and was["chat"] == name else None
            standing = [entry.key for entry, _ in rows]
            if maybe is not None and standing == keys(maybe):
                known.screens[name] = maybe
                known.shown.update(standing)
            assert standing == keys(known.screens[name])
            assert [entry.hidden for entry, _ in rows] == [message(number)["hidden"] for number in known.screens[name]]
        assert records.keys() == known.screens.keys()
        if not records:
            return
        pool = await store.pool(records["main"].pool, 0)
        assert {source.key for source in pool.sources} == known.shown
        assert {commit.id for commit in pool.commits} >= known.commits
        assert {commit.window[0] for commit in pool.commits if commit.window} >= known.extracted
        receipts = {row.body["recall"]: row.body["nodes"] for row in await store.ledger("delivery", "", 10_000)}
        assert receipts.items() >= known.receipts.items()
        scratch = await from_scratch(records, known.screens, store)
        for name in records:
            graph = {"chat": name}
            assert await service.call("graph.get", graph) == await scratch.call("graph.get", graph)
    finally:
        store.close()
    with closing(sqlite3.connect(folder / FILE)) as db:
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert db.execute("pragma foreign_key_check").fetchall() == []


async def from_scratch(records: dict[str, ChatRecord], screens: dict[str, list[int]], store: SqliteStore) -> Service:
    """The same messages told to a new service, and the same commits given to its pool in another order."""
    memory = MemoryStore()
    tokens = [records["main"].pool, *(records[name].id for name in sorted(records, reverse=True))]
    telling = Service(memory, count(1).__next__, iter(tokens).__next__)
    for name in sorted(records, reverse=True):
        params = {"chat": name, "messages": list(map(message, screens[name])), "branch_of": "" if name == "main" else "main"}
        await telling.call("chat.update", params)
    pool = await store.pool(records["main"].pool, 0)
    await memory.write(Batch(records["main"].pool, pool.sources, sorted(pool.commits, key=lambda commit: commit.id)))
    return Service(memory, count(1).__next__, lambda: "")


@pytest.fixture(scope="module")
def zygote() -> Iterator[Other]:
    with python("-m", "tests.sidecar.crash_driver") as other:
        assert said(other) == ("ready", {})
        yield other


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.req("LAW-3")
@pytest.mark.parametrize("number", range(FOLDERS))
def test_what_was_acknowledged_survives_a_kill(zygote: Other, tmp_path: Path, number: int) -> None:
    known = Acknowledged()
    done = cut = 0
    for kill in range(KILLS):
        done += run_and_kill(zygote, tmp_path, 1 + number * KILLS + kill, known)
        cut += known.open is not None
        if (tmp_path / FILE).exists():
            asyncio.run(check(tmp_path, known))
    print(f"{done} calls acknowledged, {cut} cut off, {len(known.commits)} commits by hand, {len(known.receipts)} receipts")
    assert known.screens
    assert known.commits
    assert known.receipts


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.req("LAW-3")
def test_a_kill_while_the_store_is_made_leaves_one_that_opens(zygote: Other, tmp_path: Path) -> None:
    chance = random.Random(3)
    for kill in range(20):
        folder = tmp_path / str(kill)
        zygote.tell(json.dumps({"folder": str(folder), "seed": kill, "screens": {}}))
        known = Acknowledged()
        while (heard := said(zygote))[0] != "pid":
            known.hear(*heard)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(heard[1]["pid"], signal.SIGKILL)
        while (heard := said(zygote))[0] != "dead":
            known.hear(*heard)
        asyncio.run(check(folder, known))
