"""Several people: each profile has a store and a key of its own. The profile "default" lies in the data folder itself, where the command
line keeps its memory; the others under profiles/NAME."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.host.private_files import made_once, write_private

DEFAULT = "default"
KEY_FILE = "key"
KEY_MARK = "tl_"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
# What Windows keeps for devices is no name of a folder there.
_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")


def new_key() -> str:
    """A key of 256 random bits. Its mark tells it from other words, so that it can be kept out of logs."""
    return KEY_MARK + secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles of a data folder."""

    data: Path

    def names(self) -> list[str]:
        """The default one first, then by name."""
        try:
            found = sorted(each.name for each in (self.data / "profiles").iterdir() if each.is_dir() and is_name(each.name))
        except FileNotFoundError:
            found = []
        return [DEFAULT, *(name for name in found if name != DEFAULT)]

    def folder(self, name: str) -> Path:
        """Where its store and key lie, whether or not it is there. Raises BadInput."""
        if not is_name(name):
            raise BadInput(f"{name[:40]!r} cannot be the name of a profile.", "Use small letters a-z, digits, - and _; at most 32.")
        return self.data if name == DEFAULT else self.data / "profiles" / name

    def key_file(self, name: str) -> Path:
        return self.folder(name) / KEY_FILE

    def key(self, name: str) -> str:
        """Its key, made at first use. Raises NotFound, BadInput, StoreError."""
        if name != DEFAULT and not self.folder(name).is_dir():
            raise NotFound(f"There is no profile named {name!r}.", f"Profiles: {', '.join(self.names())}.")
        return made_once(self.key_file(name), new_key() + "\n").strip()

    def add(self, name: str) -> str:
        """Makes a profile; the result is its key. Raises Conflict, BadInput, StoreError."""
        if name in self.names() or self.folder(name).exists():
            raise Conflict(f"There is a profile named {name!r} already.", "Choose another name.")
        return made_once(self.key_file(name), new_key() + "\n").strip()

    def renew(self, name: str) -> str:
        """A new key in place of the old one, which opens nothing any more. Raises NotFound, BadInput, StoreError."""
        self.key(name)
        key = new_key()
        write_private(self.key_file(name), key + "\n")
        return key


def is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _RESERVED.fullmatch(name)
