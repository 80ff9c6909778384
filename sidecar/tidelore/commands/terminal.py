"""Writing to a terminal, a pipe or a file. Colour only on a terminal, progress only where someone watches."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TextIO

from tidelore.commands.measure import clean, clip, pad, width, wrap
from tidelore.engine.extract.run import Progress
from tidelore.engine.service import Call

Style = Literal["", "title", "strong", "dim", "good", "warn", "bad", "name"]
_CODES: dict[Style, str] = {"title": "1;36", "strong": "1", "dim": "2", "good": "32", "warn": "33", "bad": "31", "name": "36"}
_NARROWEST, _WIDEST, _ELSEWHERE = 40, 100, 80
_BAR, _REDRAW_SECONDS = 24, 0.1


def coloured(stream: TextIO) -> bool:
    """Whether to colour: a terminal, and nobody said no (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Terminal:
    """Where a command writes. `width` is never more than reads well."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.colour = coloured(stream)
        columns = shutil.get_terminal_size((_ELSEWHERE, 24)).columns if stream.isatty() else _ELSEWHERE
        self.width = max(_NARROWEST, min(_WIDEST, columns))

    def styled(self, text: str, style: Style) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if style and text and self.colour else text

    def line(self, text: str = "", style: Style = "", indent: int = 0) -> None:
        """One line as it stands; the caller has seen to its width."""
        text = clean(text)
        self.stream.write((" " * indent + self.styled(text, style)).rstrip(" ") + "\n" if text else "\n")

    def text(self, text: str, style: Style = "", indent: int = 0, first: str = "", first_style: Style = "") -> None:
        """A text, wrapped. `first` stands before its first line, the others are indented as far."""
        inner = indent + width(first)
        for at, line in enumerate(wrap(text, self.width - inner)):
            head = self.styled(first, first_style) if at == 0 else " " * width(first)
            self.stream.write((" " * indent + head + self.styled(line, style)).rstrip(" ") + "\n")

    def advice(self, text: str, style: Style = "", indent: int = 0, first: str = "", first_style: Style = "") -> None:
        """A text whose lines that begin with a tab are commands: those are never broken, so that they can be pasted."""
        for at, line in enumerate(text.split("\n")):
            head = first if at == 0 else " " * width(first)
            if line.startswith("\t"):
                self.line(line[1:], "name", indent + width(first) + 2)
            else:
                self.text(line, style, indent, head, first_style)

    def title(self, text: str) -> None:
        text = clip(text, self.width)
        self.line(text, "title")
        self.line("─" * width(text), "dim")

    def table(
        self, rows: Sequence[Sequence[str]], align: str = "", head: bool = False, indent: int = 2, styles: Sequence[Style] = ()
    ) -> None:
        """Columns two spaces apart; the widest of those that are aligned "<" gives way where there is no room. `align`: "<" or ">" for
        each column."""
        if not rows:
            return
        columns = len(rows[0])
        align = align.ljust(columns, "<")
        widths = [max(width(row[at]) for row in rows) for at in range(columns)]
        room = self.width - indent - 2 * (columns - 1)
        while sum(widths) > room:
            widest = max((at for at in range(columns) if align[at] == "<"), key=lambda at: widths[at], default=0)
            if widths[widest] <= 8:
                break
            widths[widest] -= min(sum(widths) - room, widths[widest] - 8)
        for number, row in enumerate(rows):
            cells = [pad(clip(cell, widths[at]), widths[at], align[at]) for at, cell in enumerate(row)]
            style: Style = "dim" if head and number == 0 else ""
            parts = [self.styled(cell, style or (styles[at] if at < len(styles) else "")) for at, cell in enumerate(cells)]
            self.stream.write((" " * indent + "  ".join(parts)).rstrip(" ") + "\n")

    def rows(self, rows: Sequence[tuple[str, str]], indent: int = 2) -> None:
        """Names and texts, the texts one below the other and wrapped."""
        names = max((width(name) for name, _ in rows), default=0)
        for name, text in rows:
            self.text(text, first=pad(name, names) + "  ", first_style="dim", indent=indent)

    def json(self, value: Any) -> None:
        """One JSON document: on one line for programs, laid out on a terminal."""
        text = json.dumps(value, ensure_ascii=False, indent=2 if self.stream.isatty() else None)
        try:
            text.encode(self.stream.encoding or "utf-8")
        except UnicodeEncodeError:
            text = json.dumps(value, indent=2 if self.stream.isatty() else None)
        self.stream.write(text + "\n")


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A bar on stderr, where that is a terminal; it is wiped when the work is done."""
    stream = sys.stderr
    if not stream.isatty():
        yield Call().progress
        return
    drawn = 0.0

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        moment = time.monotonic()
        if moment - drawn < _REDRAW_SECONDS and done < total:
            return
        drawn = moment
        share = min(1.0, done / total) if total else 1.0
        full = round(share * _BAR)
        stream.write(f"\r\x1b[K{clip(label, 34)} [{'█' * full}{'░' * (_BAR - full)}] {share:4.0%}  {done}/{total}")
        stream.flush()

    try:
        yield draw
    finally:
        stream.write("\r\x1b[K")
        stream.flush()
