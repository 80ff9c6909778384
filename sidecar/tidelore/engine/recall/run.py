"""The whole path of a recall, stage by stage, and its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from tidelore.engine.errors import TideloreError
from tidelore.engine.ports import VectorModel, Vectors
from tidelore.engine.recall.admit import Decision, admit
from tidelore.engine.recall.core import core_lines
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.pack import Block, Line, frame_tokens, line_text, line_tokens, pack
from tidelore.engine.recall.presets import Preset
from tidelore.engine.recall.query import Query, understand
from tidelore.engine.recall.score import Scored, candidates, score
from tidelore.engine.recall.spread import spread

CORE_SHARE = 0.4
DENSE_CANDIDATES = 200
# How many of the best candidates are judged; the rest is too weak to become a card.
LOOKED_AT = 100
# Seconds that an embedder may hold up a reply.
PATIENCE = 1.5


@dataclass(frozen=True, slots=True)
class Recall:
    """`cards` in rank order, as far as they fit the budget; `decisions` on every candidate; `found` counts the candidates, also those
    too weak to be judged; `degraded` says what was missing."""

    query: Query
    cards: Sequence[Scored]
    decisions: Sequence[Decision]
    core: Block
    recalled: Block
    degraded: Sequence[str]
    found: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """`context_from`: index of the first message that is in the prompt anyway; memories that rest only on those are left out. `patience`:
    seconds that the embedder may take; words and graph do not wait longer."""

    text: str
    preset: Preset
    budget: int
    limit: int
    language: str
    reply: str = ""
    earlier: str = ""
    context_from: int | None = None
    cooling: Collection[str] = ()
    exclude: Collection[str] = ()
    patience: float = PATIENCE


async def recall(request: Request, index: Index, vectors: Vectors | None) -> Recall:
    """Find, rank, admit and pack. Nothing is noted as delivered here."""
    index.refresh()
    query = understand(request.text, index, request.reply, request.earlier)
    if query.empty or vectors is None:
        return _recall(request, index, query, {}, None, ())
    cosines: Mapping[str, float] = {}
    model = None
    revision = index.revision
    degraded: list[str] = []
    try:
        async with asyncio.timeout(request.patience):
            near = await vectors.score(query.dense, DENSE_CANDIDATES, index.documents.keys())
        cosines = {id_: cosine for id_, cosine in near if isfinite(cosine)}
        model = vectors.model()
    except TimeoutError:
        degraded.append("embedder: It is late; words and names recalled alone.")
    except TideloreError as error:
        degraded.append(f"embedder: {error.sentence}")
    # The chat may have changed while the embedder was thinking.
    index.refresh()
    if index.revision != revision:
        query = understand(request.text, index, request.reply, request.earlier)
    return _recall(request, index, query, cosines, model, degraded)


def _recall(
    request: Request, index: Index, query: Query, cosines: Mapping[str, float], model: VectorModel | None, degraded: Sequence[str]
) -> Recall:
    core = pack(core_lines(index.graph, index.core), "core", request.language, int(request.budget * CORE_SHARE))
    if query.empty:
        return Recall(query, (), (), core, Block("", 0, ()), degraded)
    mass = spread(query, index)
    found = candidates(query, index, mass, cosines)
    ranked = score(query, index, found, mass, cosines, model, max(LOOKED_AT, request.limit * 5))
    budget = request.budget - core.tokens
    decisions = admit(
        ranked,
        request.preset,
        request.limit,
        model,
        in_context={*_in_context(index, ranked, request.context_from), *core.nodes, *request.exclude},
        cooling=request.cooling,
        cost=lambda each: line_tokens(_line(each, index)),
        room=budget - frame_tokens("recalled", request.language),
    )
    taken = [decision.scored for decision in decisions if decision.taken]
    recalled = pack([_line(each, index) for each in taken], "recalled", request.language, budget)
    return Recall(query, taken, decisions, core, recalled, degraded, len(found))


def _in_context(index: Index, ranked: Sequence[Scored], context_from: int | None) -> set[str]:
    """The memories all of whose messages are in the prompt. A hidden message is not, wherever it stands."""
    timeline = index.timeline
    if context_from is None or context_from >= len(timeline.orders):
        return set()
    border = timeline.orders[max(0, context_from)]
    out: set[str] = set()
    for each in ranked:
        keys = {slot.key for slot in index.cited(index.graph.nodes[each.document.id])}
        if keys and all(any(slot.order >= border and not slot.hidden for slot in timeline.places[key]) for key in keys):
            out.add(each.document.id)
    return out


def _line(each: Scored, index: Index) -> Line:
    document = each.document
    return Line(document.id, line_text(document.text, speaker_of(index, each), document.date), document.order)


def speaker_of(index: Index, each: Scored) -> str:
    """The name on screen of who said it; empty for what has no one place."""
    document = each.document
    if document.kind not in ("moment", "fact") or len(document.speakers) != 1:
        return ""
    slots = index.cited(index.graph.nodes[document.id])
    return min((slot.order, slot.name) for slot in slots if slot.name)[1]
