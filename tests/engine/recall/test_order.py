"""Ranks depend on the chat alone: not on the seed of Python's hashes, nor on the order of the edits that led to it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import json, sys
from tests.engine.recall.vectors import FixedVectors
from tests.engine.service_kit import Kit, rows

words = "crown crypt keeper coin tide boat anchor rope lantern goat".split()
people = ["Ann", "ANN", "Bob", "Ann Lee", "Cleo"]
said = [
    (people[at % 5], f"I {'love' if at % 3 else 'hate'} the {words[at % 10]} of {people[at % 4]} and the {words[at * 7 % 10]}.")
    for at in range(60)
]
chat = [{**row, "date": f"2023-05-{1 + at // 4:02}"} for at, row in enumerate(rows(*said))]
chat += [chat[3], {**chat[3], "name": "Bob"}]
kit = Kit(vectors=FixedVectors())
if sys.argv[1] == "edited":
    kit.remember("c", list(reversed(chat)))
    kit.remember("c", chat[:20] + chat[40:])
    kit.recall("c", "the crown")
    kit.remember("c", chat[5:] + chat[:5])
    kit.recall("c", "the crown")
kit.remember("c", chat)
nodes = sorted(node["id"] for node in kit.nodes("c", "moment"))
kit._vectors.cosines = {id_: 0.5 for id_ in nodes[:9]}
queries = ["Who is Ann Lee?", "the crown of Bob", "Ann's goat in May 2023", "Cleo", "Ann, ANN and Bob: what of the tide?"]
for query in queries:
    for preset in ("story", "strict", "plain"):
        found = kit.recall("c", query, preset=preset, reply="The lantern of Cleo.", earlier="A boat?")
        del found["recall"]
        print(json.dumps(found, ensure_ascii=False))
"""


def output(seed: int, how: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join([str(ROOT / "sidecar"), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", SCRIPT, how], capture_output=True, env=environment, check=True, cwd=ROOT)
    return done.stdout.decode("utf-8")


def test_recall_gives_the_same_bytes_whatever_the_hash_seed_and_the_history() -> None:
    outputs = {output(seed, how) for seed in (1, 2) for how in ("plain", "edited")}
    assert len(outputs) == 1
    assert min(map(len, outputs)) > 10_000
