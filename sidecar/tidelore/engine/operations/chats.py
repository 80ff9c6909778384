"""Methods on chats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.history import Change
from tidelore.engine.model import Message
from tidelore.engine.operations.purging import receipts_of
from tidelore.engine.params import parse
from tidelore.engine.scopes import SCOPE_MARK
from tidelore.engine.sync.results import PurgedChat
from tidelore.engine.table import Call, method
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import well_formed

if TYPE_CHECKING:
    from tidelore.engine.service import Service

_POOL = later("[0-9a-f]{32}")


@method("chat.update", m.ChatUpdate, r.Updated, writes=True)
async def chat_update(service: Service, params: m.ChatUpdate, call: Call) -> r.Updated:
    """Tell the engine the whole chat as it now stands; it finds the difference. The chat is made if it is new. An empty list is
    a valid chat: nothing of the memory is deleted, and it is back when the messages are."""
    del call
    check_name(params.chat)
    if params.pool and not _POOL.fullmatch(params.pool):
        raise BadInput(f"There is no pool {params.pool[:40]!r}.", "The id of a pool is 32 hexadecimal digits, a to f in small letters.")
    if params.keep < 0:
        raise BadInput(f"keep is {params.keep}.", "Count from 0.")
    return _updated(*await service.chats.update(params.chat, params.messages, _message, params.branch_of, params.pool, params.keep))


@method("chat.splice", m.ChatSplice, r.Updated, writes=True)
async def chat_splice(service: Service, params: m.ChatSplice, call: Call) -> r.Updated:
    """The same as chat.update, told as a difference to the state that the last answer named `screen`: one swipe in a chat of thousands
    of messages then sends one message. When the engine does not hold that state any more it is a conflict: send the whole chat."""
    del call
    screen = int(params.screen) if params.screen.isdecimal() and len(params.screen) < 20 else 0
    for value, name in ((params.at, "at"), (params.remove, "remove")):
        if value < 0:
            raise BadInput(f"{name} is {value}.", "Count from 0.")
    return _updated(*await service.chats.splice(params.chat, screen, params.at, params.remove, params.messages, _message))


def _updated(chat: OpenChat, change: Change, skipped: dict[str, int]) -> r.Updated:
    return r.Updated(
        chat.record.name,
        len(chat.timeline.slots),
        len(change.slots_in),
        len(change.slots_out),
        len(change.removed),
        len(change.added),
        skipped,
        str(chat.screen) if chat.screen else "",
    )


@method("chat.keys", m.ChatOnly, r.ChatKeys)
async def chat_keys(service: Service, params: m.ChatOnly, call: Call) -> r.ChatKeys:
    """The keys of a chat's messages, so that a host which is shown only a part of a chat can find where that stands. A key is a hash of
    role and text (docs/architecture.md)."""
    del call
    return r.ChatKeys(list((await service.chats.open(params.chat)).timeline.keys))


@method("chat.list", m.NoParams, r.ChatInfos)
async def chat_list(service: Service, params: m.NoParams, call: Call) -> r.ChatInfos:
    """All chats, oldest first."""
    del params, call
    records = [record for record in await service.chats.records() if not record.name.startswith(SCOPE_MARK)]
    sizes = await service.chats.sizes()
    parents = service.chats.named.parents()
    # Few chats have no message, and only those need to be looked into.
    written = {
        each.record.id for each in await service.chats.among(each.name for each in records if not sizes.get(each.id)) if each.graph.nodes
    }
    return r.ChatInfos(
        [
            r.ChatInfo(
                each.name,
                messages := sizes.get(each.id, 0),
                parents.get(each.id, ""),
                each.pool,
                parents.get(each.id) == "",
                messages > 0 or each.id in written,
            )
            for each in records
        ]
    )


@method("chat.purge", m.ChatOnly, PurgedChat, writes=True)
async def chat_purge(service: Service, params: m.ChatOnly, call: Call) -> PurgedChat:
    """Forget a chat for good, as when it was deleted where it came from. It cannot be undone. Its branches keep what their messages
    support; what all of them were made from goes with the last of them. The name can be used again."""
    del call
    chat = await service.chats.open(params.chat)
    nodes = set(chat.graph.nodes)
    if any(id_ == chat.record.id for id_, _ in service.extracting):
        raise Conflict("An extraction of this chat is still running.", "Cancel it, or wait until it is done.")
    record, purge, counts = await service.chats.purge(params.chat)
    if not counts.shared:
        service.attempts.pop(record.pool, None)
    service.recalls.forget(record.id)
    receipts = await receipts_of(service, purge, counts, nodes, 0)
    return PurgedChat(params.chat, counts.messages, counts.sources, counts.commits, counts.shared, purge.id, receipts)


# Characters of a message: a record beyond what one file of a mirror or one line of a backup may hold could never leave this store.
LONGEST_MESSAGE = 10_000_000


def _message(raw: Any) -> Message | str:
    """A message, or the role of one that is not part of a chat."""
    item = parse(m.MessageIn, raw, "messages[]")
    match item.role:
        case "user" | "assistant" as role:
            if len(item.text) > LONGEST_MESSAGE:
                raise BadInput(
                    f"A message has {len(item.text)} characters, and {LONGEST_MESSAGE} are the most.",
                    "Split it, or leave it out; nothing was stored.",
                )
            return Message(role, item.text, item.name, item.hidden, item.date)
        case "system" | "tool" | "function" | "developer" as role:
            return role
        case role:
            raise BadInput(f"A message's role cannot be {role!r}.", 'Use "user" or "assistant"; "system" and "tool" are left out.')


def check_name(name: str) -> None:
    if not name.strip():
        raise BadInput("A chat's name must hold a letter.")
    if name.startswith(SCOPE_MARK):
        raise BadInput("A chat's name cannot begin with the sign U+001F.", "Names of scopes begin so: node.write fills those.")
    if well_formed(name) != name:
        raise BadInput("A chat's name holds half of a character.", "Send the name as well-formed Unicode.")
