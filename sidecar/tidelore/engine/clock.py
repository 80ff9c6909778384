"""Hybrid logical clock (Kulkarni et al. 2014): milliseconds since 1970 in the upper bits, a counter in the lower sixteen."""

from __future__ import annotations

COUNTER_BITS = 16
# A replica whose wall clock runs ahead of ours by more is believed in the order of its own records, and ours stays near the truth.
FOLLOWED_MS = 24 * 3600 * 1000

LATEST = 1 << 61
"""No wall clock is later (the year 3085): one that is set wrong counts as this."""

MOST_CLOCK = LATEST + (1 << 40)
"""No clock is later: what has to be later than something at LATEST goes up by one each time, and has this much room. All of it is below
FOREVER and fits the stores' integers."""


def bounded(clock: int) -> int:
    """A clock that came from elsewhere: one that cannot be becomes LATEST, on every replica alike."""
    return max(clock, 0) if clock <= MOST_CLOCK else LATEST


class Clock:
    """Hands out clocks that grow, also when the wall clock stands or steps back, and follow the clocks seen."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def tick(self, milliseconds: int) -> int:
        """The next clock, at wall time `milliseconds`."""
        self.last = max(self.last + 1, min(milliseconds << COUNTER_BITS, LATEST))
        return self.last

    def see(self, clock: int, milliseconds: int | None = None) -> None:
        """Note a clock of another replica, so that what comes here after it is later; at wall time `milliseconds` no further than
        FOLLOWED_MS ahead of that. Whoever builds on a record from beyond takes that record's clock and one more (Chats.tick)."""
        bound = clock if milliseconds is None else (milliseconds + FOLLOWED_MS) << COUNTER_BITS
        self.last = max(self.last, min(clock, bound))
