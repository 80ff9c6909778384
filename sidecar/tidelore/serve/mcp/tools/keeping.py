"""pin, archive and decide: how much a memory counts, and which of two that contradict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results as r
from tidelore.engine import results_care as rc
from tidelore.engine.errors import NotFound
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.writing import Changed


@dataclass(frozen=True, slots=True)
class Pin:
    id: Annotated[str, w.ID]
    off: Annotated[bool, "Take it back instead."] = False
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


async def pin(memory: Memory, asked: Pin) -> Answer:
    return await _set(memory, asked, "node.unpin" if asked.off else "node.pin", "Not pinned any more" if asked.off else "Pinned")


async def archive(memory: Memory, asked: Pin) -> Answer:
    return await _set(memory, asked, "node.unarchive" if asked.off else "node.archive", "Recalled again" if asked.off else "Archived")


async def _set(memory: Memory, asked: Pin, method: str, said: str) -> Answer:
    place, view = await memory.node(asked.id, asked.chat, asked.scope)
    done: r.Changed = await memory.ask(method, m.NodeOnly(place.name, view.id))
    return Answer(Changed(done.node, done.commit, done.text, place.chat, place.scope), f"{said} in {place.label}: {done.text[:200]}")


@dataclass(frozen=True, slots=True)
class Decide:
    card: Annotated[str, "The id of a conflict or duplicate, from review."]
    choice: Annotated[Literal["keep_old", "keep_new", "keep_both", "merge"], "What the person wants."]
    text: Annotated[str, "With merge: what the one memory says; left out, what the newer one says."] = ""
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class Decided:
    card: str
    choice: str
    id: Annotated[str, "The memory that stays."]
    gone: Annotated[list[str], "Those that do not show any more."]
    commit: Annotated[str, "The change, which `undo` takes back."]
    chat: str = ""
    scope: str = ""


async def decide(memory: Memory, asked: Decide) -> Answer:
    error: NotFound | None = None
    for place in await memory.places(asked.chat, asked.scope):
        try:
            done: rc.Decided = await memory.ask("cards.decide", mc.CardsDecide(place.name, asked.card, asked.choice, asked.text))
        except NotFound as caught:
            error = caught
            continue
        data = Decided(done.card, done.choice, done.node, done.gone, done.commit, place.chat, place.scope)
        return Answer(data, f"Decided in {place.label}: {done.choice}.")
    raise error or NotFound(f"There is nothing {asked.card[:80]!r} to decide.", "`review` lists what there is.")


PIN = Tool(
    "pin",
    "Pin a memory",
    "Tell a memory at the start of every prompt, or take that back with `off`.",
    Pin,
    Changed,
    pin,
    repeatable=True,
)
ARCHIVE = Tool(
    "archive",
    "Archive a memory",
    "Put a memory out of recall, or back with `off`; it stays in the graph.",
    Pin,
    Changed,
    archive,
    destroys=True,
    repeatable=True,
)
DECIDE = Tool(
    "decide",
    "Decide a question",
    "Say which of two memories that contradict or repeat each other holds. Only when the person has said so.",
    Decide,
    Decided,
    decide,
    destroys=True,
)
