"""How a transport says no: one JSON shape, {"error": {"code", "message", "hint"}}, with a status of HTTP."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

from tidelore.engine.errors import TideloreError

STATUS: Mapping[str, int] = {
    "bad_input": 400,
    "not_found": 404,
    "conflict": 409,
    "model_error": 502,
    "model_unreachable": 503,
    "model_refused": 502,
    "model_answer": 502,
    "store_error": 500,
    "cancelled": 503,
}


class Refusal(TideloreError):
    """A request that a transport turns down by itself. The codes are listed in docs/sidecar.md."""

    def __init__(self, status: int, code: str, sentence: str, hint: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence, hint)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


def response(error: TideloreError) -> JSONResponse:
    """The answer of HTTP to an error."""
    status, headers = (error.status, error.headers) if isinstance(error, Refusal) else (STATUS.get(error.code, 500), {})
    return JSONResponse({"error": {"code": error.code, "message": error.sentence, "hint": error.hint}}, status, headers)


def unexpected() -> JSONResponse:
    """The answer when something broke; what it was stays in the log."""
    return response(Refusal(500, "internal", "Something unexpected went wrong.", "The log of the sidecar (stderr) has the details."))
