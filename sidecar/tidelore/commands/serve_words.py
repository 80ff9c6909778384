"""What `serve` and its companions say when something is in the way, in the language of the interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tidelore.engine.errors import TideloreError
from tidelore.host.daemon import AlreadyRunning, Daemon
from tidelore.serve.faults import Refusal
from tidelore.serve.process import CannotListen, NotLoopback
from tidelore.texts import Texts


@contextmanager
def in_words(texts: Texts) -> Iterator[None]:
    """Errors of the process in words that a person can act on."""
    try:
        yield
    except TideloreError as error:
        found = _words(texts, error)
        if found is None:
            raise
        told = TideloreError(*found)
        told.code = error.code
        raise told from error


def _words(texts: Texts, error: TideloreError) -> tuple[str, str] | None:
    match error:
        case AlreadyRunning(daemon=None):
            return texts("serve.starting"), texts("serve.starting.todo")
        case AlreadyRunning(daemon=Daemon() as daemon):
            return texts("serve.running", url=daemon.url, pid=daemon.pid), texts("serve.running.todo", pid=daemon.pid)
        case CannotListen(taken=True):
            return texts("serve.taken", host=error.host, port=error.port), texts("serve.taken.todo")
        case CannotListen():
            return texts("serve.cannot_listen", host=error.host, port=error.port, reason=error.reason), texts("serve.cannot_listen.todo")
        case NotLoopback():
            return texts("serve.not_loopback", host=error.host), texts("serve.not_loopback.todo")
        case Refusal(code="code_wrong" | "no_pairing"):
            return texts(f"pair.{error.code}"), texts("pair.again")
        case _:
            return None
