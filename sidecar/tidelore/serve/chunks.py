"""Texts that are longer than a frame may be travel as several frames, and are put together again on the other side.

    {"chunk": {"id": "7", "at": 0, "of": 3, "text": "..."}}

`id` is the sender's; `at` counts from 0 to `of` - 1, in order. The texts one after the other are the message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tidelore.engine.errors import BadInput
from tidelore.serve.faults import Refusal

MARK = "chunk"
OPEN_AT_ONCE = 8
# What stands around the text of a chunk, and how many bytes a character of it can take: four in UTF-8, six as an escape.
_AROUND, _WIDEST = 200, 6


def split(text: str, id_: str, limit: int) -> Iterator[str]:
    """The frames of a message, each of at most `limit` bytes."""
    if len(text) * 4 <= limit or len(text.encode("utf-8", "surrogatepass")) <= limit:
        yield text
        return
    size = (limit - _AROUND) // _WIDEST
    total = -(-len(text) // size)
    for at in range(total):
        part = text[at * size : (at + 1) * size]
        yield json.dumps({MARK: {"id": id_, "at": at, "of": total, "text": part}}, ensure_ascii=False, separators=(",", ":"))


class Joiner:
    """Puts messages together. All that is not whole yet may take `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: dict[str, list[str]] = {}
        self._size = 0

    def feed(self, chunk: object) -> str | None:
        """A chunk; the message once it is whole. Raises BadInput for one that fits nowhere, Refusal when it gets too much."""
        id_, at, of, text = _parsed(chunk)
        parts = self._open.setdefault(id_, [])
        if at != len(parts) or at >= of:
            self._drop(id_)
            raise BadInput(f"Chunk {at} of {of} came where {len(parts)} was due.", "Send the chunks of a message in order.")
        parts.append(text)
        self._size += _bytes(text)
        if len(self._open) > OPEN_AT_ONCE:
            many = f"{OPEN_AT_ONCE} messages at most may be under way in chunks."
            raise Refusal(413, "message_too_large", many, "Send one to its end first.")
        if self._size > self._limit:
            raise Refusal(413, "message_too_large", f"A message holds at most {self._limit:,} bytes.", "Send less at once.")
        if at + 1 < of:
            return None
        whole = "".join(parts)
        self._drop(id_)
        # JavaScript cuts between two halves of a character; here they become one again.
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")

    def _drop(self, id_: str) -> None:
        self._size -= sum(map(_bytes, self._open.pop(id_, [])))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _parsed(chunk: Any) -> tuple[str, int, int, str]:
    if isinstance(chunk, dict):
        id_, at, of, text = (chunk.get(name) for name in ("id", "at", "of", "text"))
        if isinstance(id_, str) and type(at) is int and type(of) is int and isinstance(text, str) and at >= 0 and of >= 1:
            return id_, at, of, text
    raise BadInput('A chunk is {"id": text, "at": number, "of": number, "text": text}.')
