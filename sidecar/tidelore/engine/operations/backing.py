"""Methods for a backup: all of a store in one file, and back by union. `tidelore/engine/sync/backup.py` has the format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelore.engine.sync import backup
from tidelore.engine.table import Call, method, positive

if TYPE_CHECKING:
    from tidelore.engine.service import Service


@dataclass(frozen=True, slots=True)
class BackupRead:
    """`at`: that of the answer before, empty at the beginning. `limit_bytes`: about how many characters of lines one answer may have."""

    at: str = ""
    limit_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class BackupPiece:
    """`lines` of the file, in order. `at` goes into the next call; empty: that was all."""

    lines: list[str]
    at: str


@dataclass(frozen=True, slots=True)
class BackupLines:
    """The next `lines` of a backup, and the `at` of the answer before, empty at the beginning."""

    lines: list[str]
    at: str = ""


@dataclass(frozen=True, slots=True)
class BackupChecked:
    """How many records and chats as they stood are in these lines; when the backup was written (ms since 1970), where its first line is
    among them. `whole`: its end is, and nothing before it has changed."""

    at: str
    records: int
    chats: int
    written: int
    whole: bool


@dataclass(frozen=True, slots=True)
class BackupRestored:
    """`new` records. `chats` stand as in the backup, since none of their messages were here; `kept` ones stay as they are here. `settings`
    that were not set here. `whole`: as in backup.check."""

    at: str
    new: int
    chats: int
    kept: int
    settings: int
    whole: bool


@method("backup.read", BackupRead, BackupPiece)
async def backup_read(service: Service, params: BackupRead, call: Call) -> BackupPiece:
    """The next piece of a backup of everything in this store: a file is made of the lines of all pieces."""
    del call
    lines, after = await backup.piece(service, backup.place_in(params.at), positive(params.limit_bytes, "limit_bytes"))
    return BackupPiece(lines, after.to_text() if after is not None else "")


@method("backup.check", BackupLines, BackupChecked)
async def backup_check(service: Service, params: BackupLines, call: Call) -> BackupChecked:
    """Whether these lines are of a backup, as they were written, and can be taken in. Go through all of a file before restoring it."""
    del service, call
    found, after = backup.check(params.lines, backup.place_in(params.at))
    return BackupChecked(after.to_text(), len(found.records), len(found.screens), found.written, found.whole)


@method("backup.restore", BackupLines, BackupRestored, writes=True)
async def backup_restore(service: Service, params: BackupLines, call: Call) -> BackupRestored:
    """Take in the next lines of a backup. Nothing that is here is removed or replaced, and what was purged here stays away."""
    del call
    at = backup.place_in(params.at)
    found, after = backup.read(params.lines, at)
    done, after = await backup.restore(service, found, at, after)
    return BackupRestored(after.to_text(), done.new, done.screens, done.kept, done.settings, found.whole)
