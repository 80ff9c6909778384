"""The log on stderr: what happened and where in the code, never a key and never a word of a chat."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from tidelore.host.profiles import KEY_MARK

# Ours, whatever follows Bearer, and what the services of models call keys.
_SECRETS = re.compile(rf"{KEY_MARK}[\w-]{{16,}}|(?i:bearer\s+)\S+|\bsk-[\w-]{{8,}}")
HIDDEN = "***"
# What uvicorn takes for faults: a handshake that was answered with an error of HTTP, and an answer that the gateway breaks off because
# the upstream did.
_NO_FAULTS = frozenset({"ASGI callable returned without completing handshake.", "ASGI callable returned without completing response."})


def without_secrets(text: str) -> str:
    return _SECRETS.sub(HIDDEN, text)


class Formatter(logging.Formatter):
    """An exception is told by its type and its place: its words may quote what someone wrote."""

    def format(self, record: logging.LogRecord) -> str:
        lines = [f"{self.formatTime(record)} {record.levelname} {record.name}: {record.getMessage()}"]
        error = record.exc_info[1] if record.exc_info else None
        while error is not None:
            lines += ["  " + line for line in "".join(traceback.format_tb(error.__traceback__)).rstrip().split("\n")]
            lines.append(f"  {type(error).__module__}.{type(error).__qualname__}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return without_secrets("\n".join(lines))


@contextmanager
def to_stderr() -> Iterator[None]:
    """Sends warnings and errors of everything to stderr, and nothing anywhere else."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter())
    handler.addFilter(lambda record: record.getMessage() not in _NO_FAULTS)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
