"""The rows of all vectors: one contiguous matrix, whose row is whose, and which are nearest to a vector."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidelore.host.embedders import Matrix

# Rows that are made room for at least.
_MORE = 64
# Rounded, since equal rows may differ in the last digit with their place in the matrix.
_DIGITS = 6
_ROUNDING = 2e-6
_KEPT_CHOICES = 32
_SMALLEST_NORM = 1e-6


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked through: `matrix` as it stands, and the numbers of the rows that count, ascending; None for all."""

    matrix: Matrix
    rows: NDArray[np.intp] | None

    @property
    def size(self) -> int:
        """How many numbers are multiplied."""
        return (len(self.matrix) if self.rows is None else len(self.rows)) * int(self.matrix.shape[1])

    def nearest(self, vector: Matrix, k: int) -> tuple[NDArray[np.intp], Matrix]:
        """The rows of the `k` greatest cosines, in no order, with all that are equal to the last of them. It may run in any thread while
        rows are added; not while they are moved."""
        cosines = self._cosines(vector)
        rows = np.arange(len(cosines)) if self.rows is None else self.rows
        if k < len(cosines):
            border = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
            near = cosines >= border - _ROUNDING
            rows, cosines = rows[near], np.round(cosines[near], _DIGITS)
            kept = cosines >= np.round(border, _DIGITS)
            return rows[kept], cosines[kept]
        return rows, np.round(cosines, _DIGITS)

    def _cosines(self, vector: Matrix) -> Matrix:
        rows = self.rows
        if rows is None or not rows.size:
            return self.matrix[: None if rows is None else 0] @ vector
        low, high = int(rows[0]), int(rows[-1]) + 1
        # Copying a row takes three times as long as multiplying it, and the memories of one chat lie side by side.
        if high - low <= 3 * len(rows):
            return (self.matrix[low:high] @ vector)[rows - low]
        return self.matrix[rows] @ vector


class Rows:
    """Vectors of length 1 by node. `changes` counts all changes, `moves` those after which a row may be another node's."""

    def __init__(self, nodes: Sequence[str] = (), vectors: Matrix | None = None) -> None:
        self._nodes = list(nodes)
        self._row = {node: row for row, node in enumerate(self._nodes)}
        self._matrix: Matrix = np.zeros((0, 0), np.float32) if vectors is None else vectors
        self._known: list[tuple[frozenset[str], NDArray[np.intp] | None]] = []
        self.changes = 0
        self.moves = 0

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._row

    def __iter__(self) -> Iterator[str]:
        """In the order of the rows."""
        return iter(self._nodes)

    def __getitem__(self, row: int) -> str:
        return self._nodes[row]

    @property
    def dimension(self) -> int:
        """0 while it is not known."""
        return int(self._matrix.shape[1])

    @property
    def matrix(self) -> Matrix:
        return self._matrix[: len(self._nodes)]

    # ---- changing ----

    def clear(self, dimension: int) -> None:
        self._nodes, self._row = [], {}
        self._matrix = np.zeros((0, dimension), np.float32)
        self._moved()

    def add(self, node: str, vector: Matrix) -> None:
        """A node that has no row yet."""
        at = len(self._nodes)
        if at == len(self._matrix):
            # Not in place: a search in another thread goes on with the one before.
            self._matrix = np.concatenate([self._matrix, np.zeros((max(_MORE, at // 2), len(vector)), np.float32)])
        self._matrix[at] = vector
        self._row[node] = at
        self._nodes.append(node)
        self._changed()

    def remove(self, node: str) -> bool:
        """The last row takes its place. False where it had none."""
        row = self._row.pop(node, None)
        if row is None:
            return False
        last = self._nodes.pop()
        if last != node:
            self._nodes[row], self._row[last] = last, row
            self._matrix[row] = self._matrix[len(self._nodes)]
        self._moved()
        return True

    def _moved(self) -> None:
        self.moves += 1
        self._changed()

    def _changed(self) -> None:
        self.changes += 1
        self._known.clear()

    # ---- asking ----

    def search(self, allowed: Collection[str] | None) -> Search:
        """Among these nodes, as far as they have a row; None stands for all."""
        return Search(self.matrix, None if allowed is None else self._rows_of(allowed if isinstance(allowed, Set) else frozenset(allowed)))

    def _rows_of(self, allowed: Set[str]) -> NDArray[np.intp] | None:
        """A chat asks for the same nodes with each recall, mostly by the same set; and to compare them takes a tenth of looking each of
        them up."""
        for at, (known, rows) in enumerate(self._known):
            if known is allowed or (len(known) == len(allowed) and known == allowed):
                self._known.append(self._known.pop(at))
                return rows
        row = self._row
        found = np.array(sorted(row[node] for node in allowed if node in row), np.intp)
        rows = None if len(found) == len(self._nodes) else found
        self._known = [*self._known[1 - _KEPT_CHOICES :], (frozenset(allowed), rows)]
        return rows

    def gram(self, nodes: Sequence[str]) -> list[list[float]]:
        """Cosines between these nodes; one without a row is like itself (1) and like no other (0)."""
        held = [at for at, node in enumerate(nodes) if node in self._row]
        part = self._matrix[[self._row[nodes[at]] for at in held]] if held else np.zeros((0, 1), np.float32)
        out = np.eye(len(nodes), dtype=np.float64)
        out[np.ix_(held, held)] = np.round(part @ part.T, _DIGITS)
        np.fill_diagonal(out, 1.0)
        rows: list[list[float]] = out.tolist()
        return rows


def normalised(row: NDArray[np.floating]) -> Matrix | None:
    """A row of length 1 in half precision; None for zero, NaN or infinite ones."""
    wide = row.astype(np.float64)
    if not np.isfinite(wide).all():
        return None
    norm = float(np.linalg.norm(wide))
    if not np.isfinite(norm) or norm < _SMALLEST_NORM:
        return None
    return (wide / norm).astype(np.float16).astype(np.float32)
