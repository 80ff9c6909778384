"""A tool: its arguments and result as dataclasses, and what it does. One table of these is all that MCP offers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tidelore.serve.mcp.memory import Memory


@dataclass(frozen=True, slots=True)
class Answer:
    """`data`: a dataclass that is the structured result; `text`: the same for a model to read, short."""

    data: Any
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """`reads`: it changes nothing. `destroys`: something is not shown any more afterwards (all of it can be undone). `repeatable`: the
    same call again changes nothing more. `ignores`: arguments that are taken and mean nothing here.
    No tool leaves this machine's memory, so none is of the open world."""

    name: str
    title: str
    about: str
    arguments: type[Any]
    result: type[Any]
    run: Callable[[Memory, Any], Awaitable[Answer]]
    reads: bool = False
    destroys: bool = False
    repeatable: bool = False
    ignores: frozenset[str] = frozenset()
