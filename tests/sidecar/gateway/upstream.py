"""A scripted upstream on loopback: it records every request byte for byte, and answers with the very bytes that a rule gives."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECONDS = 30.0


@dataclass(frozen=True)
class Got:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.raw)
        return found

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.body["messages"]
        return found

    @property
    def last(self) -> str:
        """The words of the last message of the user."""
        content = next(each["content"] for each in reversed(self.messages) if each["role"] == "user")
        return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


@dataclass
class Hold:
    """Between two pieces: waits until it is let go, or until the other side has hung up, which sets `gone`."""

    go: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)


class Die:
    """The line is cut here, without an end."""


@dataclass(frozen=True)
class Reply:
    """`pieces` are sent as they are, each at once."""

    pieces: Sequence[bytes | Hold | Die]
    status: int = 200
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    streamed: bool = False


Rule = Callable[[Got], Reply]


def message(content: str | None, finish: str = "stop", **more: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "big-1",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


def whole(content: str | None, finish: str = "stop", **more: Any) -> Reply:
    return Reply([json.dumps(message(content, finish, **more)).encode()])


def chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """One event of a stream, with members that nobody knows."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    value = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "big-1", "x_extra": 1.50, "choices": [choice]}
    return b"data: " + json.dumps({**value, **more}, ensure_ascii=False).encode() + b"\n\n"


USAGE = b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"big-1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}\n\n'  # noqa: E501
DONE = b"data: [DONE]\n\n"


def events(*pieces: bytes | Hold | Die) -> Reply:
    return Reply(pieces, type="text/event-stream; charset=utf-8", streamed=True)


def stream(text: str) -> Reply:
    """A plain answer, word by word."""
    words = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": word + " "}) for word in text.split()), chunk({}, "stop")]
    return events(*words, USAGE, DONE)


def echo(got: Got) -> Reply:
    return stream("All right.") if got.body.get("stream") else whole("All right.")


class Upstream:
    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.got: list[Got] = []
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                self._answer(b"")

            def _answer(self, raw: bytes) -> None:
                got = Got(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, raw)
                with upstream._lock:
                    upstream.got.append(got)
                reply = upstream.rule(got)
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.type)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.streamed:
                    self.send_header("Transfer-Encoding", "chunked")
                else:
                    self.send_header("Content-Length", str(sum(len(piece) for piece in reply.pieces if isinstance(piece, bytes))))
                self.end_headers()
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                try:
                    for piece in reply.pieces:
                        if not self._piece(piece, streamed=reply.streamed):
                            self.close_connection = True
                            self.connection.shutdown(socket.SHUT_RDWR)
                            return
                    if reply.streamed:
                        self.wfile.write(b"0\r\n\r\n")
                except OSError:
                    self.close_connection = True

            def _piece(self, piece: bytes | Hold | Die, *, streamed: bool) -> bool:
                if isinstance(piece, Die):
                    return False
                if isinstance(piece, Hold):
                    return self._wait(piece)
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" if streamed else piece)
                self.wfile.flush()
                return True

            def _wait(self, hold: Hold) -> bool:
                hold.reached.set()
                while not hold.go.is_set():
                    if select.select([self.connection], [], [], 0.01)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                        hold.gone.set()
                        return False
                return True

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@contextmanager
def upstream(rule: Rule = echo) -> Iterator[Upstream]:
    made = Upstream(rule)
    try:
        yield made
    finally:
        made.close()
