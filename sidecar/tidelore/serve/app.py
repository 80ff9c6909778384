"""Puts the parts together: routes, errors, the gate around all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.types import ASGIApp

from tidelore.engine.errors import TideloreError
from tidelore.host.keyring import Keyring
from tidelore.serve import console
from tidelore.serve.console_logins import Logins
from tidelore.serve.faults import Refusal, response, unexpected
from tidelore.serve.gate import SOCKET, Gate, Rules
from tidelore.serve.limits import USUAL, Limits
from tidelore.serve.pairing import Pairings
from tidelore.serve.rooms import Rooms
from tidelore.serve.routes import base_routes
from tidelore.serve.runtime import Runtime
from tidelore.serve.socket import Sockets
from tidelore.serve.throttle import Throttle


@dataclass(frozen=True, slots=True)
class Parts:
    """What the application is made of."""

    rules: Rules
    keyring: Keyring
    rooms: Rooms
    pairings: Pairings
    runtime: Runtime
    clock: Callable[[], float]
    limits: Limits = USUAL
    logins: Logins = field(default_factory=Logins)


@dataclass(frozen=True, slots=True)
class App:
    """`asgi` is what is served; `routes` are all that it has; `sockets` those that are open."""

    asgi: ASGIApp
    routes: Sequence[BaseRoute]
    sockets: Sockets


def build(parts: Parts, more: Sequence[BaseRoute] = ()) -> App:
    """`more`: routes of other transports. They find the caller's room with `tidelore.serve.gate.room(scope)`."""
    sockets = Sockets(parts.limits, parts.rooms.work, lambda id_, origin: _redeemed(parts.pairings, id_, origin))
    base = [*base_routes(parts.pairings, parts.keyring, parts.runtime), *console.routes(parts.logins)]
    routes = [*base, WebSocketRoute(SOCKET, sockets.serve), *more]
    inner = Starlette(routes=routes, exception_handlers=_HANDLERS)
    throttle = Throttle(parts.clock)
    gate = Gate(inner, parts.rules, parts.keyring, parts.rooms, throttle, parts.limits, parts.pairings.expects, parts.logins.find)
    return App(gate, inner.routes, sockets)


def _redeemed(pairings: Pairings, id_: str, origin: str) -> str:
    found, key = pairings.poll(id_, origin)
    if not key:
        raise Refusal(409, "pairing_waiting", f"The pairing of {found.client[:40]!r} is not confirmed yet.", "Say hello again when it is.")
    return key


async def _told(request: Request, error: Exception) -> Response:
    if isinstance(error, TideloreError):
        return response(error)
    assert isinstance(error, HTTPException)
    codes = {404: "no_route", 405: "wrong_method"}
    words = {404: "Nothing is served at this address.", 405: f"{request.method} is not done at this address."}
    sentence = words.get(error.status_code, "The request cannot be answered.")
    found = Refusal(error.status_code, codes.get(error.status_code, "bad_request"), sentence, "docs/sidecar.md lists the routes.")
    return response(Refusal(found.status, found.code, found.sentence, found.hint, error.headers or {}))


async def _unexpected(request: Request, error: Exception) -> Response:
    # Starlette raises it again after this answer, and the server's log gets it.
    del request, error
    return unexpected()


async def _gone(request: Request, error: Exception) -> Response:
    # Nobody hears this answer, and it is no fault of ours.
    del request, error
    return Response(status_code=400)


_HANDLERS = {TideloreError: _told, HTTPException: _told, ClientDisconnect: _gone, Exception: _unexpected}
