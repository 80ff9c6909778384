"""Takes part as a replica beside SillyTavern: tells the engine each chat file that has changed, and exchanges records with the mirror."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tidelore.engine.errors import BadInput, Conflict, NotFound, StoreError, TideloreError
from tidelore.engine.service import Service
from tidelore.host.mirror import chat_file
from tidelore.host.mirror.files import FolderFiles

# As the page has it: the newest exchange may still be swiped.
LAG = 1
LOOK_SECONDS = 2.0

Stamp = tuple[int, int]


@dataclass(slots=True)
class Look:
    """What one look came to: chats told anew, records that came from the mirror, bytes that went there, what is wrong, in sentences, and
    the files of the mirror that cannot be used, which the round went without."""

    chats: list[str] = field(default_factory=list[str])
    news: int = 0
    sent: int = 0
    problems: list[str] = field(default_factory=list[str])
    damaged: list[str] = field(default_factory=list[str])


def user_folder(named: Path) -> Path:
    """SillyTavern's folder of one person. Raises BadInput that names the right one where it is near."""
    folder = named.expanduser()
    if (folder / "chats").is_dir() and (folder / "user").is_dir():
        return folder
    near = sorted(path for path in [*folder.glob("*"), *folder.glob("data/*")] if (path / "chats").is_dir() and (path / "user").is_dir())
    hint = f"Did you mean {near[0]}?" if near else "It is the folder data/default-user of SillyTavern, or that of another account."
    raise BadInput(f"{folder} is not the data folder of a SillyTavern account.", hint)


class Follower:
    """Follows one person's folder. Not to be used by two tasks at once."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.folder = folder
        self.files = FolderFiles(folder / "user" / "files")
        service.files = self.files
        self._chats: dict[Path, Stamp] = {}
        self._mirror: dict[str, tuple[int, int]] = {}
        self._version = -1
        self._rounds = 0

    async def look(self) -> Look:
        """One look at everything that has changed since the last one."""
        found = Look()
        # Records first, so that a chat of which another replica knows is told into what it remembers.
        await self._exchange(found)
        changed = await asyncio.to_thread(self._changed_chats)
        for path, stamp in changed.items():
            try:
                await self._tell(path, found)
            except (Conflict, OSError) as error:
                # It may pass without the file being another one.
                found.problems.append(f"{path.name}: {error}")
                continue
            except (BadInput, NotFound) as error:
                # Half written, most often: it is read again when it has changed.
                found.problems.append(f"{path.name}: {error}")
            self._chats[path] = stamp
        if found.chats:
            await self._exchange(found)
        return found

    def _changed_chats(self) -> dict[Path, Stamp]:
        paths = [*self.folder.glob("chats/*/*.jsonl"), *self.folder.glob("group chats/*.jsonl")]
        now: dict[Path, Stamp] = {}
        for path in sorted(paths):
            try:
                stat = path.stat()
            except OSError:
                continue
            now[path] = (stat.st_mtime_ns, stat.st_size)
        # A chat that is gone keeps its memories; a file that comes back is read again.
        self._chats = {path: stamp for path, stamp in self._chats.items() if path in now}
        return {path: stamp for path, stamp in now.items() if self._chats.get(path) != stamp}

    async def _tell(self, path: Path, found: Look) -> None:
        read = await asyncio.to_thread(chat_file.read, path, path.parent == self.folder / "group chats")
        if read is None:
            return
        told = await self.service.call("chat.update", {"chat": read.chat, "pool": read.pool, "messages": read.messages})
        if told["inserted"] or told["removed"] or told["commits_in"] or told["commits_out"]:
            found.chats.append(read.chat)
        await self.service.call("extract.run", {"chat": read.chat, "by": "rules", "lag": LAG})

    async def _exchange(self, found: Look) -> None:
        try:
            stamps = await asyncio.to_thread(self.files.stamps)
        except OSError as error:
            found.problems.append(f"{self.files.folder}: {error.strerror or error}")
            return
        version = await self.service.store.version()
        if stamps == self._mirror and version == self._version and not found.chats and self._rounds:
            return
        try:
            done = await self.service.call("sync.mirror", {})
        except StoreError as error:
            found.problems.append(f"{error.sentence} {error.hint}")
            return
        self._rounds += 1
        found.news += done["new"]
        found.sent += done["written_bytes"]
        found.damaged = done["damaged"]
        with suppress(OSError):
            self._mirror = await asyncio.to_thread(self.files.stamps)
        self._version = await self.service.store.version()


async def follow(service: Service, folder: Path, ended: asyncio.Event, tell: Callable[[Look], None]) -> None:
    """Looks until `ended` is set. Raises BadInput for a folder that is none of SillyTavern's."""
    follower = Follower(service, user_folder(folder))
    while not ended.is_set():
        try:
            look = await follower.look()
        except TideloreError as error:
            look = Look(problems=[f"{error.sentence} {error.hint}"])
        tell(look)
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await ended.wait()
        except TimeoutError:
            continue
