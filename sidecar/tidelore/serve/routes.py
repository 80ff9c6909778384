"""The routes of HTTP that every client needs: health, calls, pairing, the runtime."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from tidelore.engine.service import Call
from tidelore.host.keyring import Keyring
from tidelore.serve import requests as q
from tidelore.serve.endpoints import NO_STORE, Endpoint, Handler, bind, owner
from tidelore.serve.extras import FullTable, Nothing, Status, status
from tidelore.serve.faults import Refusal
from tidelore.serve.gate import room, visit
from tidelore.serve.jsonrpc import answer
from tidelore.serve.origins import origin_of
from tidelore.serve.page import page
from tidelore.serve.pairing import SECONDS, Pairing, Pairings
from tidelore.serve.runtime import TYPES, Runtime

PAGE = Endpoint("GET", "/", "page", "sidecar", "A page that says what answers here. It has no data.", media="text/html", key=False)
OPENAPI = Endpoint("GET", "/openapi.json", "openapi", "sidecar", "This file.", key=False, answer={"type": "object"})
HEALTH = Endpoint("GET", "/health", "health", "sidecar", "Whether it answers. It says nothing else.", result=q.Health, key=False)
STATUS = Endpoint("GET", "/status", "status", "sidecar", "Version, profile, models, and what is going on.", result=Status)
RPC = Endpoint(
    "POST",
    "/rpc",
    "rpc",
    "sidecar",
    "JSON-RPC 2.0: one request, or a batch as a list. 204 where nothing is to be answered. Errors of a method are answers of the protocol, "
    "with status 200; docs/methods.md tells of every method.",
    request={"$ref": "#/components/schemas/RpcCall"},
    answer={"$ref": "#/components/schemas/RpcAnswer"},
)
PAIR_START = Endpoint(
    "POST",
    "/pair/start",
    "pairStart",
    "pairing",
    "A page or program asks to be let in. It shows the code to its person.",
    body=q.Start,
    result=q.Started,
    status=201,
    errors=(429,),
    key=False,
)
PAIR_POLL = Endpoint(
    "GET",
    "/pair/{id}",
    "pairPoll",
    "pairing",
    "How a pairing stands; once it is confirmed, the key, and only once.",
    result=q.Waiting | q.Paired,
    errors=(403, 404, 410),
    key=False,
)
PAIRINGS = Endpoint(
    "GET", "/pairings", "pairings", "pairing", "Who asks and who was let in. For the profile's own key.", result=q.PairingsShown, owner=True
)
CONFIRM = Endpoint(
    "POST",
    "/pairings/confirm",
    "pairConfirm",
    "pairing",
    "Let in whoever shows this code. For the profile's own key.",
    body=q.Confirm,
    result=q.PairingShown,
    errors=(404,),
    owner=True,
)
FORGET = Endpoint(
    "POST",
    "/pairings/forget",
    "pairForget",
    "pairing",
    "A page is not let in any more. For the profile's own key.",
    body=q.Forget,
    result=q.Forgotten,
    owner=True,
)
RUNTIME = Endpoint(
    "GET",
    "/runtime/{name}",
    "runtime",
    "sidecar",
    "A file of the page's Python, with its hash as ETag.",
    media="application/octet-stream",
    errors=(404, 502),
    key=False,
)
ENDPOINTS = (PAGE, OPENAPI, HEALTH, STATUS, RPC, PAIR_START, PAIR_POLL, PAIRINGS, CONFIRM, FORGET, RUNTIME)


def base_routes(pairings: Pairings, keyring: Keyring, runtime: Runtime) -> list[BaseRoute]:
    return [
        bind(PAGE, _page),
        bind(OPENAPI, _openapi),
        bind(HEALTH, _health),
        bind(STATUS, _status),
        bind(RPC, _rpc),
        *_pair_routes(pairings, keyring),
        bind(RUNTIME, _runtime(runtime)),
    ]


async def _page(request: Request, asked: Any) -> Response:
    del request, asked
    return page()


async def _openapi(request: Request, asked: Any) -> Response:
    # Only here: the file is made of all transports, which have routes of their own.
    from tidelore.serve.openapi import document

    del request, asked
    return JSONResponse(document(), headers=NO_STORE)


async def _health(request: Request, asked: Any) -> q.Health:
    del request, asked
    return q.Health(True)


async def _status(request: Request, asked: Any) -> Status:
    del asked
    return await status(room(request.scope), Nothing(), Call())


async def _rpc(request: Request, asked: Any) -> Response:
    del asked
    found = await answer(FullTable(room(request.scope)), await request.body(), Call())
    return Response(found, media_type="application/json", headers=NO_STORE) if found is not None else Response(status_code=204)


def _pair_routes(pairings: Pairings, keyring: Keyring) -> list[BaseRoute]:
    async def start(request: Request, asked: Any) -> q.Started:
        origin = visit(request.scope).origin
        if asked.origin and origin_of(asked.origin) != origin:
            raise Refusal(400, "origin_differs", "`origin` is not the origin that the browser names.", "Leave it out.")
        made = pairings.start(origin, asked.client)
        return q.Started(made.id, made.code, SECONDS)

    async def poll(request: Request, asked: Any) -> q.Waiting | q.Paired:
        del asked
        found, key = pairings.poll(request.path_params["id"], visit(request.scope).origin)
        return q.Paired(key, found.profile) if key else q.Waiting()

    async def listed(request: Request, asked: Any) -> q.PairingsShown:
        del asked
        profile = owner(request)
        paired = [each for each in keyring.grants.all() if each.profile == profile]
        return q.PairingsShown(
            [_shown(each) for each in pairings.waiting()], [q.PageShown(each.origin, each.client, each.at) for each in paired]
        )

    async def confirm(request: Request, asked: Any) -> q.PairingShown:
        return _shown(pairings.confirm(asked.code, owner(request)))

    async def forget(request: Request, asked: Any) -> q.Forgotten:
        return q.Forgotten(keyring.grants.remove(asked.origin, owner(request)))

    return [bind(PAIR_START, start), bind(PAIR_POLL, poll), bind(PAIRINGS, listed), bind(CONFIRM, confirm), bind(FORGET, forget)]


def _shown(pairing: Pairing) -> q.PairingShown:
    # Never the code: who confirms has read it off the page.
    return q.PairingShown(pairing.origin, pairing.client, pairing.state)


def _runtime(runtime: Runtime) -> Handler:
    async def get(request: Request, asked: Any) -> Response:
        del asked
        name = request.path_params["name"]
        tag = f'"{runtime.file(name).sha256}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "cross-origin"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        data = b"" if request.method == "HEAD" else await runtime.read(name)
        return Response(data, media_type=TYPES.get(PurePosixPath(name).suffix, "application/octet-stream"), headers=headers)

    return get
