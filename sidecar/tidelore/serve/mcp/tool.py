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
    same call again changes nothing more. `ignores`: arguments that are taken and mean nothing here. `absent`: what a name of another
    server stands for is not there, and what to do instead; it is not listed, and a call is told so.
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
    absent: str = ""


@dataclass(frozen=True, slots=True)
class _Nothing:
    pass


async def _never(memory: Memory, asked: _Nothing) -> Answer:
    del memory, asked
    raise AssertionError("a tool that is absent does not run")


def absent(name: str, instead: str) -> Tool:
    """A name that clients know and that stands for nothing here yet."""
    return Tool(name, name, "Not there yet.", _Nothing, _Nothing, _never, reads=True, repeatable=True, absent=instead)
