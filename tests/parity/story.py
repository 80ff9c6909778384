"""What the engine makes of the two sample stories, as JSON on standard output: the same script for CPython and Pyodide."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import sys
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

from tidelore.engine.memory import MemoryStore
from tidelore.engine.ports import VectorModel
from tidelore.engine.service import Service

PACKAGE = Path(__file__).resolve().parents[2] / "sidecar" / "tidelore"
SIZE = 64


def _module(path: Path) -> Any:
    """A module that is not in the page's wheel."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Shapes:
    """Vectors made of the pairs of characters in a text. See `tidelore.engine.ports.Vectors`."""

    def __init__(self) -> None:
        self._vectors: dict[str, list[float]] = {}

    def model(self) -> VectorModel:
        return VectorModel("shapes", SIZE, 2.0, 0.5)

    async def put(self, texts: Mapping[str, str]) -> None:
        self._vectors.update((node, _vector(text)) for node, text in texts.items())

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        vector = _vector(query)
        nodes = self._vectors if allowed is None else [node for node in self._vectors if node in allowed]
        return sorted(((node, _cosine(vector, self._vectors[node])) for node in nodes), key=lambda pair: (-pair[1], pair[0]))[:k]

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors = [self._vectors.get(node, [0.0] * SIZE) for node in nodes]
        return [[_cosine(one, other) for other in vectors] for one in vectors]


def _vector(text: str) -> list[float]:
    out = [0.0] * SIZE
    for at in range(len(text) - 1):
        out[blake2b(text[at : at + 2].encode(), digest_size=1).digest()[0] % SIZE] += 1.0
    length = math.sqrt(sum(value * value for value in out)) or 1.0
    return [value / length for value in out]


def _cosine(one: list[float], other: list[float]) -> float:
    return round(sum(a * b for a, b in zip(one, other, strict=True)), 6)


def _messages(raw: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"role": each["role"], "name": each["name"], "text": each["text"], "date": each.get("date", "")} for each in raw]


def _edited(raw: Mapping[str, Any], messages: list[dict[str, Any]], action: str) -> list[dict[str, Any]]:
    at = raw[action]["index"]
    return [*messages[:at], {**messages[at], "text": raw[action]["text"]}, *messages[at + 1 :]]


async def tell(language: str, by: str) -> dict[str, Any]:
    raw = json.loads((PACKAGE / "samples" / f"{language}.json").read_text("utf-8"))
    times, tokens = count(1_700_000_000_000), count(1)
    model = _module(PACKAGE / "demo" / "stand_in.py").StandIn() if by == "model" else None
    vectors = Shapes() if by == "model" else None
    service = Service(MemoryStore("parity"), lambda: next(times), lambda: f"{next(tokens):032x}", model, vectors)

    async def call(method: str, **params: Any) -> Any:
        return await service.call(method, params)

    out: dict[str, Any] = {"steps": []}
    messages = _messages(raw["messages"])
    branch = messages[: raw["branch"]["at"] + 1] + _messages(raw["branch"]["messages"])
    shown = {"swipe": _edited(raw, messages, "swipe"), "edit": _edited(raw, messages, "edit"), "whole": messages}
    for name, standing in shown.items():
        out["steps"].append([name, await call("chat.update", chat="story", messages=standing)])
        out["steps"].append([name, await call("extract.run", chat="story", by=by, lag=0)])
    out["steps"].append(["branch", await call("chat.update", chat="branch", messages=branch, branch_of="story")])
    out["graphs"] = [await call("graph.get", chat=chat) for chat in ("story", "branch")]
    out["stats"] = await call("stats", chat="story")
    questions = [each["question"] for each in raw["questions"]]
    out["recalls"] = [await call("recall.run", chat="story", query=question) for question in questions]
    out["recalls"].append(await call("recall.run", chat="branch", query=" ".join(questions), budget=2000, limit=40))
    cards = [card["node"] for found in out["recalls"][:-1] for card in found["cards"]]
    out["why"] = [await call("why", chat="story", node=node) for node in dict.fromkeys(cards)]
    return out


if __name__ == "__main__":
    if sys.platform == "emscripten":
        from tests.parity import loop

        loop.install()
    print(json.dumps({f"{lang} {by}": asyncio.run(tell(lang, by)) for lang in ("en", "zh") for by in ("rules", "model")}))
