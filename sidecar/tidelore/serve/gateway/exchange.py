"""One request to an upstream and its answer, passed through as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import httpx
from starlette.types import Message, Receive, Send

from tidelore.serve.faults import Refusal
from tidelore.serve.gateway.answer import PARTIAL, Answer, Reader
from tidelore.serve.gateway.failures import failure, silent, unreachable
from tidelore.serve.gateway.messages_answer import Broken
from tidelore.serve.gateway.upstreams import Upstream

# Of the connection to the upstream, or the upstream's own affair.
_KEPT_BACK = frozenset(
    "connection keep-alive transfer-encoding te trailer upgrade content-encoding set-cookie strict-transport-security alt-svc server date"
    " content-length vary".split()
)
_KEPT_BACK_FAMILIES = ("proxy-", "access-control-", "x-tidelore-", "x-serein-", "cf-")


class Translation(Protocol):
    def feed(self, data: bytes) -> bytes: ...

    def end(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Outgoing:
    """`path` follows the upstream's address."""

    upstream: Upstream
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Incoming:
    """What becomes of the answer: `reader` reads along what the client gets, `headers` are added, `translation` changes its form."""

    reader: Reader | None = None
    headers: Mapping[str, str] | None = None
    translation: Translation | None = None
    translated_type: str = ""


async def exchange(out: Outgoing, into: Incoming, receive: Receive, send: Send, told: Callable[[Answer], None]) -> None:
    """Raises Refusal while nothing has been answered; later a failure of the upstream breaks the answer off, as it would without us.
    When the client goes, so does the request to the upstream. `told` hears of the answer once, before the client has seen its end."""
    passing = asyncio.create_task(_pass(out, into, send, told))
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if passing.done():
            passing.result()
    finally:
        for task in (passing, leaving):
            task.cancel()
        await asyncio.wait({passing, leaving})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _pass(out: Outgoing, into: Incoming, send: Send, told: Callable[[Answer], None]) -> None:
    client = out.upstream.client
    request = client.build_request("POST", out.upstream.url + out.path, content=out.body, headers=dict(out.headers))
    try:
        response = await client.send(request, stream=True)
    except httpx.HTTPError as error:
        raise _refusal(error) from error
    answer = _Told(into.reader, told)
    try:
        if response.status_code != 200:
            raise failure(response.status_code, response.headers)
        await _stream(response, into, send, answer)
    finally:
        # Also when the client has gone: some do as soon as they have read the last event.
        answer.tell(whole=False)
        await response.aclose()


def _refusal(error: httpx.HTTPError) -> Refusal:
    return silent() if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout) else unreachable()


class _Told:
    """Tells of the answer once."""

    def __init__(self, reader: Reader | None, told: Callable[[Answer], None]) -> None:
        self._reader = reader
        self._told = told
        self._done = False

    def feed(self, data: bytes) -> None:
        if self._reader is not None:
            self._reader.feed(data)

    def tell(self, *, whole: bool) -> None:
        """`whole`: the upstream has sent all of it."""
        if not self._done and self._reader is not None:
            self._done = True
            self._told(self._reader.end() if whole or self._reader.closed else PARTIAL)


async def _stream(response: httpx.Response, into: Incoming, send: Send, answer: _Told) -> None:
    if into.translation is not None:
        await _translated(response, into, into.translation, send, answer)
        return
    encoded = "content-encoding" in response.headers
    started = False
    try:
        async for chunk in response.aiter_bytes():
            if not started:
                started = True
                await send(_start(response, into, encoded=encoded))
            answer.feed(chunk)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except httpx.HTTPError as error:
        if not started:
            raise _refusal(error) from error
        return  # without an end: the client sees that it was broken off
    if not started:
        await send(_start(response, into, encoded=encoded))
    answer.tell(whole=True)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _translated(response: httpx.Response, into: Incoming, translation: Translation, send: Send, answer: _Told) -> None:
    started = False

    async def passed(data: bytes, *, more: bool) -> None:
        nonlocal started
        if not started:
            started = True
            await send(_start(response, into, encoded=True))
        answer.feed(data)
        if not more:
            answer.tell(whole=True)
        await send({"type": "http.response.body", "body": data, "more_body": more})

    try:
        async for chunk in response.aiter_bytes():
            data = translation.feed(chunk)
            if data:
                await passed(data, more=True)
        await passed(translation.end(), more=False)
    except (httpx.HTTPError, Broken) as error:
        if not started:
            raise (_refusal(error) if isinstance(error, httpx.HTTPError) else failure(502, {})) from error


def _start(response: httpx.Response, into: Incoming, *, encoded: bool) -> Message:
    """`encoded`: the bytes that come are others than those whose length the upstream told."""
    kept = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name.lower() not in _KEPT_BACK and not name.lower().startswith(_KEPT_BACK_FAMILIES)
    ]
    if not encoded and "content-length" in response.headers:
        kept.append(("content-length", response.headers["content-length"]))
    if into.translated_type:
        kept = [(name, value) for name, value in kept if name.lower() != "content-type"] + [("content-type", into.translated_type)]
    kept += (into.headers or {}).items()
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in kept]
    return {"type": "http.response.start", "status": 200, "headers": raw}
