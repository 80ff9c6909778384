"""Origins that paired: which page may come in, for which profile, and the hash of the key that it was given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tidelore.engine.errors import BadInput, StoreError
from tidelore.engine.params import parse, to_json
from tidelore.host.private_files import write_private

FILE = "paired.json"


def digest(key: str) -> str:
    """What is kept of a key that was handed out. A key has 256 random bits, so a plain hash gives nothing away."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Grant:
    """`origin` is that of a page, or "" for a program that is none. `at`: ms since 1970."""

    origin: str
    client: str
    profile: str
    key: str
    at: int


@dataclass(frozen=True, slots=True)
class _Document:
    paired: list[Grant] = field(default_factory=list[Grant])


@dataclass(frozen=True, slots=True)
class Grants:
    """Kept in the data folder. One grant for each origin and profile; a new one takes the place of the old."""

    data: Path

    @property
    def path(self) -> Path:
        return self.data / FILE

    def all(self) -> Sequence[Grant]:
        """Oldest first. Raises StoreError for a file that cannot be read: nobody is let in by mistake, and nobody shut out in silence."""
        try:
            return parse(_Document, json.loads(self.path.read_text("utf-8")), FILE).paired
        except FileNotFoundError:
            return []
        except (OSError, ValueError, RecursionError, BadInput) as error:
            raise StoreError(f"{self.path} cannot be read: {error}.", "Remove it, then pair your pages again.") from error

    def add(self, grant: Grant, key: str) -> None:
        """Raises StoreError."""
        kept = [each for each in self.all() if (each.origin, each.client, each.profile) != (grant.origin, grant.client, grant.profile)]
        self._write([*kept, replace(grant, key=digest(key))])

    def remove(self, origin: str, profile: str) -> int:
        """How many went. Raises StoreError."""
        before = self.all()
        kept = [each for each in before if (each.origin, each.profile) != (origin, profile)]
        if len(kept) != len(before):
            self._write(kept)
        return len(before) - len(kept)

    def remove_profile(self, profile: str) -> None:
        """Nobody is let into it any more. Raises StoreError."""
        before = self.all()
        kept = [each for each in before if each.profile != profile]
        if len(kept) != len(before):
            self._write(kept)

    def _write(self, grants: Sequence[Grant]) -> None:
        write_private(self.path, json.dumps(to_json(_Document(list(grants))), ensure_ascii=False, indent=1) + "\n")
