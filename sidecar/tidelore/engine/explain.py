"""Why: from a node down to the very words, and the trace of a recall."""

from __future__ import annotations

from tidelore.engine import results as r
from tidelore.engine.chats import OpenChat
from tidelore.engine.history import Slot
from tidelore.engine.model import Fields, Patch, Retire
from tidelore.engine.nodes import NodePart, NodeState
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.run import Recall, speaker_of
from tidelore.engine.recall.score import Scored
from tidelore.engine.text.counting import count_tokens

TRACED = 30


def why(chat: OpenChat, node: NodeState) -> r.Why:
    """The commits behind a node, in fold order, with their messages; then the changes by hand."""
    beliefs = [_belief(chat, part) for part in node.parts]
    for key, operation in node.patches:
        commit = chat.pool.commits[key[2]]
        beliefs.append(r.Belief(commit.author, commit.maker, [], _patched(operation)))
    return r.Why(node.id, node.kind, node.text, beliefs)


def _belief(chat: OpenChat, part: NodePart) -> r.Belief:
    commit = part.placement.commit
    quotes: dict[str, str] = dict(part.evidence)
    cited = [slot for slot in part.placement.slots if slot.key in quotes] or list(part.placement.slots)
    if not cited:
        # An import or a split quotes messages and has no place of its own among them.
        cited = sorted({slot for key in quotes for slot in chat.timeline.places.get(key, ())}, key=lambda slot: slot.order)
    return r.Belief(commit.author, commit.maker, [_message(chat, slot, quotes.get(slot.key, "")) for slot in cited], _plain(part.fields))


def messages_of(chat: OpenChat, node: NodeState) -> list[r.MessageView]:
    """The messages that a node rests on, in order, each once: those that it quotes, else those of its windows."""
    quotes: dict[str, str] = {}
    for key, quote in node.evidence:
        quotes[key] = quotes.get(key) or quote
    slots = {slot for part in node.parts for slot in part.placement.slots if not quotes or slot.key in quotes}
    if not slots:
        slots = {slot for key in quotes for slot in chat.timeline.places.get(key, ())}
    return [_message(chat, slot, quotes.get(slot.key, "")) for slot in sorted(slots, key=lambda slot: slot.order)]


def _message(chat: OpenChat, slot: Slot, quote: str) -> r.MessageView:
    source = chat.pool.sources.get(slot.key)
    return r.MessageView(chat.timeline.index(slot), slot.role, slot.name, source.text if source else "", quote)


def _plain(fields: Fields) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _patched(operation: Patch | Retire) -> dict[str, object]:
    if isinstance(operation, Retire):
        return {"retired": operation.expects}
    value = operation.value
    return {operation.field: list(value) if isinstance(value, tuple) else value}


def card(index: Index, each: Scored) -> r.Card:
    """A recalled memory with the messages it rests on."""
    node, timeline = index.graph.nodes[each.document.id], index.timeline
    evidence: list[r.CardEvidence] = []
    for key, quote in node.evidence:
        places = sorted(map(timeline.index, timeline.places.get(key, ())))
        evidence.append(r.CardEvidence(places[0] if places else None, key, quote))
    text = each.document.text
    return r.Card(
        node.id,
        node.kind,
        node.sub,
        node.scope,
        text,
        speaker_of(index, each.document),
        each.document.date,
        each.document.importance,
        round(each.score, 6),
        count_tokens(text),
        evidence,
    )


def trace(chat: OpenChat, found: Recall) -> r.Trace:
    """What was looked for and what became of the first candidates."""
    names = [chat.graph.nodes[id_].text for id_ in found.query.entities] + sorted(found.query.speakers)
    cards = [
        r.TraceCard(
            each.scored.document.id,
            each.scored.document.text,
            round(each.scored.score, 6),
            {name: round(value, 6) for name, value in each.scored.signals.items() if value},
            each.taken,
            each.reason,
        )
        for each in found.decisions[:TRACED]
    ]
    return r.Trace(sorted(found.query.words), list(dict.fromkeys(names)), found.found, cards)
