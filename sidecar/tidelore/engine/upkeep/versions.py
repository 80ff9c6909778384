"""The history of a node: every contribution to it, also those that do not count now and why not."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tidelore.engine.chats import OpenChat
from tidelore.engine.clock import COUNTER_BITS
from tidelore.engine.codec import evident_id, named_id
from tidelore.engine.graph import Graph
from tidelore.engine.history import Placement
from tidelore.engine.model import Commit, EnsureNode, Evident, Fields, FieldValue, Known, Named, Operation, Patch, Retire, Speaker, Stated
from tidelore.engine.nodes import NodePart, NodeState, PartKey, text_of
from tidelore.engine.results_care import Version
from tidelore.engine.upkeep.changes import change_of


def when(clock: int) -> int:
    """Milliseconds since 1970 of a clock."""
    return clock >> COUNTER_BITS


def versions(chat: OpenChat, node: NodeState) -> list[Version]:
    """What counts in fold order, then what does not, oldest first. The windowed contributions of another variant of a message are found by
    the messages or the name that they are of; one that names its speaker by position alone is not."""
    graph = chat.graph
    live: list[tuple[PartKey, Version]] = [(part.key, _of_part(chat, part)) for part in node.parts]
    applied = node.applied if node.parts and node.fields is not None else set()
    for key, operation in node.patches:
        commit = chat.pool.commits[key[2]]
        live.append((key, _of_patch(commit, operation, live=key in applied, why_not="" if key in applied else "waiting")))
    rows = [row for _, row in sorted(live, key=lambda pair: pair[0])]
    counted = {part.placement.commit.id for part in node.parts} | {key[2] for key, _ in node.patches}
    standing = {each.id for each in chat.pool.standing(chat.timeline.lineage)}
    others = [
        _of_other(chat, commit, operation, standing)
        for commit in chat.pool.commits.values()
        if commit.id not in counted
        for operation in commit.operations
        if node.id in _targets(graph, commit, operation)
    ]
    return [*rows, *sorted(others, key=lambda row: (row.at, row.commit))]


def _of_part(chat: OpenChat, part: NodePart) -> Version:
    commit = part.placement.commit
    window = [chat.timeline.index(slot) for slot in part.placement.slots]
    change = "stated" if commit.window else change_of(commit)
    return Version(
        commit.id, commit.author, commit.maker, when(commit.clock), change, text_of(part.fields), _plain(part.fields), window, True, ""
    )


def _of_patch(commit: Commit, operation: Patch | Retire, *, live: bool, why_not: str) -> Version:
    fields: dict[str, object] = {} if isinstance(operation, Retire) else {operation.field: _json(operation.value)}
    text = operation.expects if isinstance(operation, Retire) else str(operation.value) if operation.field in ("text", "name") else ""
    return Version(commit.id, commit.author, commit.maker, when(commit.clock), change_of(commit), text, fields, [], live, why_not)


def _of_other(chat: OpenChat, commit: Commit, operation: Operation, standing: Collection[str]) -> Version:
    why_not = _why_not(chat, commit, standing)
    if isinstance(operation, Patch | Retire):
        return _of_patch(commit, operation, live=False, why_not=why_not)
    assert isinstance(operation, EnsureNode)
    fields = {name: _json(value) for name, value in operation.fields.items()}
    texts: dict[str, FieldValue] = {name: value for name, value in operation.fields.items() if isinstance(value, str)}
    window = [at for key in commit.window for at in sorted(map(chat.timeline.index, chat.timeline.places.get(key, ())))[:1]]
    change = "stated" if commit.window else change_of(commit)
    said = text_of(texts) or (operation.ref.name if isinstance(operation.ref, Named) else "")
    return Version(commit.id, commit.author, commit.maker, when(commit.clock), change, said, fields, window, False, why_not)


def _why_not(chat: OpenChat, commit: Commit, standing: Collection[str]) -> str:
    if commit.window:
        return "replaced" if all(map(chat.timeline.stands, commit.window)) else "not on screen"
    return "not on screen" if commit.id in standing else "undone"


def _targets(graph: Graph, commit: Commit, operation: Operation) -> Iterator[str]:
    """The ids that an operation of a commit without a place can be told to mean."""
    match operation:
        case Patch(node=node) | Retire(node=node):
            yield graph.aliases.canonical(node)
        case EnsureNode(ref=Named(name, kind, scope)):
            yield graph.aliases.canonical(named_id(kind, scope, name))
        case EnsureNode(ref=Evident(kind, messages, ordinal)) if all(number < len(commit.window) for number in messages):
            yield evident_id(kind, tuple(commit.window[number] for number in messages), ordinal)
        case EnsureNode(ref=ref) if not commit.window and not isinstance(ref, Speaker | Known):
            yield graph.resolve(ref, Placement(commit))
        case _:
            pass


def _json(value: Stated | None) -> object:
    if isinstance(value, Speaker):
        return {"speaker": value.message}
    return [_json(item) for item in value] if isinstance(value, tuple) else value


def _plain(fields: Fields) -> dict[str, object]:
    return {name: _json(value) for name, value in fields.items()}
