"""Fakes of the ports: a scripted memory model, an embedder by words."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from tidelore.engine.ports import VectorModel
from tidelore.host.embedders import Matrix, TextKind

_LINE = re.compile(r"\[(\d+)\] (?:(.+) \()?(user|assistant)\)?: (.*)")


@dataclass(frozen=True)
class Line:
    """A message as the model sees it."""

    number: int
    name: str
    role: str
    text: str


@dataclass(frozen=True)
class Asked:
    """One prompt, taken apart. `known`: what stands after each short key."""

    system: str
    lines: Sequence[Line]
    earlier: Sequence[str]
    known: Mapping[str, str]

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    def key_of(self, text: str) -> str:
        """The short key of the known node whose line holds these words."""
        return next(key for key, line in self.known.items() if text in line)


def read_prompt(messages: Sequence[Mapping[str, str]]) -> Asked:
    system, user = (message["content"] for message in messages)
    lines = [
        Line(int(found[1]), found[2] or "", found[3], found[4].replace("\n    ", "\n"))
        for found in map(_LINE.fullmatch, _entries(user, "messages"))
        if found
    ]
    known = dict(line.split(" ", 1) for line in _entries(user, "known"))
    return Asked(system, lines, _entries(user, "earlier"), known)


def _entries(text: str, tag: str) -> list[str]:
    block = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", text, re.DOTALL)
    return re.split(r"\n(?! {4})", block[1]) if block else []


Rule = Callable[[Asked], str | Awaitable[str]]


@dataclass
class ScriptedModel:
    """A `Complete` that answers by a rule over what it is asked. A rule may raise."""

    rule: Rule
    name: str = "scripted"
    asked: list[Asked] = field(default_factory=list[Asked])

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        del schema, budget
        asked = read_prompt(messages)
        self.asked.append(asked)
        answer = self.rule(asked)
        return answer if isinstance(answer, str) else await answer

    @property
    def windows(self) -> list[list[str]]:
        """The texts of each window that it was asked about."""
        return [asked.texts for asked in self.asked]


def answer(*operations: Mapping[str, Any]) -> str:
    return json.dumps({"operations": operations}, ensure_ascii=False)


def fact(text: str, number: int, quote: str, **more: object) -> dict[str, Any]:
    return {"op": "node", "kind": "fact", "sub": "context", "text": text, "evidence": [{"message": number, "quote": quote}], **more}


def one_fact_each(asked: Asked) -> str:
    """A fact for every message of the window."""
    return answer(*(fact(f"{line.name} said: {line.text}", line.number, line.text) for line in asked.lines))


def clock() -> Callable[[], int]:
    """Another millisecond with every look."""
    ticks = itertools.count(1_700_000_000_000)
    return lambda: next(ticks)


def tokens() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{next(numbers):032x}"


@dataclass
class WordEmbedder:
    """Texts that share words are near each other: each word adds one direction, drawn from its hash."""

    name: str = "words"
    dimension: int = 256
    error: Exception | None = None
    late: asyncio.Event | None = None
    nothing: Mapping[str, float] = field(default_factory=dict[str, float])
    asked: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    @property
    def model(self) -> VectorModel:
        return VectorModel(self.name, self.dimension, 7.0, 0.35)

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Matrix:
        """`nothing` maps texts to the value that fills their whole vector, such as 0 or NaN."""
        self.asked.append(tuple(texts))
        if self.late is not None:
            await self.late.wait()
        if self.error is not None:
            raise self.error
        return np.array([self._row(text) for text in texts], np.float32)

    def _row(self, text: str) -> Matrix:
        if text in self.nothing:
            return np.full(self.dimension, self.nothing[text], np.float32)
        words = re.findall(r"\w+", text.casefold()) or [text]
        row: Matrix = np.array([self._direction(word) for word in words], np.float32).sum(axis=0)
        return row

    def _direction(self, word: str) -> Matrix:
        seed = int.from_bytes(blake2b(f"{self.name} {word}".encode(), digest_size=8).digest())
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
