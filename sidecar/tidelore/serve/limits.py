"""How much one client may send, ask and leave unread."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes and seconds. `frame`: one message of the socket; longer texts travel in chunks, up to `message` together. `body`: one
    request of HTTP. `calls`: how many of one socket run at once. `unread`: what may wait for a client that does not read.
    `head_seconds`: how long the headers of a request may take. `stalled_seconds`: how long a body may come to a halt, and how long a
    client of the socket may not read."""

    frame: int = 1 << 20
    message: int = 64 << 20
    body: int = 32 << 20
    calls: int = 64
    unread: int = 80 << 20
    head_seconds: float = 10.0
    hello_seconds: float = 10.0
    stalled_seconds: float = 30.0
    drain_seconds: float = 10.0
    ping_seconds: float = 20.0


USUAL = Limits()
