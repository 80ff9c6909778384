"""The outermost loop of what the gateway does beside an answer: it ends there, is logged, and stops nobody."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import TypeVar

from tidelore.engine.errors import TideloreError

T = TypeVar("T")
INTERNAL = "internal"

log = logging.getLogger(__name__)


async def outcome(work: Awaitable[T], failed: str) -> tuple[T | None, str]:
    """What the work gives and "", or None and the code of what went wrong. `failed` says in the log what did not come of it."""
    try:
        return await work, ""
    except TideloreError as error:
        log.warning("%s: %s", failed, error.code)
        return None, error.code
    except Exception:
        # A fault of ours is no reason to refuse somebody their answer. The log says where it was.
        log.exception(failed)
        return None, INTERNAL
