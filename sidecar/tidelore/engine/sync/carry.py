"""Carrying out a purge: which commits go with it here, and what is saved from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tidelore.engine.chats import ROUNDS, Chats
from tidelore.engine.errors import Conflict
from tidelore.engine.model import Commit, EnsureNode, Evident
from tidelore.engine.ports import FOREVER, Batch, Burial, LedgerRow, PoolRows, Purge, Purged
from tidelore.engine.sync.burial import buried, commit_marks, graves_of, mentioned, stated
from tidelore.engine.sync.remains import remains
from tidelore.engine.sync.wire import made_purge

MOST_ATTEMPTS = 1_000_000


async def carry_out(chats: Chats, purge: Purge, origin: str, sequence: int) -> set[str]:
    """A purge of another replica, with what it could not know of. The answer are the nodes that are gone. Call with the lock held."""
    for _ in range(ROUNDS):
        rows = await chats.store.pool(purge.pool, 0)
        try:
            further = _further(purge, rows, await chats.store.newest(purge.pool))
            if further is not None:
                await bury(chats, further, rows)
                rows = await chats.store.pool(purge.pool, 0)
            await bury(chats, purge, rows, origin, sequence)
        except Conflict:
            continue
        dead = dead_commits(purge, rows.commits)
        return {node for node, _ in purge.nodes} | {node for commit in dead for node in stated(commit)}
    raise Conflict("Other writers keep changing this pool.", "Try again.")


async def bury(chats: Chats, purge: Purge, rows: PoolRows, origin: str = "", sequence: int = 0) -> Purged:
    """`rows`: all of the pool, as it was read last. Raises Conflict when it is another one by now."""
    named = {chat for chat, _ in purge.chats}
    others = [each for each in await chats.store.chats() if each.pool == purge.pool and each.id not in named]
    dead = [] if purge.whole else dead_commits(purge, rows.commits)
    then = Batch()
    if purge.whole and any(each.clock <= purge.clock for each in others):
        # It stood there when the purge was said, and who said it did not know.
        then = _saved(purge, rows)
    elif purge.keys or purge.commits:
        attempts = [_without_words(row) for row in await chats.store.ledger("attempt", purge.pool, MOST_ATTEMPTS)][::-1]
        then = Batch(purge.pool, commits=left_of(purge, dead, rows.commits), ledger=attempts)
    return await chats.bury(
        Burial(purge, [each.id for each in dead], rows.cursor, frozenset(each.id for each in others), then, origin, sequence)
    )


def left_of(purge: Purge, dead: Sequence[Commit], commits: Sequence[Commit]) -> list[Commit]:
    """Of the `dead` among these commits."""
    gone = {commit.id for commit in dead}
    return remains(purge, dead, [each for each in commits if each.id not in gone])


def dead_commits(purge: Purge, commits: Sequence[Commit]) -> list[Commit]:
    """Those that a purge takes along, also as upkeep that builds on others that go."""
    graves = graves_of(purge)
    dead: dict[str, Commit] = {}
    size = -1
    while size != len(dead):
        size = len(dead)
        for commit in commits:
            if commit.id not in dead and buried(graves, commit_marks(commit), commit.clock):
                dead[commit.id] = commit
                graves[f"commit {commit.id}"] = FOREVER
    return list(dead.values())


def resting(commits: Collection[Commit], keys: Collection[str]) -> set[str]:
    """The moments and facts of these commits that have one of these messages as evidence, so that they never come again."""
    out: set[str] = set()
    for commit in commits:
        for operation in commit.operations:
            match operation:
                case EnsureNode(ref=Evident(messages=messages)) if any(commit.window[at] in keys for at in messages):
                    out |= stated(replace(commit, operations=(operation,)))
                case _:
                    pass
    return out


def _further(purge: Purge, rows: PoolRows, newest: int) -> Purge | None:
    """A purge of changes by hand that the one who purged did not know of, and that hold words of what goes. It comes first, since nobody
    could tell afterwards."""
    if not purge.keys:
        return None
    nodes = resting([each for each in dead_commits(purge, rows.commits) if each.window], set(purge.keys)) - {
        node for node, _ in purge.nodes
    }
    told = sorted({node for commit in rows.commits if not commit.window for node in nodes.intersection(mentioned(commit))})
    if not told:
        return None
    marked = replace(purge, chats=(), keys=(), commits=(), nodes=tuple((node, FOREVER) for node in told))
    gone = tuple(sorted(commit.id for commit in dead_commits(marked, rows.commits)))
    return made_purge(purge.pool, newest, commits=gone, nodes=marked.nodes)


def _saved(purge: Purge, rows: PoolRows) -> Batch:
    """All of a pool whose purge did not know of a chat that stands on it here, as of just after the purge, in the order as it was."""
    before = sorted((each for each in rows.commits if each.clock <= purge.clock), key=lambda each: (each.clock, each.id))
    again = [replace(commit, clock=purge.clock + 1 + at) for at, commit in enumerate(before)]
    return Batch(purge.pool, rows.sources, again, clock=purge.clock + 1)


def _without_words(row: LedgerRow) -> LedgerRow:
    return replace(row, body={**row.body, "error": "", "raw": ""})
