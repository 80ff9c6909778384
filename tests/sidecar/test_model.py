from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from tests.sidecar.model_server import ModelServer, Reply, failed, in_turn, said, serving, streamed
from tidelore.engine.errors import BadInput, ModelAnswer, ModelError, ModelRefused, ModelUnreachable
from tidelore.host.model import OpenAIModel

MESSAGES = [{"role": "system", "content": "Remember."}, {"role": "user", "content": "[1] Mira (user): Hi"}]
KEY = "sk-very-secret-0123456789"


class Time:
    """A clock that only a sleep moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def ask(url: str, time: Time | None = None, *, key: str = "", budget: float = 60.0, times: int = 1, **options: Any) -> str:
    """The last answer of a model at this address."""
    time = time or Time()

    async def run() -> str:
        model = OpenAIModel(url, "tiny", key, sleep=time.sleep, clock=time.clock, **options)
        try:
            answers = [await model(MESSAGES, {}, budget) for _ in range(times)]
        finally:
            await model.aclose()
        return answers[-1]

    return asyncio.run(run())


def test_a_request_holds_the_messages_and_asks_for_no_stream() -> None:
    with serving(in_turn(said("{}"))) as server:
        assert ask(server.url, key=KEY) == "{}"
        (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "tiny",
        "messages": MESSAGES,
        "stream": False,
        "temperature": 0.2,
        "response_format": {"type": "json_object"},
    }


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("", "/chat/completions"),
        ("/", "/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/openai?api-version=2", "/openai/chat/completions?api-version=2"),
    ],
)
def test_the_address_is_used_as_given(given: str, path: str) -> None:
    with serving(in_turn(said("{}"))) as server:
        ask(server.url.removesuffix("/v1") + given)
        assert [request.path for request in server.requests] == [path]


@pytest.mark.parametrize("url", ["localhost:1234", "ftp://host/v1", "", "http://", "http://host:port/v1", "/v1"])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadInput):
        OpenAIModel(url, "tiny")


@pytest.mark.parametrize("key", ["sk-1\nsk-2", "ключ"])
def test_a_key_that_is_none_is_refused_at_once_and_not_repeated(key: str) -> None:
    with pytest.raises(BadInput) as caught:
        OpenAIModel("http://127.0.0.1/v1", "tiny", key)
    assert key not in str(caught.value) + caught.value.hint


def test_a_key_with_a_line_break_at_its_end_is_a_key() -> None:
    with serving(in_turn(said("{}"))) as server:
        ask(server.url, key=f"{KEY}\n")
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "reply",
    [
        said("the answer"),
        said([{"type": "text", "text": "the "}, {"type": "text", "text": "answer"}]),
        said([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "the answer"}]),
        said("the answer", reasoning_content="I could say no."),
        streamed("the ", "answer"),
        streamed("the ", "answer", done=False),
        Reply(streamed("the ", "answer").body, type="application/json"),
        Reply(streamed("the ", "answer").body.replace("\n", "\r\n").replace("data: ", "data:"), type="text/event-stream"),
        Reply('{"error": null, "choices": [{"message": {"content": "the answer"}}, {"index": 1, "message": {"content": "no"}}]}'),
        Reply('data: {"choices": [{"delta": {"content": "the answer"}}]}\n\ndata: {"choices": [{"del', type="text/event-stream"),
    ],
)
@pytest.mark.req("P41")
def test_an_answer_is_read_in_every_wrapping(reply: Reply) -> None:
    with serving(in_turn(reply)) as server:
        assert ask(server.url) == "the answer"
        assert server.requests[0].body["stream"] is False


@pytest.mark.req("P41")
def test_a_stream_whose_line_stays_open_ends_with_its_last_event() -> None:
    stays = threading.Event()
    reply = streamed("the answer")
    with serving(in_turn(Reply(reply.body, type=reply.type, open=stays))) as server:
        try:
            assert ask(server.url) == "the answer"
        finally:
            stays.set()


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (said(""), "empty"),
        (said(" \n"), "empty"),
        (said(None), "empty"),
        (said("", reasoning_content="I think so."), "only reasoned"),
        (said(None, refusal="I cannot."), "refused"),
        (streamed(), "not JSON"),
        (Reply('{"choices": []}'), "empty"),
        (Reply('{"choices": [{"mess'), "not JSON"),
        (Reply("[1]"), "not JSON"),
        (Reply(""), "not JSON"),
    ],
)
def test_an_answer_without_content_is_an_answer_that_failed(reply: Reply, sentence: str) -> None:
    with serving(in_turn(reply)) as server:
        with pytest.raises(ModelAnswer, match=sentence):
            ask(server.url)
        assert len(server.requests) == 1


@pytest.mark.req("P65")
@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    time = Time()
    bad = failed(status, "not now")
    with serving(in_turn(bad, bad, bad, said("{}"))) as server:
        assert ask(server.url, time) == "{}"
        assert len(server.requests) == 4
    assert time.slept == [1.0, 2.0, 4.0]


def test_after_three_more_tries_the_model_is_unreachable() -> None:
    time = Time()
    with serving(in_turn(failed(503, "all of our hamsters are asleep"))) as server:
        with pytest.raises(ModelUnreachable, match="hamsters"):
            ask(server.url, time)
        assert len(server.requests) == 4
    assert time.slept == [1.0, 2.0, 4.0]


def test_a_service_says_how_long_to_wait() -> None:
    time = Time()
    date = "Thu, 01 Jan 2026 00:00:{:02} GMT"
    later = failed(503, Retry_After=date.format(20), X_Date="")
    with serving(in_turn(failed(429, Retry_After="7"), failed(429, Retry_After="0"), later, said("{}"))) as server:
        ask(server.url, time, budget=60)
        assert len(server.requests) == 4
    # The date has passed by the server's own clock, so the usual wait stands.
    assert time.slept == [7.0, 2.0, 4.0]


def test_a_wait_longer_than_the_budget_is_not_begun() -> None:
    time = Time()
    with serving(in_turn(failed(429, "slow down", Retry_After="61"), said("{}"))) as server:
        with pytest.raises(ModelUnreachable, match="slow down"):
            ask(server.url, time, budget=60)
        assert len(server.requests) == 1
    assert time.slept == []


def test_the_budget_covers_all_tries() -> None:
    time = Time()
    with serving(in_turn(failed(500))) as server:
        with pytest.raises(ModelUnreachable):
            ask(server.url, time, budget=2.5)
        assert len(server.requests) == 2
    assert time.slept == [1.0]


def test_a_model_that_never_answers_is_given_up_when_the_budget_is_over() -> None:
    never = threading.Event()
    with serving(in_turn(Reply(hold=never))) as server:
        try:
            with pytest.raises(ModelUnreachable, match="in time"):
                ask(server.url, budget=0.05)
        finally:
            never.set()


@pytest.mark.req("P65")
def test_a_line_that_breaks_is_tried_again() -> None:
    whole = said("{}")
    time = Time()
    with serving(in_turn(Reply(whole.body, cut=10), Reply(cut=0, body="x"), whole)) as server:
        assert ask(server.url, time) == "{}"
    assert time.slept == [1.0, 2.0]


def test_a_server_that_is_not_there_is_unreachable() -> None:
    server = ModelServer(in_turn(said("{}")))
    server.close()
    time = Time()
    with pytest.raises(ModelUnreachable, match="cannot be reached") as caught:
        ask(server.url, time)
    assert "running" in caught.value.hint
    assert time.slept == [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "tiny"),
        (401, "key"),
        (402, "account"),
        (403, "key"),
        (404, "address"),
        (405, "address"),
        (413, "fewer exchanges"),
        (418, "tiny"),
        (422, "tiny"),
        (307, "moved"),
    ],
)
def test_a_refusal_is_not_tried_again_and_says_what_to_check(status: int, hint: str) -> None:
    time = Time()
    with serving(in_turn(failed(status, "Nope."))) as server:
        with pytest.raises(ModelRefused, match=rf"\({status}\): Nope") as caught:
            ask(server.url, time)
        assert len(server.requests) == 1
    assert hint in caught.value.hint
    assert time.slept == []


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.mark.req("P119")
@pytest.mark.parametrize(
    "reply",
    [
        failed(401, f"Incorrect API key provided: {KEY}. " + "x" * 400),
        failed(401, "x" * 290 + KEY),
        Reply(f"bad key {KEY}", 403, "text/plain"),
        failed(503, f"no room for {KEY}"),
        Reply('{"error": "no such key ' + KEY + '"}'),
        Reply(f"<html>{KEY}</html>", type="text/html"),
        Reply(f"{KEY} is not JSON"),
        said("", seen=KEY),
    ],
)
def test_no_message_holds_the_key(reply: Reply) -> None:
    with serving(in_turn(reply)) as server, pytest.raises(ModelError) as caught:
        ask(server.url.replace("://", "://name:password@") + "?token=hidden", key=KEY)
    error = caught.value
    told = " ".join([error.hint, getattr(error, "raw", ""), *map(repr, _chain(error))])
    for secret in (KEY, KEY[:12], "password", "hidden"):
        assert secret not in told


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error": {"message": "Model not found", "code": 404}}', ModelRefused),
        ('{"error": {"message": "Model not found", "code": "model_not_found"}}', ModelRefused),
        ('{"error": "you have no credit"}', ModelRefused),
        ('{"error": {"message": "wait", "code": 429}}', ModelUnreachable),
        ('{"error": {"message": "The upstream is overloaded"}}', ModelUnreachable),
        ('data: {"error": {"message": "Provider timed out"}}\n\n', ModelUnreachable),
    ],
)
def test_an_error_under_status_200_counts_by_what_it_says(body: str, kind: type[ModelError]) -> None:
    with serving(in_turn(Reply(body))) as server:
        with pytest.raises(kind):
            ask(server.url)
        assert len(server.requests) == (4 if kind is ModelUnreachable else 1)


def test_a_web_page_is_no_model() -> None:
    page = Reply("<!doctype html><p>Welcome", type="text/html")
    with serving(in_turn(page)) as server, pytest.raises(ModelRefused, match="web page") as caught:
        ask(server.url)
    assert "/v1" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("response_format", "'response_format.type' must be 'json_schema' or 'text'"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.2 with this model."),
    ],
)
def test_a_parameter_that_a_service_does_not_take_is_left_out_from_then_on(name: str, message: str) -> None:
    time = Time()
    with serving(lambda request: failed(400, message) if name in request.body else said("{}")) as server:
        assert ask(server.url, time, times=3) == "{}"
        assert [name in request.body for request in server.requests] == [True, False, False, False]
    assert time.slept == []


def test_a_parameter_is_left_out_once_and_then_the_refusal_stands() -> None:
    with serving(in_turn(failed(400, "response_format and temperature are wrong"))) as server:
        with pytest.raises(ModelRefused):
            ask(server.url)
        assert len(server.requests) == 3


def test_a_client_of_the_caller_stays_open() -> None:
    async def run(url: str) -> bool:
        async with httpx.AsyncClient(trust_env=False) as client:
            model = OpenAIModel(url, "tiny", client=client)
            await model(MESSAGES, {}, 10)
            await model.aclose()
            return client.is_closed

    with serving(in_turn(said("{}"))) as server:
        assert asyncio.run(run(server.url)) is False


def test_a_cancelled_call_ends_at_once() -> None:
    never = threading.Event()

    async def run(url: str) -> Sequence[Any]:
        model = OpenAIModel(url, "tiny")
        task = asyncio.ensure_future(model(MESSAGES, {}, 300))
        while not server.requests:
            await asyncio.sleep(0)
        task.cancel()
        found = await asyncio.gather(task, return_exceptions=True)
        await model.aclose()
        return found

    with serving(in_turn(Reply(hold=never))) as server:
        try:
            (outcome,) = asyncio.run(run(server.url))
        finally:
            never.set()
    assert isinstance(outcome, asyncio.CancelledError)


def test_a_model_is_called_by_its_name() -> None:
    assert OpenAIModel("http://127.0.0.1/v1", "tiny").name == "tiny"
