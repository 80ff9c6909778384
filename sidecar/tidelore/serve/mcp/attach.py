"""Finds the sidecar that serves a data folder, and starts one where none does."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx

from tidelore.engine.errors import StoreError
from tidelore.host.daemon import Daemon, may_start, running
from tidelore.host.private_files import OWNER_ONLY

SECONDS = 30.0
LOG = "serve.log"
_PAUSE = 0.05
# What is said of a start that failed, characters.
_TOLD = 600


async def attach(data: Path) -> Daemon:
    """The process that answers for this folder. Several callers at once start no more than one. Raises StoreError."""
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                if (found := await _found(data)) is not None:
                    return found
                with may_start(data) as mine:
                    if mine:
                        return await _started(data)
                await asyncio.sleep(_PAUSE)
    except TimeoutError as error:
        raise _failed(data) from error


async def _found(data: Path) -> Daemon | None:
    found = running(data)
    return found if found is not None and await _answers(found) else None


async def _started(data: Path) -> Daemon:
    # Another program may have the usual port: then any other will do.
    for more in ((), ("--port", "0")):
        child = _start(data, more)
        while child.poll() is None:
            if (found := await _found(data)) is not None:
                return found
            await asyncio.sleep(_PAUSE)
        # It gave up, perhaps since a person has started one at the same moment.
        if (found := await _found(data)) is not None:
            return found
    raise _failed(data)


def _failed(data: Path) -> StoreError:
    said = _log_end(data)
    return StoreError(f"The sidecar could not be started: {said or 'it said nothing.'}", f"`tidelore serve --data {data}` shows more.")


def _start(data: Path, more: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process that outlives this one and shares none of its streams: the client owns those."""
    command = [sys.executable, "-m", "tidelore", "serve", "--data", str(data), "--idle", "30", *more]
    try:
        with os.fdopen(os.open(data / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY), "wb") as log:
            if sys.platform == "win32":
                flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
                return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, creationflags=flags)
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True)
    except OSError as error:
        raise StoreError(f"The sidecar could not be started: {error}.", "Choose a folder that may be written, with --data.") from error


async def _answers(daemon: Daemon) -> bool:
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=5.0) as client:
            return (await client.get(f"{daemon.url}/health")).is_success
    except httpx.HTTPError:
        return False


def _log_end(data: Path) -> str:
    try:
        return " ".join((data / LOG).read_text("utf-8", "replace").split())[-_TOLD:]
    except OSError:
        return ""
