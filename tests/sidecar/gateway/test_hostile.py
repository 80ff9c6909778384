"""An upstream that sends what no upstream should: the client sees a failure or the very bytes, and nothing of it is remembered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from tests.sidecar.gateway.kit import Gateway, gateway, turns
from tests.sidecar.gateway.upstream import Got, Reply, events, stream
from tests.sidecar.serve.kit import Server, serving
from tidelore.host.config import Config, GatewayConfig, UpstreamConfig, UpstreamModel
from tidelore.serve.faults import Refusal
from tidelore.serve.gateway import splice
from tidelore.serve.gateway.answer import LONGEST, ChatReader, Lines
from tidelore.serve.gateway.asked import read
from tidelore.serve.gateway.messages_request import request
from tidelore.serve.gateway.outgoing import before_words, inserted

T = TypeVar("T")
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
SECRET = b"words of the upstream"


def _chunked(*pieces: bytes) -> bytes:
    return OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in pieces)


@asynccontextmanager
async def facing(data: Path, answer: bytes, kind: Any) -> AsyncIterator[tuple[Server, list[bytes]]]:
    """A gateway to an upstream that answers every request with these bytes, then cuts the line."""
    got: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            got.append(await reader.readexactly(length))
            writer.write(answer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    one = UpstreamConfig("up", url, kind, models=[UpstreamModel("big-1", "big")], seconds=5.0)
    try:
        async with serving(data, config=Config(gateway=GatewayConfig(seconds=20.0), upstream=[one])) as server:
            yield server, got
    finally:
        listening.close()


async def _asked(server: Server, *, streamed: bool) -> tuple[int, bytes, bool]:
    """Status, what came, and whether the answer came to its end."""
    body = {"model": "big", "stream": streamed, "messages": turns("My cat is called Bo.")}
    came = bytearray()
    async with server.http() as http, http.stream("POST", "/v1/chat/completions", json=body) as answer:
        try:
            async for piece in answer.aiter_raw():
                came += piece
        except httpx.RemoteProtocolError:
            return answer.status_code, bytes(came), False
        return answer.status_code, bytes(came), True


async def _said(server: Server) -> list[str]:
    """What is stored as said, once nothing is written any more."""
    async with server.http() as http:
        while (await http.get("/status")).json()["writing"]:
            await asyncio.sleep(0.005)
        chats = (await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": "chat.list"})).json()["result"]["chats"]
        params = {"chat": chats[0]["chat"], "first": 0, "last": chats[0]["messages"] - 1}
        found = await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": "sources.read", "params": params})
        return [each["text"] for each in found.json()["result"]["messages"]]


NEVER = {
    "no http": SECRET + b"\r\n\r\n",
    "a broken head": b"HTTP/1.1 200 OK\r\nX: \x00" + SECRET + b"\r\n\r\n",
    "a header that breaks the line": b"HTTP/1.1 200 OK\r\nX-A: a\r\n Set-Cookie\x0b: b\r\n\r\n",
    "an endless head": b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"a" * 400_000,
    "nothing": b"",
    "a redirect": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "a part": b"HTTP/1.1 206 Partial Content\r\nContent-Length: 21\r\n\r\n" + SECRET,
    "an error": b"HTTP/1.1 500 Oops\r\nContent-Length: 21\r\n\r\n" + SECRET,
    "a chunk of no size": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + SECRET,
    "a packed body that is none": OK + b"Content-Encoding: gzip\r\nContent-Length: 21\r\n\r\n" + SECRET,
}


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("name", NEVER)
def test_an_answer_that_is_none_is_a_failure_by_its_class(tmp_path: Path, name: str, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with facing(tmp_path, NEVER[name], kind) as (server, got):
            for streamed in (False, True):
                status, came, ended = await _asked(server, streamed=streamed)
                assert ended
                assert status in (502, 504)
                assert json.loads(came)["error"]["code"].startswith("upstream_")
                assert SECRET not in came
            assert len(got) == 2, "it is not asked again by us"
            assert await _said(server) == ["My cat is called Bo."]
            async with server.http() as http:
                assert (await http.get("/v1/models")).status_code == 200, "the sidecar serves on"
        assert SECRET.decode() not in caplog.text
        assert not [each for each in caplog.records if each.exc_info]

    asyncio.run(main())


def _delta(content: Any) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]}).encode() + b"\n\n"


CUT = {
    "in the middle of a chunk": _chunked(_delta("Half")) + b"ffff\r\nda",
    "in the middle of a character": _chunked(_delta("Half"), b'data: {"choices":[{"index":0,"delta":{"content":"\xe4\xb8'),
    "after the first byte": _chunked(b"d"),
    "short of its length": OK + b"Content-Length: 1000\r\n\r\n" + _delta("Half"),
    "by garbage between chunks": _chunked(_delta("Half")) + b"\x00\xff garbage\r\n",
}


@pytest.mark.parametrize("name", CUT)
def test_a_stream_that_is_cut_anywhere_is_cut_for_the_client_and_no_answer(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with facing(tmp_path, CUT[name], "openai") as (server, _):
            status, came, ended = await _asked(server, streamed=True)
            assert (status, ended) == (200, False)
            assert b"[DONE]" not in came
            assert await _said(server) == ["My cat is called Bo."]
        assert not [each for each in caplog.records if each.levelname == "ERROR" and "without completing" not in each.getMessage()]

    asyncio.run(main())


NONSENSE = [
    b"\xff\xfe\x00 no text at all\n\n",
    b"data: {\n\n",
    b"data: " + b"[" * 100_000 + b"\n\n",
    b'data: {"choices": "none"}\n\n',
    b'data: {"choices": [null, 1, [], {"delta": []}, {"index": [], "delta": {"content": {}}}]}\n\n',
    b'data: {"choices": [{"index": 0, "delta": {"content": 5}, "finish_reason": {"a": 1}}]}\n\n',
    b'data: {"choices": [{"index": 0, "delta": {"content": "\\ud800"}}]}\n\n',
    b"data:\n\nevent\n\n: comment\n\nid: 1\nretry: x\n\n",
    b'data: {"type": "content_block_start", "index": "x", "content_block": 5}\n\n',
    b'data: {"type": "message_delta", "delta": {"stop_reason": ["x"]}, "usage": []}\n\n',
    b'data: {"type": ["message_start"], "message": {"usage": 5}}\n\n',
    b"x" * 100_000,
]


def _always(reply: Reply, got: Got) -> Reply:
    del got
    return reply


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_nonsense_between_events_passes_or_breaks_off_and_never_breaks_the_sidecar(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with gateway(tmp_path, kind=kind) as here:
            for piece in NONSENSE:
                reply = events(piece, *stream("All right.").pieces)
                here.upstream.rule = partial(_always, reply)
                status, came, ended = await _asked(here.server, streamed=True)
                assert status in (200, 502), piece[:40]
                if kind == "openai":
                    assert (ended, came.startswith(piece)) == (True, True), piece[:40]
                await here.idle()
            assert await here.texts("gateway:main#1")
        assert not [each for each in caplog.records if each.exc_info]

    asyncio.run(main())


def test_a_line_that_comes_in_very_small_pieces_costs_no_more_than_its_length() -> None:
    """Copying what came so far for each piece would take minutes: as much as a stream of answers may hold."""
    lines = Lines()
    pieces = LONGEST // 16
    assert [each for _ in range(pieces) for each in lines.feed(b"x" * 16)] == []
    assert list(lines.feed(b"\r\nrest")) == [b"x" * (pieces * 16)]
    assert list(lines.end()) == [b"rest"]
    assert list(lines.feed(b"y" * (LONGEST + 1))) == []
    assert list(lines.feed(b"z\n")) == [b"z"], "of a line that is too long nothing is kept"


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 64])
def test_wherever_the_bytes_of_an_answer_are_cut_it_reads_the_same(cut: int) -> None:
    data = b"".join(piece for piece in stream("Grüße aus 北京, \U0001f600 all right.").pieces if isinstance(piece, bytes))
    data = data.replace(b"\n\n", b"\r\n\r\n")
    reader = ChatReader(streamed=True)
    for at in range(0, len(data), cut):
        reader.feed(data[at : at + cut])
    answer = reader.end()
    assert (answer.outcome, answer.text) == ("said", "Grüße aus 北京, \U0001f600 all right. ")


def test_two_profiles_get_nothing_of_each_other_through_any_way_in(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            other = await _other(here, tmp_path)
            said = "My cat is called Bartholomew and lives in Bergen."
            await here.say(said, X_Tidelore_Window="shared")
            async with here.server.http() as http:
                made = (await http.post("/v1/memory/write", json={"content": "Bartholomew likes fish."})).json()
            async with here.server.http(key=other) as http:
                asked = {"query": "What is my cat Bartholomew called? Where does it live?"}
                question = {"model": "big", "messages": turns(asked["query"])}
                for headers in ({}, {"X-Tidelore-Window": "shared"}):
                    await http.post("/v1/chat/completions", json=question, headers=headers)
                    assert "Bergen" not in here.upstream.got[-1].raw.decode()
                for path, body in (
                    ("/api/hook/recall", asked),
                    ("/api/hook/recall", {**asked, "session_id": "shared"}),
                    ("/v1/memory/recall", asked),
                    ("/v1/memory/recall", {**asked, "scope": "profile"}),
                    ("/v1/memory/recall", {**asked, "chat": "gateway:shared#1"}),
                ):
                    found = await http.post(path, json=body)
                    assert "Bergen" not in found.text
                    assert "fish" not in found.text
                for method, params in (
                    ("node.get", {"chat": "\x1fprofile", "node": made["id"]}),
                    ("graph.get", {"chat": "\x1fprofile"}),
                    ("sources.search", {"chat": "gateway:shared#1", "query": "Bergen"}),
                    ("undo", {"chat": "\x1fprofile", "commit": made["commit"]}),
                    ("chat.purge", {"chat": "gateway:shared#1"}),
                ):
                    await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
                for tool, arguments in (
                    ("recall", asked),
                    ("read", {"ids": [made["id"]]}),
                    ("graph", {}),
                    ("sources_search", {"query": "Bergen"}),
                    ("scopes", {}),
                    ("attention", {}),
                    ("resume", {}),
                ):
                    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
                    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
                    found = await http.post("/mcp?tools=default,more", json=call, headers=headers)
                    assert found.status_code == 200
                    assert "Bergen" not in found.text
                    assert "fish" not in found.text
                assert "Bergen" not in (await http.get("/v1/host/deliveries")).text
            # And nothing that the other one did has changed what the first one has.
            assert said in await here.texts("gateway:shared#1")
            async with here.server.http() as http:
                assert "fish" in (await http.post("/v1/memory/recall", json={"query": "What does Bartholomew like?"})).text

    asyncio.run(main())


async def _other(here: Gateway, data: Path) -> str:
    from tidelore.host.profiles import Profiles

    profiles = Profiles(data)
    profiles.add("berta")
    return profiles.key("berta")


# ---- bodies that no client should send ----

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "id", "function", "name"]), inner, max_size=3)
    ),
    max_leaves=6,
)
PART = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "image_url", "tool_result", "refusal", "thinking"]) | JSON,
        "text": st.just("/resume now") | JSON,
        "image_url": JSON,
        "cache_control": JSON,
    },
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool", "function"])},
    optional={"content": st.lists(PART | JSON, max_size=3) | JSON, "tool_calls": JSON, "tool_call_id": JSON, "name": JSON},
)
BODY = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE, min_size=1, max_size=4)},
    optional=dict.fromkeys(("stop", "tools", "tool_choice", "thinking", "n", "temperature", "user", "stream", "max_tokens"), JSON),
)


def _unless_refused(made: Callable[[], T]) -> T | None:
    try:
        return made()
    except Refusal as refusal:
        if refusal.status != 400:
            raise
        return None


@given(BODY)
def test_any_body_is_understood_or_refused(body: dict[str, Any]) -> None:
    text = json.dumps(body)
    asked = _unless_refused(lambda: read(text.encode(), Headers(), "chat"))
    if asked is None:
        return
    edits = [inserted(asked, "block", "user"), inserted(asked, "block", "system")]
    if asked.turn is not None:
        edits.append(before_words(asked.text, asked.turn, "block", ("/resume", "")))
    for each in edits:
        assert "messages" in json.loads(splice.apply(asked.text, each))
    made = _unless_refused(lambda: request(json.loads(text), "big"))
    assert made is None or json.loads(json.dumps(made))["model"] == "big"
