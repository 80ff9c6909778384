"""A recall that is asked for once more, of memories that are as they were: its answer is kept, since a recall is a pure function. An agent
that tries again, a reply that is made anew and several programs with one question cost one recall."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from tidelore.engine.ports import Vectors
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.run import Recall, Request, recall

KEPT = 32
"""Answers for each chat; one holds some hundred judged memories."""

_numbers = count(1)


@runtime_checkable
class Counted(Protocol):
    """Vectors that say when they are others than before: without it nothing that rests on vectors is kept."""

    @property
    def changes(self) -> int:
        """Another number whenever a search could find something else."""
        ...


@dataclass(frozen=True, slots=True)
class _Kept:
    """`found` without its `homes`, which are numbers of indexes here: an answer keeps no chat in memory."""

    found: Recall
    homes: Mapping[str, int]


class _Answers:
    """Of one index, the newest last. `number` tells indexes apart, also from those that are gone."""

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.kept: dict[Hashable, _Kept] = {}


_answers: WeakKeyDictionary[Index, _Answers] = WeakKeyDictionary()


async def repeated(request: Request, indexes: Sequence[Index], vectors: Vectors | None) -> Recall:
    """See `tidelore.engine.recall.run.recall`. An answer for which something was missing is not kept."""
    for index in indexes:
        index.refresh()
    key = _key(request, indexes, vectors)
    if key is None:
        return await recall(request, indexes, vectors)
    mine = _of(indexes[0]).kept
    known = mine.pop(key, None)
    if known is not None:
        mine[key] = known
        return replace(known.found, homes={id_: indexes[at] for id_, at in known.homes.items()})
    found = await recall(request, indexes, vectors)
    # Something may have changed while the embedder was thinking.
    if not found.degraded and (vectors is None or _key(request, indexes, vectors) == key):
        places = {index: at for at, index in enumerate(indexes)}
        mine[key] = _Kept(replace(found, homes={}), {id_: places[index] for id_, index in found.homes.items()})
        while len(mine) > KEPT:
            del mine[next(iter(mine))]
    return found


def _of(index: Index) -> _Answers:
    found = _answers.get(index)
    if found is None:
        found = _answers[index] = _Answers()
    return found


def _key(request: Request, indexes: Sequence[Index], vectors: Vectors | None) -> Hashable | None:
    """All that an answer rests on, the embedder's patience left out; None where nobody can tell. An answer shows more of the messages than
    an index counts as a change: names on screen, and which of them are hidden."""
    if vectors is not None and not isinstance(vectors, Counted):
        return None
    return (
        replace(request, cooling=frozenset(request.cooling), exclude=frozenset(request.exclude), patience=0.0),
        tuple((_of(index).number, index.revision, index.timeline.shown) for index in indexes),
        (vectors.changes, vectors.model()) if vectors is not None else None,
    )
