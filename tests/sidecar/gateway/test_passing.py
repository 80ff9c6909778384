"""What goes through the gateway is what the client and the upstream wrote, and nothing is hidden when it breaks."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest

from tests.sidecar.gateway.kit import KEY, PATIENT, cut_off, gateway, turns, until
from tests.sidecar.gateway.upstream import DONE, USAGE, Die, Got, Hold, Reply, chunk, events, stream, whole
from tests.sidecar.serve.kit import error_of
from tidelore.host.config import UpstreamModel

OFF = {"X_Tidelore_Memory": "off"}

# What a parser that writes JSON anew would spoil: numbers, escapes, spaces, order, members that nobody knows, one name twice.
ODD = (
    '{ "x_unknown" : {"b":1.0,"a":1e0,"c":-0.0,"d":12345678901234567890123} ,\n\t"model":"big", "temperature":0.70,'
    '"messages":[{"role":"system","content":"Be \\u0062rief \\/ kind."},{"x":[],"role":"user","content":"Na\\u00efve \\ud83d\\ude00 é"}],'
    '"seed":1,"seed":2,"stream":false}'
).encode()


def _run(test: Any) -> None:
    asyncio.run(test)


@pytest.mark.req("M11", "S48")
def test_a_request_reaches_the_upstream_byte_for_byte_but_for_the_name_of_the_model(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            assert (await here.post(ODD, **OFF)).status_code == 200
            assert here.upstream.got[0].raw == ODD.replace(b'"big"', b'"big-1"')

    _run(main())


@pytest.mark.req("S51")
def test_with_memory_in_it_a_request_is_the_same_around_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            await here.say("My cat is called Bo and she is grey.")
            odd = ODD.replace(b"Na\\u00ef", b"What is my cat called? Na\\u00ef")
            answer = await here.post(odd)
            assert int(answer.headers["X-Tidelore-Injected"]) > 0
            block = here.upstream.got[-1].last.partition("What is")[0]
            assert "Bo" in block
            inserted = json.dumps(block)[1:-1].encode()
            assert here.upstream.got[-1].raw == odd.replace(b'"big"', b'"big-1"').replace(b'"What is', b'"' + inserted + b"What is")

    _run(main())


def test_the_upstream_gets_its_own_key_and_no_header_of_ours(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            given = {"X_Tidelore_Window": "a", "X_Serein_Window_ID": "b", "X_OpenWebUI_User_Email": "ann@example.com", "Cookie": "c=1"}
            await here.post(ODD, X_Own="kept", OpenAI_Organization="org", **given, **OFF)
            headers = here.upstream.got[0].headers
            assert headers["authorization"] == f"Bearer {KEY}"
            assert headers["x-own"] == "kept"
            assert headers["openai-organization"] == "org"
            assert here.server.key not in json.dumps(dict(headers))
            assert not [name for name in headers if name.startswith(("x-tidelore", "x-serein", "x-openwebui", "cookie"))]

    _run(main())


@pytest.mark.req("S49")
def test_our_own_members_of_the_body_are_read_and_taken_out(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            said = '"messages":[{"role":"user","content":"My dog is called Rex."}]'
            for body in (
                f'{{"serein":{{"window_id":"w","memory":true}},"tidelore":{{}},"model":"big",{said}}}',
                f'{{"model":"big", "serein": {{"window_id":"w"}} , "tidelore":{{}} ,{said}}}',
                f'{{"model":"big",{said},"serein":{{"window_id":"w"}} , "tidelore":{{}}}}',
            ):
                answer = await here.post(body.encode())
                assert answer.status_code == 200, answer.text
                assert set(here.upstream.got[-1].body) == {"model", "messages"}
                assert answer.headers["X-Tidelore-Chat"].startswith("gateway:w#")
            body = f'{{"model":"big",{said},"serein":{{"memory":"off"}}}}'
            assert (await here.post(body.encode())).headers["X-Tidelore-Injected"] == "off"

    _run(main())


STREAMS = {
    "text": [chunk({"role": "assistant", "content": ""}), chunk({"content": "Grüße"}), chunk({}, "stop"), USAGE, DONE],
    "comments and other line ends": [b": ping\r\n\r\n", b'data:{"choices":[]}\r\n\r\n', chunk({"content": "a"}, "stop"), b"data: [DONE]"],
    "two choices": [chunk({"content": "a"}), b'data: {"choices":[{"index":1,"delta":{"content":"b"}}]}\n\n', chunk({}, "stop"), DONE],
    "what is no JSON": [b"data: {nonsense\n\n", b"event: x\ndata: 1\n\n", DONE],
}


@pytest.mark.req("S48", "M11")
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("memory", ["on", "off"])
def test_a_stream_comes_out_byte_for_byte(tmp_path: Path, name: str, memory: str) -> None:
    async def main() -> None:
        async with gateway(tmp_path, lambda got: events(*STREAMS[name])) as here:
            answer = await here.post({"model": "big", "stream": True, "messages": turns("Hello.")}, X_Tidelore_Memory=memory)
            assert answer.content == b"".join(STREAMS[name])
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"

    _run(main())


def test_each_event_comes_when_the_upstream_sends_it(tmp_path: Path) -> None:
    async def main() -> None:
        first, hold = chunk({"content": "one"}), Hold()
        async with gateway(tmp_path, lambda got: events(first, hold, chunk({}, "stop"), DONE)) as here, here.server.http() as http:
            body = {"model": "big", "stream": True, "messages": turns("Hello.")}
            async with http.stream("POST", "/v1/chat/completions", json=body) as answer:
                pieces = answer.aiter_raw()
                assert await anext(pieces) == first
                assert not hold.go.is_set()
                hold.go.set()
                assert b"".join([piece async for piece in pieces]).endswith(DONE)

    _run(main())


@pytest.mark.req("S48")
def test_an_answer_that_is_no_stream_comes_out_byte_for_byte_with_its_headers(tmp_path: Path) -> None:
    async def main() -> None:
        odd = b'{ "choices":[{"index":0,"message":{"role":"assistant","content":"\\u00fc"},"finish_reason":"stop"}],"x":1.0,"x":2 }\n'
        reply = Reply([odd], headers={"X-Request-Id": "r1", "Set-Cookie": "a=1", "X-RateLimit-Remaining": "7"})
        async with gateway(tmp_path, lambda got: reply) as here:
            answer = await here.post({"model": "big", "messages": turns("Hello.")})
            assert answer.content == odd
            assert answer.headers["content-length"] == str(len(odd))
            assert (answer.headers["x-request-id"], answer.headers["x-ratelimit-remaining"]) == ("r1", "7")
            assert "set-cookie" not in answer.headers

    _run(main())


def _tool_stream() -> tuple[list[bytes], str]:
    """A call of 20 KB as raw bytes in 300 pieces that fall anywhere, also inside a character."""
    arguments = json.dumps({"text": "Grüße 你好 😀 " * 1100}, ensure_ascii=False)
    parts = [arguments[at : at + 40] for at in range(0, len(arguments), 40)]
    head = {"tool_calls": [{"index": 0, "id": "call_ä", "type": "function", "function": {"name": "save", "arguments": ""}}]}
    body = chunk({"role": "assistant", "content": None, **head})
    body += b"".join(chunk({"tool_calls": [{"index": 0, "function": {"arguments": part}}]}) for part in parts)
    second = {"tool_calls": [{"index": 1, "id": "call_2", "type": "function", "function": {"name": "ping", "arguments": "{}"}}]}
    body += chunk(second) + chunk({}, "tool_calls") + USAGE + DONE
    size = -(-len(body) // 300)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    assert len(arguments.encode()) > 20_000
    assert any((piece[0] & 0xC0) == 0x80 for piece in pieces)  # one begins inside a character
    return pieces, arguments


@pytest.mark.req("P103", "P105", "S48")
def test_tool_calls_in_pieces_that_cut_characters_reach_the_openai_client_whole(tmp_path: Path) -> None:
    async def main() -> None:
        pieces, arguments = _tool_stream()
        async with gateway(tmp_path, lambda got: events(*pieces)) as here, here.openai() as client:
            calls: dict[int, list[str]] = {}
            ids: dict[int, str] = {}
            finish, usage, last = None, None, None
            answer = await client.chat.completions.create(
                model="up/big",
                messages=[{"role": "user", "content": "Save it."}],
                tools=[{"type": "function", "function": {"name": "save", "parameters": {"type": "object"}}}],
                stream=True,
                stream_options={"include_usage": True},
            )
            async for each in answer:
                last, usage = each, each.usage or usage
                for choice in each.choices:
                    finish = choice.finish_reason or finish
                    for call in choice.delta.tool_calls or []:
                        assert call.function is not None
                        ids.setdefault(call.index, call.id or "")
                        calls.setdefault(call.index, []).append(call.function.arguments or "")
            assert "".join(calls[0]) == arguments
            assert "".join(calls[1]) == "{}"
            assert (ids, finish) == ({0: "call_ä", 1: "call_2"}, "tool_calls")
            # The last event has the usage and no choice.
            assert last is not None
            assert last.choices == []
            assert usage is not None
            assert usage.total_tokens == 7
        async with gateway(tmp_path, lambda got: events(*pieces)) as here:
            raw = await here.post({"model": "big", "stream": True, "messages": turns("Save it.")})
            assert raw.content == b"".join(pieces)

    _run(main())


@pytest.mark.req("S48")
def test_a_round_of_tools_reaches_the_upstream_as_the_client_sent_it(tmp_path: Path) -> None:
    async def main() -> None:
        call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"x": 1.0, "y":"\\u00e9"}'}}
        async with gateway(tmp_path, lambda got: whole(None, "tool_calls", tool_calls=[call])) as here, here.openai() as client:
            answer = await client.chat.completions.create(model="big", messages=[{"role": "user", "content": "Look."}])
            found = answer.choices[0].message.tool_calls
            assert found is not None
            assert found[0].model_dump(exclude_none=True) == call
            body = json.dumps(
                {
                    "model": "big",
                    "messages": [
                        {"role": "user", "content": "Look."},
                        {"role": "assistant", "content": None, "tool_calls": [call]},
                        {"role": "tool", "tool_call_id": "c1", "content": '{"é":"\\u00e9"}'},
                    ],
                },
                ensure_ascii=False,
            ).encode()
            assert (await here.post(body)).status_code == 200
            assert here.upstream.got[-1].raw == body.replace(b'"big"', b'"big-1"')

    _run(main())


@pytest.mark.req("S48")
@pytest.mark.parametrize("streamed", [True, False])
def test_an_upstream_that_dies_midway_is_seen_as_such_and_nothing_is_remembered(tmp_path: Path, streamed: bool) -> None:
    async def main() -> None:
        said = chunk({"content": "My favourite colour is green and "})
        dying = events(said, Die()) if streamed else Reply([b'{"choices":[', Die(), b"]}"])
        async with gateway(tmp_path, lambda got: dying) as here:
            body = {"model": "big", "stream": streamed, "messages": turns("Which colour do you like?")}
            assert await cut_off(here, body) == (said if streamed else b'{"choices":[')
            await here.idle()
            assert await here.texts("gateway:main#1") == ["Which colour do you like?"]
            stats = await here.rpc("stats", {"chat": "gateway:main#1"})
            assert stats["commits"] == 0
            async with here.openai() as client:
                with pytest.raises((openai.APIError, httpx2.HTTPError)):
                    async for _ in await client.chat.completions.create(
                        model="big", messages=[{"role": "user", "content": "?"}], stream=True
                    ):
                        pass

    _run(main())


def test_who_hangs_up_ends_the_request_to_the_upstream_too(tmp_path: Path) -> None:
    async def main() -> None:
        midway, before = Hold(), Hold()
        rules = {True: events(chunk({"content": "one"}), midway), False: Reply([before, b"{}"])}
        async with gateway(tmp_path, lambda got: rules[bool(got.body.get("stream"))]) as here, here.openai() as client:
            answer = await client.chat.completions.create(model="big", messages=[{"role": "user", "content": "Go on."}], stream=True)
            async for _ in answer:
                break
            await answer.close()
            await until(midway.gone.is_set)
            # Also before anything was answered.
            waiting = asyncio.create_task(client.chat.completions.create(model="big", messages=[{"role": "user", "content": "Go on."}]))
            await until(before.reached.is_set)
            waiting.cancel()
            await until(before.gone.is_set)
            await here.idle()

    _run(main())


@pytest.mark.req("S48")
def test_embeddings_pass_and_have_no_memory(tmp_path: Path) -> None:
    async def main() -> None:
        models = [UpstreamModel("big-1", "big"), UpstreamModel("e-1", "e", "embedding")]
        odd = b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.10,1e-1]}],"model":"e-1","usage":{}}'
        async with gateway(tmp_path, lambda got: Reply([odd]), models=models) as here:
            answer = await here.post(b'{"input":"My cat is Bo.","model":"up/e","dimensions":2.0}', "/v1/embeddings")
            assert answer.content == odd
            assert here.upstream.got[0].path == "/v1/embeddings"
            assert here.upstream.got[0].raw == b'{"input":"My cat is Bo.","model":"e-1","dimensions":2.0}'
            assert await here.chats() == []

    _run(main())


def test_pictures_pass_and_memory_stands_before_them(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            await here.say("My cat is called Bo and she is grey.")
            parts = [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "text", "text": "Is this my cat Bo?"},
            ]
            answer = await here.post({"model": "big", "messages": [{"role": "user", "content": parts}]})
            assert answer.headers["X-Tidelore-Injected"] != "0"
            first, *rest = here.upstream.got[-1].messages[-1]["content"]
            assert rest == parts
            assert (first["type"], "grey" in first["text"]) == ("text", True)

    _run(main())


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"[]", "bad_json"),
        (b"{", "bad_json"),
        (b"\xff", "bad_json"),
        (b'{"model":"big"}', "bad_request"),
        (b'{"model":"big","messages":{}}', "bad_json"),
        (b'{"model":"big","messages":[1]}', "bad_request"),
        (b'{"model":"big","messages":[{"content":"a"}]}', "bad_request"),
        (b'{"model":1,"messages":[]}', "bad_request"),
        (b'{"model":"big","messages":' + b"[" * 100_000, "bad_json"),
    ],
)
def test_what_is_no_chat_request_is_refused_here(tmp_path: Path, body: bytes, code: str) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            assert error_of(await here.post(body)) == (400, code)
            assert here.upstream.got == []

    _run(main())


def test_a_client_that_stops_reading_at_the_last_event_has_had_its_whole_answer(tmp_path: Path) -> None:
    async def main() -> None:
        hold = Hold()

        def rule(got: Got) -> Reply:
            # This server keeps the line open after its last event.
            return events(*stream("My name is Otto.").pieces, hold)

        async with gateway(tmp_path, rule, config=PATIENT) as here, here.openai() as client:
            async for _ in await client.chat.completions.create(model="big", messages=[{"role": "user", "content": "Who?"}], stream=True):
                pass
            await until(hold.gone.is_set)
            await here.idle()
            assert await here.texts("gateway:main#1") == ["Who?", "My name is Otto."]

    _run(main())
