"""Bodies of requests of HTTP."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Start:
    """`client`: what to call the page. `origin`: as the page knows it, to be compared with what the browser says."""

    client: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Confirm:
    code: str


@dataclass(frozen=True, slots=True)
class Forget:
    origin: str
