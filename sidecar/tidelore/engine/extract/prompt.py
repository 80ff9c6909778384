"""The prompt of an extraction, and the JSON schema of its answer. What a chat holds is data: it cannot close its block."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, get_args

from tidelore.engine.extract import prompts_en, prompts_zh
from tidelore.engine.extract.templates import TEMPLATES, filled
from tidelore.engine.model import EdgeType, Kind, Role
from tidelore.engine.schema import DEFAULT, EXTRACTED, Schema
from tidelore.engine.text.patterns import later

EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)
OFFERED_EDGES: tuple[EdgeType, ...] = tuple(name for name in EDGE_TYPES if name not in ("doubt", "replaces"))

NO_TEMPLATES: Mapping[str, str] = {}

_TAGS = "earlier", "known", "messages"
_OWN_TAG = later(rf"<(?=\s*/?\s*(?:{'|'.join(_TAGS)})\b)", re.IGNORECASE)
_LINES = later(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_KNOWN_TEXT, _NAME = 160, 60
_LANGUAGES_EN = {
    **{"en": "English", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "es": "Spanish", "fr": "French"},
    **{"de": "German", "pt": "Portuguese", "it": "Italian", "pl": "Polish", "vi": "Vietnamese", "tr": "Turkish", "el": "Greek"},
    **{"ar": "Arabic", "he": "Hebrew", "th": "Thai", "hi": "Hindi", "uk": "Ukrainian", "nl": "Dutch"},
}


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """A message as the model sees it. `number` counts from 1 over the window; it is not shown for context messages."""

    number: int
    role: Role
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class KnownNode:
    """A node of the graph that the model may name by its short key (G1, G2 ...); its id is never shown.

    `name` is that of an entity or thread, else a short label or empty. `subject` (a name) and `attribute` belong to facts.
    """

    key: str
    id: str
    kind: Kind
    sub: str
    name: str = ""
    text: str = ""
    subject: str = ""
    attribute: str = ""


def build(
    window: Sequence[PromptMessage],
    context: Sequence[PromptMessage],
    known: Sequence[KnownNode],
    schema: Schema,
    language: str,
    templates: Mapping[str, str] = NO_TEMPLATES,
) -> list[dict[str, str]]:
    """A system and a user message. `language` is the code of the chat's language, "" or "und" where it is unknown. `templates`: prompts
    that a person has changed, by id (templates.py).

    Texts stand letter for letter, but for line breaks (lines after a message's first are indented) and the `<` of our own tags.
    """
    words = _words(language)
    blocks = []
    if known:
        blocks.append(_block("known", words.KNOWN, [_known(node) for node in known]))
    if context:
        blocks.append(_block("earlier", words.EARLIER, [f"- {_speaker(message)}: {_text(message.text)}" for message in context]))
    lines = [f"[{message.number}] {_speaker(message)}: {_text(message.text)}" for message in window]
    blocks.append(_block("messages", words.TRANSCRIPT, lines or [words.NOTHING]))
    return [{"role": "system", "content": instructions(schema, language, templates)}, {"role": "user", "content": "\n\n".join(blocks)}]


def instructions(schema: Schema, language: str, templates: Mapping[str, str] = NO_TEMPLATES) -> str:
    """The system message: the same for every window of a chat, so that a prompt cache can hold it."""
    words = _words(language)
    name = _LANGUAGES_EN.get(language.split("-")[0].lower())
    if words is prompts_zh:
        name = "中文"
    stated = words.LANGUAGE_NAMED.format(name=name) if name else words.LANGUAGE
    id_ = "extract.zh" if words is prompts_zh else "extract.en"
    values = {"language": stated, "schema": schema.describe(language), "edges": ", ".join(OFFERED_EDGES)}
    return filled(templates.get(id_, TEMPLATES[id_].default), values)


def answer_schema(schema: Schema) -> Mapping[str, Any]:
    """JSON Schema of the answer, in the subset that all servers take: no unions, no references, arrays have items."""
    offered = [sub for sub in schema.subs if sub.kind in EXTRACTED and sub.extract]
    names = list(dict.fromkeys(item.name for sub in offered for item in sub.fields if item.name != "held_by"))
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    evidence = {
        "type": "object",
        "properties": {"message": {"type": "integer"}, "quote": text},
        "required": ["message", "quote"],
    }
    properties: dict[str, Any] = {
        "op": {"type": "string", "enum": ["node", "edge"]},
        **{
            "key": text,
            "kind": {"type": "string", "enum": list(EXTRACTED)},
            "sub": {"type": "string", "enum": [s.name for s in offered]},
        },
        **{"name": text, "text": text, "subject": text, "attribute": text, "value": text},
        "fields": {"type": "object", "properties": dict.fromkeys(names, text)},
        "evidence": {"type": "array", "items": evidence},
        **{"importance": {"type": "integer"}, "story_time": text, "known_by": texts, "held_by": text},
        **{"type": {"type": "string", "enum": list(OFFERED_EDGES)}, "from": text, "to": text, "label": text},
    }
    operation = {"type": "object", "properties": properties, "required": ["op"]}
    return {
        "type": "object",
        "properties": {"operations": {"type": "array", "items": operation}},
        "required": ["operations"],
    }


ANSWER_SCHEMA: Mapping[str, Any] = answer_schema(DEFAULT)


def _words(language: str) -> ModuleType:
    return prompts_zh if language.lower().split("-")[0] == "zh" else prompts_en


def _block(tag: Literal["earlier", "known", "messages"], title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, f"<{tag}>", *lines, f"</{tag}>"])


def _known(node: KnownNode) -> str:
    name = f" {_flat(node.name, _NAME)}" if node.name else ""
    about = "".join(f" {part}" for part in (f"({_flat(node.subject, _NAME)})" * bool(node.subject), _flat(node.attribute, _NAME)) if part)
    text = f": {_flat(node.text, _KNOWN_TEXT)}" if node.text and node.text != node.name else ""
    return f"{node.key} {node.kind}/{node.sub}{name}{about}{text}"


def _speaker(message: PromptMessage) -> str:
    """The speaker on one line, free of what ends a speaker; with the role, so that nobody is taken for the user."""
    name = _flat(message.name, _NAME).replace(":", " ").replace("：", " ").replace("[", "(").replace("]", ")")
    return f"{name} ({message.role})" if name else message.role


def _text(text: str) -> str:
    return "\n    ".join(_LINES.split(_OWN_TAG.sub("‹", text.strip())))


def _flat(text: str, limit: int) -> str:
    flat = " ".join(_OWN_TAG.sub("‹", text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
