"""Claude exports: each chat is a list of messages of a human and an assistant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .chat import ChatBuilder, ImportedChat, Reason
from .content import count, text_of
from .tree import current_branch
from .values import Object, as_list, as_object, as_text


def is_chat(value: Object) -> bool:
    return isinstance(value.get("chat_messages"), list)


def load(chat: Object, notes: tuple[str, ...]) -> ImportedChat:
    title = as_text(chat.get("name")).strip() or "Untitled"
    builder = ChatBuilder(title, "claude", notes)
    messages = [as_object(message) for message in as_list(chat.get("chat_messages"))]
    shown = _current(title, messages, as_text(chat.get("current_leaf_message_uuid")), builder)
    builder.skip("other branch", len(messages) - len(shown))
    for message in shown:
        _add(builder, message)
    return builder.build()


def _current(title: str, messages: Sequence[Object], leaf: str, chat: ChatBuilder) -> Sequence[Object]:
    """The messages of the current branch; all of them where the export does not name parents, as old ones do not."""
    by_id = {as_text(message.get("uuid")): message for message in messages}
    parents = {key: as_text(message.get("parent_message_uuid")) for key, message in by_id.items()}
    if len(by_id) < len(messages) or "" in by_id or not any(parent in by_id for parent in parents.values()):
        return messages
    if leaf not in by_id:
        # The export has no pointer; the message written last is on the branch that was last on screen.
        leaf = next(reversed(by_id))
        if len(by_id.keys() - set(parents.values())) > 1:
            chat.note("The export does not say which branch is the current one; the one with the last message was taken.")
    return [by_id[key] for key in current_branch(title, parents, leaf)]


def _add(chat: ChatBuilder, message: Object) -> None:
    sender = message.get("sender")
    if sender not in ("human", "assistant"):
        chat.skip("system" if sender == "system" else "tool")
        return
    left_out: Counter[Reason] = Counter()
    # `text` repeats the blocks, with placeholders for those that are not text.
    blocks = message.get("content")
    text = text_of(blocks, left_out) if blocks else as_text(message.get("text"))
    files = len(as_list(message.get("attachments"))) + len(as_list(message.get("files")))
    if files:
        left_out["attachment"] += files
    if count(chat, left_out, text):
        chat.add("user" if sender == "human" else "assistant", text, date=message.get("created_at"))
