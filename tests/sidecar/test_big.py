"""A chat of a hundred thousand messages: told, extracted by rules, opened again, edited. Times and memory are printed, not judged."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from tests.sidecar.processes import python
from tidelore.host.open import open_service

MESSAGES = 100_000
EDITED = 40_000


def chat() -> list[dict[str, Any]]:
    """Each message is one moment."""
    names = ("Mara", "Tobin")
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "text": f"I wrote down word {at} in the small hours.", "name": names[at % 2]} for at in range(MESSAGES)]


async def work(folder: Path, part: str) -> None:
    """Runs in a process of its own; prints a line for each call."""
    messages = chat()
    edited = [*messages[:EDITED], {**messages[EDITED], "text": "I never said so."}, *messages[EDITED + 1 :]]
    steps: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "tell": [("chat.update", {"messages": messages}), ("extract.run", {"lag": 0})],
        "edit": [
            ("stats", {}),
            ("chat.update", {"messages": messages}),
            ("chat.update", {"messages": edited}),
            ("extract.run", {"lag": 0}),
            ("stats", {}),
        ],
    }
    async with open_service(folder) as service:
        for method, params in steps[part]:
            begin = perf_counter()
            result = await service.call(method, {"chat": "c", **params})
            print(json.dumps([method, perf_counter() - begin, _megabytes(), result]), flush=True)


def _megabytes() -> int:
    """The most memory that this process has had; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def results(folder: Path, part: str) -> list[dict[str, Any]]:
    out = []
    with python("-m", "tests.sidecar.test_big", str(folder), part) as other:
        while line := other.hear():
            method, seconds, megabytes, result = json.loads(line)
            print(f"{part}: {method:12} {seconds:8.2f} s, at most {megabytes} MB so far")
            out.append(result)
    return out


@pytest.mark.slow
@pytest.mark.req("LAW-EDIT")
def test_a_hundred_thousand_messages(tmp_path: Path) -> None:
    told, extracted = results(tmp_path, "tell")
    assert (told["messages"], told["inserted"], told["removed"]) == (MESSAGES, MESSAGES, 0)
    assert (extracted["windows"], extracted["commits"], extracted["remaining"]) == (MESSAGES, MESSAGES, 0)

    before, same, edited, again, after = results(tmp_path, "edit")
    for stats, more in ((before, 0), (after, 1)):
        assert (stats["messages"], stats["sources"], stats["commits"]) == (MESSAGES, MESSAGES + more, MESSAGES + more)
        assert (stats["live"], stats["rules_due"]) == (MESSAGES, 0)
        assert stats["nodes"] == {"entity": 2, "moment": MESSAGES}
        assert stats["edges"] == {"continues": MESSAGES - 1, "involved_in": MESSAGES}
    assert (same["inserted"], same["removed"], same["commits_out"]) == (0, 0, 0)
    assert (edited["inserted"], edited["removed"], edited["commits_out"]) == (1, 1, 1)
    assert (again["windows"], again["commits"]) == (1, 1)


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), sys.argv[2]))
