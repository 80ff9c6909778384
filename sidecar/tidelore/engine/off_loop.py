"""Long work on texts alone, which a host may do beside its event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class OffLoop(Protocol):
    """Calls a pure function with these arguments, wherever it likes."""

    async def __call__(self, work: Callable[..., T], /, *args: Any) -> T: ...


async def in_place(work: Callable[..., T], /, *args: Any) -> T:
    """For hosts that have one thread."""
    return work(*args)
