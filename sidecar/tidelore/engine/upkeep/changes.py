"""What a windowless commit is in the words of undo.list: which change, of which node, and what it says. Told from its operations alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tidelore.engine.graph import Graph
from tidelore.engine.history import Placement
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, Named, Operation, Own, Patch, Retire, Stated
from tidelore.engine.nodes import FLAGS, SWITCHES, text_of
from tidelore.engine.results_changes import FieldChange, Waiting

ChangeName = Literal[
    "edit",
    "hide",
    "write",
    "link",
    "alias",
    "merge",
    "split",
    "pin",
    "unpin",
    "archive",
    "unarchive",
    "private",
    "public",
    "decide",
    "import",
    "upkeep",
    "undo",
]
_SWITCHED: dict[tuple[str, bool], ChangeName] = {
    ("pinned", True): "pin",
    ("pinned", False): "unpin",
    ("archived", True): "archive",
    ("archived", False): "unarchive",
    ("private", True): "private",
    ("private", False): "public",
}
LONGEST = 400
# Fields that say where a memory went or came from: not words that a person wrote.
_INSIDE = FLAGS - {"pinned", "archived", "private"}


def change_of(commit: Commit) -> ChangeName:
    """Which change it is."""
    operations = commit.operations
    if commit.undoes:
        return "undo"
    if commit.author == "import":
        return "import"
    if any(isinstance(each, EnsureEdge) and "decided" in each.fields for each in operations):
        return "decide"
    patched = [each for each in operations if isinstance(each, Patch)]
    if any(each.field == "merged" for each in patched):
        return "merge"
    if any(isinstance(each, EnsureNode) and "split_from" in each.fields for each in operations):
        return "split"
    if commit.author == "upkeep":
        return "upkeep"
    return _simple(operations, patched)


def _simple(operations: Sequence[Operation], patched: Sequence[Patch]) -> ChangeName:
    for each in patched:
        if each.field in SWITCHES and (each.field, bool(each.value)) in _SWITCHED:
            return _SWITCHED[each.field, bool(each.value)]
    stated = [each for each in operations if isinstance(each, EnsureNode)]
    if stated and all(_is_alias(each) for each in stated):
        # Names that are said to mean themselves come apart; a name and its other names go together.
        return "split" if any(_is_self(each) for each in stated) else "alias"
    if stated:
        return "write"
    if any(isinstance(each, Retire) for each in operations):
        return "hide"
    return "edit" if patched else "link"


def _is_alias(each: EnsureNode) -> bool:
    return set(each.fields) == {"aliases"} and not isinstance(each.ref, Own)


def _is_self(each: EnsureNode) -> bool:
    aliases = each.fields.get("aliases")
    return isinstance(aliases, tuple) and getattr(each.ref, "name", None) in aliases


def words_of(graph: Graph, commit: Commit) -> tuple[str, str]:
    """The node that a change is about, and the change in its own words."""
    nodes: list[str] = []
    said: list[str] = []
    for operation in commit.operations:
        match operation:
            case Patch(node=node) | Retire(node=node):
                nodes.append(node)
                said.append(_patch_words(operation))
            case EnsureNode(ref=ref, fields=fields):
                nodes.append(graph.resolve(ref, Placement(commit)))
                words = {name: _value(value) for name, value in fields.items() if isinstance(value, str | tuple)}
                said.append("; ".join(f"{name}: {value}" for name, value in words.items()))
            case EnsureEdge(type=kind, fields=fields):
                said.append(f"{kind}: {fields['decided']}" if "decided" in fields else kind)
    if commit.undoes:
        said.append("undo")
    return (nodes[0] if nodes else "", "; ".join(filter(None, said)))


def edits_of(commit: Commit, node: str) -> list[FieldChange]:
    """What a change did to the fields and marks of one memory."""
    return _edits([each for each in commit.operations if isinstance(each, Patch) and each.node == node])


def _edits(patched: Sequence[Patch]) -> list[FieldChange]:
    return [FieldChange(each.field, _json(each.expects), _json(each.value)) for each in patched if each.field not in _INSIDE]


def subject_of(graph: Graph, commit: Commit, node: str) -> str:
    """The memory that a change is about, as it reads now; where it does not stand now, in the words that the change itself has of it."""
    known = graph.nodes.get(node)
    if known is not None and known.parts:
        return known.text
    for each in commit.operations:
        match each:
            case Retire(node=other, expects=str(text)) if other == node and text:
                return text
            case EnsureNode(ref=ref, fields=fields) if graph.resolve(ref, Placement(commit)) == node:
                said = text_of({name: value for name, value in fields.items() if isinstance(value, str)})
                return said or (ref.name if isinstance(ref, Named) else "")
            case _:
                pass
    return ""


def waiting_of(graph: Graph) -> list[Waiting]:
    """The changes that wait, each alone."""
    out: list[Waiting] = []
    for id_, _, operation in graph.waiting():
        patched = [operation] if isinstance(operation, Patch) else []
        node = graph.nodes[id_]
        reads = node.text if node.parts else operation.expects if isinstance(operation, Retire) else ""
        out.append(Waiting(id_, _simple([operation], patched), _patch_words(operation), str(reads or ""), _edits(patched)))
    return out


def _patch_words(operation: Patch | Retire) -> str:
    if isinstance(operation, Retire):
        return f"hide: {operation.expects}"
    return f"{operation.field}: {_value(operation.expects)} -> {_value(operation.value)}"


def _json(value: Stated | None) -> object:
    return list(value) if isinstance(value, tuple) else value


def _value(value: Stated | None) -> str:
    return "nothing" if value is None else ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
