"""Where a chat breaks into sessions: at long pauses, and, where it runs on, at borders that the messages themselves decide, so an
edit moves only the borders beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tidelore.engine.history import Slot

EPOCH = datetime(1970, 1, 1)
PAUSE_SECONDS = 4 * 3600
SHORTEST, LONGEST = 12, 40
# One message in so many is a border when the session is long enough.
BORDER = 16


def _time(slot: Slot, cache: dict[str, float]) -> float | None:
    if not slot.date:
        return None
    known = cache.get(slot.date)
    if known is None:
        try:
            known = (datetime.fromisoformat(slot.date).replace(tzinfo=None) - EPOCH).total_seconds()
        except ValueError:
            known = -1.0
        cache[slot.date] = known
    return known if known >= 0 else None


def session_starts(slots: Sequence[Slot]) -> list[int]:
    """Indexes at which sessions begin, ascending, 0 first."""
    starts = [0]
    last: float | None = None
    cache: dict[str, float] = {}
    for at, slot in enumerate(slots):
        time = _time(slot, cache)
        length = at - starts[-1]
        pause = time is not None and last is not None and abs(time - last) > PAUSE_SECONDS
        border = length >= SHORTEST and int(slot.key[:4], 16) % BORDER == 0
        if at and (pause or border or length >= LONGEST):
            starts.append(at)
        last = time if time is not None else last
    return starts
