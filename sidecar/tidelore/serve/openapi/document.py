"""The whole file: routes, the methods behind POST /rpc, errors."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_type_hints

from tidelore import __version__
from tidelore.engine.service import METHODS
from tidelore.host.config import PORT
from tidelore.serve.console import ENDPOINTS as CONSOLE
from tidelore.serve.endpoints import Endpoint
from tidelore.serve.extras import EXTRAS
from tidelore.serve.hooks.routes import ENDPOINTS as HOSTS
from tidelore.serve.openapi.others import OTHERS
from tidelore.serve.openapi.schemas import Schemas
from tidelore.serve.routes import ENDPOINTS as BASE

ENDPOINTS: tuple[Endpoint, ...] = (*BASE, *CONSOLE, *HOSTS, *OTHERS)

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string", "description": "For programs; docs/sidecar.md lists them."},
                "message": {"type": "string"},
                "hint": {"type": "string", "description": "What to do; may be empty."},
            },
        }
    },
}
_STATUS = {
    400: "The request cannot be understood.",
    401: "No key, or a wrong one.",
    403: "This host name, page or key may not do this.",
    404: "It is not there.",
    409: "What is stored is not what the caller thinks.",
    410: "It was fetched before.",
    413: "The body is too large.",
    429: "Too many; `Retry-After` says how long to wait.",
    500: "Something unexpected, or the store cannot be used.",
    502: "Somebody else's service failed.",
    503: "The sidecar ends, or a model cannot be reached.",
    504: "Somebody else's service was silent.",
}
_TAGS = {
    "sidecar": "The process and the methods of the memory.",
    "pairing": "Letting pages in.",
    "hosts": "For hosts that call the model themselves, and for scripts.",
    "gateway": "For clients that can set a base URL.",
    "mcp": "For clients of the Model Context Protocol.",
}


@cache
def document() -> Mapping[str, Any]:
    """OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1)."""
    schemas = Schemas()
    schemas.put("Error", _ERROR)
    _rpc(schemas)
    paths: dict[str, dict[str, Any]] = {}
    for each in ENDPOINTS:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schemas)
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tidelore",
            "version": __version__,
            "summary": "One memory for every program on this machine.",
            "description": "Answers of `tidelore serve`. The socket at /ws is no part of this file: docs/sidecar.md tells of it.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": f"http://127.0.0.1:{PORT}"}],
        "security": [{"bearer": []}, {"header": []}],
        "tags": [{"name": name, "description": about} for name, about in _TAGS.items()],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "`tidelore key` shows the key."},
                "header": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            },
            "schemas": schemas.all(),
            "responses": {f"Error{status}": {"description": about, "content": error} for status, about in _STATUS.items()},
        },
    }


def _operation(each: Endpoint, schemas: Schemas) -> dict[str, Any]:
    out: dict[str, Any] = {"operationId": each.name, "tags": [each.tag], "description": each.about}
    if not each.key:
        out["security"] = []
    if parameters := [*_of_path(each), *_of_query(each, schemas)]:
        out["parameters"] = parameters
    body = schemas.of(each.body, sent=True) if each.body is not None else dict(each.request)
    if body:
        out["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    result = schemas.of(each.result) if each.result is not None else dict(each.answer)
    told = {"description": "Done.", "content": {each.media: {"schema": result}} if result or each.media else {}}
    out["responses"] = {str(each.status): told}
    if each.name == "rpc":
        out["responses"]["204"] = {"description": "Nothing is to be answered."}
    for status in sorted({*_usual(each, sends=bool(body)), *each.errors}):
        out["responses"][str(status)] = {"$ref": f"#/components/responses/Error{status}"}
    return out


def _usual(each: Endpoint, *, sends: bool) -> set[int]:
    """403: host and origin are looked at everywhere. 400: a key in the address is refused everywhere."""
    return {400, 403, 500} | ({413} if sends else set()) | ({401, 429, 503} if each.key else set())


def _of_path(each: Endpoint) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", each.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _of_query(each: Endpoint, schemas: Schemas) -> Iterator[dict[str, Any]]:
    if each.query is None:
        return
    hints = get_type_hints(each.query)
    for item in dataclasses.fields(each.query):
        schema = schemas.of(hints[item.name], sent=True)
        yield {"name": item.name, "in": "query", "required": False, "schema": {**schema, "default": item.default}}


def _rpc(schemas: Schemas) -> None:
    """Every method as one form of request and one of answer."""
    rows = {name: (row.params, row.result, row.doc) for name, row in METHODS.items()}
    rows |= {name: (params, result, " ".join((handler.__doc__ or "").split())) for name, (params, result, handler) in EXTRAS.items()}
    calls, answers = [], []
    id_ = {"type": ["string", "number", "null"]}
    for name in sorted(rows):
        params, result, doc = rows[name]
        members = dataclasses.fields(params)
        needed = any(each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING for each in members)
        call = {
            "type": "object",
            "description": doc,
            "required": ["jsonrpc", "method", *(["params"] if needed else [])],
            "properties": {
                "jsonrpc": {"const": "2.0"},
                "id": id_,
                "method": {"const": name},
                "params": schemas.of(params, sent=True),
            },
            "additionalProperties": False,
        }
        calls.append(schemas.put(f"rpc.{name}", call))
        found = {
            "type": "object",
            "required": ["jsonrpc", "id", "result"],
            "properties": {"jsonrpc": {"const": "2.0"}, "id": id_, "result": schemas.of(result)},
            "additionalProperties": False,
        }
        answers.append(schemas.put(f"rpc.{name}.answer", found))
    data = {"type": "object", "properties": {"code": {"type": "string"}, "hint": {"type": "string"}}}
    told = {
        "type": "object",
        "required": ["code", "message"],
        "properties": {"code": {"type": "integer"}, "message": {"type": "string"}, "data": data},
    }
    failed = {
        "type": "object",
        "required": ["jsonrpc", "id", "error"],
        "properties": {"jsonrpc": {"const": "2.0"}, "id": id_, "error": told},
        "additionalProperties": False,
    }
    answers.append(schemas.put("RpcError", failed))
    one_call, one_answer = schemas.put("RpcRequest", {"oneOf": calls}), schemas.put("RpcResponse", {"anyOf": answers})
    schemas.put("RpcCall", {"oneOf": [one_call, {"type": "array", "items": one_call, "minItems": 1}]})
    schemas.put("RpcAnswer", {"oneOf": [one_answer, {"type": "array", "items": one_answer}]})
