"""What forgetting one memory for good takes along: the words of the messages that it rests on, all commits made from those, and the
changes by hand that tell of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidelore.engine.graph import Graph
from tidelore.engine.history import Timeline
from tidelore.engine.model import Commit, EnsureNode, Named
from tidelore.engine.nodes import NodeState
from tidelore.engine.opened import OpenChat
from tidelore.engine.pool import Pool
from tidelore.engine.ports import FOREVER, Purge
from tidelore.engine.sync.burial import mentioned, plain_id
from tidelore.engine.sync.carry import dead_commits, left_of, resting
from tidelore.engine.sync.wire import made_purge


@dataclass(frozen=True, slots=True)
class Forgetting:
    """`purge` with all that it names; `commits` that go, imports among them that come again without what goes; `going`: the other nodes of
    the chat that are not shown without them."""

    purge: Purge
    commits: tuple[Commit, ...]
    going: tuple[NodeState, ...]


def forgetting(chat: OpenChat, node: NodeState, clock: int) -> Forgetting:
    """For a node that messages state, the messages that it quotes, or the whole window where it quotes none. An entity rests on every
    message that names it. Nothing else is known to be free of its words."""
    pool, graph = chat.pool, chat.graph
    ids = {node.id}
    keys: set[str] = set()
    for part in node.parts:
        commit = part.placement.commit
        if commit.window:
            quoted = {key for key, _ in part.evidence}
            keys |= quoted or {slot.key for slot in part.placement.slots}
        ids |= _names(graph, node, commit)
    for commit in pool.commits.values():
        keys.update(_cited(commit, ids))
    named = {id_ for id_ in ids if node.kind in ("entity", "thread")}
    purge = made_purge(
        chat.record.pool, clock, keys=tuple(sorted(keys)), nodes=tuple((id_, clock if id_ in named else FOREVER) for id_ in sorted(ids))
    )
    dead = dead_commits(purge, list(pool.commits.values()))
    # Moments and facts with such evidence never come again, so what was said of them by hand goes, too.
    lost = resting([each for each in dead if each.window], keys)
    lost = {id_ for each in pool.windowless for id_ in lost.intersection(mentioned(each))} | {id_ for id_ in lost if id_ in graph.nodes}
    nodes = {**dict.fromkeys(lost, FOREVER), **dict(purge.nodes)}
    wide = made_purge(chat.record.pool, clock, keys=purge.keys, nodes=tuple(sorted(nodes.items())))
    dead = dead_commits(wide, list(pool.commits.values()))
    final = made_purge(chat.record.pool, clock, commits=tuple(sorted(each.id for each in dead)), keys=wide.keys, nodes=wide.nodes)
    left = left_of(final, dead, list(pool.commits.values()))
    return Forgetting(final, tuple(dead), tuple(_going(chat, node, final, {each.id for each in dead}, left)))


def _names(graph: Graph, node: NodeState, commit: Commit) -> set[str]:
    """The ids under which a commit names the node, by this or another name of it."""
    named = [plain_id(each.ref) for each in commit.operations if isinstance(each, EnsureNode) and isinstance(each.ref, Named)]
    return {id_ for id_ in named if graph.aliases.canonical(id_) == node.id}


def _cited(commit: Commit, ids: set[str]) -> set[str]:
    """The messages of a windowed commit, live or not, from which it states one of these."""
    out: set[str] = set()
    for operation in commit.operations if commit.window else ():
        match operation:
            case EnsureNode(ref=Named() as ref, evidence=evidence) if plain_id(ref) in ids:
                out |= {commit.window[quote.message] for quote in evidence} or set(commit.window)
            case _:
                pass
    return out


def _going(chat: OpenChat, node: NodeState, purge: Purge, dead: set[str], left: Sequence[Commit]) -> list[NodeState]:
    """The chat, built anew from what stays."""
    pool = Pool()
    pool.purged.update(chat.pool.purged, purge.keys)
    pool.add(
        (each for each in chat.pool.sources.values() if each.key not in pool.purged),
        [*(each for each in chat.pool.commits.values() if each.id not in dead), *left],
    )
    timeline = Timeline(pool, chat.record.id, chat.timeline.lineage)
    graph = Graph()
    graph.change(timeline.load([(slot.entry, slot.order) for slot in chat.timeline.slots]))
    return [each for each in chat.graph.shown() if each.id != node.id and graph.node(each.id) is None]
