"""What a file of ST-BME holds, wherever it lies in it: an export, a file of its sync or all of them, its database, the metadata of a chat.

The parts of a record are known (format versions 1 to 9), the boxes around it are many and differ by version. So records are told by their
shape: a memory has a type and fields, an edge two ends and a relation. No version has to be known for that, and a part that an
older one lacks is a part that is not there.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidelore.engine.errors import BadInput
from tidelore.engine.shallow import shallow
from tidelore.engine.text.patterns import later

NEWEST = 9
MOST_RECORDS = 100_000
DEEPEST = 12
_WHOLE = "Export it again, or take all files of the sync at once."
_SPACE = later(r"\s*")
_STATES = {"knowledge": "knowledge", "cognition": "knowledge", "region": "region", "timeline": "timeline", "summar": "summary"}
# What is made anew here or means nothing elsewhere. Journals hold memories as they were before: none of those must come.
_LEFT = {
    "journal": "journal of batches",
    "snapshotbefore": "journal of batches",
    "vector": "vectors",
    "embedding": "vectors",
    "recall": "last recall",
    "maintenance": "journal of maintenance",
    "setting": "settings",
    "prompt": "settings",
}
_BOXES = ("nodes", "edges", "tombstones")
_READ_TO = ("lastprocessedseq", "lastprocessedassistantfloor", "lastprocessedfloor")
_PROMISED = ("nodecount", "nodescount", "totalnodes")
_STARTS = ("from", "fromid", "source", "sourceid")
_ENDS = ("to", "toid", "target", "targetid")


@dataclass(slots=True)
class Found:
    """Raw records: nodes by id, edges, when a record was deleted (ms since 1970) by its id, the states of the graph by name. `read_to`:
    index of the last message that was read, -1 unknown. `promised`: how many nodes a table of contents speaks of."""

    nodes: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    edges: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    deleted: dict[str, float] = field(default_factory=dict[str, float])
    states: dict[str, Any] = field(default_factory=dict[str, Any])
    left_out: Counter[str] = field(default_factory=Counter[str])
    version: int = 0
    read_to: int = -1
    promised: int = 0


def look(text: str) -> Found:
    """Raises BadInput for what is no JSON, no file of this program, or more than fits into one change."""
    found = Found()
    for value in documents(text):
        _gather(value, found)
    if found.promised > len(found.nodes) and not found.nodes:
        raise BadInput(
            f"This is a table of contents: the {found.promised} memories are in other files.",
            "Put the texts of all files of the sync one after the other into one file.",
        )
    if not found.nodes and not found.states.get("summary"):
        raise BadInput("The file holds no memory of ST-BME.", "Take an export of a graph, or all files of its sync at once.")
    return found


def documents(text: str) -> Iterator[Any]:
    """The JSON values of a text, one after the other."""
    try:
        shallow(text)
    except ValueError as error:
        raise BadInput("The file is nested too deep.", _WHOLE) from error
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    at = _end_of_space(text, 1 if text.startswith("\ufeff") else 0)
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError as error:
            raise BadInput("The file is nested too deep.", _WHOLE) from error
        except ValueError as error:
            place = getattr(error, "pos", at)
            raise BadInput(f"The file is not whole JSON: it breaks at character {place}.", _WHOLE) from error
        yield value
        at = _end_of_space(text, at)


def _end_of_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _gather(value: Any, found: Found) -> None:
    # Breadth first, so that what lies near the surface is found before any copy of it further down.
    todo: deque[tuple[Any, str, int]] = deque([(value, "", 0)])
    while todo:
        item, name, depth = todo.popleft()
        if depth > DEEPEST:
            found.left_out["part that is nested too deep"] += 1
        elif isinstance(item, list):
            _check_box(name, item)
            for each in item:
                if isinstance(each, dict | list):
                    todo.append((each, name, depth + 1))
                elif name in ("nodes", "edges"):
                    found.left_out["record that is none"] += 1
        elif isinstance(item, dict) and not _is_record(item, name, found):
            for key, inner in item.items():
                if name in _BOXES and isinstance(inner, dict):
                    # The key of a record in a map is its id.
                    todo.append(({"id": key, **inner}, name, depth + 1))
                elif not _is_known_part(_folded(key), key, inner, found) and isinstance(inner, dict | list):
                    todo.append((inner, name if name in _BOXES else key, depth + 1))
        if len(found.nodes) + len(found.edges) > MOST_RECORDS:
            raise BadInput(f"The file holds more than {MOST_RECORDS} memories and edges.", "Import the chats one by one.")


def _check_box(name: str, items: list[Any]) -> None:
    if name == "nodes" and items and not any(isinstance(each, dict | list) for each in items):
        raise BadInput("The nodes of the file are no records.", _WHOLE)


def _is_record(item: Mapping[str, Any], name: str, found: Found) -> bool:
    """Whether it is a memory, an edge, a tombstone or a named value; it is taken in then."""
    folded = {_folded(key): value for key, value in item.items()}
    id_ = _word(folded.get("id") or folded.get("uuid") or folded.get("nodeid"))
    if isinstance(item.get("type"), str) and isinstance(item.get("fields"), dict):
        if not id_:
            found.left_out["memory without an id"] += 1
        elif id_ not in found.nodes or changed(item) >= changed(found.nodes[id_]):
            found.nodes[id_] = item
        return True
    if isinstance(folded.get("deletedat"), int | float) and (gone := _word(folded.get("targetid") or folded.get("recordid")) or id_):
        found.deleted[gone] = max(found.deleted.get(gone, 0), number(folded["deletedat"]))
        return True
    start, end = end_of(folded, _STARTS), end_of(folded, _ENDS)
    if start and end and ("relation" in folded or name == "edges"):
        found.edges.append({**item, "from": start, "to": end})
        return True
    if name in ("nodes", "edges") and id_ and not any(isinstance(each, dict) and "type" in each for each in item.values()):
        found.left_out["memory without a type or fields" if name == "nodes" else "edge without two ends"] += 1
        return True
    named = folded.get("key", folded.get("name"))
    if name == "meta" and isinstance(named, str) and "value" in folded:
        _is_known_part(_folded(named), named, item["value"], found)
        return True
    return False


def _is_known_part(folded: str, key: str, value: Any, found: Found) -> bool:
    """Whether a member is a state, a number of the graph, or something that stays behind; it is dealt with then."""
    if key in ("nodes", "edges") and not isinstance(value, dict | list | int | None):
        raise BadInput(f"The member {key!r} of the file is {type(value).__name__}, not a list.", _WHOLE)
    if folded in ("version", "graphversion", "schemaversion") and type(value) is int:
        if value < 1:
            raise BadInput(f"There is no format version {value}.", _WHOLE)
        found.version = max(found.version, value)
        return True
    if folded in _READ_TO and type(value) is int:
        found.read_to = max(found.read_to, value)
        return True
    if folded in _PROMISED and type(value) is int:
        found.promised = max(found.promised, value)
        return True
    if folded.startswith("history") and isinstance(value, dict):
        for inner, each in value.items():
            if _folded(inner) in _READ_TO:
                _is_known_part(_folded(inner), inner, each, found)
        found.left_out["fingerprints of messages"] += 1
        return True
    for word, reason in _LEFT.items():
        if word in folded:
            if value not in (None, [], {}, "", 0, False):
                found.left_out[reason] += 1
            return True
    for word, state in _STATES.items():
        if folded.startswith(word) and isinstance(value, dict | list):
            if value:
                found.states[state] = value
            return True
    return False


def end_of(folded: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((word for name in names if (word := _word(folded.get(name)))), "")


def changed(record: Mapping[str, Any]) -> float:
    """When a record was last changed, ms since 1970; 0 unknown."""
    return number(record.get("updatedAt")) or number(record.get("createdTime"))


def number(value: object) -> float:
    """A finite number, else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -(2**53) <= value <= 2**53:
        return 0
    return value


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else str(value) if type(value) is int else ""


def _folded(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "")
