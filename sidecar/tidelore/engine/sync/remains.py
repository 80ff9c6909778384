"""What is left of an import of which a purge takes some memories along.

A person who wants one memory gone has not asked for the others that came in the same file. Each of them is stated by itself, so the
import is written anew without what goes. The new commit follows from the old one and the purge alone, with the nonce and clock of the old
one, so every replica that carries the purge out makes the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tidelore.engine.codec import remade
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, Needs, Operation, Own
from tidelore.engine.ports import Purge
from tidelore.engine.sync.burial import mentioned_by, plain_id


def remains(purge: Purge, dead: Sequence[Commit], standing: Sequence[Commit]) -> list[Commit]:
    """The imports among the `dead` commits without what goes, and in place of what was built on them or has undone them the same on what is
    left. `standing`: the commits of the pool that the purge leaves."""
    nodes, keys = dict(purge.nodes), set(purge.keys)
    gone = {commit.id for commit in dead}
    again: dict[str, Commit] = {}
    for commit in sorted(dead, key=lambda each: (each.clock, each.id)):
        buried = {node for node, clock in nodes.items() if commit.clock <= clock}
        left = _without(commit, buried, keys) if commit.author == "import" else _rebuilt(commit, buried, keys, gone, again)
        if left is not None:
            again[commit.id] = left
    size = -1
    while size != len(again):
        size = len(again)
        for commit in standing:
            if commit.id not in again and commit.undoes in again:
                again[commit.id] = remade(replace(commit, undoes=again[commit.undoes].id))
    return list(again.values())


def _without(commit: Commit, buried: set[str], keys: set[str]) -> Commit | None:
    """An import without its memories that are purged or quote a message that is, and without what hangs on those."""
    spared: list[Operation] = []
    lost: set[str] = set()
    for operation in commit.operations:
        quotes = operation.evidence if isinstance(operation, EnsureNode) else ()
        if not buried.isdisjoint(mentioned_by(operation)) or any(commit.needs.keys[each.message] in keys for each in quotes):
            if isinstance(operation, EnsureNode) and isinstance(operation.ref, Own):
                lost.add(plain_id(operation.ref))
        else:
            spared.append(operation)
    left = [each for each in spared if not (isinstance(each, EnsureEdge) and not lost.isdisjoint(mentioned_by(each)))]
    if not left:
        return None
    needed = {commit.needs.keys[quote.message] for each in left if isinstance(each, EnsureNode) for quote in each.evidence}
    at = {key: number for number, key in enumerate(key for key in commit.needs.keys if key in needed)}
    quoted = [_requoted(each, commit.needs.keys, at) if isinstance(each, EnsureNode) else each for each in left]
    made = remade(replace(commit, operations=tuple(quoted), needs=Needs(tuple(at), commit.needs.commits)))
    return made if made.id != commit.id else None


def _requoted(node: EnsureNode, keys: Sequence[str], at: Mapping[str, int]) -> EnsureNode:
    return replace(node, evidence=tuple(replace(each, message=at[keys[each.message]]) for each in node.evidence))


def _rebuilt(commit: Commit, buried: set[str], keys: set[str], gone: set[str], again: Mapping[str, Commit]) -> Commit | None:
    """What was built on an import, on what is left of it: where it goes for no other reason than that."""
    needed = commit.needs.commits
    if commit.window or not keys.isdisjoint(commit.needs.keys) or any(each in gone and each not in again for each in needed):
        return None
    if not any(each in again for each in needed) or any(not buried.isdisjoint(mentioned_by(each)) for each in commit.operations):
        return None
    now = tuple(again[each].id if each in again else each for each in needed)
    undoes = again[commit.undoes].id if commit.undoes in again else commit.undoes
    return remade(replace(commit, needs=Needs(commit.needs.keys, now), undoes=undoes))
