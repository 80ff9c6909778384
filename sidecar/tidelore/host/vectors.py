"""Vectors of nodes in one numpy matrix. They are derived: what is lost or does not fit is embedded again."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np

from tidelore.engine.errors import ModelAnswer, ModelError, StoreError
from tidelore.engine.ports import VectorModel
from tidelore.host.embedders import QUERY_SECONDS, Embedder, Matrix
from tidelore.host.query_vectors import Queries
from tidelore.host.vector_files import Saved, load, save
from tidelore.host.vector_rows import Rows, normalised

AT_ONCE = 64
IN_A_THREAD = 4_000_000
"""Numbers of a product from which on it runs beside the event loop: a millisecond or more, and it needs no Python meanwhile."""


class MatrixVectors:
    """See `tidelore.engine.ports.Vectors`. Rows are normalised, and hold what half precision can, so that a restart changes no answer."""

    def __init__(self, embedder: Embedder, path: Path | None, *, query_seconds: float = QUERY_SECONDS) -> None:
        """`path`: the index file, its matrix lies beside it; None keeps vectors in memory only. A file of another model, or a damaged
        one, is not used."""
        self._embedder = embedder
        self._path = path
        self._lock = asyncio.Lock()
        self._saving = asyncio.Lock()
        self._texts: dict[str, str] = {}
        self._rows = Rows()
        self._hashes: dict[str, str] = {}
        self._unsaved = 0
        self._queries = Queries(embedder, query_seconds)
        # In the order in which they were refused.
        self._refused: dict[str, None] = {}
        self._fault = ""
        self._chats: dict[str, str] = {}
        model = embedder.model
        saved = load(path) if path is not None else None
        if saved is not None and saved.model == model.name and model.dimension in (0, saved.vectors.shape[1]):
            self._rows = Rows(list(saved.hashes), saved.vectors.astype(np.float32))
            self._hashes = dict(saved.hashes)
            self._chats = dict(saved.chats)

    def model(self) -> VectorModel:
        return self._embedder.model

    @property
    def changes(self) -> int:
        """See `tidelore.engine.recall.repeats.Counted`."""
        return self._rows.changes

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

    @property
    def refused(self) -> Collection[str]:
        """Of the pending ones those that the embedder was given and gave a vector of nothing for; `embed_some` leaves them out."""
        return self._refused.keys()

    def try_again(self, most: int | None = None) -> None:
        """Let `embed_some` take so many of the refused ones once more, those first that have waited longest; None for all."""
        for node in list(islice(self._refused, most)):
            del self._refused[node]

    def lacking(self, nodes: Collection[str]) -> str:
        """See `tidelore.engine.ports.Lacking`."""
        if not self._fault and not self._refused:
            return ""
        if self._fault:
            return self._fault if any(node in nodes for node in self._texts) else ""
        count = sum(node in nodes for node in self._refused)
        return no_vector(count) if count else ""

    async def put(self, texts: Mapping[str, str]) -> None:
        """Embed the texts of nodes that have no vector of just this text, and those still pending. Blank texts have no vector.

        Raises ModelError when the embedder fails, StoreError when the file cannot be written; what is not embedded stays pending.
        """
        self._register(texts)
        async with self._lock:
            dimension = self._rows.dimension
            await self._embed_pending()
            if dimension not in (0, self._rows.dimension):
                self._register(texts)  # those that seemed done went with the vectors of the other size
                await self._embed_pending()
            if self._unsaved >= max(AT_ONCE, len(self._rows) // 8):
                await self._save()

    async def embed_some(self, most: int = AT_ONCE) -> bool:
        """Embed at most so many of the pending texts, without those that the embedder gave a vector of nothing for. False when none were
        left. Raises ModelError, StoreError; what is not embedded stays pending."""
        async with self._lock:
            batch = {node: text for node, text in self._texts.items() if node not in self._refused}
            batch = dict(islice(batch.items(), most))
            await self._embed_these(batch)
            self._refused.update((node, None) for node, text in batch.items() if self._texts.get(node) == text)
            if self._unsaved >= max(AT_ONCE, len(self._rows) // 8):
                await self._save()
        return bool(batch)

    async def keep(self, nodes: Collection[str]) -> None:
        """Forget all other nodes, as after a purge, on disk too. Raises StoreError."""
        await self._forget([node for node in (*self._rows, *self._texts) if node not in nodes])

    async def forget(self, nodes: Collection[str]) -> None:
        """See `tidelore.engine.ports.Forgetting`: gone on disk, too, when this ends. Raises StoreError."""
        if any(node in self._rows or node in self._texts for node in nodes):
            await self._forget(nodes)

    async def save(self) -> None:
        """Write what is not written yet; `put` itself does so only now and then. Raises StoreError."""
        if self._unsaved:
            await self._save()

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        """The k nearest nodes with their cosine, best first, equal ones by id. Raises ModelError, also when the embedder is late."""
        if k < 1 or not len(self._rows) or not query.strip():
            return []
        vector = await self._queries.vector(query)
        self._fit(vector.shape[0])
        rows = self._rows
        search, moves = rows.search(allowed), rows.moves
        if search.size < IN_A_THREAD:
            found, cosines = search.nearest(vector, k)
        else:
            found, cosines = await asyncio.to_thread(search.nearest, vector, k)
            if rows.moves != moves:
                found, cosines = rows.search(allowed).nearest(vector, k)
        # In the order of the cosines at once, then equal ones by id: what is all but sorted is sorted in one pass.
        best = np.argsort(-cosines, kind="stable")
        ranked = sorted(zip((-cosines[best]).tolist(), map(rows.__getitem__, found[best].tolist()), strict=True))
        return [(node, -cosine) for cosine, node in ranked[:k]]

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        """Cosines between these nodes; one without a vector is like itself (1) and like no other (0)."""
        return self._rows.gram(nodes)

    # ---- the matrix ----

    def _register(self, texts: Mapping[str, str]) -> None:
        for node, text in texts.items():
            if self._hashes.get(node) == _hash(text):
                self._texts.pop(node, None)
                continue
            if self._texts.get(node) == text:
                continue
            self._remove(node)
            self._refused.pop(node, None)
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

    async def _embed(self, texts: Sequence[str]) -> list[Matrix | None]:
        """A normalised vector for each text; None where the embedder gave a vector of nothing."""
        try:
            found = await self._embedder.embed(texts, "document")
            if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
                raise ModelAnswer("The embedder did not give one vector for each text.", "Check the embedding model.")
        except ModelError as error:
            self._fault = error.sentence
            raise
        self._fault = ""
        self._fit(found.shape[1])
        return [normalised(row) for row in found]

    def _fit(self, dimension: int) -> None:
        """Vectors of another size are of another model: they are dropped, never mixed."""
        if self._rows.dimension != dimension:
            if len(self._rows):
                self._hashes, self._chats = {}, {}
            self._queries.clear()
            self._rows.clear(dimension)

    def _add(self, text: str, nodes: Sequence[str], vector: Matrix) -> None:
        for node in nodes:
            if self._texts.get(node) != text:
                continue  # it got another text meanwhile
            del self._texts[node]
            self._refused.pop(node, None)
            self._rows.add(node, vector)
            self._hashes[node] = _hash(text)
            self._unsaved += 1

    def _remove(self, node: str) -> None:
        self._refused.pop(node, None)
        if self._rows.remove(node):
            del self._hashes[node]
            self._unsaved += 1

    async def _forget(self, nodes: Iterable[str]) -> None:
        """It waits for no embedder: what is being embedded meanwhile finds its text gone, and is not kept."""
        for node in nodes:
            self._remove(node)
            self._texts.pop(node, None)
        await self._save()

    async def _save(self) -> None:
        if self._path is None:
            self._unsaved = 0
            return
        async with self._saving:
            await self._write(self._path)

    async def _write(self, path: Path) -> None:
        hashes = {node: self._hashes[node] for node in self._rows}
        saved = Saved(self._embedder.model.name, hashes, self._rows.matrix.astype(np.float16), dict(self._chats))
        unsaved = self._unsaved
        try:
            await asyncio.to_thread(save, path, saved)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error}.", "Free some space; nothing but time is lost.") from error
        self._unsaved -= unsaved


def no_vector(count: int) -> str:
    """What is said of texts that the embedder gave a vector of nothing for."""
    return f"{count} {'text has' if count == 1 else 'texts have'} no vector: the embedder gave none that can be used."


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
