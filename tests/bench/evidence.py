"""Evidence recall of the product's own recall on folders of conversations: python -m tests.bench.evidence DIR..."""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import sys
from collections import defaultdict
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

from tidelore.engine.memory import MemoryStore
from tidelore.engine.service import Service

MONTHS = "january february march april may june july august september october november december".split()
DATE = re.compile(r"(\d{1,2}):(\d{2})\s*(am|pm)\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})", re.I)


def iso(text: str) -> str:
    found = DATE.search(text)
    if not found:
        return text
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "pm" else 0)
    return f"{int(found[6]):04}-{MONTHS.index(found[5].lower()) + 1:02}-{int(found[4]):02}T{hour:02}:{found[2]}"


def messages_of(data: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    rows: list[dict[str, Any]] = []
    ids: list[str] = []
    for session in data["sessions"]:
        date = iso(session["date"])
        for turn in session["turns"]:
            text = turn["text"] + (f" [shares {turn['caption']}]" if turn.get("caption") else "")
            role = "user" if [turn["speaker"]] == data["speakers"][:1] else "assistant"
            rows.append({"role": role, "name": turn["speaker"], "text": text, "date": date})
            ids.append(turn["id"])
    return rows, ids


async def run(path: Path, found: dict[int, list[tuple[float, float]]], times: list[float]) -> None:
    data = json.loads(path.read_text("utf-8"))
    rows, ids = messages_of(data)
    numbers = count(1)
    service = Service(MemoryStore(), lambda: next(numbers), lambda: f"t{next(numbers)}")
    await service.call("chat.update", {"chat": "c", "messages": rows})
    await service.call("extract.run", {"chat": "c", "lag": 0})
    for question in data["questions"]:
        params = {"chat": "c", "query": question["question"], "limit": 50, "budget": 1_000_000, "trace": False}
        begin = perf_counter()
        answer = await service.call("recall.run", params)
        times.append((perf_counter() - begin) * 1000)
        ranked: dict[str, None] = {}
        for card in answer["cards"]:
            for evidence in card["evidence"]:
                ranked[ids[evidence["index"]]] = None
        gold = set(question["evidence"])
        if gold:
            order = list(ranked)
            found[question["category"]].append((len(gold & set(order[:10])) / len(gold), len(gold & set(order[:20])) / len(gold)))


async def main() -> None:
    for folder in sys.argv[1:]:
        found: dict[int, list[tuple[float, float]]] = defaultdict(list)
        times: list[float] = []
        for path in sorted(Path(folder).glob("*.json")):
            await run(path, found, times)
        for category in sorted(found):
            print(f"  category {category:2} {shown(found[category])}")
        rows = [row for category, values in found.items() if category != 5 for row in values]
        print(f"{folder}: all but 5: {shown(rows)}; search {statistics.median(times):.1f} ms")


def shown(rows: list[tuple[float, float]]) -> str:
    at_10, at_20 = (100 * statistics.mean(row[at] for row in rows) for at in (0, 1))
    return f"{len(rows):5} R@10 {at_10:5.1f} R@20 {at_20:5.1f}"


if __name__ == "__main__":
    asyncio.run(main())
