"""Removal of what is on screen but is no part of the story: reasoning, injected memory, tool output, status blocks."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from tidelore.engine.text.patterns import later

REASONING = frozenset({"think", "thinking", "reasoning", "analysis"})
BLOCKS = REASONING | {
    # world info
    "worldbook", "world_info", "worldinfo",
    # memory put into the prompt by us or by others
    "tidelore-memory", "typed_memory", "arc_materials", "memory", "memories", "recalled_memories",
    # tools
    "tool_result", "tool_results", "tool_call", "tool_calls", "tool_use", "tool_output", "tool_response",
    "function_call", "function_calls", "function_result", "function_results",
    # status panels of cards
    "statusblock", "status_block", "statusbar", "status_bar", "updatevariable", "statusplaceholderimpl",
}  # fmt: skip

_COMMENT = "!--"
_TAG = later(
    r"<!--|-->|<(?P<slash>/?)(?P<name>" + "|".join(sorted(BLOCKS, key=len, reverse=True)) + r")(?=[\s/>])(?P<rest>[^<>]*)>",
    re.IGNORECASE,
)
_LIST = later(r"^[ \t]*\[MemTether recalled memories\][^\n]*(?:\n[ \t]*- \(importance [^\n]*)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    start: int
    end: int
    closes: bool
    empty: bool


def clean(text: str) -> str:
    """`text` without complete blocks that never become memory; unchanged when it has none.

    An unclosed tag stays as it is, with two exceptions. A text that begins with a reasoning tag that nothing closes is
    reasoning cut off by the token limit: "" is left of it. A closing reasoning tag alone on its line, without an
    opening one before it, ends reasoning whose opening tag was in the prompt: what stands before it goes.
    """
    tags = _tags(text) if "<" in text else []
    if tags and _is_cut_off(text, tags):
        return ""
    spans = _blocks(tags)
    spans += [(0, tag.end) for tag in tags[:1] if tag.closes and tag.name in REASONING and _is_alone(text, tag)]
    if "[MemTether" in text:
        spans += [match.span() for match in _LIST.finditer(text)]
    return _without(text, spans) if spans else text


def _tags(text: str) -> list[_Tag]:
    tags: list[_Tag] = []
    for match in _TAG.finditer(text):
        name = match.group("name")
        if name is None:
            tags.append(_Tag(_COMMENT, match.start(), match.end(), match.group() == "-->", False))
        else:
            closes = bool(match.group("slash"))
            empty = not closes and match.group("rest").endswith("/")
            tags.append(_Tag(name.lower(), match.start(), match.end(), closes, empty))
    # An arrow ("A --> B") is no tag, and must not hide that a closing tag comes first.
    opened = next((tag.start for tag in tags if tag.name == _COMMENT and not tag.closes), len(text))
    return [tag for tag in tags if tag.name != _COMMENT or tag.start >= opened]


def _is_cut_off(text: str, tags: list[_Tag]) -> bool:
    first = tags[0]
    if first.name not in REASONING or first.closes or first.empty or text[: first.start].strip():
        return False
    return not any(tag.closes and tag.name in REASONING for tag in tags)


def _is_alone(text: str, tag: _Tag) -> bool:
    line_start = text.rfind("\n", 0, tag.start) + 1
    line_end = text.find("\n", tag.end)
    # The last line of a text ends nothing: there is no reply after it.
    return line_end >= 0 and not text[line_start : tag.start].strip() and not text[tag.end : line_end].strip()


def _blocks(tags: list[_Tag]) -> list[tuple[int, int]]:
    opens = Counter(tag.name for tag in tags if not tag.closes and not tag.empty)
    closes = Counter(tag.name for tag in tags if tag.closes)
    start: dict[str, int] = {}
    depth: Counter[str] = Counter()
    spans: list[tuple[int, int]] = []
    for tag in tags:
        # Blocks of one name nest only when every opening has its closing; else a tag was merely mentioned, and the first
        # closing ends the block, so that no story between two blocks is lost.
        nests = tag.name != _COMMENT and opens[tag.name] == closes[tag.name]
        if tag.empty:
            spans.append((tag.start, tag.end))
        elif not tag.closes:
            start.setdefault(tag.name, tag.start)
            depth[tag.name] = depth[tag.name] + 1 if nests else 1
        elif tag.name in start:
            depth[tag.name] -= 1
            if depth[tag.name] == 0:
                spans.append((start.pop(tag.name), tag.end))
    return spans


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start > at:
            pieces.append(text[at:start])
        at = max(at, end)
    pieces.append(text[at:])
    kept: list[str] = []
    spaces: list[str] = []
    for piece in pieces:
        body = piece.strip()
        if not body:
            spaces.append(piece)
            continue
        if kept:
            kept.append(_gap([*spaces, piece[: piece.index(body[0])]]))
        kept.append(body)
        spaces = [piece[len(piece.rstrip()) :]]
    return "".join(kept)


def _gap(spaces: list[str]) -> str:
    """What stands where blocks were: as much of the white space around them as a reader would leave."""
    lines = max(space.count("\n") for space in spaces)
    if lines:
        return "\n" if lines == 1 else "\n\n"
    return " " if any(spaces) else ""
