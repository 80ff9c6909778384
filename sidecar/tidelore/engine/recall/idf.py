"""How much it says that a memory holds something: the rarer, the more."""

from __future__ import annotations

from math import log


class Idf(dict[int, float]):
    """BM25's inverse document frequency by how many of `memories` hold something, never negative; each is worked out when it is asked
    for."""

    def __init__(self, memories: int) -> None:
        super().__init__()
        self._memories = memories

    def __missing__(self, frequency: int) -> float:
        value = self[frequency] = log(1 + max(0.0, self._memories - frequency + 0.5) / (frequency + 0.5))
        return value
