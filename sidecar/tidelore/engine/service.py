"""The service that every transport serves: one profile's memory, and one table of methods on it. Transports only translate."""

from __future__ import annotations

from typing import Any

from tidelore.engine.chats import Chats
from tidelore.engine.errors import BadInput
from tidelore.engine.extract.run import Attempts
from tidelore.engine.jobs import Jobs
from tidelore.engine.operations import (
    backing,
    chats,
    deciding,
    edges,
    extraction,
    graph,
    keeping,
    listing,
    moving,
    overview,
    prompts,
    reading,
    recalling,
    remembering,
    settings,
    syncing,
    undoing,
)
from tidelore.engine.params import parse, to_json
from tidelore.engine.ports import Complete, Files, Now, Store, Token, Vectors
from tidelore.engine.recalls import Recalls
from tidelore.engine.sync.exchange import SyncState
from tidelore.engine.table import METHODS, Call, Method

__all__ = ["METHODS", "Call", "Method", "Service"]
QUIET = Call()
# Importing these modules fills the table.
OPERATIONS = (
    *(chats, extraction, graph, edges, reading, recalling),
    *(keeping, deciding, listing, remembering, undoing, moving, overview, prompts, settings, syncing, backing),
)


class Service:
    """`complete` and `vectors` may be absent: then the rules remember, and words and names recall. An extraction
    waits `embed_seconds` at most for the embedder; not at all with `embeds_later`, where the host gives it the texts after each write.

    `attempts` (by pool) is what the ledger says of windows that gave nothing, `extracting` the runs under way: id of the chat, by whom,
    `recalls` the newest recalls, `jobs` the long works of this process, `sync` what it remembers of other replicas. `files` is the folder
    of the mirror, where the host has one; it may come and go.
    """

    def __init__(
        self,
        store: Store,
        now: Now,
        token: Token,
        complete: Complete | None = None,
        vectors: Vectors | None = None,
        embed_seconds: float = 30.0,
        *,
        embeds_later: bool = False,
    ) -> None:
        self.store = store
        self.chats = Chats(store, now, token)
        self.complete = complete
        self.vectors = vectors
        self.embed_seconds = embed_seconds
        self.embeds_later = embeds_later
        self.attempts: dict[str, Attempts] = {}
        self.extracting: set[tuple[str, str]] = set()
        self.recalls = Recalls()
        self.jobs = Jobs(now, token)
        self.sync = SyncState()
        self.files: Files | None = None

    async def call(self, name: str, params: object, call: Call = QUIET) -> Any:
        """Run a method by name with JSON parameters; the result is JSON. Raises TideloreError."""
        found = METHODS.get(str(name))
        if found is None:
            raise BadInput(f"There is no method named {name!r}.", f"Methods: {', '.join(sorted(METHODS))}.")
        return to_json(await found.handler(self, parse(found.params, {} if params is None else params), call))
