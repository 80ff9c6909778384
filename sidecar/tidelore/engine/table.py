"""The table of methods: each row has typed parameters, a typed result, a documented handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tidelore.engine.errors import BadInput

if TYPE_CHECKING:
    from tidelore.engine.service import Service

# How many of the newest exchanges extraction leaves alone by default: the newest is still in the prompt.
DEFAULT_LAG = 1
MOST_ASKED = 1_000_000_000


def _silent(done: int, total: int) -> None:
    del done, total


@dataclass(frozen=True, slots=True)
class Call:
    """What rides along with one call: where progress (done, total) goes, and whether the caller has lost interest."""

    progress: Callable[[int, int], None] = _silent
    cancelled: Callable[[], bool] = lambda: False


Handler: TypeAlias = "Callable[[Service, Any, Call], Awaitable[Any]]"


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the table. `writes` is false for methods that change nothing."""

    name: str
    params: type[Any]
    result: type[Any]
    handler: Handler
    writes: bool

    @property
    def doc(self) -> str:
        return " ".join((self.handler.__doc__ or "").split())


METHODS: dict[str, Method] = {}


def method(name: str, params: type[Any], result: type[Any], *, writes: bool = False) -> Callable[[Handler], Handler]:
    """Puts a handler into the table."""

    def enter(handler: Handler) -> Handler:
        METHODS[name] = Method(name, params, result, handler, writes)
        return handler

    return enter


def positive(value: int, what: str) -> int:
    """The value, when it is 1 or more. Raises BadInput."""
    if not 1 <= value <= MOST_ASKED:
        raise BadInput(f"{what} is {str(value)[:20]}.", f"It must be from 1 to {MOST_ASKED}.")
    return value
