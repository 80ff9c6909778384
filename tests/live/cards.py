"""Character cards: a picture of one colour with a V2 card in its text."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib
from dataclasses import asdict, dataclass

WIDTH, HEIGHT = 96, 144


@dataclass(frozen=True, kw_only=True)
class Card:
    """Fields as in the V2 specification."""

    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_mes: str = ""
    mes_example: str = ""
    creator_notes: str = ""
    system_prompt: str = ""
    post_history_instructions: str = ""
    alternate_greetings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    creator: str = ""
    character_version: str = "1"

    @property
    def file(self) -> str:
        return f"{self.name}.png"


MIRA = Card(
    name="Mira",
    description="Mira keeps a lighthouse on a rocky coast.",
    first_mes="*Mira looks up from the lamp.* Hello, traveller.",
    alternate_greetings=("*Mira waves from the door.* Come in out of the rain.",),
)
TOVA = Card(name="Tova", description="Tova mends boats in the harbour.", first_mes="*Tova puts her hammer down.* What is it?")


def picture(card: Card) -> bytes:
    """The card as a PNG file."""
    data = {**asdict(card), "extensions": {}}
    first = {key: data[key] for key in ("name", "description", "personality", "scenario", "first_mes", "mes_example")}
    # Without the name of a chat every load would begin another one.
    whole = {**first, "chat": f"{card.name} - first chat", "spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    row = b"\0" + hashlib.sha256(card.name.encode()).digest()[:3] * WIDTH
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
        + _chunk(b"tEXt", b"chara\0" + base64.b64encode(json.dumps(whole).encode()))
        + _chunk(b"IDAT", zlib.compress(row * HEIGHT))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
