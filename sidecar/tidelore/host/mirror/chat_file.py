"""A chat file of SillyTavern as the extension tells it to its engine: the same messages under the same mark (extension/host_messages.js,
identity.js), so that page and sidecar have the same screen."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tidelore.engine.errors import BadInput
from tidelore.engine.shallow import shallow
from tidelore.host.importing.dates import iso_date

# What SillyTavern and its commands put into a chat themselves.
_NOTES = frozenset(
    {"narrator", "comment", "generic", "help", "welcome", "welcome_prompt", "empty", "slash_commands", "formatting", "hotkeys", "macros"}
    | {"assistant_note", "assistant_message"}
)
_CHAT = re.compile(r"[\w-]{1,64}", re.ASCII)
_POOL = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class ChatFile:
    """`chat` and `pool` are those of the mark that the extension made. `messages` is what `chat.update` takes."""

    chat: str
    pool: str
    messages: list[dict[str, Any]]


def read(path: Path, group: bool) -> ChatFile | None:
    """The chat of a file (`data/<person>/chats/<card>/<name>.jsonl`, or of a group `group chats/<name>.jsonl`). None where memory is off,
    where the extension has never been, and where the mark is that of another file: which of two copies it means, only the page can tell.
    Raises BadInput for a file that is no chat, or one that is half written."""
    if not stat.S_ISREG(path.stat().st_mode):
        # Reading it may never end.
        raise BadInput(f"{path.name} is no file.", "It is read again once it has changed.")
    # As SillyTavern reads it.
    lines = [line for line in path.read_bytes().decode("utf-8-sig", "replace").split("\n") if line.strip()]
    try:
        entries = [json.loads(shallow(line)) for line in lines]
    except ValueError as error:
        raise BadInput(f"{path.name} cannot be read whole: {error}.", "It is read again once it has changed.") from error
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        raise BadInput(f"{path.name} is no chat of SillyTavern.", "It is read again once it has changed.")
    mark = _mark(entries[0], path, group)
    if mark is None:
        return None
    return ChatFile(mark["chat"], mark["pool"], [found for entry in entries[1:] if (found := _message(entry)) is not None])


def _mark(header: Mapping[str, Any], path: Path, group: bool) -> Mapping[str, Any] | None:
    metadata = header.get("chat_metadata")
    mark = metadata.get("tidelore") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(mark, dict) or mark.get("off"):
        return None
    texts = {name: value for name in ("chat", "pool", "kind", "owner", "file") if isinstance(value := mark.get(name), str)}
    if len(texts) < 5:
        return None
    if not _CHAT.fullmatch(texts["chat"]) or not _POOL.fullmatch(texts["pool"]):
        return None
    one, other = _integrity(mark), _integrity(metadata)
    if texts["kind"] != ("group" if group else "character") or (one and other and one != other):
        return None
    if texts["file"] == path.stem and (group or _folder(texts["owner"]) == path.parent.name):
        return texts
    # Renamed, when nothing is left in the place that the mark names.
    left = path.parent if group else path.parent.parent / _folder(texts["owner"])
    return None if (left / f"{texts['file']}.jsonl").exists() else texts


def _folder(owner: str) -> str:
    """Where the chats of a card lie: its file name without the ending."""
    return owner.rsplit(".", 1)[0]


def _integrity(value: Mapping[str, Any]) -> str:
    found = value.get("integrity")
    return found if isinstance(found, str) else ""


def _message(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    extra = entry.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    if isinstance(extra.get("tool_invocations"), list) or extra.get("type") in _NOTES:
        return None
    return {
        "role": "user" if entry.get("is_user") else "assistant",
        "text": _text(entry.get("mes")),
        "name": _text(entry.get("name")),
        "hidden": bool(entry.get("is_system")),
        "date": _date(entry.get("send_date")),
    }


def _date(sent: object) -> str:
    """With the offset of this machine, as the page writes it."""
    found = iso_date(sent)
    try:
        return datetime.fromisoformat(found).astimezone().isoformat(timespec="seconds") if found else ""
    except (OverflowError, ValueError):
        # No calendar here has that day.
        return ""


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
