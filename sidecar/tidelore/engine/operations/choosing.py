"""Which nodes a caller asks for: by kind, sub, scope, state and place in the chat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from tidelore.engine.errors import BadInput
from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.model import Kind, Scope
from tidelore.engine.nodes import NodeState
from tidelore.engine.view import STATES, state_of

USUAL = frozenset(STATES) - {"hidden"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Empty lists mean all; of states all but hidden. `first` and `last` are message indexes, both in it. Raises BadInput for a word that
    is none."""

    kinds: Sequence[str] = ()
    subs: Sequence[str] = ()
    scopes: Sequence[str] = ()
    states: Sequence[str] = ()
    first: int | None = None
    last: int | None = None
    private: bool = False
    what: str = ""

    def __post_init__(self) -> None:
        for name, given, known in (
            ("kinds", self.kinds, get_args(Kind)),
            ("scopes", self.scopes, get_args(Scope)),
            ("states", self.states, STATES),
        ):
            for word in given:
                if word not in known:
                    raise BadInput(f"{name} of {self.what} cannot be {word[:40]!r}.", f"Known: {', '.join(known)}.")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise BadInput(f"The range {self.first} to {self.last} ends before it begins.", "Name the smaller index first.")

    def among(self, graph: Graph, timeline: Timeline) -> Iterator[NodeState]:
        """Those of a graph, in no order."""
        states = frozenset(self.states) or USUAL
        for node in graph.nodes.values():
            if not node.parts or not (node.shown or (node.retired and "hidden" in states)):
                continue
            if self._fits(node) and state_of(graph, node) in states and self._stands(node, timeline):
                yield node

    def _fits(self, node: NodeState) -> bool:
        return (
            (not self.kinds or node.kind in self.kinds)
            and (not self.subs or node.sub in self.subs)
            and (not self.scopes or node.scope in self.scopes)
            and (self.private or not node.marked("private"))
        )

    def _stands(self, node: NodeState, timeline: Timeline) -> bool:
        if self.first is None and self.last is None:
            return True
        first = 0 if self.first is None else self.first
        last = len(timeline.slots) if self.last is None else self.last
        return any(first <= at <= last for at in places(node, timeline))


def places(node: NodeState, timeline: Timeline) -> list[int]:
    """The indexes of the messages that a node rests on, ascending: those that it quotes, else those of its windows."""
    keys = {key for key, _ in node.evidence}
    found = {slot for part in node.parts for slot in part.placement.slots if not keys or slot.key in keys}
    if not found:
        found = {slot for key in keys for slot in timeline.places.get(key, ())}
    return sorted(map(timeline.index, found))
