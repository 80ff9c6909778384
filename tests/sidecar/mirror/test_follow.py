"""A sidecar that follows SillyTavern's data folder: which chats it tells its engine, and that memories pass through the mirror."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.store_contract import run
from tidelore.engine.errors import BadInput
from tidelore.engine.service import Service
from tidelore.host.mirror import chat_file
from tidelore.host.mirror.follow import Follower, user_folder
from tidelore.host.open import open_service

ROOT = Path(__file__).resolve().parents[3]
POOL = "0123456789abcdef0123456789abcdef"
TURNS = [
    ("Ana", "My brother is called Tomas."),
    ("Mira", "I remember him well."),
    ("Ana", "He lives in Porto now."),
    ("Mira", "By the sea, then."),
    ("Ana", "Yes. Good night."),
    ("Mira", "Good night."),
]


def mark(name: str = "night", chat: str = "c1", **more: Any) -> dict[str, Any]:
    return {"chat": chat, "pool": POOL, "kind": "character", "owner": "Mira.png", "file": name, "integrity": "one", **more}


def lines(turns: list[tuple[str, str]], stamp: dict[str, Any] | None, integrity: str = "one") -> str:
    header = {"user_name": "unused", "character_name": "unused", "chat_metadata": {"integrity": integrity, "tidelore": stamp}}
    rows = [
        {"name": name, "is_user": name == "Ana", "is_system": False, "mes": text, "send_date": "2026-05-01T10:00:00.000Z"}
        for name, text in turns
    ]
    return "\n".join(json.dumps(row) for row in [header, *rows]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """SillyTavern's folder of one person, with one chat of Mira's."""
    made = tmp_path / "data" / "default-user"
    (made / "chats" / "Mira").mkdir(parents=True)
    (made / "group chats").mkdir()
    (made / "user" / "files").mkdir(parents=True)
    (made / "chats" / "Mira" / "night.jsonl").write_text(lines(TURNS, mark()), "utf-8")
    return made


@asynccontextmanager
async def followers(folder: Path, *stores: Path) -> AsyncIterator[list[Follower]]:
    async with AsyncExitStack() as stack:
        yield [Follower(await stack.enter_async_context(open_service(store)), folder) for store in stores]


async def chats(service: Service) -> dict[str, int]:
    return {each["chat"]: each["messages"] for each in (await service.call("chat.list", {}))["chats"]}


async def graph(service: Service) -> Any:
    found = await service.call("graph.get", {"chat": "c1"})
    return [(node["id"], node["text"]) for node in found["nodes"]], [edge["id"] for edge in found["edges"]]


@pytest.mark.req("P19")
def test_what_a_chat_file_says_is_remembered_and_follows_each_change(folder: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            assert (await one.look()).chats == ["c1"]
            assert await chats(one.service) == {"c1": 6}
            assert any("Tomas" in text for _, text in (await graph(one.service))[0])
            assert (await one.look()).chats == []
            path = folder / "chats" / "Mira" / "night.jsonl"
            path.write_text(lines([("Ana", "My brother is called Rui."), *TURNS[1:]], mark()), "utf-8")
            assert (await one.look()).chats == ["c1"]
            texts = " ".join(text for _, text in (await graph(one.service))[0])
            assert "Rui" in texts
            assert "Tomas" not in texts

    run(story())


def test_two_sidecars_on_one_folder_hold_equal_graphs_with_what_either_was_told_by_hand(folder: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with followers(folder, tmp_path / "a", tmp_path / "b") as [one, other]:
            await one.look()
            await other.look()
            assert await graph(one.service) == await graph(other.service)
            await one.service.call("node.write", {"chat": "c1", "kind": "fact", "text": "The lamp is out of oil."})
            await other.service.call("node.write", {"chat": "c1", "kind": "fact", "text": "The boat leaves at dawn."})
            for _ in range(2):
                await one.look()
                await other.look()
            found = await graph(one.service)
            assert found == await graph(other.service)
            assert {"The lamp is out of oil.", "The boat leaves at dawn."} <= {text for _, text in found[0]}
            quiet = [await one.look(), await other.look()]
            assert [(look.chats, look.news, look.sent) for look in quiet] == [([], 0, 0), ([], 0, 0)]

    run(story())


def test_a_mirror_that_vanished_is_written_anew_and_nothing_is_forgotten(folder: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            await one.look()
            await one.service.call("node.write", {"chat": "c1", "kind": "fact", "text": "The lamp is out of oil."})
            await one.look()
            before = await graph(one.service)
            shutil.rmtree(folder / "user" / "files")
            await one.look()
            assert await graph(one.service) == before
        async with followers(folder, tmp_path / "b") as [other]:
            await other.look()
            assert await graph(other.service) == before

    run(story())


def _off(path: Path) -> None:
    path.write_text(lines(TURNS, mark(off=True)), "utf-8")


def _no_mark(path: Path) -> None:
    path.write_text(lines(TURNS, None), "utf-8")


def _copy(path: Path) -> None:
    # A branch carries the mark of the chat that it came from until the page has opened it.
    path.with_name("night - Branch #1.jsonl").write_text(lines(TURNS[:2], mark(), integrity="two"), "utf-8")
    path.write_text(lines(TURNS, mark(off=True)), "utf-8")


def _same_twice(path: Path) -> None:
    shutil.copy(path, path.with_name("copied by hand.jsonl"))
    path.write_text(lines(TURNS, mark(off=True)), "utf-8")


def _strange_pool(path: Path) -> None:
    path.write_text(lines(TURNS, {**mark(), "pool": "../../etc"}), "utf-8")


@pytest.mark.parametrize("change", [_off, _no_mark, _copy, _same_twice, _strange_pool])
def test_a_chat_whose_mark_means_no_memory_here_is_left_alone(change: Callable[[Path], None], folder: Path, tmp_path: Path) -> None:
    change(folder / "chats" / "Mira" / "night.jsonl")

    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            look = await one.look()
            assert (look.chats, look.problems) == ([], [])
            assert await chats(one.service) == {}

    run(story())


def test_a_renamed_chat_and_a_renamed_card_are_the_same_chat(folder: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            await one.look()
            before = await graph(one.service)
            path = folder / "chats" / "Mira" / "night.jsonl"
            path.rename(path.with_name("a new name.jsonl"))
            (folder / "chats" / "Mira").rename(folder / "chats" / "Mirabel")
            look = await one.look()
            assert look.problems == []
            assert await chats(one.service) == {"c1": 6}
            assert await graph(one.service) == before

    run(story())


def test_a_half_written_file_is_told_and_read_when_it_is_whole(folder: Path, tmp_path: Path) -> None:
    path = folder / "chats" / "Mira" / "night.jsonl"
    whole = path.read_text("utf-8")

    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            path.write_text(whole[:-40], "utf-8")
            look = await one.look()
            assert look.chats == []
            assert [problem.startswith("night.jsonl: ") for problem in look.problems] == [True]
            path.write_text(whole, "utf-8")
            assert (await one.look()).chats == ["c1"]
            path.write_text("", "utf-8")
            assert len((await one.look()).problems) == 1
            assert await chats(one.service) == {"c1": 6}

    run(story())


def test_a_group_chat_is_read_where_groups_lie(folder: Path, tmp_path: Path) -> None:
    stamp = mark("evening", owner="1700000000000") | {"kind": "group"}
    (folder / "group chats" / "evening.jsonl").write_text(lines(TURNS, stamp), "utf-8")
    (folder / "chats" / "Mira" / "night.jsonl").unlink()
    (folder / "chats" / "Mira" / "evening.jsonl").write_text(lines(TURNS, stamp | {"chat": "c2"}), "utf-8")

    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            await one.look()
            assert await chats(one.service) == {"c1": 6}

    run(story())


def test_a_folder_that_is_none_is_refused_and_the_right_one_named(folder: Path) -> None:
    with pytest.raises(BadInput, match="not the data folder") as raised:
        user_folder(folder.parent)
    assert str(folder) in raised.value.hint
    assert user_folder(folder) == folder


@pytest.mark.slow
def test_page_and_sidecar_read_a_message_alike(tmp_path: Path) -> None:
    strange: list[dict[str, Any]] = [
        {"name": "Ana", "is_user": True, "mes": "Hello.", "send_date": "2026-05-01T10:00:00.000Z"},
        {"name": "Mira", "mes": "A reply\r\nin two lines.", "is_system": True, "send_date": 1777777777000},
        {"name": "Mira", "mes": "", "swipes": ["a", "b"], "swipe_id": 1},
        {"name": "Mira", "is_user": False, "send_date": "nonsense"},
        {"mes": None, "is_user": 1},
        {"name": "Mira", "mes": "A tool.", "extra": {"tool_invocations": []}},
        *(
            {"name": "Note", "mes": kind, "is_system": True, "extra": {"type": kind}}
            for kind in ("narrator", "comment", "assistant_message", "group", "odd")
        ),
        {"name": "Mira", "mes": "Extra is no object.", "extra": "x"},
    ]
    script = (
        'import { messagesOf } from "./extension/host_messages.js"; import { rowsOf } from "./extension/splice.js";'
        "const chat = JSON.parse(process.argv[1]);"
        'console.log(JSON.stringify(rowsOf(messagesOf({ chat }).filter(({ role }) => role !== "system"))));'
    )
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run([node, "--input-type=module", "-e", script, json.dumps(strange)], cwd=ROOT, capture_output=True, check=True)
    path = tmp_path / "Mira" / "night.jsonl"
    path.parent.mkdir()
    header = {"chat_metadata": {"integrity": "one", "tidelore": mark()}}
    path.write_text("\n".join(json.dumps(row) for row in (header, *strange)), "utf-8")
    read = chat_file.read(path, group=False)
    assert read is not None
    assert read.messages == json.loads(done.stdout)


@pytest.mark.slow
def test_the_command_says_what_it_did_and_ends_when_told_to(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tidelore", "mirror", "--user-data", str(folder), "--data", str(tmp_path / "a"), "--json"]
    done = subprocess.run([*command, "--once"], cwd=ROOT / "sidecar", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["chats"] == ["c1"]
    with subprocess.Popen(command, cwd=ROOT / "sidecar", stdout=subprocess.PIPE, text=True) as running:
        path = folder / "chats" / "Mira" / "night.jsonl"
        path.write_text(lines([*TURNS, ("Ana", "My cat is called Biscuit.")], mark()), "utf-8")
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["chats"] == ["c1"]
        running.terminate()
        assert running.wait(30) == 0


def test_a_bad_file_in_the_mirror_is_named_and_the_rest_is_exchanged(folder: Path, tmp_path: Path) -> None:
    async def check() -> None:
        async with followers(folder, tmp_path / "one", tmp_path / "two") as (one, two):
            await one.look()
            (folder / "user" / "files" / "tidelore-zz-manifest.json").write_text("1", "utf-8")
            look = await two.look()
            assert look.damaged == ["tidelore-zz-manifest.json"]
            assert look.problems == []
            assert await graph(two.service) == await graph(one.service)

    run(check())


BROKEN: dict[str, bytes] = {
    "no UTF-8": b'{"chat_metadata":{}}\n{"mes":"caf\xe9"}',
    "UTF-16": "{}".encode("utf-16"),
    "deep": b'{"chat_metadata":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b'}}\n{"mes":"x"}',
    "a huge number": b'{"chat_metadata":{}}\n{"mes":' + b"9" * 5000 + b"}",
    "nothing but zeros": b"\x00" * 4096,
    "the year 1": lines(TURNS, mark("aaa", "c0")).replace("2026-05-01T10:00:00.000Z", "0001-01-01T00:00:00+14:00").encode(),
    "the year 9999": lines(TURNS, mark("aaa", "c0")).replace("2026-05-01T10:00:00.000Z", "9999-12-31T23:59:59-14:00").encode(),
    "of another pool": lines(TURNS, mark("aaa", pool="f" * 32)).encode(),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_chat_file_that_is_anything_keeps_no_other_from_being_read(folder: Path, tmp_path: Path, name: str) -> None:
    path = folder / "chats" / "Mira" / "aaa.jsonl"
    path.write_bytes(BROKEN[name])

    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            for _ in range(2):
                await one.look()
            assert (await chats(one.service)).get("c1") == 6

    run(story())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_among_the_chats_is_not_waited_for(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "chats" / "Mira" / "aaa.jsonl")

    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            found = await one.look()
            assert found.chats == ["c1"]
            assert any("aaa.jsonl" in problem for problem in found.problems)

    run(story())


def test_a_mirror_that_cannot_be_listed_is_told_and_the_chats_are_read_all_the_same(folder: Path, tmp_path: Path) -> None:
    (folder / "user" / "files").rmdir()
    (folder / "user" / "files").write_text("a file")

    async def story() -> None:
        async with followers(folder, tmp_path / "a") as [one]:
            found = await one.look()
            assert found.chats == ["c1"]
            assert any("files" in problem for problem in found.problems)

    run(story())


def test_a_damaged_file_that_is_mended_at_its_size_is_read_again(folder: Path, tmp_path: Path) -> None:
    async def story() -> None:
        async with followers(folder, tmp_path / "a", tmp_path / "b") as [one, other]:
            await one.look()
            files = sorted((folder / "user" / "files").glob("*.gz"))
            whole = {path: path.read_bytes() for path in files}
            for path, data in whole.items():
                path.write_bytes(data[:10] + bytes(each ^ 255 for each in data[10:30]) + data[30:])
            # Without the chats: what it knows has to come through the mirror.
            other._chats = dict(one._chats)
            assert (await other.look()).damaged
            for path, data in whole.items():
                path.write_bytes(data)
                os.utime(path, ns=(0, 1))
            assert (await other.look()).news > 0

    run(story())
