"""Taking changes back, and what can be taken back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import Conflict, NotFound
from tidelore.engine.model import Commit
from tidelore.engine.operations.graph import by_hand
from tidelore.engine.table import Call, method, positive
from tidelore.engine.upkeep.changes import LONGEST, change_of, edits_of, subject_of, words_of
from tidelore.engine.upkeep.versions import when

if TYPE_CHECKING:
    from tidelore.engine.service import Service

SHORTEST_ID = 8
# What a person does: an import is no less theirs than an edit.
BY_PEOPLE = frozenset({"person", "import"})


@method("undo", m.Undo, rc.Turned, writes=True)
async def undo(service: Service, params: m.Undo, call: Call) -> rc.Turned:
    """Take back a change by hand or an upkeep; undoing the undo is a redo."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        commit = _change(chat, params.commit) if params.commit else _newest(chat)
        if commit.id not in {each.id for each in _standing(chat)}:
            raise Conflict("This change is undone already.", "Undo the undo to bring it back.")
        undone = await by_hand(service, chat, [], undoes=commit.id)
        return _turned(chat, undone.id, commit)


@method("redo", mc.Redo, rc.Turned, writes=True)
async def redo(service: Service, params: mc.Redo, call: Call) -> rc.Turned:
    """Bring back what was undone: the newest of it, or what is named."""
    del call
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        undone = _undone(chat)
        if params.commit:
            named = _change(chat, params.commit)
            found = next((each for each in undone if named.id in (each.id, each.undoes)), None)
            if found is None:
                raise Conflict("This change is not undone.", "undo.list says what is.")
        else:
            found = next((each for each in undone if each.author == "person" and each.chat == chat.record.id), None)
            if found is None:
                raise NotFound("There is nothing to redo in this chat.", "redo brings back what undo took back.")
        done = await by_hand(service, chat, [], undoes=found.id)
        return _turned(chat, done.id, chat.pool.commits[found.undoes])


@method("undo.list", mc.UndoList, rc.ChangeRows)
async def undo_list(service: Service, params: mc.UndoList, call: Call) -> rc.ChangeRows:
    """The changes that count or counted here and that no message says, newest first: what can be undone, and what can be redone."""
    del call
    chat = await service.chats.open(params.chat)
    limit = positive(params.limit, "limit")
    undone = {each.undoes: each.id for each in _undone(chat)}
    standing = {each.id for each in _standing(chat)}
    here = [
        each
        for each in reversed(chat.pool.windowless)
        if not each.undoes
        and (each.id in standing or each.id in undone)
        and (not each.chat or each.chat in chat.timeline.lineage)
        and (not params.authors or each.author in params.authors)
    ]
    start = 0
    if params.before:
        start = next((at for at, each in enumerate(here, 1) if each.id == params.before), len(here))
    page = here[start : start + limit]
    waiting = {key[2] for _, key, _ in chat.graph.waiting()}
    rows = [_row(chat, each, undone.get(each.id, ""), waiting) for each in page]
    return rc.ChangeRows(rows, len(here), page[-1].id if start + limit < len(here) else "")


def _turned(chat: OpenChat, done: str, commit: Commit) -> rc.Turned:
    # An undo has no words of its own: what is said is what it took back.
    while commit.undoes and commit.undoes in chat.pool.commits:
        commit = chat.pool.commits[commit.undoes]
    node, text = words_of(chat.graph, commit)
    return rc.Turned(done, node, text, change_of(commit), subject_of(chat.graph, commit, node)[:LONGEST], edits_of(commit, node))


def _row(chat: OpenChat, commit: Commit, undo_: str, waiting: Iterable[str]) -> rc.ChangeRow:
    node, text = words_of(chat.graph, commit)
    return rc.ChangeRow(
        commit.id,
        when(commit.clock),
        commit.author,
        commit.maker,
        change_of(commit),
        node,
        text[:LONGEST],
        bool(undo_),
        undo_,
        not undo_ and (commit.id in waiting or commit.id not in chat.timeline.windowless),
        subject_of(chat.graph, commit, node)[:LONGEST],
        edits_of(commit, node),
    )


def _standing(chat: OpenChat) -> list[Commit]:
    return chat.pool.standing(chat.timeline.lineage)


def _undone(chat: OpenChat) -> list[Commit]:
    """The standing undos of changes, newest first; an undo of an undo is a redo and none of them."""
    commits = chat.pool.commits
    return [
        each
        for each in reversed(_standing(chat))
        if each.undoes and (known := commits.get(each.undoes)) is not None and not known.undoes and _strikes(chat, each)
    ]


def _strikes(chat: OpenChat, undo_: Commit) -> bool:
    return not undo_.chat or undo_.chat in chat.timeline.lineage


def _newest(chat: OpenChat) -> Commit:
    for commit in reversed(_standing(chat)):
        if commit.author in BY_PEOPLE and commit.chat == chat.record.id and not commit.undoes:
            return commit
    raise NotFound("There is nothing to undo in this chat.")


def _change(chat: OpenChat, wanted: str) -> Commit:
    """A change by its id, or by a beginning of eight digits or more that no other has."""
    found = [each for each in chat.pool.windowless if each.id == wanted or (len(wanted) >= SHORTEST_ID and each.id.startswith(wanted))]
    if len(found) != 1:
        raise NotFound("There is no such change in this chat.", "node.edit and the other changes answer with the id to undo.")
    return found[0]
