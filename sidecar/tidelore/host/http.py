"""Requests to model services: JSON out, JSON or an event stream back, and new tries for what may pass."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any

import httpx

from tidelore.engine.errors import BadInput, ModelAnswer, ModelRefused, ModelUnreachable

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]

WAITS = (1.0, 2.0, 4.0)
"""Seconds before the second, third and fourth try."""

CONNECT_SECONDS = 10.0
LONGEST_ANSWER = 4_000_000
_SAID = 300
_SHORTEST_SECRET = 4
_PASSING = frozenset({408, 425, 429})
_PASSING_WORDS = (
    *("rate limit", "rate-limit", "too many requests", "overloaded", "temporar", "try again", "timeout", "timed out"),
    *("unavailable", "capacity", "busy", "loading", "internal server error", "bad gateway"),
)
_DONE = (b"\ndata: [DONE]", b"\ndata:[DONE]")


class Endpoint:
    """One address that takes JSON by POST. The key goes into the request's header and nowhere else."""

    def __init__(
        self,
        url: str,
        path: str,
        key: str = "",
        *,
        optional: Mapping[str, Any] | None = None,
        client: httpx.AsyncClient | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        """`path` is added to `url` unless that ends so already. `optional`: parameters of the body that are left out for good once
        the service refuses them by name. A client that is passed in stays the caller's. Raises BadInput."""
        self._url = _address(url, path)
        self.address = str(self._url.copy_with(query=None, userinfo=b""))
        self._key = _checked_key(key)
        self._optional = dict(optional or {})
        self._sleep = sleep
        self._clock = clock
        self._owned = client is None
        # A proxy that the environment names cannot reach a model server on this machine.
        self._client = client or httpx.AsyncClient(trust_env=not _is_loopback(self._url.host))

    async def aclose(self) -> None:
        """Ends open connections."""
        if self._owned:
            await self._client.aclose()

    async def post(self, body: Mapping[str, Any], budget: float) -> list[Mapping[str, Any]]:
        """The object that was answered, or those of an event stream; none of them reports an error.

        `budget` in seconds covers all tries and the waits between them. Raises ModelUnreachable (network, 408, 425, 429, 5xx, or
        time is up), ModelRefused (any other status but 200) or ModelAnswer (an answer that is not JSON).
        """
        end = self._clock() + budget
        waits = iter(WAITS)
        while True:
            try:
                return await self._try(body, end)
            except _PassingFault as fault:
                backoff = next(waits, None)
                wait = max(backoff or 0.0, fault.wait)
                if backoff is None or self._clock() + wait >= end:
                    raise ModelUnreachable(f"{self.address} {fault.sentence}", fault.hint, fault.wait) from fault
            except _OptionalRefused as refused:
                del self._optional[refused.name]
                continue
            await self._sleep(wait)

    async def _try(self, body: Mapping[str, Any], end: float) -> list[Mapping[str, Any]]:
        left = end - self._clock()
        if left <= 0:
            raise _PassingFault("did not answer in time.", "Allow it more time.")
        sent = {**body, **self._optional}
        headers = {"Accept": "application/json", **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        timeout = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
        try:
            async with (
                asyncio.timeout(left),
                self._client.stream("POST", self._url, json=sent, headers=headers, timeout=timeout) as response,
            ):
                data = await _read(response)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise _PassingFault("did not answer in time.", "Allow it more time, or check that it is running.") from error
        except httpx.HTTPError as error:
            sentence = f"cannot be reached: {self.hidden(str(error) or type(error).__name__)}."
            raise _PassingFault(sentence, "Check the address, and that the service is running.") from error
        if response.status_code != 200:
            raise self._fault(response.status_code, _said(data), sent, _retry_after(response))
        found = self._objects(data, response.headers.get("Content-Type", ""))
        for each in found:
            if told := each.get("error"):
                raise self._fault(_status_of(told), _message_of(told), sent, 0.0)
        return found

    def _objects(self, data: bytes, content_type: str) -> list[Mapping[str, Any]]:
        text = data.decode("utf-8", "replace").lstrip("\ufeff").strip()
        if "html" in content_type.lower() or text[:1] == "<":
            raise ModelRefused(f"{self.address} answered with a web page.", "Check the address: most end in /v1.")
        if "event-stream" in content_type.lower() or text.startswith(("data:", "event:", ":")):
            found = _events(text)
        else:
            found = [_object(text)]
        if not found or any(each is None for each in found):
            raise ModelAnswer(f"The answer of {self.address} is not JSON.", "Try again, or check the address.", self.hidden(text))
        return [each for each in found if each is not None]

    def _fault(self, status: int, said: str, sent: Mapping[str, Any], wait: float) -> Exception:
        said = " ".join(self.hidden(said).split())[:_SAID]
        told = f": {said}" if said else "."
        number = f" ({status})" if status else ""
        if status in _PASSING or status >= 500 or (not status and any(word in said.lower() for word in _PASSING_WORDS)):
            return _PassingFault(f"cannot answer now{number}{told}", "Try again later.", wait)
        if status in (0, 400, 422):
            for name in self._optional:
                if name in said and name in sent:
                    return _OptionalRefused(name)
        return ModelRefused(f"{self.address} refused the request{number}{told}", _hint(status, str(sent.get("model", ""))))

    def hidden(self, text: str) -> str:
        """A text for messages and the ledger: services like to repeat the key that they refuse."""
        return text.replace(self._key, "***") if len(self._key) >= _SHORTEST_SECRET else text


class _PassingFault(Exception):
    """May pass. `sentence` goes on after the address; `wait` is what the service asks for, in seconds."""

    def __init__(self, sentence: str, hint: str, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint
        self.wait = wait


class _OptionalRefused(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _address(url: str, path: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.strip())
    except httpx.InvalidURL as error:
        raise BadInput("The address of the model is not a URL.", "Write it like http://127.0.0.1:11434/v1.") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise BadInput("The address of the model does not begin with http:// or https://.", "Write it like http://127.0.0.1:11434/v1.")
    base = parsed.path.rstrip("/")
    return parsed.copy_with(path=base if base.endswith(path) else base + path, fragment=None)


def _checked_key(key: str) -> str:
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise BadInput("The key of the model holds characters that no key has.", "Copy it again, without quotes or line breaks.")
    return key


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


async def _read(response: httpx.Response) -> bytes:
    """The body; of an event stream, up to its last event, since some servers keep the line open."""
    data = bytearray()
    stream = "event-stream" in response.headers.get("Content-Type", "")
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > LONGEST_ANSWER:
            raise ModelAnswer("The answer of the model has no end.", "Set a limit on the length of its answers.")
        if stream and data[-40:].rstrip().endswith(_DONE):
            break
    return bytes(data)


def _events(text: str) -> list[Mapping[str, Any] | None]:
    payloads = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    found = [_object(payload) for payload in payloads if payload not in ("", "[DONE]")]
    # A last event that was cut off costs only itself.
    return found[:-1] if len(found) > 1 and found[-1] is None else found


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _said(data: bytes) -> str:
    """What the body of an error says."""
    text = data.decode("utf-8", "replace").strip()
    value = _object(text)
    if value is None:
        return "" if text[:1] == "<" else text
    return _message_of(value.get("error") or value.get("detail") or value)


def _message_of(error: Any) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else json.dumps(error, ensure_ascii=False)


def _status_of(error: Any) -> int:
    code = error.get("code", error.get("status")) if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else 0


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the service asks to wait, 0 when it does not say."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
        # Against the clock of the service, which need not agree with ours.
        date = response.headers.get("Date")
        now = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return max(0.0, (when - now).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def _hint(status: int, model: str) -> str:
    named = f'the model name "{model}"' if model else "the model name"
    match status:
        case 401 | 403:
            return "Check the key."
        case 402:
            return "Check the account that the key belongs to."
        case 404 | 405:
            return f"Check the address (most end in /v1) and {named}."
        case 413:
            return "The request is too large: extract fewer exchanges at once, or choose a model with a larger context."
        case 300 | 301 | 302 | 303 | 307 | 308:
            return "Check the address: the service has moved."
        case _:
            return f"Check {named}, and that the service takes such requests."
