"""What a model thought before it called tools. The Messages API wants it back, signed, in the next round of the turn; clients of chat
completions have no place for it and leave it out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidelore.serve.gateway.turns import LONGEST_SECONDS

KEPT = 512


@dataclass(frozen=True, slots=True)
class Thought:
    """`calls`: ids of the tools that were called; `blocks` come before them, as the upstream gave them."""

    calls: Sequence[str]
    blocks: Sequence[Mapping[str, Any]]


class Thoughts:
    """`clock` in seconds. `profile` keeps people apart."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._all: OrderedDict[tuple[str, str], tuple[float, Thought]] = OrderedDict()

    def keep(self, profile: str, thought: Thought) -> None:
        if not thought.calls or not thought.blocks:
            return
        for call in thought.calls:
            self._all[profile, call] = (self._clock(), thought)
            self._all.move_to_end((profile, call))
        while len(self._all) > KEPT:
            self._all.popitem(last=False)

    def of(self, profile: str, calls: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        """What came before just these calls; nothing where that is not one and the same answer."""
        found = [self._all.get((profile, call)) for call in calls]
        first = found[0] if found else None
        if first is None or self._clock() - first[0] >= LONGEST_SECONDS:
            return ()
        return first[1].blocks if list(first[1].calls) == list(calls) else ()


class Collector:
    """Reads thoughts and calls from the events of a stream, or from a whole message."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._calls: list[str] = []

    @property
    def thought(self) -> Thought:
        return Thought(list(self._calls), [self._blocks[at] for at in sorted(self._blocks)])

    def event(self, found: Mapping[str, Any]) -> None:
        match found:
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                self._block(index, block)
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)} if index in self._blocks:
                for kind, name in (("thinking_delta", "thinking"), ("signature_delta", "signature")):
                    if delta.get("type") == kind and isinstance(delta.get(name), str):
                        self._blocks[index][name] = str(self._blocks[index].get(name) or "") + delta[name]
            case _:
                pass

    def message(self, found: Mapping[str, Any]) -> None:
        content = found.get("content")
        for at, block in enumerate(content if isinstance(content, list) else []):
            if isinstance(block, dict):
                self._block(at, block)

    def _block(self, at: int, block: Mapping[str, Any]) -> None:
        if block.get("type") in ("thinking", "redacted_thinking"):
            self._blocks[at] = dict(block)
        elif block.get("type") == "tool_use" and isinstance(block.get("id"), str):
            self._calls.append(block["id"])
