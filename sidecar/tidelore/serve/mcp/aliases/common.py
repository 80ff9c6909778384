"""What the aliases of several servers share: their arguments are turned into those of our own tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tidelore.engine import methods as m
from tidelore.engine.view import GraphView, NodeView
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import cut
from tidelore.serve.mcp.tool import Answer
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.wording import block, line, more
from tidelore.serve.windows import EVERYWHERE


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    kind: str
    text: Annotated[str, "Its words; long ones are cut, reading it by id gives the whole."]


@dataclass(frozen=True, slots=True)
class Items:
    items: list[Item]
    total: Annotated[int, "How many on all pages."]
    next_cursor: Annotated[str, w.NEXT] = ""


async def nodes(memory: Memory, kinds: set[str], subs: set[str]) -> list[NodeView]:
    """What is remembered in the scope "profile" of some kinds, and of some subs where any are named."""
    place = await memory.place("", EVERYWHERE)
    if not place.known:
        return []
    view: GraphView = await memory.ask("graph.get", m.GraphGet(place.name))
    return [each for each in view.nodes if each.kind in kinds and (not subs or each.sub in subs) and each.state == "current"]


def listed(found: list[NodeView], cursor: str, mark: object, most: int = 100, kind: str = "memories") -> Answer:
    rows = [Item(each.id, each.sub, each.text if len(each.text) <= 600 else each.text[:599] + "…") for each in found]
    page = cut(rows, cursor, mark, most=max(1, most))
    text = block(kind, [line(f"{each.id[:8]} {each.kind}: {each.text}") for each in page.items]) if rows else "Nothing is remembered yet."
    data = Items(page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))
