"""What the sidecar does for a page beside memory: vectors, answers of the memory model, and what there is."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tidelore import __version__
from tidelore.engine.errors import BadInput
from tidelore.engine.service import Call
from tidelore.host.embedders import Embedder
from tidelore.host.embedding_queue import Standing
from tidelore.serve.discover import entry
from tidelore.serve.faults import Refusal
from tidelore.serve.rooms import Room
from tidelore.serve.table import Bound

MOST_TEXTS = 512
LONGEST_BUDGET = 1800.0


@dataclass(frozen=True, slots=True)
class Embed:
    """At most 512 texts. `kind`: what they are for; some models want to know."""

    texts: list[str]
    kind: Literal["document", "query"] = "document"


@dataclass(frozen=True, slots=True)
class Embedded:
    """`vectors`: base64 of little-endian float32, `dimension` numbers for each text, in order, not normalised. `scale` and `floor`: how the
    engine weighs the model's cosines."""

    model: str
    dimension: int
    scale: float
    floor: float
    vectors: str


@dataclass(frozen=True, slots=True)
class ModelComplete:
    """`messages`: each {"role", "content"}. `schema`: the form of the answer, for models that take one. `budget` in seconds."""

    messages: list[Any]
    schema: dict[str, Any] = field(default_factory=dict[str, Any])
    budget: float = 60.0


@dataclass(frozen=True, slots=True)
class Completed:
    """`text`: the raw answer."""

    text: str
    model: str


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """`pending`: texts that have no vector yet, of the chats that were looked at; `chats`: those still to be looked at. `problem`: why it
    does not go on, "" where it does."""

    name: str
    dimension: int
    scale: float
    floor: float
    pending: int = 0
    chats: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """`model`: the memory model's name, "" where there is none. `dimension` is 0 until the first vector.
    `run` and `revision`: see docs/sidecar.md."""

    version: str
    profile: str
    model: str
    embedder: EmbedderStatus | None
    run: str
    revision: int
    writing: int
    sockets: int


@dataclass(frozen=True, slots=True)
class Pong:
    pass


async def embed(room: Room, params: Embed, call: Call) -> Embedded:
    """Vectors of texts by the embedding model of the sidecar."""
    del call
    embedder = _embedder(room)
    if len(params.texts) > MOST_TEXTS or not all(isinstance(text, str) for text in params.texts):
        raise BadInput(f"`texts` must be at most {MOST_TEXTS} texts.", "Send the rest in another call.")
    vectors = await embedder.embed(params.texts, params.kind)
    model = embedder.model
    data = base64.b64encode(vectors.astype(np.dtype("<f4")).tobytes()).decode("ascii")
    return Embedded(model.name, model.dimension, model.scale, model.floor, data)


async def model_complete(room: Room, params: ModelComplete, call: Call) -> Completed:
    """Asks the memory model of the sidecar, so that its key need not be in the page."""
    del call
    complete = room.models.complete
    if complete is None:
        raise Refusal(501, "no_model", "No memory model is set up in the sidecar.", "See config.toml in docs/sidecar.md.")
    if not 0 < params.budget <= LONGEST_BUDGET:
        raise BadInput(f"`budget` must be above 0 and at most {LONGEST_BUDGET:g} seconds.")
    text = await complete([_message(each) for each in params.messages], params.schema, params.budget)
    return Completed(text, complete.name)


async def status(room: Room, params: Nothing, call: Call) -> Status:
    """What this sidecar is and has."""
    del params, call
    complete, embedder = room.models.complete, room.models.embedder
    model = embedder.model if embedder else None
    standing = room.embedding.standing if room.embedding else Standing(0, 0, "")
    return Status(
        __version__,
        room.profile,
        complete.name if complete else "",
        EmbedderStatus(model.name, model.dimension, model.scale, model.floor, standing.pending, standing.chats, standing.problem)
        if model
        else None,
        room.changes.run,
        room.changes.revision,
        room.work.writes,
        room.work.sockets,
    )


async def ping(room: Room, params: Nothing, call: Call) -> Pong:
    """Answers at once: for pages, which cannot send a ping of the socket's own."""
    del room, params, call
    return Pong()


# Name, parameters, result, handler.
EXTRAS: Mapping[str, tuple[type[Any], type[Any], Any]] = {
    "embed": (Embed, Embedded, embed),
    "model.complete": (ModelComplete, Completed, model_complete),
    "status": (Nothing, Status, status),
    "ping": (Nothing, Pong, ping),
}


class FullTable:
    """See `tidelore.serve.table.Table`: the memory of a room, and these."""

    def __init__(self, room: Room, by: object = None) -> None:
        self._room = room
        self._memory = room.table(by)

    def find(self, name: str) -> Bound | None:
        if name not in EXTRAS:
            return self._memory.find(name)
        params, _, handler = EXTRAS[name]
        return Bound(params, lambda given, call: handler(self._room, given, call))

    def discover(self) -> dict[str, Any]:
        found = self._memory.discover()
        more = [entry(name, params, result, handler.__doc__ or "", writes=False) for name, (params, result, handler) in EXTRAS.items()]
        return {**found, "methods": sorted([*found["methods"], *more], key=lambda each: str(each["name"]))}


def _embedder(room: Room) -> Embedder:
    if room.models.embedder is None:
        raise Refusal(501, "no_embedder", "No embedding model is set up in the sidecar.", "See config.toml in docs/sidecar.md.")
    return room.models.embedder


def _message(raw: object) -> dict[str, str]:
    if isinstance(raw, dict) and set(raw) == {"role", "content"} and all(isinstance(value, str) for value in raw.values()):
        return dict(raw)
    raise BadInput("A message of `messages` must have a role and a content, both texts.")
