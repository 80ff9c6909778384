"""Who opened the panel in a browser: codes that open it once, and the sessions that came of them. Nothing of it is on disk, so the end of
the process ends every session."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from tidelore.host.grants import digest
from tidelore.host.keyring import Caller
from tidelore.host.profiles import new_key
from tidelore.serve.faults import Refusal

CLIENT = "console"
# Of more than this the oldest go.
CODES, SESSIONS = 32, 64
_CODE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Session:
    """`key`: the hash of the key. It opens `profile` for pages of `origin` and no others."""

    key: str
    profile: str
    origin: str


@dataclass(frozen=True, slots=True)
class Login:
    """What a code opens."""

    profile: str
    chat: str


def _code() -> str:
    return secrets.token_urlsafe(_CODE_BYTES)


@dataclass(slots=True)
class Logins:
    """A code has 128 random bits, is good for one login, and is never in what a browser sends with a request for a page: it travels in the
    fragment of the address, which stays in the browser."""

    code_of: Callable[[], str] = _code
    _codes: dict[str, Login] = field(default_factory=dict[str, Login])
    _sessions: list[Session] = field(default_factory=list[Session])

    def code(self, profile: str, chat: str = "") -> str:
        """A new code for a profile; the panel opens on `chat`, or for "" where it was left."""
        code = self.code_of()
        self._codes[digest(code)] = Login(profile, chat)
        for old in list(self._codes)[:-CODES]:
            del self._codes[old]
        return code

    def login(self, code: str, origin: str) -> tuple[str, Login]:
        """The key of a new session, and for what the code was. Raises Refusal."""
        found = self._codes.pop(digest(code), None)
        if found is None:
            raise Refusal(
                403,
                "login_over",
                "This address has opened the panel before, or is of a sidecar that has ended.",
                "Take a new one from `tidelore console`, or type the code that the page shows.",
            )
        return self.session(found.profile, origin), found

    def session(self, profile: str, origin: str) -> str:
        """The key of a new session, for a page that was let in otherwise."""
        key = new_key()
        self._sessions.append(Session(digest(key), profile, origin))
        del self._sessions[:-SESSIONS]
        return key

    def find(self, key: str, origin: str) -> Caller | None:
        """Whose session a key is, as `Keyring.find`. It takes as long whichever key is compared."""
        wanted = digest(key)
        found: Caller | None = None
        for each in self._sessions:
            if hmac.compare_digest(each.key, wanted) and each.origin == origin:
                found = Caller(each.profile, owner=False, client=CLIENT)
        return found
