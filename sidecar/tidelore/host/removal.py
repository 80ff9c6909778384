"""Removes a profile from the disk, and names every file of it before."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidelore.engine.errors import NotFound, StoreError
from tidelore.host.grants import Grants
from tidelore.host.profiles import DEFAULT, KEY_FILE, Profiles
from tidelore.host.store import FILE

# What the default profile has in the data folder, which holds more than it.
_OF_DEFAULT = (KEY_FILE, FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal", "vectors.json", "vectors-*.npz", "vectors-*.tmp")


@dataclass(frozen=True, slots=True)
class Remains:
    """`files`: all files of a profile. `pages`: those that were let into it."""

    files: Sequence[Path]
    pages: Sequence[str]

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(path.stat().st_size for path in self.files)


def remains(data: Path, name: str) -> Remains:
    """Raises NotFound, BadInput, StoreError."""
    profiles = Profiles(data)
    folder = profiles.folder(name)
    if name == DEFAULT:
        files = [path for pattern in _OF_DEFAULT for path in sorted(data.glob(pattern))]
    else:
        if not folder.is_dir():
            raise NotFound(f"There is no profile named {name!r}.", f"Profiles: {', '.join(profiles.names())}.")
        files = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    pages = [each.origin or each.client for each in Grants(data).all() if each.profile == name]
    return Remains(files, pages)


def remove(data: Path, name: str) -> Remains:
    """What went. Nobody may have the profile open. Raises NotFound, BadInput, StoreError."""
    found = remains(data, name)
    # First nobody is let in any more, so that a removal that is cut off leaves nothing that can be reached.
    Grants(data).remove_profile(name)
    try:
        if name == DEFAULT:
            for path in found.files:
                path.unlink(missing_ok=True)
        else:
            folder = Profiles(data).folder(name)
            if folder.is_symlink():
                folder.unlink()
            else:
                shutil.rmtree(folder)
    except OSError as error:
        raise StoreError(f"Not all of the profile could be removed: {error}.", "Close what uses it, then try again.") from error
    return found
