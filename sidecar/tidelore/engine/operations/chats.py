"""Methods on chats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidelore.engine import methods as m
from tidelore.engine.chats import SCOPE_MARK
from tidelore.engine.errors import BadInput
from tidelore.engine.model import Message
from tidelore.engine.params import parse
from tidelore.engine.table import Call, method
from tidelore.engine.text.unicode14 import well_formed

if TYPE_CHECKING:
    from tidelore.engine.service import Service


@method("chat.update", m.ChatUpdate, m.Updated, writes=True)
async def chat_update(service: Service, params: m.ChatUpdate, call: Call) -> m.Updated:
    """Tell the engine the whole chat as it now stands; it finds the difference. The chat is made if it is new. An empty list is
    a valid chat: nothing of the memory is deleted, and it is back when the messages are."""
    del call
    _check_name(params.chat)
    chat, change, skipped = await service.chats.update(params.chat, params.messages, _message, params.branch_of)
    return m.Updated(
        params.chat,
        len(chat.timeline.slots),
        len(change.slots_in),
        len(change.slots_out),
        len(change.removed),
        len(change.added),
        skipped,
    )


@method("chat.list", m.NoParams, m.ChatInfos)
async def chat_list(service: Service, params: m.NoParams, call: Call) -> m.ChatInfos:
    """All chats, oldest first."""
    del params, call
    records = [record for record in await service.chats.records() if not record.name.startswith(SCOPE_MARK)]
    names = {record.id: record.name for record in records}
    sizes = await service.store.sizes()
    return m.ChatInfos([m.ChatInfo(each.name, sizes.get(each.id, 0), names.get(each.parent, "")) for each in records])


def _message(raw: Any) -> Message | str:
    """A message, or the role of one that is not part of a chat."""
    item = parse(m.MessageIn, raw, "messages[]")
    match item.role:
        case "user" | "assistant" as role:
            return Message(role, item.text, item.name, item.hidden, item.date)
        case "system" | "tool" | "function" | "developer" as role:
            return role
        case role:
            raise BadInput(f"A message's role cannot be {role!r}.", 'Use "user" or "assistant"; "system" and "tool" are left out.')


def _check_name(name: str) -> None:
    if not name.strip():
        raise BadInput("A chat's name must hold a letter.")
    if name.startswith(SCOPE_MARK):
        raise BadInput("A chat's name cannot begin with the sign U+001F.", "Names of scopes begin so: node.write fills those.")
    if well_formed(name) != name:
        raise BadInput("A chat's name holds half of a character.", "Send the name as well-formed Unicode.")
