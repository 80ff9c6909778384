"""The log of a store in memory: which records there are, by origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidelore.engine.errors import Conflict
from tidelore.engine.ports import Head, Record, RecordKind
from tidelore.engine.sync.chain import GENESIS, link


@dataclass(frozen=True, slots=True)
class LogRow:
    """What a record is, without its body."""

    kind: RecordKind
    pool: str
    id: str
    clock: int


class Log:
    """Rows by origin; the row at place n has the sequence n + 1."""

    def __init__(self) -> None:
        self._rows: dict[str, list[LogRow]] = {}
        self._chains: dict[str, list[str]] = {}

    def add(self, origin: str, row: LogRow) -> None:
        chains = self._chains.setdefault(origin, [GENESIS])
        chains.append(link(chains[-1], row.kind, row.pool, row.id))
        self._rows.setdefault(origin, []).append(row)

    def check(self, records: Sequence[Record]) -> None:
        """Raises Conflict unless each is the next one of its origin."""
        counts = {origin: len(rows) for origin, rows in self._rows.items()}
        for record in records:
            due = counts.get(record.origin, 0) + 1
            if record.sequence != due:
                raise Conflict(f"Record {record.sequence} of {record.origin} is not the next one, {due}.", "Ask for the records again.")
            counts[record.origin] = due

    def heads(self) -> Mapping[str, Head]:
        return {origin: Head(len(rows), self._chains[origin][-1]) for origin, rows in self._rows.items() if rows}

    def chain(self, origin: str, sequence: int) -> str:
        chains = self._chains.get(origin, [GENESIS])
        return chains[sequence] if 0 <= sequence < len(chains) else ""

    def after(self, origin: str, sequence: int) -> Iterator[tuple[int, LogRow]]:
        rows = self._rows.get(origin, [])
        return ((at + 1, rows[at]) for at in range(max(sequence, 0), len(rows)))

    def all(self) -> Iterator[tuple[str, int, LogRow]]:
        return ((origin, at, row) for origin, rows in self._rows.items() for at, row in enumerate(rows, 1))

    def later(self, kind: RecordKind, clock: int, id_: str = "", pool: str = "") -> dict[str, int]:
        """For what was written later than `clock`, the smallest clock of those."""
        out: dict[str, int] = {}
        for _, _, row in self.all():
            if row.kind == kind and row.clock > clock and (not id_ or row.id == id_) and (not pool or row.pool == pool):
                out[row.id] = min(row.clock, out.get(row.id, row.clock))
        return out

    def cut(self, origin: str, sequence: int) -> list[LogRow]:
        """Takes out the rows of an origin from `sequence` on."""
        rows, self._rows[origin] = self._rows[origin][sequence - 1 :], self._rows[origin][: sequence - 1]
        self._chains[origin] = self._chains[origin][:sequence]
        return rows
