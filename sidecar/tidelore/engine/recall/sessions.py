"""Where a chat breaks into sessions: at long pauses, and, where it runs on, at borders that the messages themselves decide, so an
edit moves only the borders beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
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


class Sessions:
    """In which session each slot order is, from 0, and how many words stand in each session. What has no place (order 0) is in the first.

    A border rests on what stands before it and on its own message alone, so after a change what comes before it stays as it is.
    """

    def __init__(self) -> None:
        self.at: dict[int, int] = {0: 0}
        self.lengths: list[int] = [0]
        self._starts: list[int] = [0]
        # The last time before each session.
        self._before: list[float | None] = [None]
        self._orders: list[int] = []
        self._ranks: dict[int, int] = {0: 0}
        self._length_at: Counter[int] = Counter()
        self._moved: Counter[int] = Counter()

    @property
    def size(self) -> int:
        """How many messages were measured."""
        return len(self._orders)

    def place(self, order: int) -> float:
        """Where in the story it is, 0 to 1. Orders themselves tell nothing but which comes first."""
        return self._ranks[order] / (len(self._orders) or 1)

    def count(self, order: int, words: int) -> None:
        """A memory of so many words came to this order; of less than 0, it went. `measure` takes it in."""
        self._length_at[order] += words
        self._moved[order] += words

    def measure(self, slots: Sequence[Slot], first: int) -> None:
        """Take in the messages, which are other ones from index `first` on."""
        stays = len(self._starts)
        if first < max(len(slots), len(self._orders)):
            stays = max(0, bisect_left(self._starts, first) - 1)
            self._begin_again(slots, stays)
        for order, words in self._moved.items():
            session = self.at.get(order, stays)
            if session < stays:
                self.lengths[session] += words
        self._moved.clear()

    def _begin_again(self, slots: Sequence[Slot], session: int) -> None:
        """Measure this session and all that come after it."""
        begun, last = self._starts[session], self._before[session]
        at, ranks, lengths = self.at, self._ranks, self._length_at
        for order in self._orders[begun:]:
            del at[order], ranks[order]
        del self._orders[begun:], self._starts[session + 1 :], self._before[session + 1 :], self.lengths[session:]
        total = lengths[0] if session == 0 else 0
        for index in range(begun, len(slots)):
            slot = slots[index]
            time = _seconds(slot.date) if slot.date else None
            length = index - begun
            pause = time is not None and last is not None and abs(time - last) > PAUSE_SECONDS
            if length and (pause or length >= LONGEST or (length >= SHORTEST and slot.key[0] == BORDER)):
                self._starts.append(index)
                self._before.append(last)
                self.lengths.append(total)
                begun, session, total = index, session + 1, 0
            if time is not None:
                last = time
            order = slot.order
            self._orders.append(order)
            at[order] = session
            ranks[order] = index + 1
            total += lengths[order]
        self.lengths.append(total)
