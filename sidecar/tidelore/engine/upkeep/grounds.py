"""What a rewrite rests on: when one of its inputs is not supported any more, the rewrite is not live either, and what it hid is back."""

from __future__ import annotations

from collections.abc import Iterable

from tidelore.engine.history import Timeline
from tidelore.engine.model import Needs
from tidelore.engine.nodes import NodePart, NodeState


def needs_of(nodes: Iterable[NodeState], timeline: Timeline) -> Needs:
    """The messages that these nodes are made from, and the windowless commits where they are made from none."""
    keys: dict[str, None] = {}
    commits: dict[str, None] = {}
    for node in nodes:
        parts = [part for part in node.parts if part.placement.slots]
        for part in parts[-1:]:
            keys |= dict.fromkeys(key for key in _cited(part) if timeline.stands(key))
        if not parts:
            last = node.parts[-1].placement.commit
            commits[last.id] = None
            # An import outlives the messages that it quotes.
            keys |= dict.fromkeys(key for key, _ in node.evidence if timeline.stands(key))
    return Needs(tuple(keys), tuple(commits))


def _cited(part: NodePart) -> list[str]:
    quoted = [key for key, _ in part.evidence]
    return quoted or [slot.key for slot in part.placement.slots]
