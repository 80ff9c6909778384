"""POST /v1/memory/recall and /v1/memory/write, as scripts use them, and the rule of what is read and written."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sidecar.serve.hooks.test_hosts import deliver, use
from tests.sidecar.serve.kit import Server, error_of, messages, process, serving
from tidelore.engine.errors import BadInput
from tidelore.host.config import GatewayConfig
from tidelore.serve import windows
from tidelore.serve.gateway import asked, conversations
from tidelore.serve.mcp import memory


async def write(http: httpx.AsyncClient, content: str, **more: Any) -> dict[str, Any]:
    response = await http.post("/v1/memory/write", json={"content": content, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def recall(http: httpx.AsyncClient, query: str, **more: Any) -> dict[str, Any]:
    response = await http.post("/v1/memory/recall", json={"query": query, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def _http(said: dict[str, str]) -> httpx.Client:
    return httpx.Client(base_url=said["url"], headers={"Authorization": f"Bearer {said['key']}"}, trust_env=False)


@pytest.mark.req("M12")
@pytest.mark.slow
def test_what_one_client_writes_another_recalls_also_after_a_restart(tmp_path: Path) -> None:
    with process(tmp_path) as (_, said), _http(said) as http:
        made = http.post("/v1/memory/write", json={"content": "The flight to Hangzhou leaves on Monday at 9:00.", "client": "phone"})
        assert made.status_code == 200
        assert (made.json()["chat"], made.json()["scope"]) == ("", "profile")
    with process(tmp_path) as (_, said), _http(said) as http:
        found = http.post("/v1/memory/recall", json={"query": "When does the flight to Hangzhou leave?", "client": "editor"}).json()
    assert [each["id"] for each in found["memories"]] == [made.json()["id"]]
    assert "Monday at 9:00" in found["context"]
    assert found["context"].startswith("<tidelore-memory")


@pytest.mark.req("M12")
def test_the_client_stays_with_the_memory_and_a_write_can_be_undone(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        made = await write(http, "Carl is allergic to walnuts.", client="phone", importance=8)
        async with server.client() as client:
            chats = (await client.call("scope.list"))["scopes"]
            chat = next(each["chat"] for each in chats if each["scope"] == "profile")
            node = await client.call("node.get", chat=chat, node=made["id"])
            assert (node["fields"]["client"], node["fields"]["importance"]) == ("phone", 8)
            assert (await client.call("why", chat=chat, node=made["id"]))["beliefs"][0]["author"] == "tool"
            await client.call("undo", chat=chat, commit=made["commit"])
        assert (await recall(http, "Is Carl allergic to walnuts?"))["memories"] == []

    use(tmp_path, run)


@pytest.mark.req("M12")
def test_a_later_fact_of_the_same_attribute_replaces_the_earlier(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await write(http, "Ann lives in Bergen.", about="Ann", attribute="home")
        await write(http, "Ann lives in Oslo.", about="Ann", attribute="home")
        found = await recall(http, "Where does Ann live?")
        texts = [each["text"] for each in found["memories"] if each["kind"] == "fact"]
        assert texts[0] == "Ann lives in Oslo."
        assert error_of(await http.post("/v1/memory/write", json={"content": "x", "attribute": "home"})) == (400, "bad_input")

    use(tmp_path, run)


@pytest.mark.req("M12", "M17")
@pytest.mark.parametrize("secret", ["11010519491231002X", "13812345678", "6222021234567890128"])
def test_numbers_of_people_do_not_enter_by_a_script(tmp_path: Path, secret: str) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        await write(http, f"The number of Olga is {secret}, order 20260302-17 of 2026-03-02.")
        found = await recall(http, "What is the number of Olga?")
        assert len(found["memories"]) == 1
        assert secret not in str(found)
        assert "20260302-17" in found["context"]

    use(tmp_path, run)


@pytest.mark.req("M12")
def test_a_chat_or_a_scope_can_be_named_and_not_both(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        async with server.client() as client:
            await client.call("chat.update", chat="story", messages=messages(2))
        made = await write(http, "The lantern of Mira is green.", scope="character:Mira")
        there = await write(http, "The lantern of the ferry is red.", chat="story")
        assert (made["scope"], there["chat"], there["scope"]) == ("character:Mira", "story", "")
        assert (await recall(http, "What colour is the lantern?"))["memories"] == []
        mira = await recall(http, "What colour is the lantern?", scope="character:Mira")
        assert [each["id"] for each in mira["memories"]] == [made["id"]]
        story = await recall(http, "What colour is the lantern?", chat="story")
        assert [each["id"] for each in story["memories"]] == [there["id"]]
        both = {"content": "x", "chat": "story", "scope": "profile"}
        assert error_of(await http.post("/v1/memory/write", json=both)) == (400, "bad_input")
        assert error_of(await http.post("/v1/memory/write", json={"content": "x", "chat": "nowhere"})) == (404, "not_found")
        assert error_of(await http.post("/v1/memory/recall", json={"query": "x", "scope": "planet:Mars"})) == (400, "bad_input")

    use(tmp_path, run)


def test_nothing_cools_for_a_script_unless_it_names_a_window(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        made = await write(http, "Carl is allergic to walnuts.")
        await deliver(http, "r", [made["id"]], "main")
        assert len((await recall(http, "Is Carl allergic to walnuts?"))["memories"]) == 1
        assert len((await recall(http, "Is Carl allergic to walnuts?", window="main"))["memories"]) == 0
        assert len((await recall(http, "Is Carl allergic to walnuts?", window="other"))["memories"]) == 1

    use(tmp_path, run)


def test_what_is_to_be_remembered_may_be_called_text(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        made = await http.post("/v1/memory/write", json={"text": "The lantern of the ferry is red."})
        assert made.status_code == 200, made.text
        found = await recall(http, "What colour is the lantern?")
        assert [each["text"] for each in found["memories"]] == ["The lantern of the ferry is red."]

    use(tmp_path, run)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/memory/recall", {"query": " "}),
        ("/v1/memory/recall", {"query": "x", "limit": 51}),
        ("/v1/memory/recall", {"query": "x", "budget": 99}),
        ("/v1/memory/recall", {"query": "x", "client": "y" * 81}),
        ("/v1/memory/write", {"content": ""}),
        ("/v1/memory/write", {}),
        ("/v1/memory/write", {"content": "x", "text": "y"}),
        ("/v1/memory/write", {"content": "x", "importance": 11}),
        ("/v1/memory/write", {"content": "x", "kind": "entity"}),
        ("/v1/memory/write", {"content": "x", "author": "person"}),
    ],
)
def test_a_wrong_request_of_a_script_has_the_one_shape_of_errors(tmp_path: Path, path: str, body: dict[str, Any]) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        assert error_of(await http.post(path, json=body)) == (400, "bad_input")

    use(tmp_path, run)


def test_another_client_of_the_socket_hears_of_what_a_script_wrote(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http, server.client() as client:
            await write(http, "Carl is allergic to walnuts.")
            assert (await client.hear("changed"))["scope"] == "profile"

    asyncio.run(main())


# ---- the rule, as values ----

CHATS = ("story", "gateway:desk#1", "gateway:sofa#1", "gateway:desk#2")
CONFIG = GatewayConfig()


def source(chat: str = "", scope: str = "", window: str = "main", scopes: tuple[str, ...] = ("profile",)) -> windows.Place | None:
    return windows.source(chat, scope, window, CHATS, scopes, CONFIG.chats, CONFIG.scopes)


def test_the_newest_conversation_of_the_window_comes_first_and_the_others_beside_it() -> None:
    assert source(window="desk") == windows.Place("gateway:desk#2", ("profile",), ("gateway:desk#1", "gateway:sofa#1"))
    assert source(window="new") == windows.Place("\x1fprofile", ("profile",), ("gateway:desk#1", "gateway:sofa#1", "gateway:desk#2"))


def test_what_holds_nothing_is_not_read() -> None:
    assert source(window="new", scopes=()) == windows.Place("gateway:desk#2", (), ("gateway:desk#1", "gateway:sofa#1"))
    assert windows.source("", "", "main", (), [], CONFIG.chats, CONFIG.scopes) is None
    assert source(scope="character:Mira", scopes=()) is None


def test_the_scope_of_all_is_read_beside_what_is_named() -> None:
    assert source("story") == windows.Place("story", ("profile",))
    assert source(scope="character:Mira", scopes=("character:Mira", "profile")) == windows.Place(
        "\x1fcharacter:Mira", ("character:Mira", "profile")
    )


def test_a_scope_is_not_named_as_a_chat() -> None:
    with pytest.raises(BadInput):
        source("\x1fprofile")
    with pytest.raises(BadInput):
        windows.target("\x1fprofile", "")
    assert windows.target("", "") == ("", "profile")


def test_all_transports_have_one_rule() -> None:
    assert (vars(asked)["MAIN"], vars(memory)["EVERYWHERE"]) == (windows.MAIN, windows.EVERYWHERE)
    windows_by_name = {"gateway:a#b#3": "a#b", "gateway:x": "", "gateway:#1": "", "gateway:a#": ""}
    for chat, window in windows_by_name.items():
        assert windows.window_of(chat) == window
    for chat in (*CHATS, *windows_by_name):
        assert windows.window_of(chat) == vars(conversations)["window_of"](chat)
