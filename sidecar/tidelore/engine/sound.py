"""Whether a commit that came from elsewhere can be folded. One that cannot would keep its chat from ever being opened again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

from tidelore.engine.model import (
    Author,
    Certainty,
    Commit,
    EdgeType,
    EnsureEdge,
    EnsureNode,
    Evident,
    FieldValue,
    Kind,
    Known,
    Named,
    Operation,
    Own,
    Patch,
    Quote,
    Ref,
    Retire,
    Scope,
    Speaker,
    Stated,
)
from tidelore.engine.text.patterns import later

_KEY = later("[0-9a-f]{32}")
_AUTHORS = frozenset(get_args(Author))
_WINDOWED = frozenset({"rules", "model"})
_KINDS, _SCOPES, _EDGES, _CERTAINTIES = map(frozenset, map(get_args, (Kind, Scope, EdgeType, Certainty)))
_MOST_GENERATIONS = 1 << 31


def is_sound(commit: Commit) -> bool:
    """Types are those that the model declares, whatever the JSON was; numbers of messages lie in the window; each family has its own
    operations only."""
    return _is_headed(commit) and all(_is_operation(each, commit) for each in commit.operations)


def _is_headed(commit: Commit) -> bool:
    texts = (commit.replica, commit.maker, commit.nonce, commit.chat, commit.anchor, commit.undoes, *commit.needs.commits)
    if not (_is_word(commit.author) and commit.author in _AUTHORS and all(map(_is_word, texts))):
        return False
    if not all(_is_word(key) and _KEY.fullmatch(key) for key in (*commit.window, *commit.needs.keys)):
        return False
    if bool(commit.window) != (commit.author in _WINDOWED) or (commit.author == "rules" and len(commit.window) != 1):
        return False
    return type(commit.clock) is int and commit.clock >= 0 and _is_below(commit.generation, _MOST_GENERATIONS)


def _is_operation(operation: Operation, commit: Commit) -> bool:
    size = len(commit.window)
    match operation:
        case EnsureNode(ref, sub, fields, evidence, subject, certainty):
            cited = size or len(commit.needs.keys)
            return (
                not isinstance(ref, Known)
                and _is_ref(ref, size)
                and (subject is None or _is_ref(subject, size))
                and _is_word(sub)
                and _are_fields(fields, size)
                and all(_is_quote(each, cited) for each in evidence)
                and _is_word(certainty)
                and certainty in _CERTAINTIES
            )
        case EnsureEdge(kind, start, end, label, fields):
            known = _is_word(kind) and kind in _EDGES
            return known and _is_ref(start, size) and _is_ref(end, size) and _is_word(label) and _are_fields(fields, 0)
        case Patch(node, field, expects, value):
            return not size and _is_word(node) and _is_word(field) and all(each is None or _is_value(each, 0) for each in (expects, value))
        case Retire(node, expects):
            return not size and _is_word(node) and _is_word(expects)


def _is_ref(ref: Ref, size: int) -> bool:
    match ref:
        case Named(name, kind, scope):
            return _is_word(name) and kind in ("entity", "thread") and _is_word(scope) and scope in _SCOPES
        case Speaker(message):
            return _is_below(message, size)
        case Evident(kind, messages, ordinal):
            # An ordinal counts what rests on the same messages.
            return kind in ("moment", "fact") and bool(messages) and _all_below(messages, size) and _is_below(ordinal, 1 << 31)
        case Own(kind, token, scope):
            return _is_word(kind) and kind in _KINDS and _is_word(token) and "\0" not in token and _is_word(scope) and scope in _SCOPES
        case Known(id_):
            return _is_word(id_)


def _are_fields(fields: Mapping[str, Stated], size: int) -> bool:
    return all(_is_word(name) and _is_value(value, size) for name, value in fields.items())


def _is_value(value: Stated, size: int) -> bool:
    if isinstance(value, Speaker):
        return _is_below(value.message, size)
    if isinstance(value, tuple):
        return all(_is_below(each.message, size) if isinstance(each, Speaker) else _is_word(each) for each in value)
    return _is_plain(value)


def _is_plain(value: FieldValue) -> bool:
    # A number that is none compares to nothing, and no JSON holds it.
    return isinstance(value, str | int | bool) or (isinstance(value, float) and value == value and abs(value) != float("inf"))


def _is_quote(quote: Quote, size: int) -> bool:
    return _is_below(quote.message, size) and _is_word(quote.text)


def _all_below(values: Iterable[object], size: int) -> bool:
    return all(_is_below(each, size) for each in values)


def _is_below(value: object, size: int) -> bool:
    return type(value) is int and 0 <= value < size


def _is_word(value: object) -> bool:
    return isinstance(value, str)
