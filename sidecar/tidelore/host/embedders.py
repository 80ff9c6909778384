"""Embedding models: what one is, and those behind an OpenAI-compatible or an Ollama address."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import httpx
import numpy as np
from numpy.typing import NDArray

from tidelore.engine.errors import ModelAnswer
from tidelore.engine.ports import VectorModel
from tidelore.host.http import Clock, Endpoint, Sleep

Matrix: TypeAlias = NDArray[np.float32]
TextKind: TypeAlias = Literal["document", "query"]

OLLAMA_PORT = 11434

QUERY_SECONDS = 1.0
"""How long a recall waits for the vector of its query: a reply starts within 1.5 s (architecture, section 4). It leaves no time for
a second try, so a fault is reported at once."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """One row for each text, not yet normalised. Raises ModelError."""
        ...

    @property
    def model(self) -> VectorModel:
        """`dimension` is 0 while it is not known."""
        ...


class HttpEmbedder:
    """An embedding model behind an address.

    An Ollama address (its path is /api or /api/embed, or its port 11434 and no path) is asked at /api/embed, any other at /embeddings.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        scale: float,
        floor: float,
        prefix: Mapping[TextKind, str] | None = None,
        seconds: float = 60.0,
        client: httpx.AsyncClient | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        """`scale` and `floor` as in VectorModel. `prefix`: what the model wants before documents and queries. `seconds` for one call with
        documents, all tries together. Raises BadInput for an address or a key that cannot be one."""
        self._ollama = _is_ollama(url)
        path = "/embeddings"
        if self._ollama:
            path = "/embed" if _path(url).endswith("/api") else "/api/embed"
        self._endpoint = Endpoint(url, path, key, client=client, sleep=sleep, clock=clock)
        self._prefix = dict(prefix or {})
        self._seconds = seconds
        self._model = VectorModel(model, 0, scale, floor)

    @property
    def model(self) -> VectorModel:
        return self._model

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """See Embedder. Raises ModelUnreachable, ModelRefused, ModelAnswer."""
        if not texts:
            return np.zeros((0, self._model.dimension), np.float32)
        before = self._prefix.get(kind, "")
        body = {"model": self._model.name, "input": [before + text for text in texts]}
        objects = await self._endpoint.post(body, self._seconds if kind == "document" else min(self._seconds, QUERY_SECONDS))
        rows = _ollama_rows(objects[0]) if self._ollama else _openai_rows(objects[0])
        found = _matrix(rows, len(texts))
        if found is None:
            raise ModelAnswer(
                f"{self._endpoint.address} did not answer with one vector for each text.",
                f'Check that "{self._model.name}" is an embedding model.',
            )
        self._model = VectorModel(self._model.name, found.shape[1], self._model.scale, self._model.floor)
        return found


def _path(url: str) -> str:
    return url.split("?", 1)[0].rstrip("/")


def _is_ollama(url: str) -> bool:
    path = _path(url)
    return path.endswith(("/api", "/api/embed", f":{OLLAMA_PORT}"))


def _ollama_rows(answer: Mapping[str, Any]) -> Any:
    return answer.get("embeddings")


def _openai_rows(answer: Mapping[str, Any]) -> Any:
    """The vectors in the order of the texts, whatever the order of the answer."""
    data = answer.get("data")
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        return None
    numbers = [row.get("index", at) for at, row in enumerate(data)]
    if sorted(map(str, numbers)) != sorted(map(str, range(len(data)))):
        return None
    return [row.get("embedding") for _, row in sorted(zip(numbers, data, strict=True), key=lambda pair: int(pair[0]))]


def _matrix(rows: Any, count: int) -> Matrix | None:
    try:
        with np.errstate(over="ignore"):  # what is too large is infinite, and refused with the other vectors of nothing
            found = np.asarray(rows, np.float32)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found.ndim == 2 and found.shape[0] == count and found.shape[1] > 0 else None
