"""Vectors of nodes in one numpy matrix. They are derived: what is lost or does not fit is embedded again."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tidelore.engine.errors import ModelAnswer, ModelUnreachable, StoreError
from tidelore.engine.ports import VectorModel
from tidelore.host.embedders import QUERY_SECONDS, Embedder, Matrix
from tidelore.host.vector_files import Saved, load, save

AT_ONCE = 64

# Rounded, since equal rows may differ in the last digit with their place in the matrix.
_DIGITS = 6
_SMALLEST_NORM = 1e-6


@dataclass(slots=True)
class _Asking:
    """A query that is being embedded, and how many wait for it."""

    task: asyncio.Future[Matrix]
    waiting: int = 0


class MatrixVectors:
    """See `tidelore.engine.ports.Vectors`. Rows are normalised, and hold what half precision can, so that a restart changes no answer."""

    def __init__(self, embedder: Embedder, path: Path | None, *, query_seconds: float = QUERY_SECONDS) -> None:
        """`path`: the index file, its matrix lies beside it; None keeps vectors in memory only. A file of another model, or a damaged
        one, is not used."""
        self._embedder = embedder
        self._path = path
        self._query_seconds = query_seconds
        self._lock = asyncio.Lock()
        self._texts: dict[str, str] = {}
        self._nodes: list[str] = []
        self._rows: dict[str, int] = {}
        self._hashes: dict[str, str] = {}
        self._matrix: Matrix = np.zeros((0, 0), np.float32)
        self._unsaved = 0
        self._asking: dict[str, _Asking] = {}
        self._refused: set[str] = set()
        self._chats: dict[str, str] = {}
        model = embedder.model
        saved = load(path) if path is not None else None
        if saved is not None and saved.model == model.name and model.dimension in (0, saved.vectors.shape[1]):
            self._nodes = list(saved.hashes)
            self._rows = {node: row for row, node in enumerate(self._nodes)}
            self._hashes = dict(saved.hashes)
            self._matrix = saved.vectors.astype(np.float32)
            self._chats = dict(saved.chats)

    def model(self) -> VectorModel:
        return self._embedder.model

    def missing(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Those of these texts, by node, that have no vector of just this text; blank ones need none. What had another text has none from
        now on."""
        self._register(texts)
        return {node: text for node, text in texts.items() if node in self._texts}

    @property
    def marked(self) -> Collection[str]:
        """The chats (ids) that were embedded."""
        return self._chats.keys()

    def mark(self, chat: str) -> str:
        """Up to which state a chat (id) is embedded; "" where that is not known."""
        return self._chats.get(chat, "")

    def set_mark(self, chat: str, state: str) -> None:
        """All of a chat (id) in this state has its vectors; "" forgets it. It goes to disk with the vectors, never before them."""
        if self.mark(chat) != state:
            self._chats[chat] = state
            if not state:
                del self._chats[chat]
            self._unsaved += 1

    @property
    def pending(self) -> frozenset[str]:
        """Nodes whose text was given and that have no vector of it yet."""
        return frozenset(self._texts)

    async def put(self, texts: Mapping[str, str]) -> None:
        """Embed the texts of nodes that have no vector of just this text, and those still pending. Blank texts have no vector.

        Raises ModelError when the embedder fails, StoreError when the file cannot be written; what is not embedded stays pending.
        """
        self._register(texts)
        async with self._lock:
            dimension = self._matrix.shape[1]
            await self._embed_pending()
            if dimension not in (0, self._matrix.shape[1]):
                self._register(texts)  # those that seemed done went with the vectors of the other size
                await self._embed_pending()
            if self._unsaved >= max(AT_ONCE, len(self._nodes) // 8):
                await self._save()

    async def embed_some(self, most: int = AT_ONCE) -> bool:
        """Embed at most so many of the pending texts, without those that the embedder gave a vector of nothing for. False when none were
        left. Raises ModelError, StoreError; what is not embedded stays pending."""
        async with self._lock:
            batch = {node: text for node, text in self._texts.items() if node not in self._refused}
            batch = dict(islice(batch.items(), most))
            await self._embed_these(batch)
            self._refused.update(node for node, text in batch.items() if self._texts.get(node) == text)
            if self._unsaved >= max(AT_ONCE, len(self._nodes) // 8):
                await self._save()
        return bool(batch)

    async def keep(self, nodes: Collection[str]) -> None:
        """Forget all other nodes, as after a purge, on disk too. Raises StoreError."""
        async with self._lock:
            for node in [*self._nodes, *self._texts]:
                if node not in nodes:
                    self._remove(node)
                    self._texts.pop(node, None)
            await self._save()

    async def save(self) -> None:
        """Write what is not written yet; `put` itself does so only now and then. Raises StoreError."""
        async with self._lock:
            if self._unsaved:
                await self._save()

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        """The k nearest nodes with their cosine, best first, equal ones by id. Raises ModelError, also when the embedder is late."""
        if k < 1 or not self._nodes or not query.strip():
            return []
        try:
            async with asyncio.timeout(self._query_seconds):
                found = await self._asked(query)
        except TimeoutError as error:
            raise ModelUnreachable("The embedder is late.", "Choose a smaller embedding model, or one nearer by.") from error
        vector = _normalised(found[0]) if found.ndim == 2 and len(found) == 1 else None
        if vector is None:
            raise ModelAnswer("The embedder gave no usable vector.", "Check the embedding model.")
        self._fit(vector.shape[0])
        rows = np.arange(len(self._nodes)) if allowed is None else self._rows_of(allowed)
        if not rows.size:
            return []
        used = self._matrix[: len(self._nodes)]
        cosines = np.round(used @ vector if allowed is None else used[rows] @ vector, _DIGITS)
        if k < rows.size:
            border = np.partition(cosines, rows.size - k)[rows.size - k]
            kept = cosines >= border  # all that are equal at the border, so that the id decides
            rows, cosines = rows[kept], cosines[kept]
        ranked = sorted(zip((self._nodes[row] for row in rows), map(float, cosines), strict=True), key=lambda pair: (-pair[1], pair[0]))
        return ranked[:k]

    async def _asked(self, query: str) -> Matrix:
        """The vector of a query; the same text that is asked for by several at once, one for each chat that is read, is embedded once."""
        asking = self._asking.get(query)
        if asking is None:
            asking = self._asking[query] = _Asking(asyncio.ensure_future(self._embedder.embed([query], "query")))
        asking.waiting += 1
        try:
            return await asyncio.shield(asking.task)
        finally:
            asking.waiting -= 1
            if not asking.waiting:
                asking.task.cancel()
                if self._asking.get(query) is asking:
                    del self._asking[query]

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        """Cosines between these nodes; one without a vector is like itself (1) and like no other (0)."""
        held = [at for at, node in enumerate(nodes) if node in self._rows]
        part = self._matrix[[self._rows[nodes[at]] for at in held]] if held else np.zeros((0, 1), np.float32)
        out = np.eye(len(nodes), dtype=np.float64)
        out[np.ix_(held, held)] = np.round(part @ part.T, _DIGITS)
        np.fill_diagonal(out, 1.0)
        rows: list[list[float]] = out.tolist()
        return rows

    # ---- the matrix ----

    def _register(self, texts: Mapping[str, str]) -> None:
        for node, text in texts.items():
            if self._hashes.get(node) == _hash(text):
                self._texts.pop(node, None)
                continue
            if self._texts.get(node) == text:
                continue
            self._remove(node)
            self._refused.discard(node)
            if text.strip():
                self._texts[node] = text
            else:
                self._texts.pop(node, None)

    async def _embed_pending(self) -> None:
        await self._embed_these(self._texts)

    async def _embed_these(self, texts: Mapping[str, str]) -> None:
        by_text: dict[str, list[str]] = {}
        for node, text in texts.items():
            by_text.setdefault(text, []).append(node)
        order = list(by_text)
        for start in range(0, len(order), AT_ONCE):
            batch = order[start : start + AT_ONCE]
            for text, vector in zip(batch, await self._embed(batch), strict=True):
                if vector is not None:
                    self._add(text, by_text[text], vector)

    def _rows_of(self, allowed: Collection[str]) -> NDArray[np.intp]:
        return np.array(sorted({self._rows[node] for node in allowed if node in self._rows}), np.intp)

    async def _embed(self, texts: Sequence[str]) -> list[Matrix | None]:
        """A normalised vector for each text; None where the embedder gave a vector of nothing."""
        found = await self._embedder.embed(texts, "document")
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
            raise ModelAnswer("The embedder did not give one vector for each text.", "Check the embedding model.")
        self._fit(found.shape[1])
        return [_normalised(row) for row in found]

    def _fit(self, dimension: int) -> None:
        """Vectors of another size are of another model: they are dropped, never mixed."""
        if self._nodes and self._matrix.shape[1] != dimension:
            self._nodes, self._rows, self._hashes, self._chats = [], {}, {}, {}
        if self._matrix.shape[1] != dimension:
            self._matrix = np.zeros((0, dimension), np.float32)

    def _add(self, text: str, nodes: Sequence[str], vector: Matrix) -> None:
        for node in nodes:
            if self._texts.get(node) != text:
                continue  # it got another text meanwhile
            del self._texts[node]
            if len(self._nodes) == len(self._matrix):
                more = np.zeros((max(AT_ONCE, len(self._matrix) // 2), len(vector)), np.float32)
                self._matrix = np.concatenate([self._matrix, more])
            self._rows[node] = len(self._nodes)
            self._matrix[len(self._nodes)] = vector
            self._nodes.append(node)
            self._hashes[node] = _hash(text)
            self._unsaved += 1

    def _remove(self, node: str) -> None:
        row = self._rows.pop(node, None)
        if row is None:
            return
        del self._hashes[node]
        self._refused.discard(node)
        last = self._nodes.pop()
        if last != node:
            self._nodes[row], self._rows[last] = last, row
            self._matrix[row] = self._matrix[len(self._nodes)]
        self._unsaved += 1

    async def _save(self) -> None:
        if self._path is None:
            self._unsaved = 0
            return
        hashes = {node: self._hashes[node] for node in self._nodes}
        saved = Saved(self._embedder.model.name, hashes, self._matrix[: len(self._nodes)].astype(np.float16), dict(self._chats))
        unsaved = self._unsaved
        try:
            await asyncio.to_thread(save, self._path, saved)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error}.", "Free some space; nothing but time is lost.") from error
        self._unsaved -= unsaved


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _normalised(row: NDArray[np.floating]) -> Matrix | None:
    """A row of length 1 in half precision; None for zero, NaN or infinite ones."""
    wide = row.astype(np.float64)
    if not np.isfinite(wide).all():
        return None
    norm = float(np.linalg.norm(wide))
    if not np.isfinite(norm) or norm < _SMALLEST_NORM:
        return None
    return (wide / norm).astype(np.float16).astype(np.float32)
