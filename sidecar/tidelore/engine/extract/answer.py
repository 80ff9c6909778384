"""The one tolerant reader of model answers: finds the objects in whatever a model or a server sent. Takes no view of what they mean.

Objects written to their end are kept; one that is cut off is dropped and counted, never completed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tidelore.engine.extract.json_scan import JSON, Scan, Span
from tidelore.engine.extract.unwrap import unwrap
from tidelore.engine.extract.wording import is_gibberish, is_refusal, says_nothing
from tidelore.engine.text.patterns import later

__all__ = ["JSON", "Answer", "parse_answer"]

LIST_KEYS = (
    *("operations", "ops", "operation", "operationlist", "actions", "memories", "memoryoperations", "graphoperations", "updates"),
    *("操作", "操作列表", "记忆", "記憶", "记忆列表", "结果"),
)
_WRAPPERS = frozenset(
    "result results data response output answer json payload arguments parameters input function final properties value content".split()
)
_LOOSE_LISTS = frozenset("items results result data output list nodes edges entities relations facts moments events threads".split())
_ITEM_FIELDS = frozenset({"fields", "links", "evidence", "quotes", "relations", "sources"})
_MARKS = frozenset({"op", "action", "kind", "type", "操作", "动作", "类型"})
_TEXTS = frozenset("text content summary memory fact title insight constraint description 内容 文本 记忆".split())
_ENDS = (frozenset({"from", "to"}), frozenset({"source", "target"}), frozenset({"start", "end"}))
_CHATTER = frozenset("thought thoughts thinking reasoning note notes comment explanation analysis status message reason".split())
_MAX_PROBLEMS = 40

MOST_ITEMS = 600
"""Items of one answer. A window has at most twelve messages: what writes more goes round in a circle, and reading it all would hold up the
page for nothing."""

MOST_CHARACTERS = 1_000_000
"""Of the model's own words, reasoning included: several times what any model writes in one answer."""

_NAMES = r"(?:\w{1,12}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflect(?:ion)?|scratchpad|monologue|思考|推理)"
_TAG = later(rf"<\s?(/?)\s?{_NAMES}(?:\s[^<>]{{0,200}})?/?>|\[(/?)THINK\]|◁(/?)think▷|<\|(/?)thinking\|>", re.IGNORECASE)
_FINAL_CHANNEL = later(r"<\|channel\|>\s*final[^<]{0,80}<\|message\|>")
_BRACKETS = later(r"[\[{][\[{\s]*+")
_PLAUSIBLE = later(r"[\"“'‘}\]]|//|/\*|[^\W\d]\w{0,40}+\s{0,4}+[:：]")
_RUN_LIMIT = 6
_REVISED = later(
    r"\b(final|corrected|correction|revised|instead|start(?:ing)? (?:over|again)|actually|wait)\b|最终|修正|更正|重新|改为",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read. `items` are the whole objects in order; `dropped` counts what was an item but could not be kept;
    `problems` are lines "code: detail". Codes: cut, broken, repaired, low quality, not an object, too deep, schema, refusal, server,
    excess.

    `kind`: "items" (at least one); "empty" (the model says that there is nothing); "refusal"; "schema" (the JSON Schema echoed
    back); "excess" (more than any window holds: nothing of it is kept); "nothing" (nothing usable: ask again).
    """

    items: tuple[Mapping[str, JSON], ...] = ()
    dropped: int = 0
    problems: tuple[str, ...] = ()
    kind: Literal["items", "empty", "refusal", "schema", "excess", "nothing"] = "nothing"


@dataclass(slots=True)
class _Found:
    """One JSON value in the text. `rank`: 3 under a list key, 2 a list of objects, 1 a bare item, 0 any other object."""

    scan: Scan
    hidden: bool
    gap: str
    rank: int = 0
    items: list[Span] = field(default_factory=list[Span])
    cut: int = 0
    scalars: int = 0
    schema: bool = False
    empty: bool = False
    strict_list: bool = False


def parse_answer(raw: str, *, list_keys: Sequence[str] = LIST_KEYS) -> Answer:
    """Reads `raw`, any string at all; never raises. `list_keys` name the list that holds the items (compared folded).

    An object without such a list is itself an item where it looks like one, or, when nothing better is there, as it stands.
    """
    words = unwrap(raw)
    text = words.text
    if len(text) > MOST_CHARACTERS:
        return _excess(f"{len(text)} characters")
    if final := list(_FINAL_CHANNEL.finditer(text)):
        text = text[final[-1].end() :]
    keys = frozenset(_fold(key) for key in list_keys)
    found, prose = _search(text, keys)
    best = _best(found)
    if (count := sum(len(value.items) for value in best)) > MOST_ITEMS:
        return _excess(f"{count} items")
    problems: list[str] = [f"server: {words.error}"] if words.error else []
    items, dropped = _load(best, problems)
    if len(items) == 1 and (inner := _list_in_string(items[0], keys)):
        return parse_answer(inner, list_keys=list_keys)
    lone = items[0] if len(items) == 1 and all(value.rank == 0 for value in best) else {}
    if lone and is_refusal(" ".join(value for value in lone.values() if isinstance(value, str))):
        return Answer((), 0, (*problems, f"refusal: {_short(text)}"), "refusal")
    if items:
        return Answer(tuple(items), dropped, tuple(problems[:_MAX_PROBLEMS]), "items")
    kind: Literal["empty", "refusal", "schema", "nothing"] = "nothing"
    if words.refused or is_refusal(prose):
        kind = "refusal"
    elif any(value.schema for value in found):
        kind = "schema"
    elif dropped == 0 and (any(value.empty for value in found) or says_nothing(prose)):
        kind = "empty"
    if kind in ("refusal", "schema"):
        problems.append(f"{kind}: {_short(prose or text)}")
    return Answer((), dropped, tuple(problems[:_MAX_PROBLEMS]), kind)


def _excess(much: str) -> Answer:
    return Answer((), 0, (f"excess: {much} are more than any window holds",), "excess")


def _search(text: str, keys: frozenset[str]) -> tuple[list[_Found], str]:
    """Every JSON value outside reasoning, and the prose around them. Each character is read a bounded number of times."""
    ends, found, prose, gap = _reasoning(text), list[_Found](), list[str](), list[str]()
    event = re.compile(f"{_TAG.pattern}|[\\[{{]", re.IGNORECASE)
    resume = _resume_pattern(keys)
    pos, hidden, budget = 0, False, 4 * len(text) + 1000
    while budget > 0 and (match := event.search(text, pos)):
        gap.append(text[pos : match.start()])
        if match[0] not in ("[", "{"):
            if _is_closing(match):
                found, prose, gap, hidden = [], [], [], False
                pos = match.end()
            else:
                pos = ends.get(match.start(), match.end())
                hidden = hidden or match.start() not in ends
            continue
        start, pos = _start(text, match.start())
        if start < 0:
            gap.append(text[match.start() : pos])
            continue
        scan = Scan(text, start)
        budget -= scan.stop - start + 50
        value = _judge(_Found(scan, hidden, "".join(gap)), keys)
        prose += gap
        gap = []
        found.append(value)
        pos = scan.stop
        if not scan.root.closed:
            again = resume.search(text, start + 1)
            pos = again.end() if again else max(pos, start + 1) if not value.cut and scan.stop < len(text) else len(text)
    return found, "".join([*prose, *gap, text[pos:]])[:4000]


def _reasoning(text: str) -> dict[int, int]:
    """Where the reasoning that begins at a tag ends. A tag that is never closed has no entry."""
    ends, open_tags, last_close = dict[int, int](), list[int](), -1
    for tag in _TAG.finditer(text):
        if not _is_closing(tag):
            open_tags.append(tag.start())
        else:
            last_close = tag.end()
            if open_tags:
                ends[open_tags.pop()] = tag.end()
    for start in open_tags:
        if start < last_close:
            ends[start] = last_close
    return ends


def _is_closing(tag: re.Match[str]) -> bool:
    return any(tag.group(number) for number in range(1, 5))


def _resume_pattern(keys: frozenset[str]) -> re.Pattern[str]:
    """Where a fresh answer may begin inside a value that was never closed: at a fence, or a list key at the start of a line."""
    names = "|".join(sorted(re.escape(key) for key in keys))
    return re.compile(
        rf"```[a-z]{{0,10}}\s*+(?=[\[{{])|\n[ \t]*+(?=\{{\s*+[\"“'](?:{names})[\"”']\s*+[:：])|</{_NAMES}>\s*+(?=[\[{{])",
        re.IGNORECASE,
    )


def _start(text: str, pos: int) -> tuple[int, int]:
    """The bracket at which to begin reading, or -1 where prose follows; and where to look on in that case."""
    run = _BRACKETS.match(text, pos)
    if run is None:
        return -1, pos + 1
    if run.end() == len(text) or not _PLAUSIBLE.match(text, run.end()):
        return -1, run.end()
    brackets = [index for index in range(run.start(), run.end()) if text[index] in "[{"]
    if text[brackets[-1]] == "[" and text[run.end()] not in "]\"'“":
        return -1, run.end()
    return (brackets[0] if len(brackets) <= _RUN_LIMIT else brackets[-2]), run.end()


def _judge(value: _Found, keys: frozenset[str]) -> _Found:
    """Finds the items in one value."""
    root = value.scan.root
    if lists := [span for span in _under(root, keys) if not _is_schema(span)]:
        value.rank, value.strict_list = 3, True
        for span in lists:
            _gather(span, value, keys)
        value.empty = not value.items and not value.cut
    elif root.kind == "[":
        value.rank = 2
        _gather(root, value, keys)
        value.empty = root.closed and not root.children and not root.scalars
        value.rank = 2 if value.items or value.cut else 0
    elif _is_schema(root) or any(_is_schema(child) for child in root.children):
        value.schema = True
    elif loose := [child for child in root.children if _is_loose_list(root, child)]:
        value.rank = 2
        for span in loose:
            _gather(span, value, keys)
    elif root.children and not root.keys:
        for child in root.children:
            _gather(child, value, keys, item=True)
        value.rank = 1
    else:
        names = {_fold(key) for key in root.keys}
        lists_empty = any(_fold(child.key) in _LOOSE_LISTS and child.closed for child in root.children)
        value.empty = root.closed and (names <= _CHATTER or (lists_empty and not _is_item(root)))
        if not value.empty:
            value.rank = int(_is_item(root))
            if root.closed:
                value.items.append(root)
            else:
                value.cut += value.rank
    return value


def _under(root: Span, keys: frozenset[str]) -> Iterator[Span]:
    """The values under a list key, directly or inside usual wrappers."""
    level = [root]
    while level:
        below: list[Span] = []
        for span in level:
            here = [child for child in span.children if span.kind == "{" and _fold(child.key) in keys]
            yield from here
            if not here:
                below += [
                    child
                    for child in span.children
                    if (span.kind == "{" and (_fold(child.key) in _WRAPPERS or not span.keys)) or (span.kind == "[" and child.kind == "[")
                ]
                if span.kind == "[":
                    below += [child for child in span.children if any(_fold(sub.key) in keys for sub in child.children)]
        level = below


def _gather(span: Span, value: _Found, keys: frozenset[str], item: bool = False) -> None:
    """Adds the items of a list, a nested list, one object, or a map of objects."""
    # The next one stands last.
    todo = [(span, item or (span.kind == "{" and _is_item(span)))]
    while todo:
        here, is_item = todo.pop()
        if here.kind == "[":
            value.scalars += here.scalars
            todo += [(child, True) for child in reversed(here.children)]
        elif is_item and not (not here.keys and here.children):
            if any(_fold(child.key) in keys and child.children for child in here.children):
                todo += [(child, True) for child in reversed(here.children) if _fold(child.key) in keys]
            elif here.closed and here.keys:
                value.items.append(here)
            elif not here.closed:
                value.cut += 1
        else:
            todo += [(child, child.kind == "{") for child in reversed(here.children)]


def _is_item(span: Span) -> bool:
    names = {_fold(key) for key in span.keys}
    return bool(names & _MARKS or names & _TEXTS) or any(ends <= names for ends in _ENDS)


def _is_schema(span: Span) -> bool:
    names = set(span.keys)
    if names & {"$schema", "$defs"} or {"type", "properties"} <= names:
        return True
    return {"type", "items"} <= names and not names & {"op", "action", "kind", "text", "name", "key"}


def _is_loose_list(root: Span, child: Span) -> bool:
    if child.kind != "[" or not child.children or _fold(child.key) in _ITEM_FIELDS - _LOOSE_LISTS:
        return False
    if _is_item(root) or not root.closed:
        return _fold(child.key) in _LOOSE_LISTS and all({_fold(key) for key in sub.keys} & _MARKS for sub in child.children if sub.closed)
    return True


def _best(found: Sequence[_Found]) -> list[_Found]:
    """The values of the best rank; of several, a revised one replaces those before it. Unclosed reasoning only counts alone."""
    usable = [value for value in found if value.rank or value.items or value.empty]
    shown = [value for value in usable if not value.hidden]
    pool = shown if any(value.rank or value.items or value.empty for value in shown) else [v for v in usable if v.rank >= 2]
    top = max((value.rank for value in pool if value.items or value.cut or value.strict_list), default=0)
    best: list[_Found] = []
    for value in pool:
        if value.rank == top:
            if best and value.items and _REVISED.search(value.gap):
                best.clear()
            best.append(value)
    return best


def _load(best: Sequence[_Found], problems: list[str]) -> tuple[list[Mapping[str, JSON]], int]:
    items: list[Mapping[str, JSON]] = []
    dropped = 0
    for value in best:
        if value.scan.too_deep:
            problems.append("too deep: brackets nested beyond reason")
        if value.cut or not value.scan.root.closed:
            problems.append(f"cut: the answer ends too soon, {value.cut} item(s) dropped")
        if value.scalars:
            problems.append(f"not an object: {value.scalars} item(s) dropped")
        if value.scan.doubled and value.scan.root.kind == "{":
            problems.append("low quality: doubled brackets")
        dropped += value.cut + value.scalars
        for span in value.items:
            excerpt = _short(value.scan.text[span.start : span.end])
            try:
                loaded, repaired = value.scan.load(span)
            except ValueError as error:
                loaded, repaired = None, False
                problems.append(f"broken: {error}, {excerpt}")
            if not isinstance(loaded, dict) or not loaded:
                dropped += 1
            elif is_gibberish(loaded) and not value.rank == 0 < sum(text[:1] in "[{" for text in loaded.values() if isinstance(text, str)):
                dropped += 1
                problems.append(f"low quality: {excerpt}")
            else:
                items.append(loaded)
                if repaired:
                    problems.append(f"repaired: {excerpt}")
    return items, dropped


def _list_in_string(item: Mapping[str, JSON], keys: frozenset[str]) -> str:
    """The list of an answer whose list was written as a string of JSON; empty where there is none."""
    texts = [value.strip() for key, value in item.items() if _fold(key) in keys and isinstance(value, str)]
    return next((text for text in texts if text[:1] in ("[", "{")), "")


def _fold(key: str) -> str:
    return key.strip().casefold().replace("_", "").replace(" ", "").replace("-", "")


def _short(text: str) -> str:
    flat = " ".join(text[:300].split())
    return flat if len(flat) <= 80 else flat[:79] + "…"
