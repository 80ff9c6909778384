"""Which key opens what."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from pathlib import Path

from tidelore.host.grants import Grant, Grants, digest
from tidelore.host.profiles import Profiles


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose key it is. An owner has the profile's own key and may pair others; a paired page may not."""

    profile: str
    owner: bool
    client: str = ""


class Keyring:
    """The keys of all profiles and of all pages that paired. A key that another process made, replaced or took away counts at once."""

    def __init__(self, profiles: Profiles, grants: Grants) -> None:
        self.profiles = profiles
        self.grants = grants
        self._seen: tuple[tuple[str, int], ...] = ()
        self._owners: dict[str, str] = {}
        self._paired: tuple[Grant, ...] = ()

    def find(self, key: str, origin: str) -> Caller | None:
        """The key of a page counts together with its origin only. Takes as long whichever key is compared. Raises StoreError."""
        self._refresh()
        wanted = digest(key)
        found: Caller | None = None
        for profile, known in self._owners.items():
            if hmac.compare_digest(known, wanted):
                found = Caller(profile, owner=True)
        for grant in self._paired:
            if hmac.compare_digest(grant.key, wanted) and grant.origin == origin:
                found = Caller(grant.profile, owner=False, client=grant.client)
        return found

    def knows(self, origin: str) -> bool:
        """Whether a page of this origin has paired. Raises StoreError."""
        self._refresh()
        return any(grant.origin == origin for grant in self._paired)

    def _refresh(self) -> None:
        seen = tuple(self._signature())
        if seen == self._seen:
            return
        self._owners = {name: digest(self.profiles.key(name)) for name in self.profiles.names()}
        self._paired = tuple(grant for grant in self.grants.all() if grant.profile in self._owners)
        # Looked at once more, since a key may have been made just now.
        self._seen = tuple(self._signature())

    def _signature(self) -> list[tuple[str, int]]:
        files = [self.grants.path, *(self.profiles.key_file(name) for name in self.profiles.names())]
        return [(str(path), _changed(path)) for path in files]


def _changed(path: Path) -> int:
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    return found.st_mtime_ns ^ found.st_ino
