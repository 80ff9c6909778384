"""Bodies and answers of the sidecar's own routes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Health:
    ok: bool


@dataclass(frozen=True, slots=True)
class Start:
    """`client`: what to call the page. `origin`: as the page knows it, to be compared with what the browser says."""

    client: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Started:
    """`code` is for the person's eyes, `id` for the page alone."""

    id: str
    code: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Waiting:
    state: Literal["waiting"] = "waiting"


@dataclass(frozen=True, slots=True)
class Paired:
    """The key, once."""

    key: str
    profile: str
    state: Literal["paired"] = "paired"


@dataclass(frozen=True, slots=True)
class PairingShown:
    origin: str
    client: str
    state: str


@dataclass(frozen=True, slots=True)
class PageShown:
    """`at`: ms since 1970."""

    origin: str
    client: str
    at: int


@dataclass(frozen=True, slots=True)
class PairingsShown:
    """`waiting`: who asks; `paired`: who was let in."""

    waiting: list[PairingShown]
    paired: list[PageShown]


@dataclass(frozen=True, slots=True)
class Confirm:
    code: str


@dataclass(frozen=True, slots=True)
class Forget:
    origin: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many pages."""

    forgotten: int


@dataclass(frozen=True, slots=True)
class Login:
    """`code`: from the fragment of the address."""

    code: str


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """`key`: of this session. `chat`: which one to show, "" where the address says none."""

    key: str
    profile: str
    chat: str


@dataclass(frozen=True, slots=True)
class LoginCode:
    code: str
