"""Against guessing of keys: an address that tries many different wrong ones is not listened to for a while."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

WRONG_KEYS, SECONDS = 10, 60.0
_ADDRESSES, _GOOD_KEYS = 1000, 1000


@dataclass(slots=True)
class _Failures:
    """`since`: when the first of these different keys came."""

    since: float
    keys: set[bytes] = field(default_factory=set[bytes])


class Throttle:
    """One program with an old key asks again and again with the same one: that is no guessing and must not lock out the others, who
    share its address on this machine. For the same reason a key that was right before goes on to be heard."""

    def __init__(self, clock: Callable[[], float], wrong_keys: int = WRONG_KEYS, seconds: float = SECONDS) -> None:
        self._clock = clock
        self._wrong_keys = wrong_keys
        self._seconds = seconds
        self._failures: OrderedDict[str, _Failures] = OrderedDict()
        self._good: OrderedDict[bytes, None] = OrderedDict()

    def wait(self, address: str, key: str) -> float:
        """How many seconds this address must wait before the key is looked at; 0 when it need not."""
        found = self._failures.get(address)
        if found is None or len(found.keys) < self._wrong_keys or _mark(address, key) in self._good:
            return 0.0
        left = found.since + self._seconds - self._clock()
        if left <= 0:
            del self._failures[address]
            return 0.0
        return left

    def failed(self, address: str, key: str) -> None:
        now = self._clock()
        found = self._failures.get(address)
        if found is None or now - found.since >= self._seconds:
            found = self._failures[address] = _Failures(now)
        self._failures.move_to_end(address)
        found.keys.add(_mark(address, key))
        if len(found.keys) == self._wrong_keys:
            found.since = now  # the wait begins with the last one
        while len(self._failures) > _ADDRESSES:
            self._failures.popitem(last=False)

    def succeeded(self, address: str, key: str) -> None:
        self._good[_mark(address, key)] = None
        self._good.move_to_end(_mark(address, key))
        while len(self._good) > _GOOD_KEYS:
            self._good.popitem(last=False)


def _mark(address: str, key: str) -> bytes:
    return hashlib.sha256(f"{address}\0{key}".encode("utf-8", "surrogatepass")).digest()
