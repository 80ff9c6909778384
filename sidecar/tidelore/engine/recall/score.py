"""Stage 4: signals added on fixed scales. Never rank fusion, never z-scores: both measured worse (docs/recall.md)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tidelore.engine.ports import VectorModel
from tidelore.engine.recall.index import Document, Index
from tidelore.engine.recall.presets import DENSE, WORDS
from tidelore.engine.recall.query import Query

# Keeps the logarithm of a memory that the walk did not reach finite.
UNREACHED = 1e-6
# BM25 over whole sessions (benchmark recipe).
SESSION_K1, SESSION_B = 1.2, 0.5
BEST_SESSIONS = 3


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the share of each signal in its score. `share`: how much of the query's weight its own words meet, 0 to 1."""

    document: Document
    score: float
    signals: Mapping[str, float]
    share: float
    mass: float
    cosine: float | None
    named: bool


def candidates(query: Query, index: Index, mass: Mapping[str, float], cosines: Mapping[str, float]) -> Collection[str]:
    """Stage 2, what is looked at: whatever the walk or the embedder reached, and all that stands in a month or year asked for."""
    found = dict.fromkeys([*mass, *cosines])
    if query.months or query.years:
        found |= dict.fromkeys(id_ for id_, document in index.documents.items() if _dated(query, document))
    for name in query.entities:
        if name in index.documents:
            found[name] = None
    return [id_ for id_ in found if id_ in index.documents]


def score(
    query: Query,
    index: Index,
    found: Collection[str],
    mass: Mapping[str, float],
    cosines: Mapping[str, float],
    model: VectorModel | None,
) -> list[Scored]:
    """Best first; equal scores in story order."""
    weights = DENSE if cosines and model else WORDS
    sessions = _sessions(query, index)
    shares = _shares(query, index)
    floor = min(cosines.values(), default=0.0)
    span = max((document.order for document in index.documents.values()), default=0) or 1
    only = next(iter(query.speakers)) if len(query.speakers) == 1 else None
    entities = frozenset(query.entities)
    out: list[Scored] = []
    for id_ in found:
        document = index.documents[id_]
        signals = {
            "spread": weights.spread * math.log(UNREACHED + mass.get(id_, 0.0)),
            "session": weights.session * sessions.get(index.session(document), 0.0),
            "speaker": weights.speaker * (only is not None and only in document.speakers),
            "date": weights.date * _dated(query, document),
            "asks": -weights.asks * document.asks,
            "length": weights.length * math.log1p(document.length),
            "importance": weights.importance * document.importance,
            "recency": weights.recency * document.order / span,
        }
        if model is not None and cosines:
            signals["cosine"] = model.scale * cosines.get(id_, floor)
        named = id_ in entities or not entities.isdisjoint(document.entities)
        total = sum(signals.values())
        out.append(Scored(document, total, signals, shares.get(id_, 0.0), mass.get(id_, 0.0), cosines.get(id_), named))
    # Rounded, since sums of floats differ in the last digits with the order in which a graph was built.
    return sorted(out, key=lambda each: (-round(each.score, 9), each.document.order, each.document.id))


def _sessions(query: Query, index: Index) -> dict[int, float]:
    """BM25 of each session as a share of the best score there could be."""
    lengths = index.session_lengths
    count = len(lengths)
    mean = sum(lengths) / count or 1.0
    out: dict[int, float] = {}
    best = 0.0
    for word, weight in query.words.items():
        frequencies: dict[int, int] = {}
        for id_, times in index.postings.get(word, {}).items():
            session = index.session(index.documents[id_])
            frequencies[session] = frequencies.get(session, 0) + times
        idf = weight * math.log(1 + (count - len(frequencies) + 0.5) / (len(frequencies) + 0.5))
        best += idf * (SESSION_K1 + 1)
        for session, times in frequencies.items():
            norm = SESSION_K1 * (1 - SESSION_B + SESSION_B * lengths[session] / mean)
            out[session] = out.get(session, 0.0) + idf * times * (SESSION_K1 + 1) / (times + norm)
    return {session: value / best for session, value in out.items()} if best else {}


def _shares(query: Query, index: Index) -> dict[str, float]:
    """Of each memory, the share of the query's weight (IDF) that its own words meet."""
    total = 0.0
    out: dict[str, float] = {}
    for word, weight in query.words.items():
        row = index.postings.get(word, {})
        value = weight * index.idf(len(row))
        total += value
        for id_ in row:
            out[id_] = out.get(id_, 0.0) + value
    return {id_: value / total for id_, value in out.items()} if total else {}


def _dated(query: Query, document: Document) -> bool:
    """Whether a memory stands in the month and year that the query names."""
    date = document.date
    if not date or not (query.months or query.years) or not date[5:7].isdigit():
        return False
    return (not query.months or int(date[5:7]) in query.months) and (not query.years or date[:4] in query.years)
