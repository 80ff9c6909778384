"""Which process serves a data folder: one at a time. It holds a lock for as long as it lives, so a dead one is never taken for alive."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tidelore.engine.errors import BadInput, Conflict, StoreError
from tidelore.engine.params import parse, to_json
from tidelore.host.private_files import OWNER_ONLY, write_private

LOCK, RECORD, STARTING = "serve.lock", "serve.json", "start.lock"
# Whoever looks for a daemon holds the lock for a moment.
_TRIES, _PAUSE = 20, 0.05


@dataclass(frozen=True, slots=True)
class Daemon:
    """The process that serves: its address (without a slash at its end) and id."""

    url: str
    pid: int


class AlreadyRunning(Conflict):
    """Another process serves this folder; `daemon` is None while that one is starting."""

    code = "already_running"

    def __init__(self, daemon: Daemon | None) -> None:
        where = f"at {daemon.url} (process {daemon.pid})" if daemon else "and is just starting"
        super().__init__(f"A sidecar serves this data folder already, {where}.", "Use that one, or stop it first.")
        self.daemon = daemon


class Claim:
    """The lock while it is held. `announce` tells others where the daemon is."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def announce(self, daemon: Daemon) -> None:
        """Raises StoreError."""
        write_private(self._data / RECORD, json.dumps(to_json(daemon)) + "\n")

    def withdraw(self) -> None:
        (self._data / RECORD).unlink(missing_ok=True)


@contextmanager
def claimed(data: Path) -> Iterator[Claim]:
    """The right to serve a data folder. Raises AlreadyRunning, StoreError."""
    file = _opened(data)
    with file:
        for _ in range(_TRIES):
            if _try_lock(file):
                break
            time.sleep(_PAUSE)
        else:
            raise AlreadyRunning(_record(data))
        claim = Claim(data)
        claim.withdraw()  # what a process that was killed left behind
        try:
            yield claim
        finally:
            claim.withdraw()
            _unlock(file)


def running(data: Path) -> Daemon | None:
    """The process that serves this folder now, if there is one. Raises StoreError."""
    if not (data / LOCK).exists():
        return None
    with _opened(data) as file:
        if _try_lock(file):
            _unlock(file)
            return None
    return _record(data)


@contextmanager
def may_start(data: Path) -> Iterator[bool]:
    """Whether this process is the one that may start a daemon: others that want to wait for it meanwhile. Raises StoreError."""
    with _opened(data, STARTING) as file:
        mine = _try_lock(file)
        try:
            yield mine
        finally:
            if mine:
                _unlock(file)


def _opened(data: Path, name: str = LOCK) -> BinaryIO:
    try:
        data.mkdir(parents=True, exist_ok=True)
        return os.fdopen(os.open(data / name, os.O_RDWR | os.O_CREAT, OWNER_ONLY), "r+b")
    except OSError as error:
        raise StoreError(f"{data / name} cannot be used: {error}.", "Choose a folder that may be written, with --data.") from error


def _record(data: Path) -> Daemon | None:
    with contextlib.suppress(OSError, ValueError, BadInput):
        return parse(Daemon, json.loads((data / RECORD).read_text("utf-8")), RECORD)
    return None


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: BinaryIO) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
