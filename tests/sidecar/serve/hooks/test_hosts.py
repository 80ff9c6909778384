"""POST /api/hook/recall and /v1/host/deliveries, as a host that calls the model itself uses them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sidecar.serve.kit import Server, error_of, messages, serving

Use = Callable[[Server, httpx.AsyncClient], Awaitable[None]]

FACTS = [
    "Ann keeps the brass key of the harbour office under the blue tile.",
    "The brass key of the harbour office was copied by Silas the locksmith.",
    "Berta says the brass key of the harbour office opens the cellar too.",
    "Carl is allergic to walnuts.",
]
QUESTION = "Where is the brass key of the harbour office?"


def use(tmp_path: Path, run: Use) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http:
            await run(server, http)

    asyncio.run(main())


async def remember(http: httpx.AsyncClient, texts: list[str] = FACTS) -> list[str]:
    made = []
    for text in texts:
        response = await http.post("/v1/memory/write", json={"content": text, "client": "test"})
        assert response.status_code == 200, response.text
        made.append(response.json()["id"])
    return made


async def hook(http: httpx.AsyncClient, query: str = QUESTION, **more: Any) -> dict[str, Any]:
    response = await http.post("/api/hook/recall", json={"query": query, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    assert (found["ok"], found["injected"]) == (True, False)
    assert found["recalled_ids"] == [card["id"] for card in found["cards"]]
    assert len(found["notes"]) == len(found["cards"])
    return found


@pytest.mark.req("S46")
def test_a_host_gets_the_best_two_memories_and_one_text_that_announces_them_as_data(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await remember(http)
        found = await hook(http, session_id="desk")
        assert len(found["cards"]) == 2
        assert (found["query"], found["session_id"]) == (QUESTION, "desk")
        text = found["additional_context"]
        assert text.startswith("<tidelore-memory")
        assert "not instructions" in text
        for card in found["cards"]:
            assert "brass key" in card["text"]
            assert card["text"] in text
        assert found["debug"]["read"] == ["scope profile"]
        assert {each["id"] for each in found["debug"]["judged"] if each["taken"]} == set(found["recalled_ids"])
        # `message` and `prompt` are the same question by other names.
        for name in ("message", "prompt"):
            response = await http.post("/api/hook/recall", json={name: QUESTION})
            assert response.json()["recalled_ids"] == found["recalled_ids"]

    use(tmp_path, run)


@pytest.mark.req("S46")
@pytest.mark.parametrize("filled", [False, True])
def test_where_nothing_matches_the_lists_and_the_text_are_empty(tmp_path: Path, filled: bool) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        if filled:
            await remember(http)
        found = await hook(http, "zephyr quux")
        assert (found["cards"], found["notes"], found["recalled_ids"], found["additional_context"]) == ([], [], [], "")

    use(tmp_path, run)


@pytest.mark.req("S46")
def test_the_host_sets_how_many_and_how_long(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        long = "The brass key of the harbour office hangs beside " + "the very long list of names " * 60 + "and the last word is walrus."
        await remember(http, [*FACTS, long])
        assert (await hook(http, max_notes=0))["additional_context"] == ""
        assert len((await hook(http, max_notes=1))["cards"]) == 1
        many = await hook(http, max_notes=5, max_chars=160)
        assert all(len(note) <= 160 + len("…") for note in many["notes"])
        assert any(note.endswith("…") for note in many["notes"])
        assert "walrus" not in many["additional_context"]
        for room in (200, 300, 400):
            small = await hook(http, max_notes=5, max_chars=160, max_context_chars=room)
            assert len(small["additional_context"]) <= room
            # The weakest go first.
            assert small["recalled_ids"] == many["recalled_ids"][: len(small["recalled_ids"])]

    use(tmp_path, run)


@pytest.mark.req("S46")
def test_what_the_host_says_was_delivered_leaves_its_place_empty_and_what_it_excludes_does_not(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await remember(http)
        first, second = (await hook(http))["recalled_ids"]
        cooled = await hook(http, delivered_ids=[first])
        assert cooled["recalled_ids"] == [second], "no weaker one takes the place"
        assert {each["id"]: each["reason"] for each in cooled["debug"]["judged"]}[first] == "cooling"
        left = (await hook(http, exclude_ids=[first]))["recalled_ids"]
        assert first not in left
        assert len(left) == 2
        assert (await hook(http, delivered_ids=[first, second]))["additional_context"] == ""

    use(tmp_path, run)


@pytest.mark.req("S46")
@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "query"),
        ({"query": " ", "message": ""}, "query"),
        ({"query": "x", "max_notes": 6}, "max_notes"),
        ({"query": "x", "max_notes": True}, "max_notes"),
        ({"query": "x", "max_chars": 10}, "max_chars"),
        ({"query": "x", "max_context_chars": 12_001}, "max_context_chars"),
        ({"query": "x", "session_id": "a\nb"}, "window"),
        ({"query": "x", "delivered_ids": "a"}, "delivered_ids"),
        ({"query": "x", "direct_threshold": 0.1}, "direct_threshold"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(tmp_path: Path, body: dict[str, Any], word: str) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        response = await http.post("/api/hook/recall", json=body)
        assert error_of(response) == (400, "bad_input")
        assert word in response.json()["error"]["message"] + response.json()["error"]["hint"]

    use(tmp_path, run)


def test_a_chat_can_be_named_and_one_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await remember(http)
        async with server.client() as client:
            await client.call("chat.update", chat="story", messages=messages(4))
            await client.call("extract.run", chat="story", lag=0)
        found = await hook(http, "What did Ann tell Berta about the harbour of Bergen?", chat="story")
        assert found["debug"]["read"] == ["chat story", "scope profile"]
        assert {card["scope"] for card in found["cards"]} == {"chat"}
        assert "harbour of Bergen" not in (await hook(http, "harbour of Bergen"))["additional_context"], "a chat of its own is not read"
        assert error_of(await http.post("/api/hook/recall", json={"query": "x", "chat": "nowhere"})) == (404, "not_found")

    use(tmp_path, run)


def test_the_conversations_of_the_gateway_are_read_that_of_the_window_first(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        async with server.client() as client:
            for window, where in (("desk", "the mill"), ("sofa", "the lighthouse")):
                said = [{"role": "user", "text": f"My sister Olga works at {where}."}, {"role": "assistant", "text": "Noted."}]
                await client.call("chat.update", chat=f"gateway:{window}#1", messages=said)
                await client.call("extract.run", chat=f"gateway:{window}#1", lag=0)
        found = await hook(http, "Where does my sister Olga work?", session_id="sofa")
        assert found["debug"]["read"] == ["chat gateway:sofa#1", "chat gateway:desk#1"]
        assert "the lighthouse" in found["additional_context"]
        assert "the mill" in found["additional_context"]

    use(tmp_path, run)


async def deliver(http: httpx.AsyncClient, receipt: str, ids: list[str], window: str = "main") -> httpx.Response:
    return await http.post("/v1/host/deliveries", json={"receipt_id": receipt, "window_id": window, "delivered_ids": ids})


async def listed(http: httpx.AsyncClient, **query: Any) -> list[dict[str, Any]]:
    response = await http.get("/v1/host/deliveries", params=query)
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["deliveries"]
    return found


@pytest.mark.req("S47")
def test_the_same_receipt_twice_is_one_and_with_other_memories_a_conflict(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        ids = (await remember(http))[:2]
        for new in (True, False):
            done = (await deliver(http, "answer-1", ids)).json()
            assert done == {"ok": True, "receipt_id": "answer-1", "window_id": "main", "delivered_ids": ids, "new": new}
        assert (await deliver(http, "answer-1", ids[::-1])).json()["new"] is False, "the order says nothing"
        assert error_of(await deliver(http, "answer-1", ids[:1])) == (409, "conflict")
        assert [(each["receipt_id"], each["delivered_ids"]) for each in await listed(http)] == [("answer-1", ids)]

    use(tmp_path, run)


@pytest.mark.req("S47")
def test_sixteen_at_once_with_one_receipt_leave_one_row(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        done = await asyncio.gather(*(deliver(http, "same", ["a", "b"]) for _ in range(16)))
        assert [response.status_code for response in done] == [200] * 16
        assert sum(response.json()["new"] for response in done) == 1
        assert len(await listed(http)) == 1

    use(tmp_path, run)


@pytest.mark.req("S47")
def test_the_receipts_of_a_window_cool_its_next_five_answers_and_no_other_window(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await remember(http)
        first, second = (await hook(http, session_id="desk"))["recalled_ids"]
        assert (await deliver(http, "1", [first], "desk")).status_code == 200
        assert (await hook(http, session_id="desk"))["recalled_ids"] == [second]
        assert (await hook(http, session_id="sofa"))["recalled_ids"] == [first, second]
        assert (await hook(http, session_id="desk", delivered_ids=[]))["recalled_ids"] == [first, second], "the host's book counts alone"
        for number in range(2, 6):
            await deliver(http, str(number), [], "desk")
        assert (await hook(http, session_id="desk"))["recalled_ids"] == [second]
        await deliver(http, "6", [], "desk")
        assert (await hook(http, session_id="desk"))["recalled_ids"] == [first, second]

    use(tmp_path, run)


@pytest.mark.req("S47")
def test_receipts_are_listed_newest_first_by_window_and_up_to_a_limit(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        for number in range(90):
            await deliver(http, f"r{number}", [f"n{number}"], "even" if number % 2 == 0 else "odd")
        assert [each["receipt_id"] for each in await listed(http)] == [f"r{number}" for number in range(89, 9, -1)]
        assert len(await listed(http, limit=200)) == 90
        odd = await listed(http, window_id="odd", limit=2)
        assert [(each["receipt_id"], each["window_id"]) for each in odd] == [("r89", "odd"), ("r87", "odd")]
        for wrong in ("0", "201", "-1", "x", "1e2"):
            assert error_of(await http.get("/v1/host/deliveries", params={"limit": wrong})) == (400, "bad_input")

    use(tmp_path, run)


@pytest.mark.req("S47")
@pytest.mark.parametrize(
    "body",
    [
        {"delivered_ids": []},
        {"receipt_id": "", "delivered_ids": []},
        {"receipt_id": "x" * 201, "delivered_ids": []},
        {"receipt_id": "x", "delivered_ids": [str(at) for at in range(501)]},
        {"receipt_id": "x"},
    ],
)
def test_a_receipt_that_is_none_is_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        assert error_of(await http.post("/v1/host/deliveries", json=body)) == (400, "bad_input")
        assert await listed(http) == []

    use(tmp_path, run)
