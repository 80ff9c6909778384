"""JSON-RPC 2.0 (https://www.jsonrpc.org/specification) over a table of methods: one text in, at most one text out."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from math import isfinite
from typing import Any

from tidelore.engine.errors import BadInput, TideloreError
from tidelore.engine.params import parse, to_json
from tidelore.engine.service import Call
from tidelore.serve.table import Table

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, BAD_PARAMS, INTERNAL, TIDELORE = -32700, -32600, -32601, -32602, -32603, -32000
DISCOVER = ("rpc.discover", "methods")

log = logging.getLogger(__name__)


class Fault(Exception):
    """An error of the protocol, or of the service as the protocol says it."""

    def __init__(self, code: int, message: str, data: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


async def answer(table: Table, line: bytes, call: Call) -> bytes | None:
    """The answer to one line (a request or a batch) without its line end; None where none is due. Never raises but for cancellation."""
    try:
        request = decode(line)
    except Fault as fault:
        return encode(error(None, fault))
    if not isinstance(request, list):
        response = await respond(table, request, call)
        return None if response is None else encode(response)
    if not request:
        return encode(error(None, Fault(INVALID_REQUEST, "A batch holds at least one request.")))
    responses = [response for each in request if (response := await respond(table, each, call)) is not None]
    return encode(responses) if responses else None


def decode(line: bytes) -> Any:
    """A request or a batch. Raises Fault."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as caught:
        raise Fault(PARSE_ERROR, "This line is not JSON in UTF-8.", {"reason": str(caught)[:200]}) from caught


async def respond(table: Table, request: object, call: Call) -> dict[str, Any] | None:
    """The response to one request; None for a notification."""
    id_ = request.get("id") if isinstance(request, dict) else None
    valid_id = id_ is None or (isinstance(id_, str | int) and not isinstance(id_, bool)) or (isinstance(id_, float) and isfinite(id_))
    silent = isinstance(request, dict) and "id" not in request
    try:
        name, params = _read(request, valid_id=valid_id)
        result = await _run(table, name, params, call)
    except Fault as fault:
        # What is no request at all is answered, since it may have been meant as one.
        if silent and fault.code != INVALID_REQUEST:
            return None
        return error(id_ if valid_id else None, fault)
    return None if silent else {"jsonrpc": "2.0", "id": id_, "result": result}


def _read(request: object, *, valid_id: bool) -> tuple[str, object]:
    if not isinstance(request, dict):
        raise Fault(INVALID_REQUEST, "A request is an object.")
    if request.get("jsonrpc") != "2.0":
        raise Fault(INVALID_REQUEST, 'A request has "jsonrpc": "2.0".')
    if not isinstance(request.get("method"), str):
        raise Fault(INVALID_REQUEST, "A request names its method.")
    if not valid_id:
        raise Fault(INVALID_REQUEST, "An id is a text, a number or null.")
    return request["method"], request.get("params", {})


async def _run(table: Table, name: str, params: object, call: Call) -> Any:
    if name in DISCOVER:
        return table.discover()
    method = table.find(name)
    if method is None:
        raise Fault(UNKNOWN_METHOD, f"There is no method named {name[:100]!r}.", {"hint": "rpc.discover lists the methods."})
    try:
        typed = parse(method.params, {} if params is None else params)
    except BadInput as caught:
        raise Fault(BAD_PARAMS, caught.sentence, {"code": caught.code, "hint": caught.hint}) from caught
    try:
        return to_json(await method.run(typed, call))
    except TideloreError as caught:
        raise Fault(TIDELORE, caught.sentence, {"code": caught.code, "hint": caught.hint}) from caught
    except Exception as caught:
        # The outermost loop of a request: the process serves on, and the log says what happened.
        log.exception("unexpected error in %s", name)
        raise Fault(
            INTERNAL, "Something unexpected went wrong; the log (stderr) has the details.", {"reason": type(caught).__name__}
        ) from caught


def error(id_: object, fault: Fault) -> dict[str, Any]:
    """The response that reports a fault."""
    told: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        told["data"] = dict(fault.data)
    return {"jsonrpc": "2.0", "id": id_, "error": told}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def encode(value: object) -> bytes:
    """On one line, in UTF-8."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair is no UTF-8; as an escape it goes through.
        return json.dumps(value, separators=(",", ":")).encode("ascii")
