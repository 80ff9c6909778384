"""The protocol's own client over both transports and both generations of the protocol, on a sidecar that really runs."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.sidecar.cli_kit import COMMAND, environment
from tests.sidecar.mcp.kit import MODES, over_http, over_stdio, text
from tests.sidecar.serve.kit import Server, serving
from tidelore.host.daemon import Daemon, running
from tidelore.host.profiles import Profiles
from tidelore.serve.mcp.surface import SETS, TOOLS

pytestmark = pytest.mark.slow
USUAL = [tool.name for tool in SETS["default"]]


LISTED = {tool.name for tool in TOOLS.values() if not tool.absent}


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; what serves it at the end is stopped."""
    folder = tmp_path / "data"
    folder.mkdir()
    yield folder
    _stop(folder)


def _stop(data: Path) -> Daemon | None:
    daemon = running(data)
    if daemon is not None:
        os.kill(daemon.pid, signal.SIGTERM)
        asyncio.run(_gone(data))
    return daemon


async def _gone(data: Path) -> None:
    async with asyncio.timeout(30):
        while running(data) is not None:
            await asyncio.sleep(0.02)


@asynccontextmanager
async def _client(transport: str, data: Path, mode: str) -> AsyncIterator[Client]:
    if transport == "stdio":
        async with over_stdio(data, mode) as client:
            yield client
    else:
        async with serving(data) as server, over_http(server.url, server.key, mode) as client:
            yield client


async def _said(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return text(result)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_client_finds_tools_resources_and_prompts_and_uses_them(data: Path, transport: str, mode: str) -> None:
    async def run() -> None:
        async with _client(transport, data, mode) as client:
            assert client.server_info is not None
            assert client.server_info.name == "tidelore"
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            assert "memory" in (client.instructions or "")
            assert [tool.name for tool in (await client.list_tools()).tools] == USUAL
            written = await client.call_tool("write", {"text": "Mira sells clocks.", "about": "Mira"})
            id_ = written.structured_content["id"]
            assert "Mira sells clocks." in await _said(client, "recall", query="What does Mira sell?")
            refused = await client.call_tool("recall", {"query": "x", "chat": "nowhere"})
            assert (refused.is_error, text(refused).partition(":")[0]) == (True, "not_found")
            addresses = [str(each.uri) for each in (await client.list_resources()).resources]
            assert addresses == ["tidelore://scope/profile/core", "tidelore://scope/profile/graph"]
            assert len((await client.list_resource_templates()).resource_templates) == 6
            (graph,) = (await client.read_resource("tidelore://scope/profile/graph")).contents
            assert json.loads(graph.text)["nodes_total"] == 2  # type: ignore[union-attr]
            (memory,) = (await client.read_resource(f"tidelore://scope/profile/memory/{id_}")).contents
            assert "Mira sells clocks." in memory.text  # type: ignore[union-attr]
            assert [each.name for each in (await client.list_prompts()).prompts] == ["continue", "what_do_you_know"]
            prompt = await client.get_prompt("what_do_you_know", {"about": "Mira"})
            assert "Mira sells clocks." in prompt.messages[0].content.text  # type: ignore[union-attr]
            for wrong in (
                client.call_tool("why", {"id": id_}),
                client.read_resource("tidelore://scope/profile/memory/ffffffff"),
                client.read_resource("file:///etc/passwd"),
                client.get_prompt("nonsense"),
                client.get_prompt("what_do_you_know", {"abuot": "Mira"}),
            ):
                with pytest.raises(MCPError):
                    await wrong

    asyncio.run(run())


def test_more_tools_are_switched_on_by_the_address_and_by_the_option(data: Path) -> None:
    async def run() -> None:
        async with serving(data) as server:
            async with over_http(server.url, server.key, tools="all") as client:
                assert {tool.name for tool in (await client.list_tools()).tools} == LISTED
            async with over_http(server.url, server.key, tools="memory-server,recall") as client:
                names = {tool.name for tool in (await client.list_tools()).tools}
                assert names == {"recall", *(tool.name for tool in SETS["memory-server"])}
            async with over_http(server.url, server.key, tools="nonsense") as client:
                with pytest.raises(MCPError, match="no set of tools"):
                    await client.list_tools()
            async with over_stdio(data, "legacy", "--tools", "default,undo") as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == [*USUAL, "undo"]

    asyncio.run(run())


def test_four_clients_on_stdio_at_once_share_one_memory_and_one_sidecar(data: Path) -> None:
    ready = [asyncio.Event() for _ in range(4)]

    async def one(at: int) -> None:
        async with over_stdio(data, MODES[at % 2]) as client:
            await asyncio.gather(*(_said(client, "write", text=f"Client {at} said the word number{at}{n}.") for n in range(5)))
            ready[at].set()
            await asyncio.gather(*(each.wait() for each in ready))
            for other in range(4):
                assert f"number{other}3" in await _said(client, "recall", query=f"number{other}3")

    async def run() -> None:
        await asyncio.gather(*map(one, range(4)))

    asyncio.run(run())
    daemon = _stop(data)
    assert daemon is not None

    # A client that comes later finds all of it.
    async def later() -> None:
        async with over_stdio(data) as client:
            graph = await client.call_tool("graph", {"kind": "fact"})
            assert graph.structured_content["nodes_total"] == 20

    asyncio.run(later())


def test_a_client_goes_on_when_the_sidecar_was_killed(data: Path) -> None:
    async def run() -> None:
        async with over_stdio(data) as client:
            await _said(client, "write", text="Mira sells clocks.")
            first = running(data)
            assert first is not None
            os.kill(first.pid, signal.SIGKILL)
            assert "Mira sells clocks." in await _said(client, "recall", query="Mira clocks")
            second = running(data)
            assert second is not None
            assert second.pid != first.pid

    asyncio.run(run())


def test_a_client_on_stdio_shares_the_memory_of_a_sidecar_that_runs(data: Path) -> None:
    async def run() -> None:
        async with serving(data) as server, over_stdio(data) as stdio, over_http(server.url, server.key) as http:
            await _said(stdio, "write", text="Mira flies on Monday at 9:00.")
            assert "Monday" in await _said(http, "recall", query="When does Mira fly?")
            async with server.client() as page:
                await _said(stdio, "write", text="And back on Friday.")
                assert (await page.hear("changed"))["scope"] == "profile"

    asyncio.run(run())


def test_nothing_but_the_protocol_is_on_standard_output(data: Path) -> None:
    lines = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "write", "arguments": {"text": "One."}}},
    ]
    process = subprocess.Popen(
        [*COMMAND, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(data, {"TIDELORE_PORT": "0"}),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode() + b"no json\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.stdin.close()
        rest = process.stdout.read()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
    assert {each["id"] for each in answers} == {1, 2, 3}
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())


@pytest.mark.req("P87")
@pytest.mark.parametrize("content", [b"{}", b"[]", b'{"entities": []}\n'])
@pytest.mark.parametrize("name", ["tidelore.db", "config.toml"])
def test_a_file_of_an_unexpected_form_gets_a_clear_message_and_is_left_alone(data: Path, name: str, content: bytes) -> None:
    (data / name).write_bytes(content)
    done = subprocess.run(
        [*COMMAND, "mcp"], stdin=subprocess.DEVNULL, capture_output=True, env=environment(data, {"TIDELORE_PORT": "0"}), timeout=60
    )
    assert (done.returncode, done.stdout) == (1, b"")
    said = " ".join(done.stderr.decode().split())
    assert name in said.replace(" ", "")
    assert "Traceback" not in said
    assert (data / name).read_bytes() == content


@pytest.mark.req("P117")
def test_no_tool_resource_or_prompt_reaches_another_persons_memory(data: Path) -> None:
    """Whatever can be asked is asked with every id, name and place of somebody else, and the words never come."""
    secret = "Xylophone-Quartz"

    async def fill(server: Server, key: str) -> list[str]:
        async with over_http(server.url, key, tools="all") as client:
            await client.call_tool("write", {"kind": "entity", "name": secret})
            ids = [
                (await client.call_tool("write", {"text": f"The {secret} is hidden.", "about": secret, **where})).structured_content
                for where in ({}, {"scope": "character:Mira"})
            ]
            await client.call_tool("write", {"kind": "thread", "name": f"Thread of {secret}"})
            await client.call_tool("write", {"kind": "digest", "text": f"All about {secret}"})
            await client.call_tool("write_diary", {"content": f"Diary of {secret}"})
        async with server.http(key) as http:
            messages = [{"role": "user", "name": "Ann", "text": f"The {secret} is mine."}]
            await http.post(
                "/rpc", json={"jsonrpc": "2.0", "id": 1, "method": "chat.update", "params": {"chat": secret, "messages": messages}}
            )
        return [value for each in ids for value in (each["id"], each["commit"])]

    async def ask(client: Client, names: list[str]) -> list[str]:
        told: list[str] = []
        for tool in TOOLS.values():
            properties = _described_schema(tool.name)
            for name in names:
                result = await client.call_tool(tool.name, _filled(properties, name))
                # A refusal may say what was asked for, which the caller knows; nothing else of it may come.
                told.append(_without_echo(result.model_dump_json(), name))
        for name in names:
            for uri in (
                f"chat/{name}/core",
                f"chat/{name}/graph",
                f"scope/profile/memory/{name}",
                f"chat/{name}/memory/{name}",
                "scope/profile/graph",
            ):
                with suppress(MCPError):
                    told.append((await client.read_resource(f"tidelore://{uri}")).model_dump_json())
            for prompt, arguments in (("continue", {"chat": name}), ("continue", {}), ("what_do_you_know", {"about": name})):
                with suppress(MCPError):
                    told.append(_without_echo((await client.get_prompt(prompt, arguments)).model_dump_json(), name))
        told.append((await client.list_resources()).model_dump_json())
        return told

    async def run() -> None:
        berta = Profiles(data).add("berta")
        async with serving(data) as server:
            names = [secret, *await fill(server, server.key)]
            async with over_http(server.url, berta, tools="all") as client:
                found = await ask(client, names)
            async with over_http(server.url, server.key, tools="all") as client:
                own = await ask(client, names)
        assert any("is hidden" in each for each in own)  # the same questions do find it where it belongs
        for each in found:
            assert "is hidden" not in each
            assert "is mine" not in each
            assert "Thread of" not in each
            assert "All about" not in each
            assert "Diary of" not in each

    asyncio.run(run())


def _described_schema(name: str) -> dict[str, Any]:
    from tidelore.serve.mcp.schemas import schema_of

    found: dict[str, Any] = schema_of(TOOLS[name].arguments)["properties"]
    return found


# Writes go to the caller's own memory: there they are filled with other words.
_OWN_WORDS = {"text", "content", "contents", "observations", "title", "label", "entities", "relations"}


def _filled(properties: dict[str, Any], name: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, schema in properties.items():
        if key in ("cursor", "scope", "role", "type", "kind", "status"):
            continue
        if schema["type"] == "string":
            out[key] = "own words" if key in _OWN_WORDS else name
        elif schema["type"] == "array" and schema["items"]["type"] == "string":
            out[key] = [name]
        elif schema["type"] == "array":
            out[key] = [_filled(schema["items"]["properties"], name)]
        elif key in ("first", "last"):
            out[key] = 0
    return out


def _without_echo(told: str, name: str) -> str:
    return told.replace(name, "")


def test_a_key_is_needed_and_is_never_in_the_address(data: Path) -> None:
    async def run() -> None:
        async with serving(data) as server, server.http(None) as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            accept = {"Accept": "application/json, text/event-stream"}
            assert (await http.post("/mcp", json=body, headers=accept)).status_code == 401
            assert (await http.post(f"/mcp?key={server.key}", json=body, headers=accept)).status_code == 400
            wrong = {**accept, "Authorization": "Bearer tl_wrong"}
            assert (await http.post("/mcp", json=body, headers=wrong)).json()["error"]["code"] == "key_wrong"
        async with serving(data) as server, server.http() as http:
            assert (await http.get("/mcp", headers=accept)).status_code == 405
            assert (await http.delete("/mcp")).status_code == 405
            evil = await http.post("/mcp", json=body, headers={**accept, "Host": "evil.example"})
            assert evil.json()["error"]["code"] == "host_refused"
            # A page of the sidecar's own may ask, one of another port on this machine may not.
            own = await http.post("/mcp", json=body, headers={**accept, "Origin": server.url})
            assert own.json()["result"]["tools"]
            other = await http.post("/mcp", json=body, headers={**accept, "Origin": "http://127.0.0.1:1"})
            assert other.json()["error"]["code"] == "origin_refused"

    asyncio.run(run())
