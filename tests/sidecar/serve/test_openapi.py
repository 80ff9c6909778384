"""The OpenAPI file is true: every route is in it, and what the sidecar answers is what it says."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from starlette.routing import Route

from tests.sidecar.serve.hooks.test_hosts import use
from tests.sidecar.serve.kit import Server, messages
from tidelore.engine.service import METHODS
from tidelore.host.config import Config
from tidelore.host.grants import Grants
from tidelore.host.keyring import Keyring
from tidelore.host.profiles import Profiles
from tidelore.serve import console
from tidelore.serve.console_logins import Logins
from tidelore.serve.extras import EXTRAS
from tidelore.serve.gate import KEY_NAMES
from tidelore.serve.openapi import document
from tidelore.serve.pairing import Pairings
from tidelore.serve.routes import base_routes
from tidelore.serve.runtime import Runtime, shipped
from tidelore.serve.transports import transports
from tools.openapi import text

FILE = Path(__file__).resolve().parents[3] / "docs" / "openapi.json"
DOCUMENT: Mapping[str, Any] = json.loads(json.dumps(document()))


def test_the_file_is_what_the_routes_say() -> None:
    assert FILE.read_text("utf-8") == text(), "run: make docs"


def test_every_route_is_in_the_file_and_no_other(tmp_path: Path) -> None:
    async def routes() -> set[tuple[str, str]]:
        pairings = Pairings(lambda: 0.0, str, lambda n: 0, lambda _: "")
        base = base_routes(pairings, Keyring(Profiles(tmp_path), Grants(tmp_path)), Runtime(shipped(), tmp_path, [], None))
        base += console.routes(Logins())
        async with transports(Config(), tmp_path) as more:
            found = set()
            for route in [*base, *more]:
                assert isinstance(route, Route)
                # One without methods looks itself at what it is asked: MCP takes POST.
                for method in (route.methods or {"POST"}) - {"HEAD"}:
                    found.add((method.lower(), re.sub(r":\w+}", "}", route.path)))
            return found

    told = {(method, path) for path, item in DOCUMENT["paths"].items() for method in item}
    assert told == asyncio.run(routes())


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_the_file_hangs_together() -> None:
    for ref in references(DOCUMENT):
        found: Any = DOCUMENT
        for part in ref.removeprefix("#/").split("/"):
            found = found[part]
        assert found, ref
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    operations = [each for item in DOCUMENT["paths"].values() for each in item.values()]
    assert len({each["operationId"] for each in operations}) == len(operations)
    assert {tag for each in operations for tag in each["tags"]} == {each["name"] for each in DOCUMENT["tags"]}
    for each in operations:
        assert each["description"]
        # A key in an address is refused, so no route may ask for one there.
        assert not KEY_NAMES & {parameter["name"] for parameter in each.get("parameters", [])}


def test_every_method_is_told_behind_rpc() -> None:
    for name in {*METHODS, *EXTRAS}:
        assert f"rpc.{name}" in DOCUMENT["components"]["schemas"]


def valid(schema: Mapping[str, Any], value: object) -> list[str]:
    """What is wrong with a value; nothing where it is as the schema says."""
    whole = {**schema, "components": DOCUMENT["components"]}
    return [error.message for error in Draft202012Validator(whole).iter_errors(value)]


def check(response: httpx.Response, path: str) -> Any:
    """The answer, which must be as the file says."""
    told = DOCUMENT["paths"][path][response.request.method.lower()]["responses"][str(response.status_code)]
    if "$ref" in told:
        told = DOCUMENT["components"]["responses"][told["$ref"].rpartition("/")[2]]
    assert valid(told["content"]["application/json"]["schema"], response.json()) == [], response.text
    return response.json()


def test_answers_are_as_the_file_says(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        async def rpc(method: str, **params: Any) -> Any:
            body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            assert valid({"$ref": "#/components/schemas/RpcCall"}, body) == []
            answer = check(await http.post("/rpc", json=body), "/rpc")
            one = {"$ref": f"#/components/schemas/rpc.{method}.answer"}
            assert valid(one, answer) == [], method
            return answer["result"]

        await rpc("chat.update", chat="story", messages=messages(6))
        await rpc("extract.run", chat="story", lag=0)
        await rpc("recall.run", chat="story", query="harbour of Bergen")
        await rpc("graph.get", chat="story")
        await rpc("chat.list")
        await rpc("status")
        check(await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": "nothing"}), "/rpc")
        check(await http.get("/health"), "/health")
        check(await http.get("/status"), "/status")
        check(await http.get("/pairings"), "/pairings")
        started = check(await http.post("/pair/start", json={"client": "x"}), "/pair/start")
        check(await http.get(f"/pair/{started['id']}"), "/pair/{id}")
        check(await http.post("/pairings/confirm", json={"code": "1"}), "/pairings/confirm")
        check(await http.post("/pairings/confirm", json={"code": started["code"]}), "/pairings/confirm")
        check(await http.get(f"/pair/{started['id']}"), "/pair/{id}")
        check(await http.post("/pairings/forget", json={"origin": "http://x"}), "/pairings/forget")
        written = check(await http.post("/v1/memory/write", json={"content": "Carl is allergic to walnuts."}), "/v1/memory/write")
        assert check(await http.post("/v1/memory/recall", json={"query": "walnuts"}), "/v1/memory/recall")["memories"]
        assert check(await http.post("/api/hook/recall", json={"query": "Carl walnuts"}), "/api/hook/recall")["cards"]
        check(await http.post("/api/hook/recall", json={}), "/api/hook/recall")
        receipt = {"receipt_id": "r", "delivered_ids": [written["id"]]}
        check(await http.post("/v1/host/deliveries", json=receipt), "/v1/host/deliveries")
        check(await http.post("/v1/host/deliveries", json={**receipt, "delivered_ids": []}), "/v1/host/deliveries")
        assert check(await http.get("/v1/host/deliveries"), "/v1/host/deliveries")["deliveries"]
        check(await http.get("/v1/models"), "/v1/models")
        async with server.http(None) as stranger:
            check(await stranger.get("/status"), "/status")

    use(tmp_path, run)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("HookRecall", {"query": 1}),
        ("HookRecall", {"query": "x", "nothing": 1}),
        ("MemoryWrite", {"content": 1}),
        ("MemoryWrite", {"content": "x", "kind": "poem"}),
        ("HookRecalled", {"ok": True}),
        ("Status", {"version": "1"}),
    ],
)
def test_what_is_not_so_does_not_fit(name: str, wrong: dict[str, Any]) -> None:
    assert valid({"$ref": f"#/components/schemas/{name}"}, wrong)


def test_the_sidecar_gives_the_file_and_a_page_without_a_key(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await http.post("/v1/memory/write", json={"content": "Carl is allergic to walnuts."})
        async with server.http(None) as stranger:
            assert (await stranger.get("/openapi.json")).json() == DOCUMENT
            page = await stranger.get("/")
            assert page.headers["content-type"].startswith("text/html")
            assert "default-src 'none'" in page.headers["content-security-policy"]
            assert "<script" not in page.text
            assert "walnuts" not in page.text
            assert server.key not in page.text
            for language, word in (("en", "one memory"), ("zh-CN", "共用的一份记忆")):
                assert word in page.text.split(f'lang="{language}">', 1)[1]
            assert (await stranger.get("/", headers={"Host": "evil.example"})).status_code == 403
            assert (await stranger.get("/", headers={"Origin": "https://evil.example"})).status_code == 403

    use(tmp_path, run)
