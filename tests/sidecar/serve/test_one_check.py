"""Every way to the memory passes the same check: what one profile holds, no route gives to the key of another, and none changes it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sidecar.serve.kit import PAGE, Server, serving
from tidelore.host.profiles import Profiles
from tidelore.serve.discover import discover
from tidelore.serve.openapi import document

MARK = "zanzibarite"
SAID = f"The vault of Olga holds {MARK}."
QUESTION = "What does the vault of Olga hold?"
MCP = {"Accept": "application/json, text/event-stream"}
OPERATIONS = [(method.upper(), path) for path, item in document()["paths"].items() for method in item]


def rpc(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return rpc("tools/call", name=name, arguments=arguments)


def _needs(method: Mapping[str, Any]) -> set[str]:
    return {param["name"] for param in method["params"] if param["required"]}


WRITES = frozenset(each["name"] for each in discover()["methods"] if each["writes"])


def tries(node: str, scope: str) -> Mapping[tuple[str, str], list[Any]]:
    """What is sent to each route, in the hope that it gives away what is not ours. None: no body."""
    places = [scope, "story", "gateway:main#1"]
    calls = [rpc("chat.list"), rpc("scope.list"), rpc("recall.deliveries"), rpc("status")]
    # Whatever needs no more than a chat and a node, what writes last.
    simple = [(each["writes"], each["name"], needs) for each in discover()["methods"] if (needs := _needs(each)) <= {"chat", "node"}]
    for chat in places:
        given = {"chat": chat, "node": node}
        calls += [rpc(name, **{each: given[each] for each in needs}) for _, name, needs in sorted(simple, key=lambda row: row[:2])]
        calls += [rpc("recall.run", chat=chat, query=QUESTION, scopes=["profile"], beside=places)]
        calls += [rpc("sources.search", chat=chat, query="vault"), rpc("sources.read", chat=chat, first=0)]
        calls += [rpc("state.get", chat=chat, about="Olga")]
        calls += [rpc("node.edit", chat=chat, node=node, fields={"text": "gone"})]
    mcp = [rpc("resources/list"), rpc("tools/list"), rpc("prompts/list"), rpc("resources/read", uri=f"tidelore://memory/{node}")]
    mcp += [tool("recall", query=QUESTION), tool("read", ids=[node]), tool("graph"), tool("state", about="Olga")]
    mcp += [tool("edit", id=node, text="gone"), tool("sources_search", query="vault"), tool("recall", query=QUESTION, chat="story")]
    talk = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
    hooks = [{"query": QUESTION}, {"query": QUESTION, "chat": "story"}]
    return {
        ("GET", "/"): [None],
        ("GET", "/openapi.json"): [None],
        ("GET", "/health"): [None],
        ("GET", "/status"): [None],
        ("POST", "/rpc"): calls,
        ("POST", "/pair/start"): [{"client": "x"}],
        ("GET", "/pair/{id}"): [None],
        ("GET", "/pairings"): [None],
        ("POST", "/pairings/confirm"): [{"code": "000000"}],
        ("POST", "/pairings/forget"): [{"origin": PAGE}],
        ("GET", "/runtime/{name}"): [None],
        ("GET", "/console/{name}"): [None],
        ("POST", "/console/login"): [{"code": "x"}],
        ("POST", "/pairings/console"): [None],
        ("POST", "/api/hook/recall"): hooks,
        ("POST", "/v1/host/deliveries"): [{"receipt_id": "theirs", "delivered_ids": []}],
        ("GET", "/v1/host/deliveries"): [None],
        ("POST", "/v1/memory/recall"): hooks,
        ("POST", "/v1/memory/write"): [{"content": "something else", "chat": "story"}],
        ("POST", "/v1/chat/completions"): [talk],
        ("POST", "/v1/messages"): [talk],
        ("POST", "/v1/messages/count_tokens"): [talk],
        ("POST", "/v1/embeddings"): [{"model": "m", "input": "x"}],
        ("GET", "/v1/models"): [None],
        ("GET", "/v1/models/{name}"): [None],
        ("POST", "/mcp"): mcp,
    }


async def send(http: httpx.AsyncClient, method: str, path: str, body: Any, **headers: str) -> httpx.Response:
    return await http.request(method, path.replace("{id}", "x").replace("{name}", "x"), json=body, headers={**MCP, **headers})


async def fill(server: Server, http: httpx.AsyncClient) -> tuple[str, str]:
    """Something in a scope, in a chat and in a conversation of the gateway; the node and the chat of the scope."""
    made = (await http.post("/v1/memory/write", json={"content": SAID})).json()
    async with server.client() as client:
        for chat in ("story", "gateway:main#1"):
            await client.call("chat.update", chat=chat, messages=[{"role": "user", "text": SAID}, {"role": "assistant", "text": "Noted."}])
            await client.call("extract.run", chat=chat, lag=0)
        scope = (await client.call("scope.list"))["scopes"][0]["chat"]
    await http.post("/v1/host/deliveries", json={"receipt_id": MARK, "delivered_ids": [made["id"]]})
    return made["id"], scope


@pytest.mark.req("P117")
def test_no_route_gives_a_profile_to_the_key_of_another_or_changes_it(tmp_path: Path) -> None:
    async def main() -> None:
        berta = Profiles(tmp_path).add("berta")
        async with serving(tmp_path) as server, server.http() as mine, server.http(berta) as other:
            node, scope = await fill(server, mine)
            asked = tries(node, scope)
            assert set(asked) == set(OPERATIONS), "a new route: say here what would get at another's memory by it"
            graph = rpc("graph.get", chat=scope)
            before = (await mine.post("/rpc", json=graph)).json()
            for (method, path), bodies in asked.items():
                for body in bodies:
                    answer = await send(other, method, path, body)
                    assert MARK not in answer.text, (path, body)
            assert (await mine.post("/rpc", json=graph)).json() == before
            # The same tries with the right key find it, so they are no blind ones.
            found = set()
            reads = [("POST", path) for path in ("/rpc", "/mcp", "/api/hook/recall", "/v1/memory/recall")]
            for key in [*reads, ("GET", "/v1/host/deliveries")]:
                for body in asked[key]:
                    if body is None or body.get("method") not in WRITES:
                        answer = await send(mine, *key, body)
                        found |= {key} if MARK in answer.text else set()
            assert len(found) == 5, found

    asyncio.run(main())


@pytest.mark.req("P117")
def test_every_route_that_is_served_refuses_who_has_no_key_and_names_and_pages_that_are_strange(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None) as nobody, server.http() as mine:
            for (method, path), bodies in tries("0" * 32, "x").items():
                told = document()["paths"][path][method.lower()]
                open_ = told.get("security") == []
                answer = await send(nobody, method, path, bodies[0])
                assert (answer.status_code == 401) == (not open_), path
                for header, value in (("Host", "evil.example"), ("Origin", "https://evil.example")):
                    if path.startswith("/pair/") and header == "Origin":
                        continue  # who pairs is a stranger still
                    refused = await send(mine, method, path, bodies[0], **{header: value})
                    assert refused.status_code == 403, (path, header)

    asyncio.run(main())


def test_the_methods_that_are_tried_are_those_that_lead_to_a_memory() -> None:
    tried = {body["method"] for body in tries("x", "y")[("POST", "/rpc")]}
    assert tried >= {"graph.get", "node.get", "why", "recall.run", "sources.search", "state.get", "chat.purge", "node.edit", "undo"}
    assert len(tried) > 20
