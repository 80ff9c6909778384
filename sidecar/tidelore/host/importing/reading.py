"""Text files in the encodings that people have."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tidelore.engine.errors import BadInput, NotFound

ACCEPTED = (
    "Accepted are SillyTavern chats (.jsonl), exports of ChatGPT, DeepSeek and Claude (conversations.json), messages with role "
    'and content (.json, .jsonl), and text or Markdown with lines such as "Name: text".'
)


@dataclass(frozen=True, slots=True)
class TextFile:
    path: Path
    encoding: str
    notes: tuple[str, ...] = ()

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """Numbers from 1 and lines without their ends; None where the bytes are not of the encoding."""
        if self.encoding == "utf-16":
            with self.path.open(encoding="utf-16", errors="replace", newline="\n") as text:
                for number, line in enumerate(text, 1):
                    yield number, line.rstrip("\r\n")
            return
        with self.path.open("rb") as data:
            for number, raw in enumerate(data, 1):
                raw = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                try:
                    yield number, raw.decode(self.encoding).rstrip("\r\n")
                except UnicodeDecodeError:
                    yield number, None

    def text(self) -> str:
        """All of it, with line feeds; bytes that are not of the encoding become U+FFFD."""
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        return self.path.read_text(encoding=encoding, errors="replace")


def open_text(path: Path) -> TextFile:
    """Finds the encoding of a file: UTF-8, UTF-16 with its mark, or GB18030. BadInput when it holds no text."""
    try:
        return _examined(path)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path.name}.") from error
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.", "Choose a file that this user may read.") from error


def _examined(path: Path) -> TextFile:
    with path.open("rb") as data:
        start = data.read(4096)
        if start.startswith(b"PK\x03\x04"):
            raise BadInput(f"{path.name} is a ZIP archive.", "Unpack it, and choose conversations.json from it.")
        if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            raise BadInput(f"{path.name} is written in UTF-32.", "Save it as UTF-8.")
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return TextFile(path, "utf-16")
        # A crash of the other program may leave NUL bytes further on; those lines are counted as unreadable.
        if b"\0" in start.split(b"\n", 1)[0]:
            raise BadInput(f"{path.name} is not a text file.", ACCEPTED)
        data.seek(0)
        good, bad, foreign = _census(data)
    if bad == 0:
        return TextFile(path, "utf-8")
    # A torn character breaks single lines of a UTF-8 file; a file in GB18030 breaks nearly every line with Chinese in it.
    if good >= bad:
        return TextFile(path, "utf-8", (f"{bad} lines hold bytes that are not UTF-8.",))
    if foreign == 0:
        return TextFile(path, "gb18030", ("Read as GB18030, because it is not UTF-8.",))
    raise BadInput(f"The encoding of {path.name} is not known.", "Save it as UTF-8. " + ACCEPTED)


def _census(lines: Iterator[bytes]) -> tuple[int, int, int]:
    """How many lines beyond ASCII are UTF-8, how many are not, and how many of those are not GB18030 either."""
    good = bad = foreign = 0
    for line in lines:
        if line.isascii():
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            bad += 1
            foreign += not _is_gb18030(line)
        else:
            good += 1
    return good, bad, foreign


def _is_gb18030(line: bytes) -> bool:
    try:
        text = line.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return "\0" not in text
