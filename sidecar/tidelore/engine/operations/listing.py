"""Memories as a list: searched, filtered, sorted, a page at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidelore.engine import methods_care as mc
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import BadInput
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.choosing import Wanted, places
from tidelore.engine.operations.edges import found
from tidelore.engine.recall.core import card_text
from tidelore.engine.recall.index import asks
from tidelore.engine.table import Call, method, positive
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold
from tidelore.engine.upkeep.versions import when
from tidelore.engine.view import state_of

if TYPE_CHECKING:
    from tidelore.engine.service import Service

MOST_ROWS = 500
NOWHERE = -1


@method("node.list", mc.NodeList, rc.NodeRows)
async def node_list(service: Service, params: mc.NodeList, call: Call) -> rc.NodeRows:
    """The memories of a chat, searched by words and filtered, a page at a time. Finds what is archived too."""
    del call
    limit = positive(params.limit, "limit")
    if limit > MOST_ROWS:
        raise BadInput(f"limit is {limit}.", f"Ask for at most {MOST_ROWS} at once.")
    if params.offset < 0:
        raise BadInput(f"offset is {params.offset}.", "Count from 0.")
    wanted = Wanted(params.kinds, params.subs, params.scopes, params.states, params.first, params.last, params.private, what="node.list")
    chat = await service.chats.open(params.chat)
    near = _near(chat, params.about)
    finds = _query(params.query)
    rows = [
        node
        for node in wanted.among(chat.graph, chat.timeline)
        if (near is None or node.id in near) and (not params.marked or node.marked(params.marked)) and finds(node)
    ]
    rows.sort(key=_order(chat, params.sort))
    if params.query and params.sort == "newest":
        # Who searches wants what was said, before what somebody asked about it.
        rows.sort(key=lambda node: node.kind == "moment" and asks(node.text))
    page = rows[params.offset : params.offset + limit]
    end = params.offset + limit
    return rc.NodeRows([_row(chat, node) for node in page], len(rows), end if end < len(rows) else None)


def _near(chat: OpenChat, about: str) -> set[str] | None:
    """The ids of a node and of what hangs together with it; None where no node is named."""
    if not about:
        return None
    node = found(chat.graph, about)
    return {node.id, *(chat.graph.edges[name].other(node.id) for name in node.edges)}


def _query(text: str) -> Callable[[NodeState], bool]:
    typed = fold(" ".join(text.split()))
    words = frozenset(tokens(text))

    def finds(node: NodeState) -> bool:
        said = card_text(node)
        aliases = node.fields.get("aliases")
        if isinstance(aliases, tuple):
            said = "\n".join((said, *aliases))
        return typed in fold(" ".join(said.split())) or (bool(words) and words <= frozenset(tokens(said)))

    return finds if typed else lambda _: True


def _order(chat: OpenChat, sort: str) -> Callable[[NodeState], Any]:
    def first(node: NodeState) -> int:
        return (places(node, chat.timeline) or [NOWHERE])[0]

    def last(node: NodeState) -> int:
        return (places(node, chat.timeline) or [NOWHERE])[-1]

    match sort:
        case "oldest":
            return lambda node: (first(node), node.parts[0].key, node.id)
        case "changed":
            return lambda node: (-_changed(chat, node)[0], node.id)
        case "importance":
            return lambda node: (-(_importance(node) or 0), -last(node), node.id)
        case "text":
            return lambda node: (fold(node.text), node.id)
        case _:
            # What rests on no message was written by hand, newest first before all others.
            return lambda node: (last(node) != NOWHERE, -last(node), -_changed(chat, node)[0], node.id)


def _changed(chat: OpenChat, node: NodeState) -> tuple[int, str]:
    """The clock of the newest contribution and its author."""
    found = [(part.placement.commit.clock, part.placement.commit.author) for part in node.parts]
    found += [(key[1], chat.pool.commits[key[2]].author) for key, _ in node.patches]
    clock, author = max(found)
    return clock, author


def _importance(node: NodeState) -> float | None:
    value = node.fields.get("importance")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _row(chat: OpenChat, node: NodeState) -> rc.NodeRow:
    at = places(node, chat.timeline)
    first = chat.timeline.slots[at[0]] if at else None
    clock, author = _changed(chat, node)
    shown = sum(1 for name in node.edges if (other := chat.graph.nodes[chat.graph.edges[name].other(node.id)]).parts and other.shown)
    return rc.NodeRow(
        node.id,
        node.kind,
        node.sub,
        node.scope,
        node.text,
        state_of(chat.graph, node),
        node.marked("pinned"),
        node.marked("private"),
        _importance(node),
        at[0] if at else None,
        at[-1] if at else None,
        shown,
        len(node.evidence),
        author,
        when(clock),
        first.name if first else "",
        first.date if first else "",
    )
