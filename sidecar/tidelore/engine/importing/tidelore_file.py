"""The file of Tidelore itself: a chat with its messages, and the sources and commits of its pool. Written by exporting/tidelore_file.py."""

from __future__ import annotations

import json
from typing import Any, cast

from tidelore.engine.clock import MOST_CLOCK
from tidelore.engine.codec import commit_in
from tidelore.engine.errors import BadInput
from tidelore.engine.importing.bundle import Archive, Format
from tidelore.engine.model import Commit, Source
from tidelore.engine.shallow import shallow
from tidelore.engine.sound import is_sound
from tidelore.engine.text.patterns import later

VERSION = 1
_HEX = later("[0-9a-f]{32}")
_POOL = later("[0-9A-Za-z-]{1,64}")
_BEGINS = later(r'\s*\{\s*"tidelore"\s*:')
_BROKEN = "The file was cut off or changed; export it again."


def recognises(text: str) -> bool:
    return _BEGINS.match(text) is not None


def read(text: str) -> Archive:
    """Raises BadInput."""
    try:
        value = json.loads(shallow(text))
    except (ValueError, RecursionError) as error:
        raise BadInput("The file is not whole JSON.", _BROKEN) from error
    match value:
        case {
            "tidelore": int(version),
            "chat": str(chat),
            "pool": str(pool),
            "branch_of": str(branch_of),
            "messages": list(messages),
            "sources": list(sources),
            "commits": list(commits),
        }:
            pass
        case _:
            raise BadInput("The file lacks a part.", _BROKEN)
    if version < 1 or type(version) is not int:
        raise BadInput("The file names no version.", _BROKEN)
    if version > VERSION:
        raise BadInput("The file was written by a newer version.", "Update Tidelore.")
    if not _POOL.fullmatch(pool) or not all(map(_is_message, messages)):
        raise BadInput("The file names no pool or holds what is no message.", _BROKEN)
    return Archive(chat, pool, branch_of, messages, [_source(each) for each in sources], [_commit(each) for each in commits])


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("key"), str) and _HEX.fullmatch(value["key"]) is not None


def _source(value: object) -> Source:
    match value:
        case [str(key), "user" | "assistant" as role, str(text)] if _HEX.fullmatch(key):
            return Source(key, cast(Any, role), text)
        case _:
            raise BadInput("The file holds what is no source.", _BROKEN)


def _commit(value: object) -> Commit:
    match value:
        case {"content": dict(content), "clock": int(clock), "replica": str(replica), "maker": str(maker)}:
            pass
        case _:
            raise BadInput("The file holds what is no commit.", _BROKEN)
    try:
        commit = commit_in(content, clock, replica, maker)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise BadInput("The file holds a commit that cannot be read.", _BROKEN) from error
    if not is_sound(commit) or commit.clock > MOST_CLOCK:
        raise BadInput("The file holds a commit that cannot be folded.", _BROKEN)
    return commit


FORMAT = Format("tidelore", recognises, read)
