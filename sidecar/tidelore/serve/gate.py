"""The one way in: every route and the socket pass here. It decides who may come, and opens the room of whoever does."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tidelore.engine.errors import TideloreError
from tidelore.host.keyring import Caller, Keyring
from tidelore.host.profiles import KEY_MARK
from tidelore.serve.faults import Refusal, response
from tidelore.serve.limits import Limits
from tidelore.serve.origins import host_of, is_loopback, origin_of
from tidelore.serve.rooms import Room, Rooms
from tidelore.serve.throttle import Throttle

VISIT = "tidelore.visit"
SOCKET = "/ws"
# No key: the pages and the list of routes have no data, /health says nothing, the runtime is public, and who pairs or logs in has none yet.
WITHOUT_KEY = frozenset({"/", "/console", "/openapi.json", "/health"})
WITHOUT_KEY_UNDER = ("/console/", "/pair/", "/runtime/")
# Pages that have not paired may come here and nowhere else.
FOR_STRANGERS = ("/pair/",)
# Names of parameters without their signs: api_key, api-key and apiKey are one.
KEY_NAMES = frozenset("key token apikey accesskey accesstoken authtoken xapikey authorization auth bearer secret password".split())
_OURS = re.compile(rf"{KEY_MARK}[\w-]{{16,}}")
_METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
_PREFLIGHT_SECONDS = "600"
_DIGITS = 15
_DECODED = 4


@dataclass(frozen=True, slots=True)
class Rules:
    """`hosts`: names that the Host header may have beside those of loopback; `origins`: pages that may come without pairing."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()


@dataclass(slots=True)
class Visit:
    """Who is there. `caller` and `room` are None where no key was shown: on paths that need none, and on a socket before its hello, which
    passes its key to `admit`."""

    address: str
    origin: str
    admit: Callable[[str], Awaitable[Room]]
    caller: Caller | None = None
    room: Room | None = None


def visit(scope: Mapping[str, Any]) -> Visit:
    found: Visit = scope[VISIT]
    return found


def room(scope: Mapping[str, Any]) -> Room:
    """The room of whoever sent this request; the gate has seen the key."""
    found = visit(scope).room
    if found is None:
        raise _missing()
    return found


class Gate:
    """ASGI layer around everything that is served."""

    def __init__(
        self,
        app: ASGIApp,
        rules: Rules,
        keyring: Keyring,
        rooms: Rooms,
        throttle: Throttle,
        limits: Limits,
        expects: Callable[[str], bool] = lambda _: False,
        sessions: Callable[[str, str], Caller | None] = lambda _key, _origin: None,
    ) -> None:
        """`expects`: whether a page of this origin comes for the key that its pairing gave it. `sessions`: whose a key is that is in no
        file, by the origin of its page."""
        self._sessions = sessions
        self._expects = expects
        self._app = app
        self._rules = rules
        self._keyring = keyring
        self._rooms = rooms
        self._throttle = throttle
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            headers = Headers(scope=scope)
            self._check_host(headers)
            origin = self._origin(scope, headers)
            if origin:
                answer.allow(origin)
            if origin and scope["type"] == "http" and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await _preflight(headers, answer)
                return
            _check_address(scope)
            here = await self._visit(scope, headers, origin)
            limited = _Body(receive, self._limits, headers) if scope["type"] == "http" else receive
        except TideloreError as error:
            await _refuse(scope, receive, answer, error)
            return
        await self._app({**scope, VISIT: here}, limited, answer)

    def _check_host(self, headers: Headers) -> None:
        """Against DNS rebinding: a name of somebody else's that leads to this machine is not ours."""
        given = headers.getlist("host")
        host = host_of(given[0]) if len(given) == 1 else None
        if host is None or not (is_loopback(host) or host in self._rules.hosts):
            raise Refusal(
                403,
                "host_refused",
                "This address has a name that the sidecar does not go by.",
                "Use 127.0.0.1, or start it with --allow-host NAME.",
            )

    def _origin(self, scope: Scope, headers: Headers) -> str:
        """The page that asks; "" where it is none."""
        given = headers.getlist("origin")
        if not given:
            # Of a page of ours: a browser names no origin when such a page only reads, but says that it is one of the same.
            return (origin_of(f"http://{headers['host']}") or "") if headers.get("sec-fetch-site") == "same-origin" else ""
        origin = origin_of(given[0]) if len(given) == 1 else None
        if origin is not None:
            if origin in self._rules.origins or self._keyring.knows(origin):
                return origin
            if origin == origin_of(f"http://{headers['host']}"):
                # Our own page: the name in Host was looked at before, and a browser sets both.
                return origin
            if scope["type"] == "http" and scope["path"].startswith(FOR_STRANGERS):
                return origin
            if scope["type"] == "websocket" and self._expects(origin):
                return origin
        raise Refusal(
            403,
            "origin_refused",
            "Pages of this origin have not paired with the sidecar.",
            "Pair the page, or start with --allow-origin URL.",
        )

    async def _visit(self, scope: Scope, headers: Headers, origin: str) -> Visit:
        address = str((scope.get("client") or ("",))[0])
        here = Visit(address, origin, lambda key: self._admit(here, key))
        key = _key(headers)
        if scope["type"] == "websocket" and scope["path"] == SOCKET:
            # A page cannot set headers here, so its key comes with the first message; a program may do either.
            if key:
                await self._admit(here, key)
        elif scope["path"] not in WITHOUT_KEY and not scope["path"].startswith(WITHOUT_KEY_UNDER):
            if not key:
                raise _missing()
            await self._admit(here, key)
        return here

    async def _admit(self, here: Visit, key: str) -> Room:
        """Looks at a key and opens the room. Raises Refusal, StoreError."""
        wait = self._throttle.wait(here.address, key)
        if wait:
            raise Refusal(
                429,
                "too_many_failures",
                "Too many wrong keys came from this address.",
                f"Try again in {wait:.0f} seconds.",
                {"Retry-After": f"{wait:.0f}"},
            )
        caller = self._keyring.find(key, here.origin) or self._sessions(key, here.origin)
        if caller is None:
            self._throttle.failed(here.address, key)
            raise Refusal(
                401,
                "key_wrong",
                "This key does not open anything here.",
                "`tidelore key` shows the key; a page that paired before pairs again.",
                _CHALLENGE,
            )
        self._throttle.succeeded(here.address, key)
        here.caller = caller
        here.room = await self._rooms.enter(caller.profile)
        return here.room


_CHALLENGE: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


def _missing() -> Refusal:
    hint = "Send the header `Authorization: Bearer KEY`; `tidelore key` shows the key."
    return Refusal(401, "key_missing", "A key is needed here.", hint, _CHALLENGE)


def _key(headers: Headers) -> str:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return (value.strip() if scheme.lower() == "bearer" else "") or headers.get("x-api-key", "").strip()


def _holds_key(text: str) -> bool:
    """As it stands, and whatever it hides in: an address that is passed on may be encoded more than once."""
    for _ in range(_DECODED):
        if KEY_MARK in text and _OURS.search(text):
            return True
        before, text = text, unquote(text)
        if text == before:
            return False
    return False


def _check_address(scope: Scope) -> None:
    query = scope["query_string"].decode("latin-1")
    given = parse_qsl(query.replace(";", "&"), keep_blank_values=True)
    names = {"".join(filter(str.isalnum, name.lower())) for name, _ in given}
    if names & KEY_NAMES or _holds_key(scope["path"]) or _holds_key(query):
        raise Refusal(
            400,
            "key_in_address",
            "A key never belongs into an address: addresses are written into logs and histories.",
            "Send the header `Authorization: Bearer KEY`. If it was a real key, replace it: `tidelore key --new`.",
        )


@dataclass(slots=True)
class _Answer:
    """Sends, with the headers that let the page of `origin` read the answer."""

    send: Send
    headers: dict[str, str] = field(default_factory=lambda: {"X-Content-Type-Options": "nosniff"})

    def allow(self, origin: str) -> None:
        self.headers |= {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "*", "Vary": "Origin"}

    async def __call__(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in self.headers.items():
                if name == "Vary":
                    headers.add_vary_header(value)
                else:
                    headers[name] = value
        await self.send(message)


async def _preflight(headers: Headers, answer: _Answer) -> None:
    told = {"Access-Control-Allow-Methods": _METHODS, "Access-Control-Max-Age": _PREFLIGHT_SECONDS}
    if wanted := headers.get("access-control-request-headers"):
        told["Access-Control-Allow-Headers"] = wanted
    if headers.get("access-control-request-private-network") == "true":
        told["Access-Control-Allow-Private-Network"] = "true"
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in told.items()]
    await answer({"type": "http.response.start", "status": 204, "headers": raw})
    await answer({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, receive: Receive, answer: _Answer, error: TideloreError) -> None:
    if scope["type"] == "http":
        await response(error)(scope, receive, answer)
        return
    # A handshake may be answered like any request, where the server can; else it is just refused.
    if "websocket.http.response" in scope.get("extensions", {}):
        told = response(error)
        await answer({"type": "websocket.http.response.start", "status": told.status_code, "headers": told.raw_headers})
        await answer({"type": "websocket.http.response.body", "body": bytes(told.body)})
        return
    await answer({"type": "websocket.close", "code": 1008, "reason": error.code})


class _Body:
    """Receives no more than the limit, and waits no longer than it may come to a halt. Raises Refusal, which the application turns into
    the answer."""

    def __init__(self, receive: Receive, limits: Limits, headers: Headers) -> None:
        self._receive = receive
        self._limit = limits.body
        self._seconds = limits.stalled_seconds
        self._came = 0
        self._whole = False
        if "transfer-encoding" in headers and "content-length" in headers:
            # Two who read the same request differently see two requests where there is one.
            raise Refusal(400, "bad_request", "The request gives its length twice.", headers={"Connection": "close"})
        said = headers.get("content-length", "")
        if said.isdecimal() and (len(said) > _DIGITS or int(said) > self._limit):
            raise self._too_large()

    async def __call__(self) -> Message:
        try:
            # After the body whoever waits here waits for the client to go.
            async with asyncio.timeout(None if self._whole else self._seconds):
                message = await self._receive()
        except TimeoutError as late:
            raise Refusal(408, "body_late", "The body of the request did not come.", headers={"Connection": "close"}) from late
        self._whole = self._whole or not message.get("more_body", False)
        self._came += len(message.get("body", b""))
        if self._came > self._limit:
            raise self._too_large()
        return message

    def _too_large(self) -> Refusal:
        return Refusal(
            413,
            "body_too_large",
            f"A request holds at most {self._limit:,} bytes.",
            "Send less at once, or use the socket.",
        )


def json_object(data: bytes) -> dict[str, Any]:
    """The body of a request. Raises Refusal."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refusal(400, "bad_json", "The body must be a JSON object.")
    return found
