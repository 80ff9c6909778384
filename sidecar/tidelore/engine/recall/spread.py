"""Stage 3: activation over memories, words and names: personalised PageRank by local push, in rounds, so that the outcome does not
depend on the order in which anything was stored."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tidelore.engine.recall.index import Index
from tidelore.engine.recall.query import Query, leading

# Recipe of the evidence-retrieval benchmark: restart 0.3, 8 rounds, a neighbour in time weighs twice the mean IDF.
RESTART = 0.3
ROUNDS = 8
CHAIN = 2.0
# Mass per link below which a node passes nothing on.
TOLERANCE = 1e-4
NAME_SEED = 1.5
# The walk also starts at so many memories that the embedder finds nearest, few enough; they are this share of the start. Each counts by
# how much nearer it is than the last of them, and by a little more, so that the last counts too (docs/recall.md).
NEAREST, NEAREST_SHARE, LEAST_LEAD = 10, 0.3, 0.02


def spread(query: Query, index: Index, cosines: Mapping[str, float] = MappingProxyType({})) -> dict[str, float]:
    """Mass that a walk from the query's words and names, and from the memories that an embedder finds nearest, leaves on each memory it
    reaches; sums to less than 1. `cosines` by memory, as far as they are known."""
    words, names = _seeds(query, index)
    documents = _nearest(cosines, index)
    total = sum(words.values()) + sum(names.values())
    if not total and not documents:
        return {}
    share = (NEAREST_SHARE if documents else 0.0) if total else 1.0
    words = {word: (1 - share) * value / total for word, value in words.items()}
    names = {name: (1 - share) * value / total for name, value in names.items()}
    documents = {id_: share * value for id_, value in documents.items()}
    mass: dict[str, float] = {}
    for _ in range(ROUNDS):
        into: dict[str, float] = {}
        _pass_on(words, index.postings, into)
        _pass_on(names, index.mentions, into)
        words, names = _leave(documents, index, mass, into)
        documents = into
    for id_, value in documents.items():
        mass[id_] = mass.get(id_, 0.0) + value
    return mass


def _nearest(cosines: Mapping[str, float], index: Index) -> dict[str, float]:
    """The nearest memories by their lead over the last of them; they sum to 1."""
    if not cosines.keys() <= index.documents.keys():
        cosines = {id_: cosine for id_, cosine in cosines.items() if id_ in index.documents}
    # Mostly they come best first, which is sorted in one pass.
    border = min(sorted(cosines.values(), reverse=True)[:NEAREST], default=0.0)
    best = sorted((-cosine, id_) for id_, cosine in cosines.items() if cosine >= border)[:NEAREST]
    lead = {id_: best[-1][0] - cosine + LEAST_LEAD for cosine, id_ in best}
    total = sum(lead.values())
    return {id_: value / total for id_, value in lead.items()}


def _seeds(query: Query, index: Index) -> tuple[dict[str, float], dict[str, float]]:
    words, names = leading(query, index)
    return (
        {word: weight * index.idf(len(index.postings[word])) for word, weight in words.items()},
        {name: NAME_SEED * weight * index.idf(len(index.mentions[name])) for name, weight in names.items()},
    )


def _pass_on(residue: dict[str, float], rows: Mapping[str, Mapping[str, object]], into: dict[str, float]) -> None:
    """From words or names to the memories that hold them, in equal shares."""
    got = into.get
    for start, value in residue.items():
        row = rows[start]
        if value >= TOLERANCE * len(row):
            share = (1 - RESTART) * value / len(row)
            for id_ in row:
                into[id_] = got(id_, 0.0) + share


def _leave(
    documents: dict[str, float], index: Index, mass: dict[str, float], into: dict[str, float]
) -> tuple[dict[str, float], dict[str, float]]:
    """From memories to their words, names and neighbours in time, by weight; a share stays as mass."""
    words: dict[str, float] = {}
    names: dict[str, float] = {}
    chain = CHAIN * index.mean_idf
    known, left = index.documents, mass.get
    for id_, value in documents.items():
        mass[id_] = left(id_, 0.0) + RESTART * value
        if value < TOLERANCE * known[id_].degree:
            continue
        links = index.links(id_)
        beside = index.neighbours(id_)
        degree = links.weight + chain * len(beside)
        if not degree:
            continue
        unit = (1 - RESTART) * value / degree
        for word, idf in links.words:
            words[word] = words.get(word, 0.0) + unit * idf
        for name, idf in links.names:
            names[name] = names.get(name, 0.0) + unit * idf
        for other in beside:
            into[other] = into.get(other, 0.0) + unit * chain
    return words, names
