"""JSON that comes from elsewhere, before it is read: how deep it is nested. Python's reader recurses; in Pyodide the stack is
JavaScript's, and its end is the end of the worker."""

from __future__ import annotations

import re

from tidelore.engine.text.patterns import later

MOST = 200

_PARTS = later(r'"(?:[^"\\]++|\\.)*+"|([\[{])|([\]}])', re.DOTALL)


def shallow(text: str) -> str:
    """The text. Raises ValueError where its brackets are nested deeper than MOST."""
    # Most texts have fewer brackets than that.
    if text.count("[") + text.count("{") <= MOST:
        return text
    depth = 0
    for part in _PARTS.finditer(text):
        if part[1]:
            depth += 1
            if depth > MOST:
                raise ValueError("nested too deeply")
        elif part[2]:
            depth -= 1
    return text
