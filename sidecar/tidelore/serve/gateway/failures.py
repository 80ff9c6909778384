"""How a failure of an upstream is told: by its class alone, since its words may quote keys, prompts and accounts."""

from __future__ import annotations

from collections.abc import Mapping

from tidelore.serve.faults import Refusal

# Status of the upstream: status here, code, sentence.
_CLASSES: Mapping[int, tuple[int, str, str]] = {
    400: (400, "upstream_invalid_request", "The upstream does not understand this request."),
    422: (422, "upstream_validation_error", "The upstream does not accept this request."),
    401: (502, "upstream_authentication_error", "The upstream refused the key that the sidecar has for it."),
    403: (502, "upstream_permission_error", "The upstream does not permit this."),
    404: (502, "upstream_endpoint_not_found", "The upstream has no such address or model."),
    413: (502, "upstream_request_too_large", "The request is too large for the upstream."),
    429: (502, "upstream_rate_limit", "The upstream has had too many requests."),
}
_SERVICE = (502, "upstream_service_error", "The upstream failed.")
_HINTS: Mapping[str, str] = {
    "upstream_authentication_error": "Check the key of this upstream (docs/gateway.md).",
    "upstream_endpoint_not_found": "Check the address of this upstream and the model's name.",
    "upstream_rate_limit": "Try again later.",
    "upstream_service_error": "Try again later.",
}
_PASSED_ON = ("retry-after", "retry-after-ms")


def failure(status: int, headers: Mapping[str, str]) -> Refusal:
    """The answer to a client whose request the upstream answered with this status."""
    here, code, sentence = _CLASSES.get(status, _SERVICE)
    told = {name.title(): headers[name] for name in _PASSED_ON if name in headers and _is_wait(headers[name])}
    return Refusal(here, code, sentence, _HINTS.get(code, ""), told)


def unreachable() -> Refusal:
    return Refusal(502, "upstream_unreachable", "The upstream cannot be reached.", "Check its address, and that it is running.")


def silent() -> Refusal:
    return Refusal(504, "upstream_timeout", "The upstream did not answer in time.", "Allow it more `seconds` (docs/gateway.md).")


def _is_wait(value: str) -> bool:
    """A number or a date, and no more than that."""
    return len(value) <= 40 and value.isascii() and value.isprintable()
