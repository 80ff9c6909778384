"""A route as one row: its address, what it takes, what it answers. Routes, parsing and the OpenAPI file are made from the row."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tidelore.engine.errors import BadInput
from tidelore.engine.params import parse, to_json
from tidelore.serve.faults import Refusal
from tidelore.serve.gate import json_object, visit

NO_STORE = {"Cache-Control": "no-store"}
Tag = Literal["sidecar", "pairing", "hosts", "gateway", "mcp"]
Handler = Callable[[Request, Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`body` and `query`: dataclasses of what is sent; of the query, members are texts and whole numbers. `result`: a dataclass, or a union
    of such. `media`: of an answer that is no JSON of ours. `errors`: statuses beside those that every route has. `key`: whether one is
    needed; `owner`: it must be the profile's own, not that of a page that paired. `request` and `answer` are schemas by hand, where the
    form is somebody else's."""

    method: Literal["GET", "POST"]
    path: str
    name: str
    tag: Tag
    about: str
    body: type[Any] | None = None
    query: type[Any] | None = None
    result: Any = None
    status: int = 200
    media: str = "application/json"
    errors: tuple[int, ...] = ()
    key: bool = True
    owner: bool = False
    request: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])


def bind(endpoint: Endpoint, handler: Handler) -> Route:
    """The route. The handler gets the request and what was parsed of it (None where the row takes nothing); it answers with the result of
    the row, or a response of its own."""

    async def run(request: Request) -> Response:
        if endpoint.owner:
            owner(request)
        found = await handler(request, await _asked(endpoint, request))
        if isinstance(found, Response):
            return found
        return JSONResponse(to_json(found), endpoint.status, NO_STORE)

    return Route(endpoint.path, run, methods=[endpoint.method], name=endpoint.name)


def owner(request: Request) -> str:
    """The profile of a caller with its own key: a page that paired must not let in others. Raises Refusal."""
    caller = visit(request.scope).caller
    if caller is None or not caller.owner:
        raise Refusal(403, "owner_only", "Only the profile's own key may do this.", "`tidelore key` shows it.")
    return caller.profile


async def _asked(endpoint: Endpoint, request: Request) -> Any:
    """Raises BadInput, Refusal."""
    if endpoint.query is not None:
        return parse(endpoint.query, _query(endpoint.query, request.query_params), "query")
    return parse(endpoint.body, json_object(await request.body()), "body") if endpoint.body is not None else None


def _query(cls: type[Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Texts of an address, as the members that they stand for."""
    hints = get_type_hints(cls)
    out: dict[str, Any] = dict(given)
    for item in dataclasses.fields(cls):
        hint = hints[item.name]
        if item.name in given and (hint is int or int in get_args(hint)):
            out[item.name] = _whole(given[item.name], item.name)
    return out


def _whole(text: str, name: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadInput(f"query.{name} must be a whole number.")
    return int(text)
