"""`python -m tests.bench.embedder`: the embedding model of the page, under Node: its start, a query, texts a second, its heap."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.figures import machine
from tests.embedder_kit import lay_files

ROOT = Path(__file__).resolve().parents[2]
QUERY = "What did she say about the lighthouse last winter ({})?"
PASSAGE = "Mara told Tom that the old lighthouse by the harbour had been closed since the storm, and that nobody had key {} any more."
QUERIES, PASSAGES, AT_ONCE = 20, 60, 3


def main() -> None:
    node = shutil.which("node")
    if node is None:
        sys.exit("Node.js is needed.")
    queries = [[QUERY.format(at)] for at in range(QUERIES)]
    passages = [[PASSAGE.format(at + row) for row in range(AT_ONCE)] for at in range(0, PASSAGES, AT_ONCE)]
    with tempfile.TemporaryDirectory() as folder:
        files = lay_files(Path(folder))
        asked = json.dumps([*queries, *passages])
        command = [node, "tests/parity/embedder.mjs", "build/wasm", str(files)]
        done = subprocess.run(command, cwd=ROOT, input=asked, capture_output=True, text=True, encoding="utf-8", check=True)
    said = json.loads(done.stdout)
    info, ms = said["info"], said["ms"]
    print(machine())
    print(f"files read and hashed, ms              {info['gatherMs']:8.0f}")
    print(f"Python, numpy and model, ms            {info['startMs']:8.0f}")
    print(f"one query ({len(QUERY)} characters), median ms  {statistics.median(ms[:QUERIES]):8.0f}")
    print(f"passages ({len(PASSAGE)} characters) a second   {PASSAGES / sum(ms[QUERIES:]) * 1000:8.1f}")
    print(f"heap of WebAssembly, MB                {info['heap'] / 1e6:8.0f}")


if __name__ == "__main__":
    main()
