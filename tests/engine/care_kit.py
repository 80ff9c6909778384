"""A small story, and facts that are put in as an extraction by a model would, without a model."""

from __future__ import annotations

from typing import Any

from tests.engine.service_kit import Kit, rows
from tidelore.engine.codec import windowed
from tidelore.engine.model import EnsureNode, Evident, Fields, Named, Operation, Quote

STORY = rows(
    ("Mara", "The lantern of Saltmarsh burns in the mill tonight."),
    ("Tobin", "Alder Bridge has fallen, and the river took the toll house."),
    ("Mara", "Then the ferryman must carry us over for a copper."),
    ("Tobin", "He drowned last winter, the ferryman of Alder Bridge."),
    ("Mara", "Somebody rows that boat at night all the same."),
    ("Tobin", "The sexton does. He took the oars when the ferryman drowned."),
)
CHAT = "c"


class CareKit(Kit):
    """The story in one chat, with what the rules remember."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.remember(CHAT, STORY)

    def tell(self, index: int, *operations: Operation, chat: str = CHAT, maker: str = "scripted") -> None:
        """What a model says of one message, on top of what it said before."""
        held = self.run_sync(self.service.chats.open(chat))
        before = held.timeline.slots[index].model
        old = before.commit.operations if before is not None else ()
        commit = windowed(
            "model",
            (*old, *operations),
            (held.timeline.keys[index],),
            clock=self.service.chats.tick(held.home),
            replica="model",
            generation=before.commit.generation + 1 if before is not None else 0,
            maker=maker,
        )
        self.run_sync(self.service.chats.commit(held, [commit]))

    def fact(self, index: int, text: str, about: str = "Ferryman", *, chat: str = CHAT, sub: str = "context", **fields: Any) -> str:
        """A fact that one message says; its id."""
        held = self.run_sync(self.service.chats.open(chat))
        before = held.timeline.slots[index].model
        ordinal = sum(isinstance(each, EnsureNode) and isinstance(each.ref, Evident) for each in before.commit.operations) if before else 0
        values: Fields = {"text": text, **fields}
        ref = Evident("fact", (0,), ordinal)
        told = [EnsureNode(Named(about), "character", evidence=(Quote(0),)), EnsureNode(ref, sub, values, (Quote(0),), Named(about))]
        self.tell(index, *told, chat=chat)
        return self.id_of(text, chat)

    def id_of(self, text: str, chat: str = CHAT) -> str:
        """The id of what is shown with this text."""
        (found,) = [node["id"] for node in self.graph(chat)["nodes"] if node["text"] == text]
        return str(found)

    def node(self, node: str, chat: str = CHAT) -> dict[str, Any]:
        found: dict[str, Any] = self.call("node.get", chat=chat, node=node)
        return found

    def all(self, chat: str = CHAT) -> Any:
        """The whole graph, with what is hidden and private."""
        return self.call("graph.get", chat=chat, private=True, states=["current", "superseded", "archived", "hidden"])

    def edit_story(self, index: int, text: str, chat: str = CHAT) -> None:
        """One message reads differently from now on; the rules extract what is new."""
        self.remember(chat, [{**row, "text": text} if at == index else row for at, row in enumerate(STORY)])
