"""ChatGPT and DeepSeek exports: each chat is a tree of nodes, of which the current branch is imported."""

from __future__ import annotations

from collections import Counter

from .chat import ChatBuilder, ImportedChat, Origin, Reason
from .content import count
from .tree import current_branch
from .values import Object, as_list, as_object, as_text

_REASONING = frozenset({"thoughts", "reasoning_recap"})
_TEXTS = frozenset({"text", "multimodal_text", ""})


def is_chat(value: Object) -> bool:
    return isinstance(value.get("mapping"), dict)


def load(chat: Object, notes: tuple[str, ...]) -> ImportedChat:
    title = as_text(chat.get("title")).strip() or "Untitled"
    nodes = {key: as_object(node) for key, node in as_object(chat.get("mapping")).items()}
    parents = {key: as_text(node.get("parent")) for key, node in nodes.items()}
    branch = current_branch(title, parents, as_text(chat.get("current_node"))) if nodes else []
    messages = {key: as_object(node.get("message")) for key, node in nodes.items()}
    fragments = any("fragments" in message for message in messages.values())
    origin: Origin = "deepseek" if fragments else "chatgpt"
    builder = ChatBuilder(title, origin, notes)
    for key in branch:
        if messages[key]:
            (_add_fragments if fragments else _add)(builder, messages[key])
    shown = set(branch)
    builder.skip("other branch", sum(1 for key, message in messages.items() if message and key not in shown))
    return builder.build()


def _add(chat: ChatBuilder, message: Object) -> None:
    author = as_object(message.get("author"))
    content = as_object(message.get("content"))
    role = as_text(author.get("role"))
    kind = as_text(content.get("content_type"))
    reason = _left_out(message, role, kind)
    if reason:
        chat.skip(reason)
        return
    left_out: Counter[Reason] = Counter()
    text = _parts(content, left_out)
    if count(chat, left_out, text):
        name = as_text(author.get("name"))
        chat.add("user" if role == "user" else "assistant", text, name, date=message.get("create_time"))


def _left_out(message: Object, role: str, kind: str) -> Reason | None:
    metadata = as_object(message.get("metadata"))
    # The person's custom instructions travel as a user message.
    if role == "system" or metadata.get("is_user_system_message") is True or kind in ("user_editable_context", "model_editable_context"):
        return "system"
    if role not in ("user", "assistant"):
        return "tool"
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden"
    if kind in _REASONING:
        return "reasoning"
    # What an assistant addresses to anyone but all is a call; code and results have types of their own.
    return "tool" if kind not in _TEXTS or as_text(message.get("recipient")) not in ("", "all") else None


def _parts(content: Object, left_out: Counter[Reason]) -> str:
    texts: list[str] = []
    for part in as_list(content.get("parts")):
        block = as_object(part)
        if isinstance(part, str):
            texts.append(part)
        elif block.get("content_type") == "audio_transcription" and isinstance(block.get("text"), str):
            texts.append(as_text(block.get("text")))
        else:
            left_out["attachment"] += 1
    if not texts and isinstance(content.get("text"), str):
        texts.append(as_text(content.get("text")))
    return "\n\n".join(text for text in texts if text.strip())


def _add_fragments(chat: ChatBuilder, message: Object) -> None:
    """A DeepSeek message: fragments of kind REQUEST, RESPONSE, THINK, SEARCH and others."""
    left_out: Counter[Reason] = Counter()
    texts: list[str] = []
    from_user = False
    for value in as_list(message.get("fragments")):
        fragment = as_object(value)
        kind = as_text(fragment.get("type"))
        if kind in ("REQUEST", "RESPONSE"):
            from_user = from_user or kind == "REQUEST"
            texts.append(as_text(fragment.get("content")))
        else:
            left_out["reasoning" if kind == "THINK" else "tool"] += 1
    text = "\n\n".join(text for text in texts if text.strip())
    if count(chat, left_out, text):
        chat.add("user" if from_user else "assistant", text, date=message.get("inserted_at"))
