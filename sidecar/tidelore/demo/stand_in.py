"""A stand-in for the memory model, so that the demo needs none. It reads the prompt that a model would get and answers by a simple
rule; what it writes is of no interest, how often it is asked is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_TRANSCRIPT = re.compile(r"<messages>\n(.*)\n</messages>", re.DOTALL)
_LINE = re.compile(r"\[(\d+)\] [^:\n]*: (.*)")
_QUOTE = 48


class StandIn:
    """See `tidelore.engine.ports.Complete`. One moment for each message, with its first words as evidence."""

    def __init__(self) -> None:
        self.calls = 0

    @property
    def name(self) -> str:
        return "stand-in"

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        del schema, budget
        self.calls += 1
        return json.dumps({"operations": list(_moments(messages[-1]["content"]))}, ensure_ascii=False)


def _moments(prompt: str) -> Iterator[dict[str, Any]]:
    found = _TRANSCRIPT.search(prompt)
    for line in (found[1] if found else "").split("\n"):
        message = _LINE.match(line)
        if message:
            number, text = int(message[1]), message[2]
            # Ends between words, since a quote that breaks a word off is no quote.
            quote = text if len(text) <= _QUOTE else text[:_QUOTE].rpartition(" ")[0] or text[:_QUOTE]
            evidence = [{"message": number, "quote": quote}]
            yield {"op": "node", "key": f"n{number}", "kind": "moment", "sub": "event", "text": text, "evidence": evidence}
