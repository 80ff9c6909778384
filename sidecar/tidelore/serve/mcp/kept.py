"""What several tools keep in the scope "profile" in one way: written with its day, found again by kind, sub and fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.view import GraphView, NodeView
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import cut
from tidelore.serve.mcp.tool import Answer
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.recalling import pieces
from tidelore.serve.mcp.tools.writing import Changed, Written
from tidelore.serve.mcp.wording import block, line, more
from tidelore.serve.windows import EVERYWHERE

Kind = Literal["entity", "moment", "fact", "thread", "digest", "page"]
NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    kind: str
    text: Annotated[str, "Its words; in a list long ones are cut, and reading it by id gives the whole, in pieces where it must be."]
    title: Annotated[str, "Its title or name."] = ""
    date: Annotated[str, "Its day or time, ISO 8601; empty where none is known."] = ""
    status: Annotated[str, "Such as open or done."] = ""
    notes: Annotated[list[str] | None, "What was noted on it later."] = None
    offset: Annotated[int, "Where in its text this piece begins."] = 0


@dataclass(frozen=True, slots=True)
class Items:
    items: list[Item]
    total: Annotated[int, "How many on all pages."]
    next_cursor: Annotated[str, w.NEXT] = ""


def now(memory: Memory) -> str:
    """ISO 8601, in UTC, to the second."""
    return datetime.fromtimestamp(memory.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def written(memory: Memory, kind: Kind, sub: str, text: str, fields: Mapping[str, Any], name: str = "") -> Answer:
    """Fields that are empty are left out; a date that is not given is now."""
    kept = {field: value for field, value in {"date": now(memory), **fields}.items() if value not in ("", None, [])}
    params = m.NodeWrite(text, "", EVERYWHERE, kind, sub, name, fields=kept, author="tool")
    made: r.Written = await memory.ask("node.write", params)
    return Answer(Written(made.node, made.commit, "", EVERYWHERE), f"Stored: {made.node[:8]}.")


async def changed(memory: Memory, view: NodeView, fields: Mapping[str, Any]) -> Answer:
    """One of `found` with other fields. Raises BadInput where nothing would change."""
    place = await memory.place("", EVERYWHERE)
    done: r.Changed = await memory.ask("node.edit", m.NodeEdit(place.name, view.id, dict(fields)))
    return Answer(Changed(done.node, done.commit, done.text, "", EVERYWHERE), f"Changed: {done.node[:8]}.")


async def found(memory: Memory, kinds: Iterable[str], subs: Iterable[str] = (), **fields: Any) -> list[NodeView]:
    """What is remembered in the scope "profile" of some kinds, of some subs where any are named, and with these fields; the newest
    first. What a later one replaced is left out."""
    place = await memory.place("", EVERYWHERE)
    if not place.known:
        return []
    view: GraphView = await memory.ask("graph.get", m.GraphGet(place.name))
    wanted, narrower = set(kinds), set(subs)
    rows = [each for each in view.nodes if each.kind in wanted and (not narrower or each.sub in narrower) and each.state == "current"]
    rows = [each for each in rows if all(each.fields.get(name) == value for name, value in fields.items())]
    return sorted(rows, key=lambda each: str(each.fields.get("date", "")), reverse=True)


async def one(memory: Memory, id_: str, kinds: Iterable[str], subs: Iterable[str], what: str) -> NodeView:
    """The one with this id, or the beginning of one. Raises NotFound, also for a memory of another kind."""
    rows = [each for each in await found(memory, kinds, subs) if each.id == id_ or (len(id_) >= 8 and each.id.startswith(id_))]
    if len(rows) != 1:
        raise NotFound(f"There is no {what} {id_[:80]!r}.", "Take its id from a list of them.")
    return rows[0]


async def noted(memory: Memory, view: NodeView, note: str) -> Answer:
    """Something said about it later; its own words stay."""
    if not note.strip():
        raise BadInput("There is nothing to note.")
    return await changed(memory, view, noted_on(view, note))


def noted_on(view: NodeView, note: str) -> dict[str, list[str]]:
    """The fields of a memory with one more note."""
    return {NOTES: [*_notes(view), note]}


def _notes(view: NodeView) -> list[str]:
    kept = view.fields.get(NOTES, [])
    return list(map(str, kept)) if isinstance(kept, list) else [str(kept)]


def listed(rows: Iterable[NodeView], cursor: str, mark: object, most: int = 100, kind: str = "memories", *, whole: bool = False) -> Answer:
    """`whole`: long texts come in pieces and are not cut."""
    items = [piece for each in rows for piece in (_pieces(each) if whole else [_item(each)])]
    page = cut(items, cursor, mark, most=max(1, most))
    text = block(kind, map(_line, page.items)) if items else "Nothing is remembered yet."
    data = Items(page.items, page.total, page.cursor)
    return Answer(data, text + more(page.cursor, page.start + len(page.items), page.total))


def _said(each: NodeView) -> str:
    return str(each.fields.get("text") or each.text)


def _pieces(each: NodeView) -> list[Item]:
    first = _item(each)
    return [replace(first, text=piece, offset=at, notes=first.notes if not at else None) for at, piece in pieces(_said(each))]


def _item(each: NodeView) -> Item:
    said = _said(each)
    title = str(each.fields.get("title") or each.fields.get("name") or "")
    date, status = str(each.fields.get("date", "")), str(each.fields.get("status", ""))
    short = said if len(said) <= 600 else said[:599] + "…"
    return Item(each.id, each.sub, short, title, date, status, [note[:300] for note in _notes(each)][:20] or None)


def _line(each: Item) -> str:
    title = f"{each.title}: " if each.title and each.title != each.text else ""
    said = f"{each.id[:8]} {each.kind}: {title}{each.text}" + "".join(f" / {note}" for note in each.notes or ())
    return line(said, "", each.date[:10])
