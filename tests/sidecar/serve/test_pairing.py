"""A page is let in by a short code that its person types."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sidecar.serve.kit import PAGE, Failed, error_of, serving
from tidelore.host.grants import FILE, Grants
from tidelore.serve.faults import Refusal
from tidelore.serve.pairing import AT_ONCE, SECONDS, STARTS, WRONG_CODES, Pairing, Pairings


class World:
    """Pairings with a clock that stands, ids and codes that count, and what was announced."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[Pairing] = []
        self.granted: list[Pairing] = []
        ids: Iterator[int] = iter(range(1000))
        codes: Iterator[int] = iter(range(1000))
        self.pairings = Pairings(lambda: self.now, lambda: str(next(ids)), lambda n: next(codes) % n, self._grant, self.asked.append)

    def _grant(self, pairing: Pairing) -> str:
        self.granted.append(pairing)
        return f"key {len(self.granted)}"

    def refused(self, *arguments: str, by: str) -> str:
        with pytest.raises(Refusal) as caught:
            getattr(self.pairings, by)(*arguments)
        return caught.value.code


@pytest.fixture
def world() -> World:
    return World()


def test_a_confirmed_page_gets_its_key_once(world: World) -> None:
    made = world.pairings.start(PAGE, "SillyTavern")
    assert [(each.origin, each.client) for each in world.asked] == [(PAGE, "SillyTavern")]
    assert made.code == "000000"
    assert world.pairings.poll(made.id, PAGE)[1] == ""
    assert world.granted == []
    assert world.pairings.confirm("000 000", "berta").client == "SillyTavern"
    found, key = world.pairings.poll(made.id, PAGE)
    assert (key, found.profile, world.granted[0].profile) == ("key 1", "berta", "berta")
    assert world.refused(made.id, PAGE, by="poll") == "pairing_taken"
    assert len(world.granted) == 1


def test_another_page_cannot_fetch_the_key(world: World) -> None:
    made = world.pairings.start(PAGE, "x")
    world.pairings.confirm(made.code, "default")
    for origin in ("http://evil.example", ""):
        assert world.refused(made.id, origin, by="poll") == "no_pairing"
    assert world.pairings.poll(made.id, PAGE)[1] == "key 1"


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_pairing_ends_after_two_minutes(world: World, confirmed: bool) -> None:
    made = world.pairings.start(PAGE, "x")
    if confirmed:
        world.pairings.confirm(made.code, "default")
    world.now = SECONDS - 0.1
    assert len(world.pairings.waiting()) == (not confirmed)
    assert world.pairings.expects(PAGE) is confirmed
    world.now = SECONDS
    assert world.pairings.waiting() == []
    assert not world.pairings.expects(PAGE)
    assert world.refused(made.id, PAGE, by="poll") == "no_pairing"
    assert world.refused(made.code, "default", by="confirm") == "no_pairing"


def test_after_five_wrong_codes_all_that_wait_are_refused(world: World) -> None:
    made = [world.pairings.start(f"http://{name}.example", "x") for name in "ab"]
    for _ in range(WRONG_CODES):
        assert world.refused("999999", "default", by="confirm") == "code_wrong"
    for each in made:
        assert world.refused(each.id, each.origin, by="poll") == "pairing_refused"
        assert world.refused(each.code, "default", by="confirm") == "no_pairing"


def test_a_right_code_in_between_is_no_wrong_one(world: World) -> None:
    for _ in range(3):
        made = world.pairings.start(PAGE, "x")
        for _ in range(WRONG_CODES - 1):
            world.refused("999999", "default", by="confirm")
        world.pairings.confirm(made.code, "default")


def test_one_origin_has_one_pairing_and_may_not_ask_for_ever(world: World) -> None:
    made = [world.pairings.start(PAGE, "x") for _ in range(STARTS)]
    assert world.pairings.waiting() == [made[-1]]
    assert world.refused(made[0].id, PAGE, by="poll") == "pairing_refused"
    assert world.refused(PAGE, "x", by="start") == "too_many_pairings"
    world.now = SECONDS
    world.pairings.start(PAGE, "x")


def test_pages_that_nobody_knows_cannot_fill_the_screen(world: World) -> None:
    for number in range(AT_ONCE):
        world.pairings.start(f"http://{number}.example", "x" * 1000)
    assert world.refused("http://more.example", "x", by="start") == "too_many_pairings"
    assert len(world.asked) == AT_ONCE
    assert max(len(each.client) for each in world.asked) == 80


def test_a_page_pairs_over_http_and_works_with_its_key_alone(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None, Origin=PAGE) as page, server.http() as owner:
            assert error_of(await page.get("/status")) == (403, "origin_refused")
            started = (await page.post("/pair/start", json={"client": "SillyTavern", "origin": PAGE})).json()
            assert (await page.get(f"/pair/{started['id']}")).json() == {"state": "waiting"}
            [asked] = server.asked
            assert (asked.origin, asked.code) == (PAGE, started["code"])
            listed = (await owner.get("/pairings")).json()
            assert listed == {"waiting": [{"origin": PAGE, "client": "SillyTavern", "state": "waiting"}], "paired": []}
            assert error_of(await owner.post("/pairings/confirm", json={"code": "0"})) == (403, "code_wrong")
            assert (await owner.post("/pairings/confirm", json={"code": started["code"]})).json()["state"] == "confirmed"
            got = (await page.get(f"/pair/{started['id']}")).json()
            assert (got["state"], got["profile"]) == ("paired", "default")
            key = got["key"]
            assert key != server.key
            assert error_of(await page.get(f"/pair/{started['id']}")) == (410, "pairing_taken")

            mine = {"X-Api-Key": key}
            assert (await page.get("/status", headers=mine)).json()["profile"] == "default"
            # Only from that page, and not to let in others.
            async with server.http(None) as program:
                assert error_of(await program.get("/status", headers=mine)) == (401, "key_wrong")
            for path in ("/pairings/confirm", "/pairings/forget"):
                assert error_of(await page.post(path, json={"code": "1", "origin": PAGE}, headers=mine)) == (403, "owner_only")
            assert error_of(await page.get("/pairings", headers=mine)) == (403, "owner_only")
            async with server.client(key, origin=PAGE) as client:
                assert await client.call("chat.list") == {"chats": []}
            # What is kept is no key.
            assert key not in (tmp_path / FILE).read_text("utf-8")
        # A page that paired is known after a restart, until it is forgotten.
        async with serving(tmp_path) as server, server.http(None, Origin=PAGE) as page, server.http() as owner:
            assert (await page.get("/status", headers=mine)).status_code == 200
            assert (await owner.post("/pairings/forget", json={"origin": PAGE})).json() == {"forgotten": 1}
            assert error_of(await page.get("/status", headers=mine)) == (403, "origin_refused")

    asyncio.run(main())


def test_a_page_may_say_hello_with_its_pairing(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None, Origin=PAGE) as page:
            started = (await page.post("/pair/start", json={"client": "x"})).json()
            server.running.pairings.confirm(started["code"], "default")
            async with server.client(origin=PAGE, pairing=started["id"]) as client:
                key = client.hello["key"]
                assert await client.call("ping") == {}
            async with server.client(key, origin=PAGE) as client:
                assert "key" not in client.hello
                with pytest.raises(Failed) as caught:
                    async with server.client(origin=PAGE, pairing=started["id"]):
                        pass
                assert caught.value.code == "pairing_taken"

    asyncio.run(main())


def test_a_page_cannot_pair_in_the_name_of_another(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None, Origin="http://evil.example") as page, server.http(None) as program:
            for client in (page, program):
                answer = await client.post("/pair/start", json={"client": "x", "origin": PAGE})
                assert error_of(answer) == (400, "origin_differs")
            assert server.asked == []

    asyncio.run(main())


def test_a_file_of_paired_pages_that_cannot_be_read_lets_nobody_in(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as owner:
            for text in ("{", "[]", json.dumps({"paired": [{"origin": PAGE}]})):
                Grants(tmp_path).path.write_text(text, "utf-8")
                assert error_of(await owner.get("/status")) == (500, "store_error")
            Grants(tmp_path).path.unlink()
            assert (await owner.get("/status")).status_code == 200

    asyncio.run(main())
