"""`make picture`: the picture of the demo in the README, made from what the demo really prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "demo.svg"
LINE, CHARACTER, MARGIN, SIZE = 19, 8.43, 22, 14
COLOURS = {"✓": "#7fd1a0", "»": "#7fb2d1", "#": "#d7dce2"}


def wanted(text: str) -> list[str]:
    """The beginning of the first story's questions, and its table of changes."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("Five questions"))
    third = next(at for at in range(start, len(lines)) if lines[at].startswith("3. "))
    questions = lines[start : third - 1]
    table = next(at for at, line in enumerate(lines) if line.startswith("  you "))
    end = next(at for at in range(table, len(lines)) if not lines[at].strip())
    return ["$ make run", "", *questions, "", *lines[table:end]]


def svg(lines: list[str]) -> str:
    """The lines as a dark terminal."""
    width = int(max(map(len, lines)) * CHARACTER + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN
    rows = []
    for at, line in enumerate(lines):
        colour = next((colour for sign, colour in COLOURS.items() if line.strip().startswith(sign)), "#d7dce2")
        if line.startswith(("$", "Five", "  you ")):
            colour = "#e8c07d"
        y = MARGIN + at * LINE + SIZE
        rows.append(f'<text x="{MARGIN}" y="{y}" fill="{colour}" xml:space="preserve">{escape(line)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="{SIZE}">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1b2027"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def main() -> None:
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "tidelore", "demo", "--lang", "en"]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    TARGET.write_text(svg(wanted(done.stdout)), encoding="utf-8")
    print(TARGET.relative_to(ROOT))


if __name__ == "__main__":
    main()
