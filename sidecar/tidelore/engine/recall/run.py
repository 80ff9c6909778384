"""The whole path of a recall, stage by stage, and its trace."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tidelore.engine.errors import TideloreError
from tidelore.engine.ports import Vectors
from tidelore.engine.recall.admit import Decision, admit
from tidelore.engine.recall.core import core_lines
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.pack import Block, Line, line_text, pack
from tidelore.engine.recall.presets import Preset
from tidelore.engine.recall.query import Query, understand
from tidelore.engine.recall.score import Scored, candidates, score
from tidelore.engine.recall.spread import spread

CORE_SHARE = 0.4
DENSE_CANDIDATES = 200
# How many of the best candidates are judged; the rest is too weak to become a card.
LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class Recall:
    """`cards` in rank order, as far as they fit the budget; `decisions` on every candidate; `degraded` says what was missing."""

    query: Query
    cards: Sequence[Scored]
    decisions: Sequence[Decision]
    core: Block
    recalled: Block
    degraded: Sequence[str]


@dataclass(frozen=True, slots=True)
class Request:
    """`context_from`: index of the first message that is in the prompt anyway; memories that rest only on those are left out."""

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


async def recall(request: Request, index: Index, vectors: Vectors | None) -> Recall:
    """Find, rank, admit and pack. Nothing is noted as delivered here."""
    index.refresh()
    core = pack(core_lines(index.graph, index.core), "core", request.language, int(request.budget * CORE_SHARE))
    query = understand(request.text, index, request.reply, request.earlier)
    if query.empty:
        return Recall(query, (), (), core, Block("", 0, ()), ())
    degraded: list[str] = []
    cosines: Mapping[str, float] = {}
    model = None
    if vectors is not None:
        try:
            cosines = dict(await vectors.score(query.dense, DENSE_CANDIDATES, index.documents.keys()))
            model = vectors.model()
        except TideloreError as error:
            degraded.append(f"embedder: {error.sentence}")
    mass = spread(query, index)
    found = candidates(query, index, mass, cosines)
    ranked = score(query, index, found, mass, cosines, model, max(LOOKED_AT, request.limit * 5))
    decisions = admit(
        query,
        ranked,
        request.preset,
        request.limit,
        model,
        in_context={*_in_context(index, ranked, request.context_from), *core.nodes, *request.exclude},
        cooling=request.cooling,
    )
    taken = [decision.scored for decision in decisions if decision.taken]
    recalled = pack([_line(each, index) for each in taken], "recalled", request.language, request.budget - core.tokens)
    fitting = frozenset(recalled.nodes)
    decisions = [
        Decision(each.scored, False, "over the budget") if each.taken and each.scored.document.id not in fitting else each
        for each in decisions
    ]
    return Recall(query, [each for each in taken if each.document.id in fitting], decisions, core, recalled, degraded)


def _in_context(index: Index, ranked: Sequence[Scored], context_from: int | None) -> set[str]:
    if context_from is None:
        return set()
    orders = index.timeline.orders
    if context_from >= len(orders):
        return set()
    border = orders[max(0, context_from)]
    out: set[str] = set()
    for each in ranked:
        places = index.graph.places(index.graph.nodes[each.document.id])
        if places and places[0] >= border:
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
    for key, _ in index.graph.nodes[document.id].evidence:
        for slot in index.timeline.places.get(key, ()):
            if slot.name:
                return slot.name
    return ""
