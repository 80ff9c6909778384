"""The service that every transport serves: one profile's memory, and one table of methods on it. Transports only translate."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from tidelore.engine.chats import Chats
from tidelore.engine.errors import BadInput
from tidelore.engine.extract.run import MODEL_SECONDS, Attempts
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
# Of a name that no method has, so much is repeated, and so many that are like it are named.
LONGEST_NAME, NEAREST = 100, 3
# Importing these modules fills the table.
OPERATIONS = (
    *(chats, extraction, graph, edges, reading, recalling),
    *(keeping, deciding, listing, remembering, undoing, moving, overview, prompts, settings, syncing, backing),
)


class Service:
    """`complete` and `vectors` may be absent: then the rules remember, and words and names recall. An extraction
    waits `embed_seconds` at most for the embedder; not at all with `embeds_later`, where the host gives it the texts after each write.
    `model_seconds`: how long the memory model may take for one window; like the model itself it may change.

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
        self.model_seconds = MODEL_SECONDS
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
            wanted = str(name)[:LONGEST_NAME]
            near = get_close_matches(wanted, METHODS, NEAREST, cutoff=0.0)
            raise BadInput(f"There is no method named {wanted!r}.", f"The nearest: {', '.join(near)}.")
        return to_json(await found.handler(self, parse(found.params, {} if params is None else params), call))
