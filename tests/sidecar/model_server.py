"""A scripted OpenAI-compatible server on loopback. A rule, a function of the request, says what it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> Sequence[Mapping[str, str]]:
        found: Sequence[Mapping[str, str]] = self.body["messages"]
        return found


@dataclass(frozen=True)
class Reply:
    """`hold`: answer only once it is set. `cut`: hang up after so many bytes of the body. `open`: keep the line open afterwards."""

    body: str = ""
    status: int = 200
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    hold: threading.Event | None = None
    cut: int | None = None
    open: threading.Event | None = None


Rule = Callable[[Request], Reply]


def said(content: object, **message: object) -> Reply:
    """A plain answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}
    return Reply(json.dumps({"object": "chat.completion", "choices": [choice]}))


def streamed(*pieces: str, done: bool = True) -> Reply:
    """The same as an event stream."""
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    lines = [": ping", *(f"data: {json.dumps(chunk)}" for chunk in chunks), *(["data: [DONE]"] if done else [])]
    return Reply("\n\n".join(lines) + "\n\n", type="text/event-stream; charset=utf-8")


def failed(status: int, message: str = "", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps({"error": {"message": message}}), status, headers=named)


def in_turn(*replies: Reply | Rule) -> Rule:
    """One after the other; the last one for good."""
    left = list(replies)

    def rule(request: Request) -> Reply:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, Reply) else reply(request)

    return rule


class ModelServer:
    """`url` ends in /v1; `requests` are those that came, in order."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                request = Request(self.path, dict(self.headers), json.loads(data))
                with server.lock:
                    server.requests.append(request)
                    reply = server.rule(request)
                if reply.hold is not None:
                    reply.hold.wait(30)
                body = reply.body.encode()
                try:
                    self.send_response(reply.status)
                    self.send_header("Content-Type", reply.type)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    if reply.open is None:
                        self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body[: reply.cut])
                    if reply.open is not None:
                        self.wfile.flush()
                        reply.open.wait(30)
                except OSError:
                    return  # the client has gone

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        return Handler


@contextmanager
def serving(rule: Rule) -> Iterator[ModelServer]:
    server = ModelServer(rule)
    try:
        yield server
    finally:
        server.close()
