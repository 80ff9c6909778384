"""Upstreams that speak Anthropic's form, for clients of either form."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.sidecar.gateway.kit import KEY, cut_off, gateway, turns
from tests.sidecar.gateway.upstream import Die, Got, Reply, events, whole
from tests.sidecar.serve.kit import error_of


def _run(test: Any) -> None:
    asyncio.run(test)


def _message(*blocks: Mapping[str, Any], stop: str = "end_turn") -> Reply:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 2, "cache_creation_input_tokens": 1, "output_tokens": 4}
    value = {"id": "msg_1", "type": "message", "role": "assistant", "model": "c-1", "content": blocks, "stop_reason": stop, "usage": usage}
    return Reply([json.dumps(value).encode()])


def _event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more}, ensure_ascii=False)}\n\n".encode()


def _text_of(*texts: str) -> list[bytes]:
    """The events of a block of text, the message's start before them."""
    start = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "c-1",
        "content": [],
        "usage": {"input_tokens": 5, "output_tokens": 1},
    }
    return [
        _event("message_start", message=start),
        _event("ping"),
        _event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *(_event("content_block_delta", index=0, delta={"type": "text_delta", "text": text}) for text in texts),
        _event("content_block_stop", index=0),
    ]


def _end(stop: str) -> list[bytes]:
    return [_event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 9}), _event("message_stop")]


@pytest.mark.req("S48")
def test_a_request_of_chat_completions_is_translated_in_all_its_parts(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            gateway(tmp_path, lambda got: _message({"type": "text", "text": "Fine."}), kind="anthropic") as here,
            here.openai() as client,
        ):
            arguments = '{"city":"Köln"}'
            await client.chat.completions.create(
                model="up/big",
                max_completion_tokens=77,
                temperature=1.4,
                stop="END",
                tool_choice={"type": "function", "function": {"name": "look"}},
                parallel_tool_calls=False,
                tools=[{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}],
                messages=[
                    {"role": "system", "content": "Be kind."},
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "What is this?"},
                            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
                        ],
                    },
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}},
                            {"id": "c2", "type": "function", "function": {"name": "look", "arguments": ""}},
                        ],
                    },
                    {"role": "tool", "tool_call_id": "c1", "content": "Rain."},
                    {"role": "tool", "tool_call_id": "c2", "content": "Sun."},
                    {"role": "user", "content": "And now?"},
                ],
            )
            got = here.upstream.got[0]
            assert (got.path, got.headers["x-api-key"], got.headers["anthropic-version"]) == ("/v1/messages", KEY, "2023-06-01")
            assert "authorization" not in got.headers
            assert got.body == {
                "model": "big-1",
                "max_tokens": 77,
                "system": [{"type": "text", "text": "Be kind."}],
                "temperature": 1.0,
                "stop_sequences": ["END"],
                "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}],
                "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "What is this?"},
                            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                            {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
                        ],
                    },
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "tool_use", "id": "c1", "name": "look", "input": {"city": "Köln"}},
                            {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
                        ],
                    },
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "Rain."}]},
                            {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "Sun."}]},
                            {"type": "text", "text": "And now?"},
                        ],
                    },
                ],
            }

    _run(main())


@pytest.mark.req("S48")
@pytest.mark.parametrize(
    ("stop", "finish"),
    [("end_turn", "stop"), ("stop_sequence", "stop"), ("max_tokens", "length"), ("tool_use", "tool_calls"), ("refusal", "content_filter")],
)
def test_a_whole_answer_is_translated_back(tmp_path: Path, stop: str, finish: str) -> None:
    async def main() -> None:
        blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": "Grüße"}]
        if stop == "tool_use":
            blocks.append({"type": "tool_use", "id": "t1", "name": "look", "input": {"city": "Köln"}})  # type: ignore[dict-item]
        async with gateway(tmp_path, lambda got: _message(*blocks, stop=stop), kind="anthropic") as here, here.openai() as client:
            answer = await client.chat.completions.create(model="big", messages=[{"role": "user", "content": "Hello."}])
            choice = answer.choices[0]
            assert (choice.message.content, choice.finish_reason, choice.index) == ("Grüße", finish, 0)
            assert answer.usage is not None
            assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (8, 4, 12)
            calls = choice.message.tool_calls or []
            assert [call.model_dump()["function"] for call in calls] == (
                [{"name": "look", "arguments": '{"city": "Köln"}'}] if stop == "tool_use" else []
            )
            await here.idle()
            stored = await here.texts("gateway:main#1")
            assert stored == (["Hello.", "Grüße"] if finish == "stop" else ["Hello."])

    _run(main())


@pytest.mark.req("S48", "P103")
def test_a_stream_is_translated_as_it_comes_with_tools_and_usage(tmp_path: Path) -> None:
    async def main() -> None:
        arguments = json.dumps({"text": "Grüße 你好 😀 " * 50}, ensure_ascii=False)
        body = b"".join(
            [
                *_text_of("Let me ", "look."),
                _event("content_block_start", index=1, content_block={"type": "tool_use", "id": "t1", "name": "look", "input": {}}),
                *(
                    _event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": arguments[at : at + 7]})
                    for at in range(0, len(arguments), 7)
                ),
                _event("content_block_start", index=2, content_block={"type": "tool_use", "id": "t2", "name": "ping", "input": {}}),
                *_end("tool_use"),
            ]
        )
        pieces = [body[at : at + 61] for at in range(0, len(body), 61)]
        assert any((piece[0] & 0xC0) == 0x80 for piece in pieces)
        async with gateway(tmp_path, lambda got: events(*pieces), kind="anthropic") as here, here.openai() as client:
            text, finish, usage = "", None, None
            calls: dict[int, list[str]] = {}
            ids: list[tuple[int, str]] = []
            stream = await client.chat.completions.create(
                model="big", messages=[{"role": "user", "content": "Hello."}], stream=True, stream_options={"include_usage": True}
            )
            async for each in stream:
                usage = each.usage or usage
                for choice in each.choices:
                    text += choice.delta.content or ""
                    finish = choice.finish_reason or finish
                    for call in choice.delta.tool_calls or []:
                        assert call.function is not None
                        ids += [(call.index, call.id)] if call.id else []
                        calls.setdefault(call.index, []).append(call.function.arguments or "")
            assert (text, finish, ids) == ("Let me look.", "tool_calls", [(0, "t1"), (1, "t2")])
            assert "".join(calls[0]) == arguments
            assert usage is not None
            assert (usage.prompt_tokens, usage.completion_tokens) == (5, 9)

    _run(main())


@pytest.mark.parametrize("end", ["cut", "error", "no end"])
def test_a_stream_that_breaks_off_is_broken_off_and_not_remembered(tmp_path: Path, end: str) -> None:
    async def main() -> None:
        ends: dict[str, list[bytes | Die]] = {
            "cut": [Die()],
            "error": [_event("error", error={"type": "overloaded_error", "message": "secret words"})],
            "no end": [],
        }
        async with gateway(tmp_path, lambda got: events(*_text_of("Half an "), *ends[end]), kind="anthropic") as here:
            came = await cut_off(here, {"model": "big", "stream": True, "messages": turns("Hello.")})
            assert b"Half an" in came
            assert b"[DONE]" not in came
            assert b"secret" not in came
            await here.idle()
            assert await here.texts("gateway:main#1") == ["Hello."]

    _run(main())


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}]},
        {"role": "function", "name": "f", "content": "x"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:text/plain,hello"}}]},
    ],
)
def test_what_has_no_counterpart_is_refused_and_not_left_out(tmp_path: Path, message: dict[str, Any]) -> None:
    async def main() -> None:
        async with gateway(tmp_path, kind="anthropic") as here:
            answer = await here.post({"model": "big", "messages": [message, *turns("Hello.")]})
            assert error_of(answer) == (400, "not_translatable")
            assert here.upstream.got == []

    _run(main())


@pytest.mark.req("M13", "S51")
def test_the_anthropic_client_has_the_same_memory_and_its_bytes_pass(tmp_path: Path) -> None:
    async def main() -> None:
        body = b"".join([*_text_of("Grüße ", "aus Köln."), *_end("end_turn")])

        def rule(got: Got) -> Reply:
            pieces = [body[at : at + 37] for at in range(0, len(body), 37)]
            return events(*pieces) if got.body.get("stream") else _message({"type": "text", "text": "Fine."})

        async with gateway(tmp_path, rule, kind="anthropic") as here:
            async with here.openai(X_Tidelore_Window="one") as client:
                await client.chat.completions.create(
                    model="big", messages=[{"role": "user", "content": "My cat is called Bo and she is grey."}]
                )
            await here.idle()
            async with here.anthropic(X_Tidelore_Window="two") as theirs:
                system = [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]
                asked = [{"role": "user", "content": "What is my cat called?"}]
                async with theirs.messages.stream(model="up/big", max_tokens=5, system=system, messages=asked) as stream:  # type: ignore[arg-type]
                    final = await stream.get_final_message()
                assert final.stop_reason == "end_turn"
                assert final.model_dump()["content"][0]["text"] == "Grüße aus Köln."
                got = here.upstream.got[-1]
                assert got.body["system"] == system
                assert "grey" in got.last
                await here.idle()
                assert await here.texts("gateway:two#1") == ["What is my cat called?", "Grüße aus Köln."]
                # Results of tools are the user's in this form, and no turn of theirs.
                call = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
                result = {"type": "tool_result", "tool_use_id": "t1", "content": "The password is tulip."}
                rounds = [*asked, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
                answer = await theirs.messages.create(model="big", max_tokens=5, messages=rounds)  # type: ignore[arg-type]
                assert answer.stop_reason == "end_turn"
                assert here.upstream.got[-1].messages[-1]["content"] == [result]
                assert here.upstream.got[-1].messages[0] == got.messages[0]
                listed = await theirs.models.list()
                assert [model.id for model in listed.data] == ["up/big"]
            raw = await here.post(
                {"model": "big", "max_tokens": 5, "stream": True, "messages": asked}, "/v1/messages", X_Tidelore_Memory="off"
            )
            assert raw.content == body

    _run(main())


def test_anthropics_form_needs_an_upstream_that_speaks_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, lambda got: whole("Fine.")) as here:
            body = {"model": "big", "max_tokens": 5, "messages": turns("Hello.")}
            assert error_of(await here.post(body, "/v1/messages")) == (400, "wrong_form")
            assert error_of(await here.post(body, "/v1/messages/count_tokens")) == (400, "wrong_form")

    _run(main())


def test_an_answer_that_is_no_message_is_a_failure(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, lambda got: Reply([b"<html>secret"]), kind="anthropic") as here, here.openai() as client:
            with pytest.raises(openai.InternalServerError) as caught:
                await client.chat.completions.create(model="big", messages=[{"role": "user", "content": "Hello."}])
            assert "secret" not in str(caught.value)
            assert caught.value.code == "upstream_service_error"

    _run(main())


THINKING = {"type": "enabled", "budget_tokens": 1024}


def _thought(*calls: str) -> list[dict[str, Any]]:
    thought = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"}
    hidden = {"type": "redacted_thinking", "data": "aGlkZGVu"}
    return [thought, hidden, *({"type": "tool_use", "id": id_, "name": "look", "input": {}} for id_ in calls)]


def _as_events(blocks: list[dict[str, Any]]) -> Reply:
    out = [_event("message_start", message={"id": "m1", "model": "big-1", "role": "assistant", "content": [], "usage": {}})]
    for at, block in enumerate(blocks):
        if block["type"] == "thinking":
            out.append(_event("content_block_start", index=at, content_block={"type": "thinking", "thinking": "", "signature": ""}))
            for part in ("Let me ", "see."):
                out.append(_event("content_block_delta", index=at, delta={"type": "thinking_delta", "thinking": part}))
            out.append(_event("content_block_delta", index=at, delta={"type": "signature_delta", "signature": block["signature"]}))
        else:
            out.append(_event("content_block_start", index=at, content_block=block))
        out.append(_event("content_block_stop", index=at))
    return events(*out, *_end("tool_use"))


@pytest.mark.req("S50")
@pytest.mark.parametrize("streamed", [False, True])
def test_what_the_model_thought_before_it_called_tools_goes_back_with_them(tmp_path: Path, streamed: bool) -> None:
    async def main() -> None:
        blocks = _thought("t1", "t2")

        def rule(got: Got) -> Reply:
            if len(got.messages) > 1:
                return _message({"type": "text", "text": "Done."})
            return _as_events(blocks) if streamed else _message(*blocks, stop="tool_use")

        async with gateway(tmp_path, rule, kind="anthropic") as here:
            first = {"model": "big", "thinking": THINKING, "max_tokens": 2048, "messages": turns("Look.")}
            await here.post({**first, "stream": streamed})
            # A client of chat completions sends back the calls, and no thoughts.
            calls = [{"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id_ in ("t1", "t2")]
            results = [{"role": "tool", "tool_call_id": id_, "content": "x"} for id_ in ("t1", "t2")]

            async def second(*wanted: dict[str, Any], **more: Any) -> Any:
                asked = {
                    **first,
                    "messages": [*turns("Look."), {"role": "assistant", "content": None, "tool_calls": list(wanted)}, *results],
                }
                await here.post({**asked, **more})
                return here.upstream.got[-1].messages[1]["content"]

            assert await second(*calls) == blocks
            # Where it is not just that answer, or nobody is to think, nothing is made up.
            kinds = [each["type"] for each in await second(calls[0])]
            assert kinds == ["tool_use"]
            assert [each["type"] for each in await second(*calls, thinking={"type": "disabled"})] == ["tool_use", "tool_use"]
            other = here.server.http(key=_berta(tmp_path))
            async with other as http:
                body = {**first, "messages": [*turns("Look."), {"role": "assistant", "content": None, "tool_calls": calls}, *results]}
                await http.post("/v1/chat/completions", json=body)
            assert [each["type"] for each in here.upstream.got[-1].messages[1]["content"]] == ["tool_use", "tool_use"]

    _run(main())


def _berta(data: Path) -> str:
    from tidelore.host.profiles import Profiles

    profiles = Profiles(data)
    profiles.add("berta")
    return profiles.key("berta")


def test_thoughts_are_kept_for_an_hour_and_not_without_limit() -> None:
    from tidelore.serve.gateway.thoughts import KEPT, Thought, Thoughts

    time = [0.0]
    thoughts = Thoughts(lambda: time[0])
    thoughts.keep("a", Thought(["c"], [{"type": "thinking"}]))
    assert thoughts.of("a", ["c"])
    assert not thoughts.of("b", ["c"])
    assert not thoughts.of("a", [])
    time[0] = 3600.0
    assert not thoughts.of("a", ["c"])
    for at in range(KEPT + 1):
        thoughts.keep("a", Thought([f"{at}"], [{"type": "thinking"}]))
    assert not thoughts.of("a", ["0"])
    assert thoughts.of("a", ["1"])
