"""Hybrid logical clock (Kulkarni et al. 2014): milliseconds since 1970 in the upper bits, a counter in the lower sixteen."""

from __future__ import annotations

COUNTER_BITS = 16


class Clock:
    """Hands out clocks that grow, also when the wall clock stands or steps back, and follow every clock seen."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def tick(self, milliseconds: int) -> int:
        """The next clock, at wall time `milliseconds`."""
        self.last = max(self.last + 1, milliseconds << COUNTER_BITS)
        return self.last

    def see(self, clock: int) -> None:
        """Note a clock of another replica, so that what comes here after it is later."""
        self.last = max(self.last, clock)
