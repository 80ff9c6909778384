"""Records as JSON: small numbers and texts only, so that they pass through JavaScript unharmed. Checked here, at the edge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from tidelore.engine.clock import MOST_CLOCK, bounded
from tidelore.engine.codec import MOST, canonical, commit_in, content_out, digest
from tidelore.engine.errors import BadInput
from tidelore.engine.model import Commit, Source
from tidelore.engine.ports import FOREVER, Body, ChatRecord, CommitText, LedgerRow, Purge, Record, RecordKind
from tidelore.engine.records import chat_id
from tidelore.engine.shallow import shallow
from tidelore.engine.sound import is_sound
from tidelore.engine.sync.burial import delivery_id, purge_id
from tidelore.engine.text.patterns import later

ORIGIN = later(r"[\w.-]{1,64}")
_SURROGATE = later("[\ud800-\udfff]")
_KINDS = ("source", "commit", "chat", "delivery", "purge")


def record_out(record: Record) -> dict[str, Any]:
    """`body` is canonical JSON as a text, null where it was purged; `clock` is a text, since it has more digits than JavaScript's
    numbers."""
    out: dict[str, Any] = {
        **{"origin": record.origin, "sequence": record.sequence, "kind": record.kind, "pool": record.pool, "id": record.id},
        **{"clock": str(record.clock), "body": None},
    }
    match record.body:
        case Source(role=role, text=text):
            out["body"] = canonical({"role": role, "text": text})
        case Commit() as commit:
            out |= {"body": canonical(content_out(commit)), "by": commit.replica, "maker": commit.maker}
        case CommitText(content, _, replica, maker):
            out |= {"body": content, "by": replica, "maker": maker}
        case ChatRecord() as chat:
            out["body"] = canonical({"name": chat.called, "parent": chat.parent})
        case LedgerRow() as row:
            out["body"] = canonical({"chat": row.chat, "at": row.at, "body": row.body})
        case Purge() as purge:
            out["body"] = canonical(purge_out(purge))
        case None:
            pass
    return out


def place(value: object) -> tuple[str, int]:
    """Origin and sequence of a record as JSON. Raises BadInput."""
    try:
        raw = cast(Mapping[str, Any], value)
        origin, sequence = raw["origin"], raw["sequence"]
        if not ORIGIN.fullmatch(origin) or type(sequence) is not int or sequence < 1:
            raise ValueError
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadInput("That is no record.", "Pass on what sync.pull has answered, as it is.") from error
    return origin, sequence


def record_in(value: Mapping[str, Any]) -> Record:
    """The reverse of `record_out`. Raises BadInput where a record is not what it says it is, or of a kind that this version does not
    know."""
    origin, sequence = place(value)
    try:
        kind, pool, id_, body = value["kind"], str(value["pool"]), str(value["id"]), value["body"]
        clock = bounded(int(value["clock"]))
        if kind not in _KINDS:
            raise BadInput(f"A record is of an unknown kind, {str(kind)[:20]!r}.", "It was written by a newer version: update Tidelore.")
        if not all(map(is_text, (pool, id_, str(value.get("by", "")), str(value.get("maker", ""))))):
            raise ValueError
        found = None if body is None else _body(kind, pool, id_, clock, body, value)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"Record {sequence} of {origin} cannot be read.", "It was changed on the way.") from error
    return Record(origin, sequence, kind, pool, id_, clock, found, body if kind == "commit" and body is not None else "")


def _body(kind: RecordKind, pool: str, id_: str, clock: int, text: str, value: Mapping[str, Any]) -> Body:
    raw = json.loads(shallow(text))
    if not is_text(text) or ("\\u" in text and not is_text(json.dumps(raw, ensure_ascii=False))):
        raise ValueError
    body: Body
    match kind:
        case "source":
            if raw["role"] not in ("user", "assistant") or not isinstance(raw["text"], str):
                raise ValueError
            return Source(id_, raw["role"], raw["text"])
        case "commit":
            # What is sent is the canonical text, so the id can be checked without writing it once more.
            if digest("commit", text) != id_:
                raise ValueError
            commit = commit_in(raw, clock, str(value["by"]), str(value["maker"]), id_)
            # One that cannot be folded would keep its chat from being opened.
            if not is_sound(commit):
                raise ValueError
            return commit
        case "chat":
            body = ChatRecord(id_, str(raw["name"]), pool, str(raw["parent"]), clock)
            right = chat_id(pool, body.name)
        case "delivery":
            body = LedgerRow("delivery", str(raw["chat"]), _within(int(raw["at"]), -MOST, MOST), dict(raw["body"]))
            right = delivery_id(body)
        case "purge":
            body = purge_in(raw)
            # Its id says what the clock was, so it cannot be taken as another one; and after one that is too late nothing could be written.
            for until in (body.clock, *(clock for _, clock in body.nodes if clock != FOREVER)):
                _within(until, 0, MOST_CLOCK)
            right = body.id
    if right != id_:
        raise ValueError
    return body


def is_text(text: str) -> bool:
    """Whether a store can hold it: no half of a character is left alone in it."""
    return text.isascii() or _SURROGATE.search(text) is None


def _within(number: int, first: int, last: int) -> int:
    if not first <= number <= last:
        raise ValueError("no such number")
    return number


def purge_out(purge: Purge) -> dict[str, Any]:
    return {
        **{"pool": purge.pool, "clock": str(purge.clock), "whole": purge.whole, "chats": [list(each) for each in purge.chats]},
        **{"commits": list(purge.commits), "keys": list(purge.keys), "nodes": [[node, str(clock)] for node, clock in purge.nodes]},
    }


def purge_in(raw: Mapping[str, Any]) -> Purge:
    """The reverse; the id is worked out."""
    chats = tuple([(str(chat), str(parent)) for chat, parent in raw["chats"]])
    nodes = tuple([(str(node), int(clock)) for node, clock in raw["nodes"]])
    whole, commits, keys = bool(raw["whole"]), tuple(map(str, raw["commits"])), tuple(map(str, raw["keys"]))
    return made_purge(str(raw["pool"]), int(raw["clock"]), chats=chats, whole=whole, commits=commits, keys=keys, nodes=nodes)


def made_purge(
    pool: str,
    clock: int,
    *,
    chats: tuple[tuple[str, str], ...] = (),
    whole: bool = False,
    commits: tuple[str, ...] = (),
    keys: tuple[str, ...] = (),
    nodes: tuple[tuple[str, int], ...] = (),
) -> Purge:
    """A purge with its id, the hash of all that it says."""
    parts = [whole, list(map(list, chats)), list(commits), list(keys), [[node, str(until)] for node, until in nodes]]
    return Purge(purge_id(pool, clock, parts), pool, clock, chats, whole, commits, keys, nodes)
