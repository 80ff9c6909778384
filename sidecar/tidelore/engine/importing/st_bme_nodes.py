"""Memories of ST-BME in the words of this one: its types are subs, its columns are fields, and what else it keeps of one rides along."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tidelore.engine.importing.bundle import Node
from tidelore.engine.importing.memory_server import LONGEST_NAME, SUBS
from tidelore.engine.importing.st_bme_file import changed, number
from tidelore.engine.model import FieldValue, Kind
from tidelore.engine.nodes import FLAGS
from tidelore.engine.schema import RESERVED
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

LONGEST_TEXT = 100_000
MOST_FIELDS = 60
# A memory that was made from more messages than this rests on all of them and on none.
WIDEST = 12
# Columns by these names would mean something else here.
_TAKEN = RESERVED | FLAGS | {"held_by", "aliases", "imported", "tags", "type"}
_NAME_PARTS = later(r"[,，、;；|\n]+")
# The columns that hold the words of a memory, the first that is filled.
_WORDS = ("summary", "constraint", "insight", "text", "content", "description", "belief", "title", "name")
# Parts of a record that have a place of their own, or that every recall changes.
_PLACED = frozenset({"fields", "embedding", "archived", "clusters", "importance"})


@dataclass(frozen=True, slots=True)
class Scope:
    """`owner`: whose point of view, "" for what is so; `user`: the owner is the user. `region`: where it is so."""

    owner: str = ""
    user: bool = False
    region: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A memory with what else of its record matters for others."""

    node: Node
    scope: Scope
    at: tuple[float, float]
    parents: tuple[str, ...]
    children: tuple[str, ...]


def made(key: str, record: Mapping[str, Any]) -> Made | str:
    """The memory of a record, or why there is none."""
    scope = scope_of(record.get("scope"))
    node = _node(key, record["type"].strip(), record["fields"], scope)
    if node is None:
        return "memory without words"
    if any(isinstance(value, str) and len(value) > LONGEST_TEXT for value in (node.text, *node.fields.values())):
        return "memory that is too long"
    if node.sub == "event" and number(record.get("level")) > 0:
        node = replace(node, sub="narrative")
    fields = {**node.fields, **_shared(record)}
    if scope.owner:
        fields["known_by"] = (scope.owner,)
    node = replace(node, fields=fields, id=f"st-bme {key}", record=_record(key, record), changed=changed(record), floors=_floors(record))
    at = (number(record.get("seq")), number(record.get("createdTime")))
    return Made(node, scope, at, ids_of(record.get("parentId")), ids_of(record.get("childIds")))


def scope_of(value: object) -> Scope:
    if not isinstance(value, dict):
        return Scope()
    folded = {plain(name): each for name, each in value.items()}
    owner = folded.get("owner")
    if isinstance(owner, dict):
        folded |= {"owner" + plain(name): each for name, each in owner.items()}
    name = line_of(folded.get("ownername")) or line_of(owner) or line_of(folded.get("ownerid"))
    kind = line_of(folded.get("ownertype")) or line_of(folded.get("ownerkind"))
    region = next((line for each in ("regionprimary", "primaryregion", "primary", "region") if (line := line_of(folded.get(each)))), "")
    is_pov = line_of(folded.get("layer")).casefold() == "pov"
    return Scope(name[:LONGEST_NAME] if is_pov else "", kind.casefold() == "user", region)


def story_time(record: Mapping[str, Any]) -> str:
    """The label of a point, or of both ends of a span."""
    for name in ("storyTime", "storyTimeSpan"):
        labels = list(dict.fromkeys(_labels(record.get(name))))
        if labels:
            return " – ".join(labels[:2])
    return ""


def _labels(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, [value.strip()])
    if not isinstance(value, dict):
        return
    for name, each in sorted(value.items(), key=lambda row: ("end" in row[0].casefold(), "start" not in row[0].casefold())):
        if "anchor" in name.casefold():
            continue
        if isinstance(each, dict):
            yield from filter(None, [line_of(each.get("label"))])
        elif "label" in name.casefold():
            yield from filter(None, [line_of(each)])


# ---- types ----

_WORDED: Mapping[str, tuple[Kind, str]] = {
    "event": ("moment", "event"),
    "rule": ("fact", "rule"),
    "reflection": ("digest", "reflection"),
    "synopsis": ("digest", "synopsis"),
    "povmemory": ("fact", "belief"),
}


def _node(key: str, type_: str, columns: Mapping[str, Any], scope: Scope) -> Node | None:
    """None where it says nothing."""
    kept = _fields(columns)
    word = plain(type_)
    if word == "event" and (people := tuple(dict.fromkeys(_names(columns.get("participants"))))):
        kept["participants"] = people
    if word in _WORDED:
        return _held(_worded(key, *_WORDED[word], kept), scope)
    title = line_of(columns.get("title")) or line_of(columns.get("name"))
    if word == "thread":
        if not title:
            return _worded(key, "moment", "narrative", kept)
        return Node(
            key, "thread", "plot", title[:LONGEST_NAME], fields={name: kept[name] for name in kept if name not in ("title", "bme_name")}
        )
    if word in ("character", "location"):
        return _named(key, word, title, kept) if title else _held(_worded(key, "fact", "memo", kept), scope)
    # A type that people made. What has a name can be spoken of; all else is a text.
    name = line_of(columns.get("name"))
    sub = SUBS.get(type_.casefold(), "topic")
    if type_ and type_.casefold() != sub:
        kept["type"] = type_
    return _named(key, sub, name, kept) if name else _held(_worded(key, "fact", "context", kept), scope)


def _named(key: str, sub: str, name: str, kept: Mapping[str, FieldValue]) -> Node:
    fields = {field: value for field, value in kept.items() if field != "bme_name" and value != name}
    return Node(key, "entity", sub, name[:LONGEST_NAME], fields=fields)


def _worded(key: str, kind: Kind, sub: str, kept: dict[str, FieldValue]) -> Node | None:
    names = [_own(name) for name in _WORDS]
    found = next((name for name in names if isinstance(kept.get(name), str)), "")
    text = str(kept[found]) if found else told(kept)
    if not text:
        return None
    return Node(key, kind, sub, text=text, fields={name: value for name, value in kept.items() if name != found})


def _held(node: Node | None, scope: Scope) -> Node | None:
    if node is None or not scope.owner or node.kind not in ("fact", "digest"):
        return node
    return replace(node, fields={**node.fields, "held_by": scope.owner})


def told(fields: Mapping[str, FieldValue]) -> str:
    """Columns as one line of words."""
    return "; ".join(
        f"{name.removeprefix('bme_')}: {', '.join(value) if isinstance(value, tuple) else value}" for name, value in fields.items()
    )


# ---- parts of a record ----


def _fields(columns: Mapping[str, Any]) -> dict[str, FieldValue]:
    out: dict[str, FieldValue] = {}
    for name, value in columns.items():
        held = field_of(value)
        if held is not None and name.strip() and len(out) < MOST_FIELDS:
            out[_own(name)] = held
    return out


def _own(name: str) -> str:
    """The name of a column as that of a field."""
    plain = name.strip()[:60]
    return f"bme_{plain}" if plain in _TAKEN else plain


def field_of(value: object) -> FieldValue | None:
    """Any JSON value as a field; None where it says nothing."""
    match value:
        case None | "" | [] | {}:
            return None
        case str():
            return value.strip() or None
        case bool():
            return value
        case int() | float():
            return value if number(value) == value else str(value)
        case list() if all(isinstance(each, str) for each in value):
            return tuple(each.strip() for each in value if each.strip()) or None
        case _:
            return packed(value)


def _shared(record: Mapping[str, Any]) -> dict[str, FieldValue]:
    out: dict[str, FieldValue] = {}
    importance = record.get("importance")
    if not isinstance(importance, bool) and isinstance(importance, int | float) and importance == number(importance):
        out["importance"] = min(max(round(importance), 1), 10)
    if when := story_time(record):
        out["story_time"] = when
    if record.get("archived") is True:
        out["archived"] = True
    tags = field_of(record.get("clusters"))
    if isinstance(tags, tuple):
        out["tags"] = tags
    return out


def _record(key: str, record: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in record.items() if name not in _PLACED and value not in (None, "", [], {})}
    return packed({"from": "st-bme", "id": key, **kept})


def _floors(record: Mapping[str, Any]) -> tuple[int, int] | None:
    match record.get("seqRange"), record.get("seq"):
        case [int(first), int(last)], _ if 0 <= first <= last < first + WIDEST:
            return first, last
        case [int(), int()], _ if number(record.get("level")):
            return None
        case _, int(at) if at >= 0 and not isinstance(at, bool):
            return at, at
        case _:
            return None


def ids_of(value: object) -> tuple[str, ...]:
    rows: Sequence[object] = value if isinstance(value, list) else [value]
    return tuple(each for each in rows if isinstance(each, str) and each)


def _names(value: object) -> Iterator[str]:
    rows: Sequence[object] = value if isinstance(value, list) else [value]
    for each in rows:
        if isinstance(each, str):
            yield from (part.strip() for part in _NAME_PARTS.split(each) if part.strip())


def line_of(value: object) -> str:
    return " ".join(value.replace("\0", " ").split()) if isinstance(value, str) else ""


def plain(word: str) -> str:
    return fold_name(word).replace("_", "").replace(" ", "").replace("-", "")


def packed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
