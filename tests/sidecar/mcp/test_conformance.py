"""The public conformance suite: whole against a fixture server on our transport, in the parts that need no fixture against the product."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import BaseRoute, Route

from tests.sidecar.mcp.fixture_server import Events, fixture_server
from tests.sidecar.serve.kit import serving
from tidelore.serve import process
from tidelore.serve.mcp.http import Sessions, endpoint
from tidelore.serve.mcp.protocol import PATH

pytestmark = pytest.mark.slow

MODULES = Path(__file__).parent / "node_modules"
SUITE = MODULES / "@modelcontextprotocol/conformance/dist/index.js"
OLDEST_NODE = 22


def _node() -> str | None:
    """A Node.js that can run the suite: the one beside it, or the system's."""
    beside = [path for path in MODULES.glob("node-*/bin/node*") if path.is_file()]
    found = str(beside[0]) if beside else shutil.which("node")
    if found is None:
        return None
    version = re.match(r"v(\d+)", subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout)
    return found if version and int(version[1]) >= OLDEST_NODE else None


@pytest.fixture(scope="module")
def node() -> str:
    found = _node() if SUITE.exists() else None
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("The conformance suite is not installed: make test does that.")
        pytest.skip("The conformance suite or a Node.js of 22 or newer is not here: make test installs them.")
    return found


@asynccontextmanager
async def proxied(url: str, key: str) -> AsyncIterator[str]:
    """An address on loopback that adds the key, for a client that cannot. All else goes through as it is, Host and Origin too."""
    host, port = url.removeprefix("http://").split(":")

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
            return
        first, *lines = head.rstrip(b"\r\n").split(b"\r\n")
        kept = [line for line in lines if not line.lower().startswith(b"connection:")]
        # One request for each connection, so that no other head has to be found.
        added = [f"Authorization: Bearer {key}".encode(), b"Connection: close"]
        up_reader, up_writer = await asyncio.open_connection(host, int(port))
        up_writer.write(b"\r\n".join([first, *kept, *added]) + b"\r\n\r\n")
        up = asyncio.create_task(pump(reader, up_writer))
        await pump(up_reader, writer)
        up.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await up
        up_writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{PATH}"


async def _conformance(node: str, url: str, folder: Path, *arguments: str) -> tuple[int, str]:
    command = [node, str(SUITE), "server", "--url", url, "--output-dir", str(folder), *arguments]
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    out, _ = await asyncio.wait_for(child.communicate(), 240)
    assert child.returncode is not None
    return child.returncode, out.decode()


@asynccontextmanager
async def _fixture(*_: Any) -> AsyncIterator[Sequence[BaseRoute]]:
    async with endpoint(fixture_server(), Sessions(Events(), 500)) as found:
        yield [Route(PATH, found)]


def test_the_transport_passes_the_whole_suite(node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fixture server in the place of ours: the rest, gate included, is what `tidelore serve` runs."""
    monkeypatch.setattr(process, "transports", _fixture)

    async def run() -> tuple[int, str]:
        async with serving(tmp_path / "data") as server, proxied(server.url, server.key) as url:
            return await _conformance(node, url, tmp_path / "results", "--suite", "all")

    code, said = asyncio.run(run())
    assert code == 0, said
    total = re.search(r"Total: (\d+) passed, (\d+) failed", said)
    assert total is not None, said
    assert (int(total[1]) >= 30, total[2]) == (True, "0"), said
    assert "warning" not in re.sub(r"\b0 warnings?", "", said.lower()), said


@pytest.mark.parametrize(
    "scenario", ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"]
)
def test_the_product_passes_what_needs_no_fixture(node: str, tmp_path: Path, scenario: str) -> None:
    async def run() -> tuple[int, str]:
        async with serving(tmp_path / "data") as server, proxied(server.url, server.key) as url:
            return await _conformance(node, url, tmp_path / "results", "--scenario", scenario)

    code, said = asyncio.run(run())
    assert code == 0, said
    assert "0 failed" in said, said
