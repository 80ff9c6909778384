"""What is buried: marks on the ids that a purge names, each with the clock up to which it holds, and the rule that a store keeps at every
write.

A mark is a kind and an id: `key` (a message), `commit`, `node`, `chat`, and `pool` for all of a pool. What bears a mark is gone as far
as its clock is not later than the mark's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tidelore.engine.codec import canonical, digest, evident_id, named_id
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, Evident, Known, Named, Operation, Own, Patch, Ref, Retire
from tidelore.engine.ports import FOREVER, PARENTS_BETWEEN, ChatRecord, LedgerRow, Purge

POOL = "pool"
"""The mark on all of a pool."""


def key_mark(key: str) -> str:
    return f"key {key}"


def chat_mark(chat: str) -> str:
    return f"chat {chat}"


def commit_marks(commit: Commit) -> list[str]:
    """The marks that bury a commit: its own id, the messages that its words are from, the upkeep it builds on, and for a change by hand the
    nodes that it is about, since it may hold their words."""
    marks = [f"commit {commit.id}"]
    marks += [f"key {key}" for key in (*commit.window, *commit.needs.keys)]
    marks += [f"commit {needed}" for needed in commit.needs.commits]
    if not commit.window:
        marks += [f"node {node}" for node in mentioned(commit)]
    return marks


def mentioned(commit: Commit) -> list[str]:
    """The nodes that a windowless commit states, changes or ties together, as far as its content alone names them."""
    return list(dict.fromkeys(node for operation in commit.operations for node in mentioned_by(operation)))


def mentioned_by(operation: Operation) -> list[str]:
    """Those of one operation."""
    match operation:
        case Patch(node=node) | Retire(node=node):
            out = [node]
        case EnsureNode(ref=ref, subject=subject):
            out = [plain_id(ref), plain_id(subject) if subject is not None else ""]
        case EnsureEdge(start=start, end=end):
            out = [plain_id(start), plain_id(end)]
    return [each for each in out if each]


def plain_id(ref: Ref) -> str:
    """The id that a reference names by itself, whatever other names it has; "" where that takes a window."""
    match ref:
        case Named(name, kind, scope):
            return named_id(kind, scope, name)
        case Own(kind, token, scope):
            return digest("own", kind, scope, token)
        case Known(id_):
            return id_
        case _:
            return ""


def stated(commit: Commit) -> set[str]:
    """The moments and facts that a windowed commit states."""
    window = commit.window
    refs = [operation.ref for operation in commit.operations if isinstance(operation, EnsureNode)]
    return {evident_id(ref.kind, tuple([window[at] for at in ref.messages]), ref.ordinal) for ref in refs if isinstance(ref, Evident)}


def buried(graves: Mapping[str, int], marks: Iterable[str], clock: int) -> bool:
    """`graves`: the clock of each mark of a pool. Sources and commits bear the pool's own mark too; chats do not, they are named one by
    one."""
    return bool(graves) and any(clock <= graves.get(mark, -1) for mark in (POOL, *marks))


def graves_of(purge: Purge) -> dict[str, int]:
    """The marks that a purge sets, with their clocks."""
    out = {chat_mark(chat): purge.clock for chat, _ in purge.chats}
    if purge.whole:
        out[POOL] = purge.clock
    out |= {key_mark(key): FOREVER for key in purge.keys}
    out |= {f"commit {commit}": FOREVER for commit in purge.commits}
    return out | {f"node {node}": clock for node, clock in purge.nodes}


def floor_of(graves: Mapping[str, int]) -> int:
    """What is written to the pool from now on, knowing of its graves, has to be later than this."""
    return max((clock for clock in graves.values() if clock < FOREVER), default=0)


def lineage(parent: str, gone: Mapping[str, str]) -> str:
    """A chat's `parent` with the parents of those of its ancestors that were purged. `gone`: the parent of each chat that was."""
    while parent:
        known = parent.split(PARENTS_BETWEEN)
        more = gone.get(known[-1], "")
        if not more or more.split(PARENTS_BETWEEN)[0] in known:
            break
        parent += PARENTS_BETWEEN + more
    return parent


def merged_chat(known: ChatRecord | None, came: ChatRecord) -> ChatRecord:
    """One chat that two replicas made: the smaller clock, and the line that is known further back."""
    if known is None:
        return came
    parent = max(known.parent, came.parent, key=lambda each: (len(each), each))
    return replace(known, clock=min(known.clock, came.clock), parent=parent)


def other_name(chat: ChatRecord) -> str:
    """What a chat that came is called where another one has its name."""
    return f"{chat.called} ({chat.id[:8]})"


def delivery_id(row: LedgerRow) -> str:
    """The id of a delivery as a record: the hash of all that it says."""
    return digest("delivery", row.chat, str(row.at), canonical(row.body))


def purge_id(pool: str, clock: int, parts: Sequence[object]) -> str:
    return digest("purge", pool, str(clock), canonical(parts))
