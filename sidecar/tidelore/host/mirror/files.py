"""The folder of the mirror on this machine's disk."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from tidelore.engine.errors import StoreError, Unusable
from tidelore.host.whole_files import written_whole

T = TypeVar("T")
PREFIX = "tidelore-"
_NAME = re.compile(r"tidelore-[a-z0-9_-]+\.[a-z0-9]+")
# What a process that was killed has begun, see written_whole. Nobody else would ever remove it, and it may hold words that were purged.
_BEGUN = re.compile(rf"\.{_NAME.pattern}\.[0-9a-f]{{12}}")
_BEGUN_SECONDS = 60
_OF_ONE_FILE = {errno.EISDIR, errno.EACCES, errno.EPERM, errno.EIO, errno.ELOOP}


class FolderFiles:
    """See `tidelore.engine.ports.Files`. Only files of the mirror are listed; the rest of the folder belongs to others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def list(self) -> Mapping[str, int] | None:
        await self._do(self._sweep, "cleaned up")
        return await self._do(self.sizes, "listed")

    async def read(self, name: str) -> bytes | None:
        path = self._path(name)

        def read() -> bytes | None:
            try:
                # Reading anything else may never end.
                if not stat.S_ISREG(path.stat().st_mode):
                    raise OSError(errno.EISDIR, "it is no file")
                return path.read_bytes()
            except FileNotFoundError:
                return None

        return await self._do(read, "read")

    async def write(self, name: str, data: bytes) -> None:
        path = self._path(name)

        def write() -> None:
            self.folder.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as file:
                file.write(data)

        await self._do(write, "written")

    async def remove(self, name: str) -> None:
        path = self._path(name)
        await self._do(lambda: path.unlink(missing_ok=True), "removed")

    def stamps(self) -> dict[str, tuple[int, int]]:
        """By name when each was last written (ns), and its bytes: a file that was mended may have the size that it had. Raises OSError."""
        try:
            with os.scandir(self.folder) as entries:
                return {entry.name: stamp for entry in entries if _NAME.fullmatch(entry.name) and (stamp := _stamp(entry)) is not None}
        except FileNotFoundError:
            return {}

    def sizes(self) -> dict[str, int]:
        """Bytes by name. Raises OSError."""
        return {name: size for name, (_, size) in self.stamps().items()}

    def _sweep(self) -> None:
        """Remove what was begun and left. A writer that has only been slow fails and does its round again."""
        try:
            with os.scandir(self.folder) as entries:
                begun = [Path(entry.path) for entry in entries if _BEGUN.fullmatch(entry.name)]
        except FileNotFoundError:
            return
        for path in begun:
            # Gone meanwhile, or held open by whoever writes it.
            with suppress(FileNotFoundError, PermissionError):
                if path.stat().st_mtime < time.time() - _BEGUN_SECONDS:
                    path.unlink()

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise StoreError(f"{name[:80]!r} is no file of a mirror.", "Nothing was done; the mirror is as it was.")
        return self.folder / name

    async def _do(self, run: Callable[[], T], what: str) -> T:
        try:
            return await asyncio.to_thread(run)
        except OSError as error:
            kind = Unusable if error.errno in _OF_ONE_FILE and what != "listed" else StoreError
            raise kind(
                f"A file of the mirror in {self.folder} could not be {what}: {error.strerror or error}.",
                "Check the folder's rights and the room on the disk; the mirror is tried again.",
            ) from error


def _stamp(entry: os.DirEntry[str]) -> tuple[int, int] | None:
    """None of what is no file, or is one no more: others remove theirs at any moment."""
    try:
        if not entry.is_file():
            return None
        stat = entry.stat()
        return stat.st_mtime_ns, stat.st_size
    except OSError:
        return None
