"""Results bounded by tokens: what does not fit comes with the next page. A cursor goes with its tool and arguments alone."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tidelore.engine.errors import BadInput
from tidelore.engine.text.counting import count_tokens
from tidelore.serve.mcp.schemas import outgoing

T = TypeVar("T")
# Of the items as JSON. With the frame around them a result stays below 4,000 tokens.
BUDGET = 3_500
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """`cursor` asks for what follows; empty at the end."""

    items: list[T]
    start: int
    total: int
    cursor: str


def cut(items: Sequence[T], cursor: str, asked: object, budget: int = BUDGET, most: int = 1_000_000) -> Page[T]:
    """As many items from the cursor on as fit; always one at least. `asked`: see `asked`. Raises
    BadInput."""
    start = opened(cursor, asked)
    if cursor and not 0 < start < len(items):
        raise _stale()
    used, end = 0, start
    while end < len(items) and end - start < most:
        used += count_tokens(json.dumps(outgoing(items[end]), ensure_ascii=False))
        if used > budget and end > start:
            break
        end += 1
    return Page(list(items[start:end]), start, len(items), made(end, asked) if end < len(items) else "")


def made(at: int, asked: object) -> str:
    return base64.urlsafe_b64encode(f"{at}.{_mark(asked)}".encode()).decode().rstrip("=")


def opened(cursor: str, asked: object) -> int:
    """Where to go on; 0 without a cursor. Raises BadInput where it was made for something else."""
    if not cursor:
        return 0
    try:
        at, _, mark = base64.urlsafe_b64decode(cursor[:_LONGEST] + "=" * (-len(cursor[:_LONGEST]) % 4)).decode("ascii").partition(".")
        number = int(at) if at.isdecimal() and len(at) < 16 else -1
    except ValueError:
        number, mark = -1, ""
    if number < 0 or mark != _mark(asked):
        raise BadInput(
            "This cursor belongs to another call.", "Repeat the call with the arguments that it came from, or leave `cursor` out."
        )
    return number


def _mark(asked: object) -> str:
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")).hexdigest()[
        :16
    ]


def _stale() -> BadInput:
    return BadInput("Nothing is left after this cursor.", "What is remembered has changed meanwhile: begin again without `cursor`.")


def asked(tool: str, arguments: Any) -> list[Any]:
    """What a cursor is bound to."""
    return [tool, {**outgoing(arguments), "cursor": ""}]
