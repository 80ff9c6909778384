"""What a chat request says, as far as the gateway has to know: parsed here once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from starlette.datastructures import Headers

from tidelore.engine.keys import message_key
from tidelore.engine.model import Role
from tidelore.engine.text.clean import clean
from tidelore.engine.text.unicode14 import normalise, well_formed
from tidelore.serve.faults import Refusal
from tidelore.serve.gateway import splice
from tidelore.serve.windows import MAIN

Form = Literal["chat", "messages"]
"""How the client speaks: chat completions, or Anthropic's messages."""

WINDOW_HEADERS = ("x-tidelore-window", "x-serein-window-id", "x-ombre-session-id", "x-openwebui-chat-id")
MEMORY_HEADER = "x-tidelore-memory"
OURS = ("serein", "tidelore")
_OFF = frozenset({"off", "false", "0", "no"})
_LONGEST_WINDOW = 200
_NOT_SAID = frozenset({"tool_result"})
# Context that an app puts before the user's words (Operit among them); none of it was said.
_APP_BLOCKS = re.compile(r"<(proxy_sender|attachment|workspace_attachment|reply_to|system-reminder)\b[^>]*>.*?</\1>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the conversation, and its key. Blocks that clients put in are taken out of the text."""

    role: Role
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. `text` is its body as it came. `turn` is the current message of the user, `prefix` the body up to the end of it: the same
    in every tool round of a turn. `said` is the conversation up to the turn, and the turn itself if it has words. `rounds`: the turn has
    called tools already."""

    text: str
    form: Form
    model: splice.Member | None
    messages: splice.Member
    turn: splice.Value | None
    prefix: str
    said: Sequence[Said]
    words: str
    rounds: bool
    ours: Sequence[splice.Member]
    window: str
    memory: bool
    several: bool
    top: Mapping[str, splice.Member] = field(repr=False)


def read(body: bytes, headers: Headers, form: Form, *, app_blocks: bool = True) -> Asked:
    """`app_blocks`: what apps put around the user's words is none of them. Raises Refusal for a body that is no chat request."""
    text, top, rows = _parsed(body)
    turn = next((row for row in reversed(rows) if _is_turn(row.value)), None)
    said = [] if turn is None else _said(rows[: rows.index(turn) + 1], app_blocks=app_blocks)
    ours = [top[name] for name in OURS if name in top]
    model, messages = top.get("model"), top["messages"]
    after = rows[rows.index(turn) + 1 :] if turn is not None else []
    count = top["n"].value if "n" in top else 1
    return Asked(
        text,
        form,
        model,
        messages,
        turn,
        text[messages.start : turn.end] if turn is not None else "",
        said,
        words(turn.value.get("content"), app_blocks=app_blocks) if turn is not None else "",
        bool(after),
        ours,
        _window(headers, [each.value for each in ours]),
        _memory(headers, [each.value for each in ours]),
        isinstance(count, int) and count > 1,
        top,
    )


def _parsed(body: bytes) -> tuple[str, dict[str, splice.Member], list[splice.Value]]:
    try:
        text = body.decode("utf-8")
        top = {member.name: member for member in splice.members(text)}
        if "messages" not in top:
            raise Refusal(400, "bad_request", "The request has no `messages`.", "It is a chat request of the OpenAI or Anthropic form.")
        rows = list(splice.items(text, top["messages"].start))
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "bad_json", "The body must be a JSON object with a list of messages.") from error
    if not all(isinstance(row.value, dict) and isinstance(row.value.get("role"), str) for row in rows):
        raise Refusal(400, "bad_request", "Each message must be an object with a role.")
    return text, top, rows


def _is_turn(message: Mapping[str, Any]) -> bool:
    """Something that the user said, not what tools gave, which Anthropic's form also calls the user's."""
    if message["role"] != "user":
        return False
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return not any(isinstance(part, dict) and _kind(part) in _NOT_SAID for part in parts)


def _kind(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    return kind if isinstance(kind, str) else ""


def _said(rows: Sequence[splice.Value], *, app_blocks: bool) -> list[Said]:
    out: list[Said] = []
    for row in rows:
        message = row.value
        role = message["role"]
        if role == "assistant" or (role == "user" and _is_turn(message)):
            found = said(role, words(message.get("content"), app_blocks=app_blocks))
            if found is not None:
                out.append(found)
    return out


def said(role: Role, text: str) -> Said | None:
    """A message of the conversation; None for one without words."""
    text = normalise(well_formed(text))
    return Said(role, text, message_key(role, text)) if text.strip() else None


def words(content: object, *, app_blocks: bool = True) -> str:
    """What a message says in words: its text without pictures, tools, and what clients put in."""
    if isinstance(content, str):
        text = content
    else:
        parts = content if isinstance(content, list) else []
        texts = [part.get("text") for part in parts if isinstance(part, dict) and _kind(part) in ("text", "input_text", "output_text")]
        text = "\n\n".join(each for each in texts if isinstance(each, str))
    if app_blocks and "<" in text:
        text = _APP_BLOCKS.sub("", text)
    return clean(text).strip() if "<" in text or "[MemTether" in text else text.strip()


def _window(headers: Headers, ours: Sequence[object]) -> str:
    named = [headers.get(name, "") for name in WINDOW_HEADERS]
    named += [str(each.get("window_id") or each.get("window") or "") for each in ours if isinstance(each, dict)]
    found = next((name.strip() for name in named if name.strip()), MAIN)
    if len(found) > _LONGEST_WINDOW or not found.isprintable():
        raise Refusal(400, "bad_request", "This cannot be the id of a window.", f"At most {_LONGEST_WINDOW} characters, on one line.")
    return found


def _memory(headers: Headers, ours: Sequence[object]) -> bool:
    wishes = [headers.get(MEMORY_HEADER, "")]
    wishes += [str(each["memory"]) for each in ours if isinstance(each, dict) and each.get("memory") is not None]
    return not any(wish.strip().lower() in _OFF for wish in wishes)
