"""The text of a message whose content is a string or a list of typed parts."""

from __future__ import annotations

from collections import Counter

from .chat import ChatBuilder, Reason
from .values import as_list, as_object, as_text

_TEXTS = frozenset({"text", "input_text", "output_text", ""})
_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning", "thought", "summary_text"})


def text_of(content: object, left_out: Counter[Reason]) -> str:
    """The texts of `content`, parts joined by a blank line; parts of other kinds are counted in `left_out`."""
    if isinstance(content, str):
        return content
    texts: list[str] = []
    for part in as_list(content) or ([content] if isinstance(content, dict) else []):
        if isinstance(part, str):
            texts.append(part)
            continue
        block = as_object(part)
        kind = as_text(block.get("type"))
        if kind in _TEXTS and isinstance(block.get("text"), str):
            texts.append(as_text(block.get("text")))
        else:
            left_out[_reason(kind)] += 1
    return "\n\n".join(text for text in texts if text.strip())


def _reason(kind: str) -> Reason:
    if kind in _REASONING:
        return "reasoning"
    return "tool" if any(word in kind for word in ("tool", "function", "token_budget")) else "attachment"


def count(chat: ChatBuilder, left_out: Counter[Reason], text: str) -> bool:
    """Counts what was left out of a message; whether its text is worth adding or, lacking anything else, counting as empty."""
    for reason, number in left_out.items():
        chat.skip(reason, number)
    return bool(text.strip()) or not left_out
