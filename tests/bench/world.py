"""A made-up chat of any size: its texts, commits and vectors, the same at every run."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tidelore.engine.codec import windowed
from tidelore.engine.keys import message_key
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, Evident, Named, Operation, Quote, Role, Speaker
from tidelore.engine.ports import VectorModel

SYLLABLES = "ba re mi to la ne su ka di vo fen gar hol il jun kes lum mor nat or pel quin ros sil tar ul ven wil yar zed".split()
DIMENSION = 384


class World:
    """`messages` as the host gives them, and one commit of two nodes and about ten edges for each."""

    def __init__(self, messages: int, seed: int = 7) -> None:
        self.random = random.Random(seed)
        self.vocabulary = ["".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4))) for _ in range(6000)]
        self.weights = [1 / (rank + 3) for rank in range(len(self.vocabulary))]
        self.people = [self.word().capitalize() for _ in range(120)]
        self.places = [self.word().capitalize() + " Harbour" for _ in range(60)]
        self.messages = [self.message(at) for at in range(messages)]

    def word(self) -> str:
        return self.random.choices(self.vocabulary, self.weights)[0]

    def sentence(self, words: int = 18) -> str:
        return " ".join(self.random.choices(self.vocabulary, self.weights, k=words)).capitalize() + "."

    def message(self, at: int) -> dict[str, Any]:
        role: Role = "assistant" if at % 2 else "user"
        person = self.random.choice(self.people)
        return {
            "role": role,
            "name": "Tobin" if at % 2 else "Mara",
            "text": f"{self.sentence()} {person} {self.sentence(9)}",
            "hidden": False,
        }

    def commit(self, message: Mapping[str, Any], clock: int) -> Commit:
        """A rule commit: a moment, a fact, and edges to people, places and another node of the story."""
        text = str(message["text"])
        moment, fact = Evident("moment", (0,), 0), Evident("fact", (0,), 0)
        subject = self.random.choice(self.people)
        operations: list[Operation] = [
            EnsureNode(moment, "event", {"text": text[:240]}, (Quote(0, text[:80]),)),
            EnsureNode(
                fact, "state", {"text": self.sentence(8), "attribute": self.word(), "value": self.word()}, (Quote(0),), Named(subject)
            ),
            EnsureNode(Speaker(0), "character"),
            EnsureEdge("involved_in", Speaker(0), moment),
            EnsureEdge("supports", moment, fact),
            EnsureEdge("occurred_at", moment, Named(self.random.choice(self.places))),
        ]
        for person in self.random.sample(self.people, 3):
            operations += [EnsureNode(Named(person), "character"), EnsureEdge("involved_in", Named(person), moment)]
        for place in self.random.sample(self.places, 2):
            operations += [EnsureNode(Named(place), "location"), EnsureEdge("relates", fact, Named(place), "near")]
        key = message_key(message["role"], text)
        return windowed("rules", operations, (key,), clock=clock, replica="bench")


class RandomVectors:
    """The vectors port over a float32 matrix of random directions."""

    def __init__(self, nodes: Sequence[str], seed: int = 7) -> None:
        generator = np.random.default_rng(seed)
        self.nodes = list(nodes)
        matrix = generator.standard_normal((len(self.nodes), DIMENSION), dtype=np.float32)
        self.matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        self.query = self.matrix[0]

    async def put(self, texts: Mapping[str, str]) -> None:
        del texts

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> list[tuple[str, float]]:
        del query, allowed
        cosines = self.matrix @ self.query
        best = np.argpartition(-cosines, k)[:k]
        return [(self.nodes[at], float(cosines[at])) for at in best[np.argsort(-cosines[best])]]

    async def gram(self, nodes: Sequence[str]) -> list[list[float]]:
        del nodes
        return []

    def model(self) -> VectorModel:
        return VectorModel("random", DIMENSION, 9.0, 0.5)
