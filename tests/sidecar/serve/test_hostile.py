"""What a hostile or broken client does to a sidecar that really listens: it is refused by name, holds nothing, and disturbs nobody."""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.sidecar.cli_kit import COMMAND
from tests.sidecar.serve.kit import Server, error_of, process, serving
from tidelore.serve.limits import USUAL

QUICK = replace(USUAL, head_seconds=0.3, stalled_seconds=0.3)


def _run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


async def line(server: Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    there = urlsplit(server.url)
    return await asyncio.open_connection(there.hostname, there.port)


async def said(server: Server, request: bytes) -> bytes:
    """All that is answered to these bytes, until the sidecar closes the line."""
    reader, writer = await line(server)
    writer.write(request)
    async with asyncio.timeout(20):
        found = await reader.read()
    writer.close()
    return found


def test_a_connection_that_sends_no_request_is_closed(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=QUICK) as server:
            starts = (b"", b"G", b"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
            whole = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            answers = await asyncio.gather(*(said(server, start) for start in (*starts, whole + starts[2])))
            assert answers[:3] == [b"", b"", b""]
            assert answers[3].startswith(b"HTTP/1.1 200"), "after an answer the next request has its time too"

    _run(main())


def test_a_request_that_trickles_in_does_not_prolong_its_time(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=QUICK) as server:
            reader, writer = await line(server)
            writer.write(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
            closed = asyncio.create_task(reader.read())
            async with asyncio.timeout(20):
                while not closed.done():
                    writer.write(b"a")
                    await asyncio.wait({closed}, timeout=0.05)
            assert closed.exception() is not None or closed.result() == b""
            writer.close()

    _run(main())


def test_a_body_that_comes_to_a_halt_is_refused_by_name(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=QUICK) as server:
            for path, key in (("/pair/start", ""), ("/rpc", f"Authorization: Bearer {server.key}\r\n"), ("/v1/chat/completions", "")):
                key = key or f"X-Api-Key: {server.key}\r\n"
                head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}Content-Length: 100000\r\n\r\n{{"
                answer = await said(server, head.encode())
                assert answer.startswith(b"HTTP/1.1 408"), path
                assert b'"body_late"' in answer

    _run(main())


def test_a_long_answer_and_an_open_socket_outlive_those_limits(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=QUICK) as server, server.client() as client:
            await asyncio.sleep(3 * QUICK.head_seconds)  # longer than any of the limits: this is what is tested
            assert await client.call("ping") == {}

    _run(main())


def test_a_request_that_gives_its_length_twice_is_refused_and_nothing_after_it_is_read(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server:
            inner = b"GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            head = f"POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: {server.key}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"
            answer = await said(server, head.encode() + b"\r\n\r\n0\r\n\r\n" + inner)
            assert answer.startswith(b"HTTP/1.1 400")
            assert answer.count(b"HTTP/1.1") == 1

    _run(main())


@pytest.mark.req("P119")
@pytest.mark.parametrize(
    "address",
    [
        "?api-key=x",
        "?apiKey=x",
        "?auth_token=x",
        "?token[]=x",
        "?bearer=x",
        "?a=1;key=x",
        "?%6bey=x",
        "?note=KEY",
        "?note=before%20KEY",
        "?KEY",
        "?KEY=1",
        "?x=y&KEY=",
        "?HIDDEN=1",
        "?note=HIDDEN",
        "?note=TWICE",
        "/KEY",
    ],
)
def test_a_key_in_any_part_of_the_address_is_refused(tmp_path: Path, address: str) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http:
            hidden = f"%74l%5F{server.key.removeprefix('tl_')}"
            address_ = address.replace("KEY", server.key).replace("HIDDEN", hidden).replace("TWICE", hidden.replace("%", "%25"))
            found = await http.get(f"/runtime{address_}" if address_.startswith("/") else f"/status{address_}")
            assert error_of(found) == (400, "key_in_address")
            assert server.key not in found.text
            assert (await http.get("/status?keyboard=x&tokens=y&authors=z")).status_code == 200, "other words are no keys"

    _run(main())


PLAIN: dict[str, Any] = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": [{"type": "text", "text": {"a": 1}}, {"type": ["x"]}, {"type": {}}, 3, None]}],
        [{"role": "user", "content": {"type": "text"}}],
        [{"role": "user", "content": 5}],
        [{"role": "assistant", "content": [{"type": ["tool_result"]}]}, PLAIN],
        [{"role": "user", "content": [[[]]]}],
    ],
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_messages_of_no_form_are_no_fault_of_the_sidecar(tmp_path: Path, messages: list[Any], path: str) -> None:
    async def main() -> None:
        from tests.sidecar.gateway.kit import gateway

        async with gateway(tmp_path, kind="anthropic" if path == "/v1/messages" else "openai") as here:
            found = await here.post({"model": "big", "max_tokens": 5, "messages": messages}, path)
            # Whether it can be answered is for the upstream to say.
            assert found.status_code == 200 or error_of(found)[0] in (400, 422)

    _run(main())


BODIES = [
    b"",
    b"\x00" * 10,
    b"\xff\xfe",
    b"[" * 200_000,
    b'{"a":' * 100_000,
    b'{"query": "\xff"}',
    b'{"query": 1e999, "limit": NaN}',
    b'{"limit": ' + b"9" * 5000 + b"}",
    b"[" + b",".join([b"1"] * 1000) + b"]",
    '{"query": "x"}'.encode("utf-16"),
    b'"text"',
    b"null",
    b'{"query": "\\ud800", "content": "\\ud800", "client": "\\udfff", "messages": [{"role": "user", "content": "\\ud800"}]}',
]


@pytest.mark.parametrize("at", range(len(BODIES)))
def test_whatever_a_body_holds_no_route_breaks(tmp_path: Path, at: int, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http:
            paths = [path for path, methods in json.loads((await http.get("/openapi.json")).text)["paths"].items() if "post" in methods]
            assert len(paths) > 10
            for path in paths:
                headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
                found = await http.post(path, content=BODIES[at], headers=headers)
                assert found.status_code < 500 or error_of(found)[1] in ("no_upstream", "no_model"), path
        assert not [each for each in caplog.records if each.exc_info], "nothing unexpected happened"

    _run(main())


def test_clients_that_leave_in_the_middle_of_a_request_leave_no_trace_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http:
            for _ in range(5):
                _, writer = await line(server)
                head = f"POST /v1/memory/write HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: {server.key}\r\nContent-Length: 1000\r\n\r\n{{"
                writer.write(head.encode())
                await writer.drain()
                await http.get("/status")
                writer.close()
                await writer.wait_closed()
            assert (await http.get("/status")).status_code == 200
        assert [each for each in caplog.records if each.levelname in ("WARNING", "ERROR")] == []

    _run(main())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_thousand_sockets_fit_where_a_program_is_given_few_files(tmp_path: Path) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip("this machine gives no more")
    command = f"ulimit -Sn 256 && exec {subprocess.list2cmdline([*COMMAND, 'serve', '--port', '0', '--json', '--data', str(tmp_path)])}"
    with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as started:
        try:
            assert started.stdout is not None
            ready = json.loads(started.stdout.readline())
            server = Server(ready["url"], ready["key"])

            async def main() -> None:
                lines = [await line(server) for _ in range(1000)]
                async with server.http() as http:
                    assert (await http.get("/status")).status_code == 200
                for _, writer in lines:
                    writer.close()

            _run(main())
        finally:
            started.kill()


@pytest.mark.slow
def test_two_thousand_connections_that_say_nothing_hold_up_nobody(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 5000:
        pytest.skip("this machine gives no more")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 5000), hard))
    try:
        with process(tmp_path) as (_, ready):
            server = Server(ready["url"], ready["key"])

            async def main() -> None:
                lines = [await line(server) for _ in range(2000)]
                for _, writer in lines:
                    writer.write(b"GET / HTTP/1.1\r\nHost: ")
                async with server.http() as http:
                    written = await http.post("/v1/memory/write", json={"content": "The door is green."})
                    assert written.status_code == 200
                for _, writer in lines:
                    writer.close()

            _run(main())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_guesses_at_a_code_that_come_all_at_once_are_counted_one_by_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as owner, server.http(None, Origin="http://page.example") as page:
            started = (await page.post("/pair/start", json={"client": "x"})).json()
            wrong = [f"{at:06}" for at in range(60) if f"{at:06}" != started["code"]]
            answers = await asyncio.gather(*(owner.post("/pairings/confirm", json={"code": code}) for code in wrong))
            told = [error_of(answer) for answer in answers]
            assert sorted(set(told)) == [(403, "code_wrong"), (404, "no_pairing")]
            assert told.count((403, "code_wrong")) == 5
            # After that the right one opens nothing, and the page is told.
            assert error_of(await owner.post("/pairings/confirm", json={"code": started["code"]})) == (404, "no_pairing")
            assert error_of(await page.get(f"/pair/{started['id']}")) == (403, "pairing_refused")
            # A key that is fetched by many at once is given once.
            again = (await page.post("/pair/start", json={"client": "x"})).json()
            assert (await owner.post("/pairings/confirm", json={"code": again["code"]})).status_code == 200
            polls = await asyncio.gather(*(page.get(f"/pair/{again['id']}") for _ in range(10)))
            assert sorted(poll.status_code for poll in polls) == [200, *[410] * 9]
            # And it does not let others in.
            key = next(poll.json()["key"] for poll in polls if poll.status_code == 200)
            async with server.http(key, Origin="http://page.example") as paired:
                assert error_of(await paired.post("/pairings/confirm", json={"code": "000000"})) == (403, "owner_only")

    _run(main())
