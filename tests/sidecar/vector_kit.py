"""Some texts with their vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from tests.sidecar.fakes import WordEmbedder
from tidelore.host.vectors import MatrixVectors

TEXTS = {
    "n1": "Bea keeps bees on the roof",
    "n2": "The harbour burned down in spring",
    "n3": "Mira is afraid of the sea",
    "n4": "Bees sting only once",
}


def put(vectors: MatrixVectors, texts: Mapping[str, str]) -> None:
    asyncio.run(vectors.put(texts))


def near(vectors: MatrixVectors, query: str, k: int = 3, allowed: list[str] | None = None) -> list[str]:
    return [node for node, _ in asyncio.run(vectors.score(query, k, allowed))]


def full(embedder: WordEmbedder, texts: Mapping[str, str] = TEXTS, path: Path | None = None) -> MatrixVectors:
    vectors = MatrixVectors(embedder, path)
    put(vectors, texts)
    return vectors
