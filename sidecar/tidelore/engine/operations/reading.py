"""Reading what stands: the state of somebody, and the messages word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.chats import OpenChat, check_index
from tidelore.engine.errors import BadInput
from tidelore.engine.graph import Graph
from tidelore.engine.history import Slot
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.edges import maybe
from tidelore.engine.recall.query import holds_name
from tidelore.engine.table import Call, method, positive
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold, fold_name

if TYPE_CHECKING:
    from tidelore.engine.service import Service

EXCERPT, BEFORE = 320, 80
MOST_READ = 200


@method("state.get", m.StateGet, r.StateOf)
async def state_get(service: Service, params: m.StateGet, call: Call) -> r.StateOf:
    """What holds now about somebody or something: facts that no later one replaced, and how it hangs together with others."""
    del call
    homes = [await service.chats.open(params.chat)]
    for scope in dict.fromkeys(params.scopes):
        beside = await service.chats.scoped(scope)
        if beside is not None and beside is not homes[0]:
            homes.append(beside)
    known = [(home, node) for home in homes if (node := maybe(home.graph, params.about)) is not None]
    if not known:
        # Nobody is called so, but it may have been said all the same.
        name = fold_name(params.about.strip())
        told = [each for home in homes for each in _current(home, _telling(home.graph, name))] if name else []
        return r.StateOf("", params.about, "", [], told, [])
    first = known[0][1]
    names = [first.text, *(name for _, node in known for name in (node.text, *_aliases(node)))]
    facts = [fact for home, node in known for fact in _facts(home, node)]
    relations = [each for home, node in known for each in _relations(home.graph, node)]
    return r.StateOf(first.id, first.text, first.sub, list(dict.fromkeys(names))[1:], facts, relations)


def _aliases(node: NodeState) -> Sequence[str]:
    found = node.fields.get("aliases")
    return found if isinstance(found, tuple) else ()


def _facts(home: OpenChat, node: NodeState) -> list[r.StateFact]:
    graph = home.graph
    return _current(home, [graph.nodes[start] for kind, start, end, _ in node.edges if kind == "about" and end == node.id])


def _telling(graph: Graph, name: str) -> list[NodeState]:
    """The facts whose words hold a folded name."""
    return [each for each in graph.shown() if each.kind == "fact" and holds_name(fold_name(each.text), name)]


def _current(home: OpenChat, about: Sequence[NodeState]) -> list[r.StateFact]:
    """Those of these facts that hold now, newest first."""
    graph = home.graph
    current = [each for each in about if each.shown and each.kind == "fact" and not graph.superseded(each) and not each.marked("private")]
    current.sort(key=lambda each: each.parts[-1].key, reverse=True)
    return [r.StateFact(each.id, home.record.name, each.sub, each.scope, _attribute(each), each.text) for each in current]


def _attribute(node: NodeState) -> str:
    found = node.fields.get("attribute")
    return found if isinstance(found, str) else ""


def _relations(graph: Graph, node: NodeState) -> list[r.Relation]:
    out = []
    for kind, start, end, label in sorted(node.edges):
        other = graph.nodes[end if start == node.id else start]
        if kind != "about" and other.shown and not other.marked("private"):
            out.append(r.Relation(kind, label, start == node.id, other.id, other.text))
    return out


@method("sources.search", m.SourcesSearch, r.SourcesFound)
async def sources_search(service: Service, params: m.SourcesSearch, call: Call) -> r.SourcesFound:
    """Find messages of a chat by the words in them, in every script; the messages themselves, not what was made of them. Newest first."""
    del call
    limit = positive(params.limit, "limit")
    chat = await service.chats.open(params.chat)
    slots = chat.timeline.slots
    end = len(slots) if params.before is None else min(max(params.before, 0), len(slots))
    query = _Query(params.query)
    speaker = fold_name(params.speaker) if params.speaker.strip() else ""
    hits = [
        at
        for at in range(end - 1, -1, -1)
        if params.role in ("", slots[at].role) and (not speaker or fold_name(slots[at].name) == speaker) and query.finds(chat, slots[at])
    ]
    page = hits[:limit]
    shown = [_view(chat, at, query.place(_text(chat, slots[at]))) for at in page]
    return r.SourcesFound(shown, len(hits), page[-1] if len(hits) > limit else None)


@method("sources.read", m.SourcesRead, r.SourcesShown)
async def sources_read(service: Service, params: m.SourcesRead, call: Call) -> r.SourcesShown:
    """Messages of a chat, whole and in order."""
    del call
    chat = await service.chats.open(params.chat)
    last = params.first if params.last is None else params.last
    check_index(chat, params.first, "first")
    check_index(chat, last, "last")
    if params.first > last:
        raise BadInput(f"The range {params.first} to {last} ends before it begins.", "Name the smaller index first.")
    if not 0 <= params.around <= MOST_READ:
        raise BadInput(f"around is {params.around}.", f"It is from 0 to {MOST_READ}.")
    begin, end = max(0, params.first - params.around), min(len(chat.timeline.slots) - 1, last + params.around)
    if end - begin >= MOST_READ:
        raise BadInput(f"These are {end - begin + 1} messages.", f"Read at most {MOST_READ} at once.")
    return r.SourcesShown([_view(chat, at) for at in range(begin, end + 1)], len(chat.timeline.slots))


class _Query:
    """Words to be found: all of them in any form, or the text as it was typed."""

    def __init__(self, text: str) -> None:
        self.typed = fold(" ".join(text.split()))
        self.words = frozenset(tokens(text))

    def finds(self, chat: OpenChat, slot: Slot) -> bool:
        if not self.typed:
            return True
        if self.words:
            known = chat.home.words.get(slot.key)
            if known is None:
                known = chat.home.words[slot.key] = frozenset(tokens(_text(chat, slot)))
            if self.words <= known:
                return True
        return self.typed in fold(_text(chat, slot))

    def place(self, text: str) -> int:
        """Where the first of what is looked for begins, as well as can be told; 0 for the beginning."""
        if not self.typed:
            return 0
        exact = re.search(re.escape(self.typed), text, re.IGNORECASE)
        if exact is not None:
            return exact.start()
        begins = [at.start() for word in self.words if (at := re.search(re.escape(word), text, re.IGNORECASE)) is not None]
        return min(begins, default=0)


def _text(chat: OpenChat, slot: Slot) -> str:
    source = chat.pool.sources.get(slot.key)
    return source.text if source is not None else ""


def _view(chat: OpenChat, at: int, place: int | None = None) -> r.SourceView:
    """`place`: what an excerpt has to show; None for the whole text."""
    slot = chat.timeline.slots[at]
    text = _text(chat, slot)
    offset, shown = 0, text
    if place is not None and len(text) > EXCERPT:
        offset = max(0, min(place - BEFORE, len(text) - EXCERPT))
        shown = text[offset : offset + EXCERPT]
    return r.SourceView(at, slot.key, slot.role, slot.name, slot.date, shown, offset, len(text))
