"""Operations and commits as canonical JSON, and the ids that are its hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from sys import intern
from typing import Any, cast

from tidelore.engine.errors import BadInput
from tidelore.engine.model import (
    Author,
    Commit,
    EnsureEdge,
    EnsureNode,
    Evident,
    FieldValue,
    Known,
    Named,
    Needs,
    Operation,
    Own,
    Patch,
    Quote,
    Ref,
    Retire,
    Speaker,
    Stated,
)
from tidelore.engine.text.unicode14 import fold_name, well_formed

ID_BYTES = 16
MOST = 2**53


def digest(*parts: str) -> str:
    """128-bit hash of the parts, as 32 hexadecimal digits. No part may hold a NUL."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=ID_BYTES).hexdigest()


def canonical(value: object) -> str:
    """JSON with sorted keys, no spaces and no escapes that are not needed; lone surrogates are replaced."""
    return well_formed(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False))


@lru_cache(maxsize=1 << 16)
def named_id(kind: str, scope: str, name: str) -> str:
    """The id of an entity or thread."""
    return digest(kind, scope, fold_name(name).replace("\0", " "))


@lru_cache(maxsize=1 << 16)
def evident_id(kind: str, keys: tuple[str, ...], ordinal: int) -> str:
    """The id of a moment or fact."""
    return digest(kind, *keys, str(ordinal))


def edge_id(kind: str, start: str, end: str, label: str) -> str:
    return digest("edge", kind, start, end, label.replace("\0", " "))


# ---- to JSON ----


def _ref_out(ref: Ref) -> list[Any]:
    match ref:
        case Named(name, kind, scope):
            return ["named", name, kind, scope]
        case Speaker(message):
            return ["speaker", message]
        case Evident(kind, messages, ordinal):
            return ["evident", kind, list(messages), ordinal]
        case Own(kind, token, scope):
            return ["own", kind, token, scope]
        case Known(id_):
            return ["known", id_]


def _stated_out(value: Stated) -> Any:
    if isinstance(value, Speaker):
        return {"speaker": value.message}
    return [_stated_out(item) for item in value] if isinstance(value, tuple) else value


def _fields_out(fields: Mapping[str, Stated]) -> dict[str, Any]:
    return {name: _stated_out(value) for name, value in fields.items()}


def operation_out(operation: Operation) -> dict[str, Any]:
    """One operation as JSON; defaults are left out."""
    out: dict[str, Any]
    match operation:
        case EnsureNode(ref, sub, fields, evidence, subject, certainty):
            out = {"node": _ref_out(ref), "sub": sub}
            if fields:
                out["fields"] = _fields_out(fields)
            if evidence:
                out["evidence"] = [[quote.message, quote.text] for quote in evidence]
            if subject is not None:
                out["subject"] = _ref_out(subject)
            if certainty != "stated":
                out["certainty"] = certainty
        case EnsureEdge(kind, start, end, label, fields):
            out = {"edge": kind, "from": _ref_out(start), "to": _ref_out(end)}
            if label:
                out["label"] = label
            if fields:
                out["fields"] = _fields_out(fields)
        case Patch(node, field, expects, value):
            out = {
                "patch": node,
                "field": field,
                "expects": list(expects) if isinstance(expects, tuple) else expects,
                "value": list(value) if isinstance(value, tuple) else value,
            }
        case Retire(node, expects):
            out = {"retire": node, "expects": expects}
    return out


# ---- from JSON ----


def field_value(value: object) -> FieldValue:
    """A JSON value as a field's value; lists become tuples of text. Raises BadInput for anything nested."""
    if isinstance(value, int | float) and not -MOST <= value <= MOST:
        raise BadInput("A field cannot hold such a number.", "Use one that every JSON reader knows: up to 2 to the power of 53.")
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in cast(Iterable[object], value)):
        return tuple(cast(Sequence[str], value))
    raise BadInput(f"A field cannot hold {type(value).__name__}.", "Use text, a number, true/false or a list of texts.")


def _shared(word: Any) -> Any:
    """One string in memory for a word that thousands of commits hold."""
    return intern(word)


# Few references are named again and again: one object in memory for all that are equal, and most need not be made.
@lru_cache(maxsize=1 << 14)
def _named(name: str, kind: Any, scope: Any) -> Named:
    return Named(intern(name), _shared(kind), _shared(scope))


@lru_cache(maxsize=1 << 10)
def _speaker(message: int) -> Speaker:
    return Speaker(message)


@lru_cache(maxsize=1 << 12)
def _evident(kind: Any, messages: tuple[int, ...], ordinal: int) -> Evident:
    return Evident(_shared(kind), messages, ordinal)


def _ref_in(value: Sequence[Any]) -> Ref:
    match value:
        case ["named", str(name), kind, scope]:
            return _named(name, kind, scope)
        case ["speaker", int(message)]:
            return _speaker(message)
        case ["evident", kind, list(messages), int(ordinal)]:
            return _evident(kind, tuple(messages), ordinal)
        case ["own", kind, str(token), scope]:
            return Own(kind, token, scope)
        case ["known", str(id_)]:
            return Known(id_)
        case _:
            raise BadInput(f"Unknown reference in a commit: {value!r}.", "The data was written by a newer version: update Tidelore.")


def _fields_in(value: Mapping[str, Any]) -> dict[str, FieldValue]:
    return {intern(name): field_value(item) for name, item in value.items()}


def _stated_in(value: Any) -> Stated:
    match value:
        case {"speaker": int(message)}:
            return Speaker(message)
        case list():
            return tuple(Speaker(item["speaker"]) if isinstance(item, dict) else str(item) for item in value)
        case _:
            return field_value(value)


def _optional(value: object) -> FieldValue | None:
    return None if value is None else field_value(value)


def operation_in(value: Mapping[str, Any]) -> Operation:
    """The reverse of `operation_out`. Raises BadInput for an operation that this version does not know."""
    if "node" in value:
        subject = value.get("subject")
        return EnsureNode(
            _ref_in(value["node"]),
            _shared(value["sub"]),
            {intern(name): item if type(item) is str else _stated_in(item) for name, item in value.get("fields", {}).items()},
            tuple([Quote(message, text) for message, text in value.get("evidence", ())]),
            None if subject is None else _ref_in(subject),
            value.get("certainty", "stated"),
        )
    if "edge" in value:
        return EnsureEdge(
            _shared(value["edge"]),
            _ref_in(value["from"]),
            _ref_in(value["to"]),
            value.get("label", ""),
            _fields_in(value.get("fields", {})),
        )
    if "patch" in value:
        return Patch(value["patch"], value["field"], _optional(value["expects"]), _optional(value["value"]))
    if "retire" in value:
        return Retire(value["retire"], value["expects"])
    raise BadInput("Unknown operation in a commit.", "The data was written by a newer version: update Tidelore.")


# ---- commits ----


def content_out(commit: Commit) -> dict[str, Any]:
    """What the id of a commit is the hash of: all but id, clock, replica and maker."""
    out: dict[str, Any] = {"author": commit.author, "operations": [operation_out(operation) for operation in commit.operations]}
    if commit.window:
        out["window"] = list(commit.window)
        out["generation"] = commit.generation
    else:
        out |= {"nonce": commit.nonce, "chat": commit.chat, "anchor": commit.anchor, "undoes": commit.undoes}
        out["needs"] = [list(commit.needs.keys), list(commit.needs.commits)]
    return out


def commit_in(content: Mapping[str, Any], clock: int, replica: str, maker: str = "", id_: str = "") -> Commit:
    """A commit from its content. Its id is worked out, so a changed content cannot keep its id, unless the host knows that id and
    content belong together (`id_`: read from its own store)."""
    keys, commits = content.get("needs", ((), ()))
    return Commit(
        id=id_ or digest("commit", canonical(content)),
        author=content["author"],
        operations=tuple(operation_in(operation) for operation in content["operations"]),
        clock=clock,
        replica=replica,
        window=tuple(content.get("window", ())),
        generation=content.get("generation", 0),
        nonce=content.get("nonce", ""),
        chat=content.get("chat", ""),
        anchor=content.get("anchor", ""),
        needs=Needs(tuple(keys), tuple(commits)),
        undoes=content.get("undoes", ""),
        maker=maker,
    )


def _made(commit: Commit) -> Commit:
    """The commit with its id; broken characters in its texts are replaced first, so that it reads the same everywhere."""
    content = content_out(commit)
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    sound = well_formed(text)
    if sound != text:
        return commit_in(json.loads(sound), commit.clock, commit.replica, commit.maker)
    return replace(commit, id=digest("commit", text))


def remade(commit: Commit) -> Commit:
    """A commit whose content was changed, with the id that goes with it."""
    return _made(commit)


def windowed(
    author: Author,
    operations: Sequence[Operation],
    window: Sequence[str],
    *,
    clock: int,
    replica: str,
    generation: int = 0,
    maker: str = "",
) -> Commit:
    """A commit of an extraction."""
    return _made(Commit("", author, tuple(operations), clock, replica, tuple(window), generation, maker=maker))


def windowless(
    author: Author,
    operations: Sequence[Operation],
    *,
    clock: int,
    replica: str,
    chat: str = "",
    anchor: str = "",
    needs: Needs = Needs(),
    undoes: str = "",
    maker: str = "",
    token: str = "",
) -> Commit:
    """A commit of a person, a tool, an import or upkeep. The nonce makes two equal ones two commits; the random `token` in it does so
    also for two processes that share a replica and a moment."""
    nonce = f"{clock}.{replica}.{token}" if token else f"{clock}.{replica}"
    return _made(
        Commit(
            "",
            author,
            tuple(operations),
            clock,
            replica,
            nonce=nonce,
            chat=chat,
            anchor=anchor,
            needs=needs,
            undoes=undoes,
            maker=maker,
        )
    )
