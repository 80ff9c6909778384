"""The routes of HTTP that every client needs: health, calls, pairing, the runtime."""

from __future__ import annotations

from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from tidelore.engine.params import parse, to_json
from tidelore.engine.service import Call
from tidelore.host.keyring import Keyring
from tidelore.serve.extras import FullTable, Nothing, status
from tidelore.serve.faults import Refusal
from tidelore.serve.gate import json_object, room, visit
from tidelore.serve.jsonrpc import answer
from tidelore.serve.origins import origin_of
from tidelore.serve.pairing import SECONDS, Pairing, Pairings
from tidelore.serve.requests import Confirm, Forget, Start
from tidelore.serve.runtime import TYPES, Runtime

_NO_STORE = {"Cache-Control": "no-store"}


def base_routes(pairings: Pairings, keyring: Keyring, runtime: Runtime) -> list[BaseRoute]:
    return [
        Route("/health", _health, methods=["GET"]),
        Route("/status", _status, methods=["GET"]),
        Route("/rpc", _rpc, methods=["POST"]),
        *_pair_routes(pairings, keyring),
        *_runtime_routes(runtime),
    ]


async def _health(request: Request) -> Response:
    del request
    return JSONResponse({"ok": True}, headers=_NO_STORE)


async def _status(request: Request) -> Response:
    return JSONResponse(to_json(await status(room(request.scope), Nothing(), Call())), headers=_NO_STORE)


async def _rpc(request: Request) -> Response:
    """One request of JSON-RPC 2.0, or a batch."""
    found = await answer(FullTable(room(request.scope)), await request.body(), Call())
    return Response(found, media_type="application/json", headers=_NO_STORE) if found is not None else Response(status_code=204)


def _pair_routes(pairings: Pairings, keyring: Keyring) -> list[BaseRoute]:
    async def start(request: Request) -> Response:
        """A page asks. The code is for its person's eyes, the id for the page alone."""
        asked = parse(Start, json_object(await request.body()), "body")
        origin = visit(request.scope).origin
        if asked.origin and origin_of(asked.origin) != origin:
            raise Refusal(400, "origin_differs", "`origin` is not the origin that the browser names.", "Leave it out.")
        made = pairings.start(origin, asked.client)
        return JSONResponse({"id": made.id, "code": made.code, "seconds": SECONDS}, 201, _NO_STORE)

    async def poll(request: Request) -> Response:
        found, key = pairings.poll(request.path_params["id"], visit(request.scope).origin)
        shown = {"state": "paired", "key": key, "profile": found.profile} if key else {"state": "waiting"}
        return JSONResponse(shown, headers=_NO_STORE)

    async def listed(request: Request) -> Response:
        profile = _owner(request)
        paired = [each for each in keyring.grants.all() if each.profile == profile]
        return JSONResponse(
            {
                "waiting": [_shown(each) for each in pairings.waiting()],
                "paired": [{"origin": each.origin, "client": each.client, "at": each.at} for each in paired],
            },
            headers=_NO_STORE,
        )

    async def confirm(request: Request) -> Response:
        profile = _owner(request)
        asked = parse(Confirm, json_object(await request.body()), "body")
        return JSONResponse(_shown(pairings.confirm(asked.code, profile)), headers=_NO_STORE)

    async def forget(request: Request) -> Response:
        profile = _owner(request)
        asked = parse(Forget, json_object(await request.body()), "body")
        return JSONResponse({"forgotten": keyring.grants.remove(asked.origin, profile)}, headers=_NO_STORE)

    return [
        Route("/pair/start", start, methods=["POST"]),
        Route("/pair/{id}", poll, methods=["GET"]),
        Route("/pairings", listed, methods=["GET"]),
        Route("/pairings/confirm", confirm, methods=["POST"]),
        Route("/pairings/forget", forget, methods=["POST"]),
    ]


def _owner(request: Request) -> str:
    """The profile of a caller with its own key: a page that paired must not let in others."""
    caller = visit(request.scope).caller
    if caller is None or not caller.owner:
        raise Refusal(403, "owner_only", "Only the profile's own key may do this.", "`tidelore key` shows it.")
    return caller.profile


def _shown(pairing: Pairing) -> dict[str, str]:
    # Never the code: who confirms has read it off the page.
    return {"origin": pairing.origin, "client": pairing.client, "state": pairing.state}


def _runtime_routes(runtime: Runtime) -> list[BaseRoute]:
    async def get(request: Request) -> Response:
        name = request.path_params["name"]
        tag = f'"{runtime.file(name).sha256}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "cross-origin"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        data = b"" if request.method == "HEAD" else await runtime.read(name)
        return Response(data, media_type=TYPES.get(PurePosixPath(name).suffix, "application/octet-stream"), headers=headers)

    return [Route("/runtime/{name}", get, methods=["GET"])]
