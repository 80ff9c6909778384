"""The one way in: who may come, by which name, with which key."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from websockets.exceptions import InvalidStatus

import tidelore.serve
from tests.sidecar.serve.kit import PAGE, Server, error_of, serving
from tidelore.host.config import Config
from tidelore.host.grants import Grants
from tidelore.host.keyring import Keyring
from tidelore.host.profiles import Profiles
from tidelore.serve.app import App, Parts, build
from tidelore.serve.gate import FOR_STRANGERS, KEY_NAMES, WITHOUT_KEY, WITHOUT_KEY_UNDER, Rules, room
from tidelore.serve.limits import USUAL
from tidelore.serve.origins import origin_of
from tidelore.serve.pairing import Pairings
from tidelore.serve.rooms import Models, opened
from tidelore.serve.runtime import Runtime, shipped

MORE = [Route("/later/{rest:path}", lambda request: PlainTextResponse(room(request.scope).profile), methods=["GET", "POST"])]


KEY = "AAAAAAAAAAAAAAAAAAAAAA=="  # of the handshake: any 16 bytes


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def check(data: Path, work: Callable[[App, httpx.AsyncClient, Clock], Awaitable[None]], origins: tuple[str, ...] = (PAGE,)) -> None:
    """The application with the routes of a later transport, and a client that has no key."""

    async def main() -> None:
        clock = Clock()
        profiles = Profiles(data)
        keyring = Keyring(profiles, Grants(data))
        pairings = Pairings(clock, lambda: "id", lambda n: n - 1, lambda pairing: "tl_key")
        runtime = Runtime(shipped(), data / "runtime", [], None)
        rules = Rules(frozenset({"memory.example"}), frozenset(origins))
        async with opened(profiles, Models()) as rooms:
            app = build(Parts(rules, keyring, rooms, pairings, runtime, clock, replace(USUAL, body=1000)), MORE)
            transport = httpx.ASGITransport(app.asgi, client=("127.0.0.1", 5000))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8414") as client:
                await work(app, client, clock)

    asyncio.run(main())


def requests(app: App) -> Iterator[tuple[str, str]]:
    """A method and a path for every route that there is, and for one that is not."""
    for route in app.routes:
        assert isinstance(route, Route | WebSocketRoute), "a new sort of route: say here how to visit it"
        if isinstance(route, Route):
            for method in route.methods or ():
                yield method, re.sub(r"\{[^}]*\}", "x", route.path)
    yield "GET", "/nowhere"


def owner(data: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {Profiles(data).key('default')}"}


@pytest.mark.req("P117")
def test_every_route_asks_for_a_key_unless_it_has_no_data_or_is_for_those_who_have_none_yet(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        seen = set()
        for method, path in requests(app):
            answer = await client.request(method, path)
            if path in WITHOUT_KEY or path.startswith(WITHOUT_KEY_UNDER):
                assert answer.status_code != 401, path
            elif method == "HEAD":
                assert answer.status_code == 401
            else:
                assert error_of(answer) == (401, "key_missing"), path
            seen.add(path)
        assert seen == {
            *("/", "/openapi.json"),
            *("/health", "/status", "/rpc", "/pair/start", "/pair/x", "/pairings", "/pairings/confirm", "/pairings/forget"),
            *("/console/x", "/console/login", "/pairings/console"),
            *("/runtime/x", "/later/x", "/nowhere"),
        }

    check(tmp_path, work)


@pytest.mark.req("P117")
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.7:8414", "", "a/b", "[::1", "x@127.0.0.1"]
)
def test_every_route_refuses_a_name_that_is_not_ours(tmp_path: Path, host: str) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for method, path in requests(app):
            answer = await client.request(method, path, headers={**owner(tmp_path), "Host": host})
            assert answer.status_code == 403
            assert method == "HEAD" or error_of(answer) == (403, "host_refused"), path

    check(tmp_path, work)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8414", "127.8.9.1", "localhost", "LOCALHOST:80", "[::1]:8414", "app.localhost", "Memory.example:8414"]
)
def test_names_of_this_machine_are_taken(tmp_path: Path, host: str) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        assert (await client.get("/health", headers={"Host": host})).json() == {"ok": True}

    check(tmp_path, work)


@pytest.mark.req("P117")
@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:8001", "https://127.0.0.1:8000", "http://evil.example", "null", "", "nonsense", f"{PAGE}.evil.example"]
)
def test_every_route_refuses_a_page_that_has_not_paired_even_with_the_key(tmp_path: Path, origin: str) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for method, path in requests(app):
            answer = await client.request(method, path, headers={**owner(tmp_path), "Origin": origin})
            if path.startswith(FOR_STRANGERS) and origin_of(origin):
                assert answer.headers["access-control-allow-origin"] == origin.lower()
                continue
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
            assert method == "HEAD" or error_of(answer) == (403, "origin_refused"), path

    check(tmp_path, work)


def test_a_page_that_was_named_at_the_start_may_read_answers_and_errors(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for headers, status in ((owner(tmp_path), 200), ({}, 401)):
            answer = await client.get("/later/x", headers={**headers, "Origin": PAGE.upper().replace("HTTP", "http")})
            assert answer.status_code == status
            assert answer.headers["access-control-allow-origin"] == PAGE
            assert "Origin" in answer.headers["vary"]

    check(tmp_path, work)


def test_a_preflight_is_answered_for_known_pages_only_and_names_private_networks(tmp_path: Path) -> None:
    asks = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
        "Access-Control-Request-Private-Network": "true",
    }

    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for method, path in requests(app):
            if method == "HEAD":
                continue
            answer = await client.options(path, headers={**asks, "Origin": PAGE})
            assert answer.status_code == 204
            assert answer.headers["access-control-allow-origin"] == PAGE
            assert answer.headers["access-control-allow-headers"] == "authorization,content-type"
            assert answer.headers["access-control-allow-private-network"] == "true"
            assert "POST" in answer.headers["access-control-allow-methods"]
        assert error_of(await client.options("/rpc", headers={**asks, "Origin": "http://evil.example"})) == (403, "origin_refused")
        assert (await client.options("/pair/start", headers={**asks, "Origin": "http://new.example"})).status_code == 204

    check(tmp_path, work)


@pytest.mark.parametrize("name", sorted(KEY_NAMES))
def test_a_key_in_the_address_is_refused_by_every_route(tmp_path: Path, name: str) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for method, path in requests(app):
            answer = await client.request(method, path, params={"a": "b", name.upper(): "x"}, headers=owner(tmp_path))
            assert answer.status_code == 400
            assert method == "HEAD" or error_of(answer) == (400, "key_in_address"), path

    check(tmp_path, work)


def test_both_headers_for_keys_are_read(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        key = Profiles(tmp_path).key("default")
        for headers in ({"Authorization": f"bearer {key}"}, {"X-Api-Key": key}):
            assert (await client.get("/later/x", headers=headers)).text == "default"
        for wrong in (b"x", key[:-1].encode(), key.encode() + b"x", "ключ".encode()):
            answer = await client.get("/later/x", headers={b"X-Api-Key": wrong})
            assert error_of(answer) == (401, "key_wrong")
            assert answer.headers["www-authenticate"] == "Bearer"

    check(tmp_path, work)


async def call(client: httpx.AsyncClient, key: str, method: str, **params: Any) -> str:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = await client.post("/rpc", json=body, headers={"X-Api-Key": key})
    assert "result" in answer.json()
    return answer.text


def test_each_key_opens_the_store_of_its_own_profile_alone(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        keys = {"default": Profiles(tmp_path).key("default"), "berta": Profiles(tmp_path).add("berta")}
        for name, key in keys.items():
            await call(client, key, "node.write", scope="profile", text=f"The parrot {name} lives in Bergen.")
            await call(client, key, "chat.update", chat="c", messages=[])
        for name, key in keys.items():
            found = await call(client, key, "recall.run", chat="c", query="Where does the parrot live?", scopes=["profile"])
            assert f"parrot {name} lives" in found
            assert not any(f"parrot {other} lives" in found for other in keys if other != name)
        assert (tmp_path / "tidelore.db").exists()
        assert (tmp_path / "profiles" / "berta" / "tidelore.db").exists()

    check(tmp_path, work)


def test_a_new_key_counts_at_once_and_the_old_one_no_more(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        old = Profiles(tmp_path).key("default")
        assert (await client.get("/status", headers={"X-Api-Key": old})).status_code == 200
        new = Profiles(tmp_path).renew("default")
        assert error_of(await client.get("/status", headers={"X-Api-Key": old})) == (401, "key_wrong")
        assert (await client.get("/status", headers={"X-Api-Key": new})).status_code == 200

    check(tmp_path, work)


def test_guessing_is_stopped_for_a_minute_and_those_who_were_right_before_are_heard(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        good = {"X-Api-Key": Profiles(tmp_path).key("default")}
        late = {"X-Api-Key": Profiles(tmp_path).add("berta")}
        assert (await client.get("/status", headers=good)).status_code == 200
        for number in range(10):
            assert error_of(await client.get("/status", headers={"X-Api-Key": f"guess {number}"})) == (401, "key_wrong")
        blocked = await client.get("/status", headers=late)
        assert error_of(blocked) == (429, "too_many_failures")
        assert blocked.headers["retry-after"] == "60"
        assert (await client.get("/status", headers=good)).status_code == 200
        clock.now = 59.0
        assert (await client.get("/status", headers=late)).status_code == 429
        clock.now = 60.0
        assert (await client.get("/status", headers=late)).status_code == 200

    check(tmp_path, work)


def test_a_program_with_an_old_key_locks_nobody_out(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for _ in range(50):
            assert error_of(await client.get("/status", headers={"X-Api-Key": "old"})) == (401, "key_wrong")
        assert (await client.get("/status", headers=owner(tmp_path))).status_code == 200

    check(tmp_path, work)


def test_a_body_above_the_limit_is_refused_whether_or_not_it_says_its_length(tmp_path: Path) -> None:
    async def pieces() -> Any:
        for _ in range(20):
            yield b"x" * 100

    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        for content in (b"x" * 2000, pieces()):
            assert error_of(await client.post("/rpc", content=content, headers=owner(tmp_path))) == (413, "body_too_large")
        assert (await client.post("/rpc", content=b"x" * 1000, headers=owner(tmp_path))).json()["error"]["code"] == -32700

    check(tmp_path, work)


def test_what_breaks_inside_a_route_is_told_in_the_one_shape(tmp_path: Path) -> None:
    async def work(app: App, client: httpx.AsyncClient, clock: Clock) -> None:
        assert error_of(await client.get("/nowhere", headers=owner(tmp_path))) == (404, "no_route")
        for answer in (await client.get("/nowhere", headers=owner(tmp_path)), await client.get("/rpc", headers=owner(tmp_path))):
            assert answer.json()["error"]["message"].endswith(" at this address."), "in our own words"
        assert error_of(await client.get("/rpc", headers=owner(tmp_path))) == (405, "wrong_method")
        assert error_of(await client.post("/pair/start", content=b"[]")) == (400, "bad_json")
        assert error_of(await client.post("/pair/start", json={"client": 5})) == (400, "bad_input")

    check(tmp_path, work)


def test_only_the_rooms_open_stores_and_only_the_gate_enters_rooms() -> None:
    folder = Path(tidelore.serve.__file__).parent
    sources = {path.name: path.read_text("utf-8") for path in folder.rglob("*.py")}
    assert {name for name, text in sources.items() if "open_service(" in text or "SqliteStore(" in text} == {"rooms.py"}
    assert {name for name, text in sources.items() if re.search(r"rooms\.enter\(", text)} == {"gate.py"}


@pytest.mark.req("P117")
def test_the_socket_refuses_foreign_names_pages_and_addresses_with_keys(tmp_path: Path) -> None:
    async def refused(server: Server, origin: str) -> tuple[int, str]:
        with pytest.raises(InvalidStatus) as caught:
            async with server.raw(origin):
                pass
        response = caught.value.response
        return error_of(httpx.Response(response.status_code, content=bytes(response.body)))

    async def main() -> None:
        async with serving(tmp_path, config=Config()) as server:
            assert await refused(server, origin="http://evil.example") == (403, "origin_refused")
            assert await refused(server, origin="null") == (403, "origin_refused")
            async with httpx.AsyncClient(trust_env=False) as client:
                upgrade = {
                    "Connection": "Upgrade",
                    "Upgrade": "websocket",
                    "Sec-WebSocket-Version": "13",
                    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
                }
                answer = await client.get(server.url + "/ws", headers={**upgrade, "Host": "evil.example"})
                assert error_of(answer) == (403, "host_refused")
                answer = await client.get(server.url + "/ws?token=x", headers=upgrade)
                assert error_of(answer) == (400, "key_in_address")
                answer = await client.get(server.url + "/ws", headers={**upgrade, "Authorization": "Bearer wrong"})
                assert error_of(answer) == (401, "key_wrong")

    asyncio.run(main())
