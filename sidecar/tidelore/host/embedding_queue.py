"""Gives the embedder the texts of all that can be recalled, in the background, after each write and from start to start.

No list of texts is kept: what is missing follows from the chats and the vectors themselves. With the vectors goes, for each chat, the
state of the store up to which it is embedded; a chat in another state is looked at again. So nothing is lost by a crash, by an embedder
that is away or by another one in its place.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from tidelore.engine.errors import ModelUnreachable, TideloreError
from tidelore.engine.ports import ChatRecord
from tidelore.engine.scopes import SCOPE_MARK
from tidelore.engine.service import Service
from tidelore.host.unused_vectors import purged_nodes
from tidelore.host.vectors import MatrixVectors, no_vector

WAITS = (2.0, 10.0, 60.0, 300.0)
"""Seconds before an embedder that failed, or gave vectors of nothing, is asked again; the last one over and over."""

BATCH = 32
COMPARED = 500
"""Texts that are compared with the vectors before others have their turn."""

MARKED = "2:"
"""Begins the mark of a chat all of whose texts have their vectors."""

BEGUN = "."
"""The state of a chat of which some may be embedded, so that a purge finds those too, and of one with texts that got no vector."""

_log = logging.getLogger("tidelore.embedding")


@dataclass(frozen=True, slots=True)
class Standing:
    """`pending` texts that have no vector yet, as far as is known; `chats` still to be looked at; `problem`: why it does not go on, ""
    where it does."""

    pending: int
    chats: int
    problem: str


class EmbeddingQueue:
    """One for each store. `run` it in a task; `changed` tells it of writes."""

    def __init__(
        self,
        service: Service,
        vectors: MatrixVectors,
        warm_up: Callable[[], None] = lambda: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`warm_up` is called when there is something that could be recalled."""
        self._service = service
        self._vectors = vectors
        self._warm_up = warm_up
        self._sleep = sleep
        self._cursors: dict[str, int] = {}
        self._burials: dict[str, int] = {}
        self._names: set[str] = set()
        self._all = True
        self._wake = asyncio.Event()
        self._wake.set()
        self._idle = asyncio.Event()
        self._left = 0
        self._lacking: dict[str, int] = {}
        self._again: asyncio.Task[None] | None = None
        self._tries = 0
        self._refused = 0
        self._problem = ""

    @property
    def standing(self) -> Standing:
        return Standing(len(self._vectors.pending), self._left, self._problem)

    def changed(self, chat: str, scope: str) -> None:
        """Something was written to a chat or under a scope; "" for both where nobody knows to which."""
        if chat:
            self._names.add(chat)
        if scope and scope != "chat":
            self._names.add(SCOPE_MARK + scope)
        self._all = self._all or not (chat or scope)
        self._idle.clear()
        self._wake.set()

    async def settled(self) -> None:
        """Waits until all that was written is embedded, but for texts that the embedder gave a vector of nothing for."""
        await self._idle.wait()

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            await self._run()
        finally:
            if self._again is not None:
                self._again.cancel()

    async def _run(self) -> None:
        fails = 0
        if self._vectors.marked:
            # Else the first question after a start would find the model not loaded, and be answered by words alone.
            self._warm_up()
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._catch_up()
            except TideloreError as error:
                self._problem = error.sentence
                if not fails:
                    _log.warning("Embedding has to wait: %s", error.sentence)
                asked = error.wait if isinstance(error, ModelUnreachable) else 0.0
                wait = max(asked, WAITS[min(fails, len(WAITS) - 1)])
                fails += 1
                self._all = True
                self._wake.set()
                await self._sleep(wait)
                continue
            fails = 0
            self._look_at_refused()
            if not self._wake.is_set():
                self._idle.set()

    def _look_at_refused(self) -> None:
        """Texts without a vector are said, and tried again later: meanwhile what is new is embedded."""
        lacking = sum(self._lacking.values())
        self._problem = no_vector(lacking) if lacking else ""
        refused = len(self._vectors.refused)
        if not lacking:
            self._tries = 0
        elif refused < self._refused:
            # Some have become good, so the rest may have as well.
            self._tries = 0
            self._retry(None)
        elif self._again is None or self._again.done():
            self._again = asyncio.create_task(self._wait(WAITS[min(self._tries, len(WAITS) - 1)]))
            self._tries += 1
        self._refused = refused

    async def _wait(self, seconds: float) -> None:
        await self._sleep(seconds)
        # An embedder that goes on giving nothing is not given all of a long chat each time.
        self._retry(BATCH)

    def _retry(self, most: int | None) -> None:
        self._vectors.try_again(most)
        self._all = True
        self._idle.clear()
        self._wake.set()

    async def _catch_up(self) -> None:
        """Embeds what is missing in the chats that changed. Raises ModelError, StoreError."""
        names, everything = self._names, self._all
        self._names, self._all = set(), False
        records = await self._service.chats.records()
        pools = {record.pool for record in records if record.name in names}
        burials = dict(self._burials)
        stale = await self._stale(record for record in records if everything or record.pool in pools)
        if self._burials != burials:
            # Another process on this store may have carried a purge out, and it has no vectors.
            await self._vectors.forget(await purged_nodes(self._service))
        self._left = len(stale)
        for record, state in stale:
            self._vectors.set_mark(record.id, self._vectors.mark(record.id) or BEGUN)
            lacking = await self._embed(record)
            self._lacking[record.id] = lacking
            # Not even a restart forgets that something is missing.
            self._vectors.set_mark(record.id, BEGUN if lacking else state)
            self._left -= 1
        held = {record.id for record in records}
        self._lacking = {id_: count for id_, count in self._lacking.items() if count and id_ in held}
        if gone := set(self._vectors.marked) - held:
            await self._forget(gone, records)
        await self._vectors.save()
        if not all(self._vectors.mark(record.id) for record in records):
            # The embedder answered with vectors of another size than before: all of those are gone.
            self._all = True
            self._wake.set()

    async def _stale(self, records: Iterable[ChatRecord]) -> list[tuple[ChatRecord, str]]:
        """The chats that are not in the state in which they were embedded, with the state in which they are. The newest come first: there
        people go on."""
        store = self._service.store
        revisions = await store.revisions()
        out: list[tuple[ChatRecord, str]] = []
        for record in records:
            mark = self._vectors.mark(record.id)
            known = self._cursors.get(record.pool) or int(mark.rpartition(".")[2] or 0)
            rows = await store.pool(record.pool, known)
            cursor = self._cursors[record.pool] = rows.cursor
            if rows.burials:
                self._burials[record.pool] = rows.burials
            # The marks of before may stand for chats with texts that have no vector, which nobody noted then.
            state = f"{MARKED}{revisions.get(record.id, 0)}.{cursor}"
            if state != mark:
                out.append((record, state))
        return sorted(out, key=lambda pair: -pair[0].clock)

    async def _embed(self, record: ChatRecord) -> int:
        """How many of its texts the embedder gave a vector of nothing for."""
        chat = await self._service.chats.find(record.name)
        if chat is None:
            return 0
        chat.index.refresh()
        passages = list(chat.index.passages().items())
        if passages:
            self._warm_up()
        embedding = True
        while embedding:
            for start in range(0, len(passages), COMPARED):
                self._vectors.missing(dict(passages[start : start + COMPARED]))
                await asyncio.sleep(0)
            embedding = await self._vectors.embed_some(BATCH)
            while await self._vectors.embed_some(BATCH):
                self._problem = ""
        return sum(node in self._vectors.refused for node, _ in passages)

    async def _forget(self, gone: Iterable[str], records: Iterable[ChatRecord]) -> None:
        """After a purge: vectors tell of words, so those of memories that no chat holds go with them."""
        held: set[str] = set()
        for record in records:
            chat = await self._service.chats.find(record.name)
            if chat is not None:
                chat.index.refresh()
                held |= chat.index.documents.keys()
        for id_ in gone:
            self._vectors.set_mark(id_, "")
        await self._vectors.keep(held)
