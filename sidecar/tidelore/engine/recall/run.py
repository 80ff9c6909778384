"""The whole path of a recall, stage by stage, and its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from tidelore.engine.errors import TideloreError
from tidelore.engine.ports import Lacking, VectorModel, Vectors
from tidelore.engine.recall.admit import Decision, admit, least_score, worth_judging
from tidelore.engine.recall.core import core_lines
from tidelore.engine.recall.document import Document
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.pack import Block, Line, added_tokens, day_of, frame_tokens, line_text, pack
from tidelore.engine.recall.presets import Preset
from tidelore.engine.recall.query import Query, understand
from tidelore.engine.recall.rerank import Judge, judged
from tidelore.engine.recall.score import Scored, candidates, score
from tidelore.engine.recall.spread import spread

CORE_SHARE = 0.4
DENSE_CANDIDATES = 500
# How many of the best candidates are judged; the rest is too weak to become a card.
LOOKED_AT = 100
# Seconds that an embedder may hold up a reply.
PATIENCE = 1.5


@dataclass(frozen=True, slots=True)
class Recall:
    """`cards` in rank order, as far as they fit the budget; `decisions` on every candidate; `found` counts the candidates, also those
    too weak to be judged; `homes`: the index that a card is from; `degraded` says what was missing."""

    query: Query
    cards: Sequence[Scored]
    decisions: Sequence[Decision]
    core: Block
    recalled: Block
    degraded: Sequence[str]
    found: int
    homes: Mapping[str, Index]


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


async def recall(request: Request, indexes: Sequence[Index], vectors: Vectors | None, judge: Judge | None = None) -> Recall:
    """Find, rank, admit and pack. The first index is the chat's, others are of scopes beside it. Nothing is noted as delivered here.
    `judge`: the memory model, where it is to say which of the best candidates help."""
    degraded: list[str] = []
    for index in indexes:
        index.refresh()
    # At once, so that an embedder which is late holds up the reply once, however many chats are read.
    searches = await asyncio.gather(*(_search(request, index, vectors, degraded) for index in indexes))
    for search in searches:
        search.catch_up(request)
    ranking = _ranking(request, searches)
    verdicts: Mapping[str, float] | None = None
    if judge is not None:
        verdicts = await _verdicts(request, ranking, judge, degraded)
        # The chat may have changed once more.
        for search in searches:
            search.catch_up(request)
        ranking = _ranking(request, searches)
    return _recall(request, searches, ranking, verdicts, list(dict.fromkeys(degraded)))


@dataclass(slots=True)
class _Search:
    """What is looked for in one index, and what the embedder said of it."""

    index: Index
    query: Query
    revision: int
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])
    model: VectorModel | None = None

    def catch_up(self, request: Request) -> None:
        """The chat may have changed while the embedder was thinking."""
        self.index.refresh()
        if self.index.revision != self.revision:
            self.query = understand(request.text, self.index, request.reply, request.earlier)

    def ranked(self, keep: int) -> tuple[list[Scored], int]:
        """The best candidates, and how many there were."""
        if self.query.empty:
            return [], 0
        mass = spread(self.query, self.index, self.cosines)
        found = candidates(self.query, self.index, mass, self.cosines)
        return score(self.query, self.index, found, mass, self.cosines, self.model, keep), len(found)


async def _search(request: Request, index: Index, vectors: Vectors | None, degraded: list[str]) -> _Search:
    query = understand(request.text, index, request.reply, request.earlier)
    search = _Search(index, query, index.revision)
    if query.empty or vectors is None or not index.documents:
        return search
    try:
        async with asyncio.timeout(request.patience):
            near = await vectors.score(query.dense, DENSE_CANDIDATES, index.ids)
        search.cosines = {id_: cosine for id_, cosine in near if isfinite(cosine)}
        search.model = vectors.model()
        if isinstance(vectors, Lacking) and (lacking := vectors.lacking(index.ids)):
            degraded.append(f"embedder: {lacking}")
    except TimeoutError:
        degraded.append("embedder: It is late; words and names recalled alone.")
    except TideloreError as error:
        degraded.append(f"embedder: {error.sentence}")
    return search


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The best candidates of all indexes, best first; `without` are those that must not become cards."""

    ranked: Sequence[Scored]
    homes: Mapping[str, Index]
    found: int
    core: Block
    without: Collection[str]
    model: VectorModel | None
    lines: dict[str, Line] = field(default_factory=dict[str, Line])

    def line(self, each: Scored) -> Line:
        """A card is weighed beside each of those before it, and packed."""
        id_ = each.document.id
        line = self.lines.get(id_)
        if line is None:
            line = self.lines[id_] = card_line(each.document, self.homes[id_])
        return line


def _ranking(request: Request, searches: Sequence[_Search]) -> _Ranking:
    first = searches[0]
    lines = core_of([(search.index, search.index.core) for search in searches])
    core = pack(lines, "core", request.language, int(request.budget * CORE_SHARE))
    homes: dict[str, Index] = {}
    rows: list[tuple[float, int, int, Scored]] = []
    found = 0
    for number, search in enumerate(searches):
        ranked, count = search.ranked(max(LOOKED_AT, request.limit * 5))
        found += count
        for at, each in enumerate(ranked):
            if homes.setdefault(each.document.id, search.index) is search.index:
                rows.append((-round(each.score, 9), number, at, each))
    ranked = [row[3] for row in sorted(rows, key=lambda row: row[:3])]
    mine = [each for each in ranked if homes[each.document.id] is first.index]
    without = {*_in_context(first.index, mine, request.context_from), *core.nodes, *request.exclude}
    model = next((search.model for search in searches if search.model is not None), None)
    return _Ranking(ranked, homes, found, core, without, model)


async def _verdicts(request: Request, ranking: _Ranking, judge: Judge, degraded: list[str]) -> Mapping[str, float] | None:
    """What the memory model says of the best candidates, by memory; where it fails, none of them under a preset that is `shut`, and None,
    so that the scores decide, under the others."""
    asked = worth_judging(ranking.ranked, request.preset, ranking.model, ranking.without)
    if not asked:
        return {}
    try:
        scores = await judged(judge, request.text, [ranking.line(each).text for each in asked])
        return dict(zip((each.document.id for each in asked), scores, strict=True))
    except TimeoutError:
        degraded.append("rerank: The memory model is late.")
    except TideloreError as error:
        degraded.append(f"rerank: {error.sentence}")
    return {} if request.preset.shut else None


def _recall(
    request: Request, searches: Sequence[_Search], ranking: _Ranking, verdicts: Mapping[str, float] | None, degraded: Sequence[str]
) -> Recall:
    ranked, core = ranking.ranked, ranking.core
    if verdicts is not None:
        ranked = sorted(ranked, key=lambda each: -verdicts.get(each.document.id, 0.0))
    budget = request.budget - core.tokens
    decisions = admit(
        ranked,
        request.preset,
        request.limit,
        ranking.model,
        in_context=ranking.without,
        cooling=request.cooling,
        cost=lambda each, shown: added_tokens(ranking.line(each), list(map(ranking.line, shown))),
        room=budget - frame_tokens("recalled", request.language),
        least=least_score(
            ranking.model,
            sum(search.index.size for search in searches),
            stranger=all(search.query.stranger for search in searches),
        ),
        verdicts=verdicts,
    )
    taken = [decision.scored for decision in decisions if decision.taken]
    recalled = pack(list(map(ranking.line, taken)), "recalled", request.language, budget)
    return Recall(searches[0].query, taken, decisions, core, recalled, degraded, ranking.found, ranking.homes)


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


def core_of(parts: Sequence[tuple[Index, Collection[str]]]) -> list[Line]:
    """The lines of a core block: of each index those of these nodes that may stand there, one index after the other."""
    lines = [line for index, ids in parts for line in core_lines(index.graph, ids)]
    return [replace(line, order=at) for at, line in enumerate(lines)]


def card_line(document: Document, index: Index) -> Line:
    """The line of a recalled block."""
    return Line(document.id, line_text(document.text, speaker_of(index, document), document.date), document.order, day_of(document.date))


def speaker_of(index: Index, document: Document) -> str:
    """The name on screen of who said it; empty for what has no one place."""
    if document.kind not in ("moment", "fact") or len(document.speakers) != 1:
        return ""
    slots = index.cited(index.graph.nodes[document.id])
    return min((slot.order, slot.name) for slot in slots if slot.name)[1]
