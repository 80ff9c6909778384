"""Which format a file has."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from tidelore.engine.errors import BadInput

from . import chatgpt, claude, messages, sillytavern
from .reading import ACCEPTED, TextFile, open_text
from .values import Object, as_list, as_object, parse

Format = Literal["sillytavern", "chatgpt", "claude", "messages", "text"]

# The first line may be broken; so many are looked at.
_TRIED_LINES = 50


@dataclass(frozen=True, slots=True)
class Examined:
    """`document` is the JSON value of a file that is one. Without it the file is read line by line, or as text.

    `many`: the values of the list, or of the lines, are chats with a list of messages each.
    """

    file: TextFile
    format: Format
    many: bool = False
    document: object | None = None


def detect(path: Path) -> Format:
    """The format of the file; what is not called JSON and is none counts as text, whose speakers `load` looks for.

    BadInput when it is empty, no text, broken JSON, or JSON without a chat; NotFound when it is not there.
    """
    return examine(path).format


def examine(path: Path) -> Examined:
    """As `detect`, with what had to be read to know it."""
    file = open_text(path)
    lines = list(islice((line or "{" for _, line in file.lines() if line is None or line.strip()), _TRIED_LINES))
    if not lines:
        raise BadInput(f"{path.name} is empty.", ACCEPTED)
    if lines[0].lstrip()[0] not in "{[":
        return Examined(file, "text")
    # The last object of a list that is written over several lines also looks like a line of its own.
    return _by_lines(file, lines[:1]) or _document(file) or _by_lines(file, lines[1:]) or _not_json(file)


def _by_lines(file: TextFile, lines: Iterable[str]) -> Examined | None:
    for line in lines:
        found = _format_of_line(as_object(parse(line)))
        if found:
            return Examined(file, *found)
    return None


def _document(file: TextFile) -> Examined | None:
    document = parse(file.text())
    if document is None:
        return None
    for value in as_list(document) if isinstance(document, list) else [document]:
        found = _format(as_object(value))
        if found:
            return Examined(file, *found, document)
    raise BadInput(f"{file.path.name} is JSON, but holds no chat that can be read.", ACCEPTED)


def _format(entry: Object) -> tuple[Format, bool] | None:
    if chatgpt.is_chat(entry):
        return "chatgpt", True
    return ("claude", True) if claude.is_chat(entry) else _format_of_line(entry)


def _format_of_line(entry: Object) -> tuple[Format, bool] | None:
    if messages.is_chat(entry):
        return "messages", True
    if sillytavern.is_header(entry) or sillytavern.is_message(entry):
        return "sillytavern", False
    return ("messages", False) if messages.is_message(entry) else None


def _not_json(file: TextFile) -> Examined:
    """A text may begin with a bracket; a file that is called JSON should have been JSON."""
    if file.path.suffix.lower() not in (".json", ".jsonl"):
        return Examined(file, "text")
    try:
        json.loads(file.text())
    except RecursionError as error:
        raise BadInput(f"The JSON of {file.path.name} is nested too deeply.", ACCEPTED) from error
    except ValueError as error:
        raise BadInput(f"{file.path.name} is broken JSON: {error}.", "Export it again. " + ACCEPTED) from error
    raise BadInput(f"{file.path.name} is JSON, but holds no chat that can be read.", ACCEPTED)
