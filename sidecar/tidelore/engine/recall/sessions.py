"""Where a chat breaks into sessions: at long pauses, and, where it runs on, at borders that the messages themselves decide, so an
edit moves only the borders beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from tidelore.engine.history import Slot

EPOCH = datetime(1970, 1, 1)
PAUSE_SECONDS = 4 * 3600
SHORTEST, LONGEST = 12, 40
# One key in sixteen begins so, and makes its message a border when the session is long enough.
BORDER = "0"


@lru_cache(maxsize=1 << 16)
def _seconds(date: str) -> float | None:
    try:
        return (datetime.fromisoformat(date).replace(tzinfo=None) - EPOCH).total_seconds()
    except ValueError:
        return None


def session_starts(slots: Sequence[Slot]) -> list[int]:
    """Indexes at which sessions begin, ascending, 0 first."""
    starts = [0]
    begun = 0
    last: float | None = None
    for at, slot in enumerate(slots):
        time = _seconds(slot.date) if slot.date else None
        length = at - begun
        pause = time is not None and last is not None and abs(time - last) > PAUSE_SECONDS
        if length and (pause or length >= LONGEST or (length >= SHORTEST and slot.key[0] == BORDER)):
            starts.append(at)
            begun = at
        if time is not None:
            last = time
    return starts
