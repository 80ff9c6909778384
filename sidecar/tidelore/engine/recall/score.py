"""Stage 4: signals added on fixed scales. Never rank fusion, never z-scores: both measured worse (docs/recall.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import log, log1p

from tidelore.engine.ports import VectorModel
from tidelore.engine.recall.document import Document
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.presets import DENSE, WORDS, Weights
from tidelore.engine.recall.query import Query, leading
from tidelore.engine.text.patterns import later

# Keeps the logarithm of a memory that the walk did not reach finite.
UNREACHED = 1e-6
# BM25 over whole sessions (benchmark recipe).
SESSION_K1, SESSION_B = 1.2, 0.5
# The passage of the next moment holds this one and what was said to it, so its cosine counts too, by this share (docs/recall.md). What
# has nothing after it stands for itself.
NEXT_SHARE = 0.45
# A long text asks for no more than so many words of a single memory each, else nothing could meet a fair share of it.
MOST_ASKED = 4.0
ALL_BUT_EQUAL = 1e-8
FIRST_HAN = "\u3400"
NAMES = (
    "spread",
    "session",
    "words",
    "speaker",
    "date",
    "answer",
    "detail",
    "replies",
    "asks",
    "length",
    "about",
    "outdated",
    "importance",
    "recency",
    "cosine",
)
SPEAKER, DATE, ANSWER = map(NAMES.index, ("speaker", "date", "answer"))
_MONTH = later(r"\d{4}-\d\d(?!\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate; `shares` are those of the signals in its score, in the order of `NAMES`. `share`: how much of the query's weight its own
    words meet, 0 to 1. `named`: it is, or belongs to, an entity that the query names and that leads somewhere."""

    document: Document
    score: float
    shares: tuple[float, ...]
    share: float
    mass: float
    cosine: float | None
    named: bool

    @property
    def signals(self) -> dict[str, float]:
        """The share of each signal."""
        return dict(zip(NAMES, self.shares, strict=True))


def candidates(query: Query, index: Index, mass: Mapping[str, float], cosines: Mapping[str, float]) -> Collection[str]:
    """Stage 2, what is looked at: whatever the walk or the embedder reached, and all that stands in a month or year asked for; where that
    is nothing and one person is asked about, what that one said."""
    documents = index.documents
    found = dict.fromkeys(mass)
    # The chat may have changed while the embedder was thinking.
    found.update(dict.fromkeys(cosines if cosines.keys() <= documents.keys() else [id_ for id_ in cosines if id_ in documents]))
    if query.months or query.years:
        found |= dict.fromkeys(id_ for id_, document in documents.items() if _dated(query, document))
    for name in query.entities:
        if name in documents:
            found[name] = None
    if not found and len(query.speakers) == 1 and query.wanted:
        found = dict.fromkeys(id_ for id_, document in documents.items() if not query.speakers.isdisjoint(document.speakers))
    return found


def score(
    query: Query,
    index: Index,
    found: Collection[str],
    mass: Mapping[str, float],
    cosines: Mapping[str, float],
    model: VectorModel | None,
    keep: int,
) -> list[Scored]:
    """The `keep` best, best first; equal scores in story order."""
    signals = _Signals(query, index, mass, cosines, model)
    totals = signals.totals(found)
    # Rounded, since sums of floats differ in the last digits with the order in which a graph was built; so what is all but equal to the
    # last of the best stays until the order is found.
    border = min(nlargest(keep, totals.values()), default=0.0) - ALL_BUT_EQUAL
    documents = index.documents
    best = sorted((-round(total, 9), documents[id_].order, id_) for id_, total in totals.items() if total >= border)
    return [signals.scored(document, shares) for document, shares in signals.of(id_ for _, _, id_ in best[:keep])]


class _Signals:
    """The signals of one query."""

    def __init__(
        self, query: Query, index: Index, mass: Mapping[str, float], cosines: Mapping[str, float], model: VectorModel | None
    ) -> None:
        self.query = query
        self.index = index
        self.mass = mass
        self.cosines = cosines
        self.scale = model.scale if model is not None and cosines else 0.0
        self.weights = DENSE if self.scale else WORDS
        self.floor = min(cosines.values(), default=0.0)
        self.only = next(iter(query.speakers)) if len(query.speakers) == 1 else None
        # What is told of someone counts like what that one says.
        named = index.names.get(self.only, ()) if self.only else query.entities if len(query.entities) == 1 else ()
        self.subjects = frozenset(named)
        words, names = leading(query, index)
        self.entities = frozenset(names)
        # Where only someone's name is given, what is known of them is wanted.
        self.told = frozenset(() if query.words else query.entities)
        self.dates = bool(query.months or query.years)
        self.sessions, self.met, self.asked = _words(query, words, index, self.weights)

    def totals(self, ids: Iterable[str]) -> dict[str, float]:
        """The sum of the signals of each. It runs over thousands of candidates of a query, so what it reads is at hand, and what does
        not depend on the query is worked out once."""
        index, query, weights = self.index, self.query, self.weights
        documents, sessions, scale, asked = index.documents, self.sessions, self.scale, self.asked
        session_of = index.session_of
        # In most chats all is in one session, or no session holds the words.
        alone = weights.session * sessions.get(0, 0.0) if len(index.sessions.lengths) == 1 else None if sessions else 0.0
        still = index.still.setdefault(weights, {})
        known, mass, met, cosines = still.get, self.mass.get, self.met.get, self.cosines.get
        only, subjects, told, floor = self.only, self.subjects, self.told, self.floor
        to_spread, to_session, to_words, to_replies = weights.spread, weights.session, weights.words, weights.replies
        to_time = weights.time if query.wanted.time else 0.0
        to_place = weights.place if query.wanted.place else 0.0
        named, dates, kinds = bool(only or subjects), self.dates, bool(to_time or to_place)
        before, following, next_share = index.preceding, index.following, NEXT_SHARE * scale
        out: dict[str, float] = {}
        for id_ in ids:
            document = documents[id_]
            total = known(id_)
            if total is None:
                total = still[id_] = self._still(document)
            total += to_spread * log(UNREACHED + mass(id_, 0.0))
            total += to_session * sessions.get(session_of[id_], 0.0) if alone is None else alone
            own = met(id_, 0.0)
            if own:
                total += to_words * (own / asked if own < asked else 1.0)
            if named and (only in document.speakers or document.subject in subjects):
                total += weights.speaker
            if dates and _dated(query, document):
                total += weights.date
            if kinds:
                if to_time and document.tells_time:
                    total += to_time
                if to_place and document.names:
                    total += to_place
            if id_ in before and (asking := met(before[id_], 0.0)) and documents[before[id_]].asks:
                total += to_replies * _share(asking, asked)
            if told and document.subject in told:
                total += weights.about
            if scale:
                total += scale * cosines(id_, floor) + next_share * cosines(following.get(id_, id_), floor)
            out[id_] = total
        return out

    def _still(self, document: Document) -> float:
        """The signals that are the same for every query."""
        weights = self.weights
        total = weights.length * log1p(document.length) + weights.names * document.names + weights.importance * document.importance
        total += weights.recency * self.index.sessions.place(document.order) - _asking(weights, document)
        outdated = document.kind == "moment" and not self.index.outdated.keys().isdisjoint(document.keys)
        return total + (weights.times if document.tells_time else 0.0) - (weights.outdated if outdated else 0.0)

    def of(self, ids: Iterable[str]) -> Iterator[tuple[Document, tuple[float, ...]]]:
        """Each with its signals, in the order of `NAMES`."""
        documents, session_at, place = self.index.documents, self.index.sessions.at, self.index.sessions.place
        outdated = self.index.outdated.keys()
        mass, sessions, met, cosines = self.mass, self.sessions, self.met, self.cosines
        only, subjects, told, dates, asked = self.only, self.subjects, self.told, self.dates, self.asked
        scale, floor, weights = self.scale, self.floor, self.weights
        to_spread, to_session, to_words, to_length = weights.spread, weights.session, weights.words, weights.length
        to_importance, to_recency = weights.importance, weights.recency
        following, to_next, before = self.index.following if scale else {}, NEXT_SHARE, self.index.preceding
        to_time = weights.time if self.query.wanted.time else 0.0
        to_place = weights.place if self.query.wanted.place else 0.0
        to_times, to_names, to_replies = weights.times, weights.names, weights.replies
        for id_ in ids:
            document = documents[id_]
            order = document.order
            yield (
                document,
                (
                    to_spread * log(UNREACHED + mass.get(id_, 0.0)),
                    to_session * sessions.get(session_at[order], 0.0),
                    to_words * _share(met.get(id_, 0.0), asked),
                    weights.speaker if only in document.speakers or document.subject in subjects else 0.0,
                    weights.date if dates and _dated(self.query, document) else 0.0,
                    (to_time if document.tells_time else 0.0) + (to_place if document.names else 0.0),
                    (to_times if document.tells_time else 0.0) + to_names * document.names,
                    to_replies * _share(met.get(before[id_], 0.0), asked) if id_ in before and documents[before[id_]].asks else 0.0,
                    -_asking(weights, document),
                    to_length * log1p(document.length),
                    weights.about if told and document.subject in told else 0.0,
                    -weights.outdated if document.kind == "moment" and not outdated.isdisjoint(document.keys) else 0.0,
                    to_importance * document.importance,
                    to_recency * place(order),
                    scale * (cosines.get(id_, floor) + to_next * cosines.get(following.get(id_, id_), floor)) if scale else 0.0,
                ),
            )

    def scored(self, document: Document, shares: tuple[float, ...]) -> Scored:
        id_ = document.id
        named = id_ in self.entities or not self.entities.isdisjoint(document.entities)
        share = _share(self.met.get(id_, 0.0), self.asked)
        return Scored(document, sum(shares), shares, share, self.mass.get(id_, 0.0), self.cosines.get(id_), named)


def _asking(weights: Weights, document: Document) -> float:
    """What a memory loses that is itself a question: one that is nothing else is not to stand before what answers it."""
    return weights.only_asks if document.only_asks else weights.asks if document.asks else 0.0


def _share(met: float, asked: float) -> float:
    """How much of what can be asked of one memory is met."""
    return met / asked if met < asked else 1.0


def _words(query: Query, leading: Mapping[str, float], index: Index, weights: Weights) -> tuple[dict[int, float], dict[str, float], float]:
    """BM25 of each session against the best score there could be; of each memory, how much of the query's weight (IDF) its own
    words meet; and how much of that can be asked of one memory, above 0."""
    lengths = index.sessions.lengths
    count = len(lengths)
    mean = sum(lengths) / count or 1.0
    sessions: dict[int, float] = {}
    shares: dict[str, float] = {}
    get = shares.get
    best = total = 0.0
    # A single Han character says little beside the pairs it stands in: it finds, but it does not admit.
    pairs = any(len(word) == 2 and word >= FIRST_HAN for word in query.words)
    for word, weight in query.words.items():
        row = index.postings.get(word, {})
        if row and word not in leading:
            continue
        value = weight * index.idf(len(row))
        if pairs and len(word) == 1 and word >= FIRST_HAN:
            value = 0.0
        total += value
        if shares:
            for id_ in row:
                shares[id_] = get(id_, 0.0) + value
        else:
            shares.update(dict.fromkeys(row, value))
        frequencies = index.in_sessions(word) if row else {}
        idf = weight * log(1 + (count - len(frequencies) + 0.5) / (len(frequencies) + 0.5))
        best += idf * (SESSION_K1 + 1)
        for session, times in frequencies.items():
            norm = SESSION_K1 * (1 - SESSION_B + SESSION_B * lengths[session] / mean)
            sessions[session] = sessions.get(session, 0.0) + idf * times * (SESSION_K1 + 1) / (times + norm)
    asked = min(total, MOST_ASKED * index.idf(1))
    best = min(best, weights.session_most) ** weights.session_power
    return (
        {session: value / best for session, value in sessions.items()} if best else {},
        shares,
        asked or 1.0,
    )


def _dated(query: Query, document: Document) -> bool:
    """Whether a memory stands in the month and year that the query names."""
    date = document.date
    if not (query.months or query.years) or not _MONTH.match(date):
        return False
    return (not query.months or int(date[5:7]) in query.months) and (not query.years or date[:4] in query.years)
