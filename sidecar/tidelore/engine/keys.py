"""The door: a message as the host gives it becomes a key, a stored text and what rides along."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from tidelore.engine.model import Message, Role, Source
from tidelore.engine.text.clean import clean
from tidelore.engine.text.privacy import mask
from tidelore.engine.text.unicode14 import normalise, well_formed

KEY_BYTES = 16
CACHE_LIMIT = 50_000


def message_key(role: Role, text: str) -> str:
    """The key of a message: 128-bit hash of its role and its normalised text, as 32 hexadecimal digits."""
    return blake2b(f"{role}\0{normalise(text)}".encode(), digest_size=KEY_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """A message as the timeline keeps it."""

    key: str
    role: Role
    name: str
    hidden: bool
    date: str


@dataclass(frozen=True, slots=True)
class Keyed(Message):
    """A message that comes from a store, where secrets are masked and blocks cut out: `key` is that of its text as it was on screen."""

    key: str = ""


class Door:
    """Turns messages into entries and sources; remembers the keys of texts seen, since the whole chat comes at every change."""

    def __init__(self) -> None:
        self._keys: dict[tuple[Role, str], str] = {}

    def enter(self, message: Message) -> Entry:
        at = (message.role, message.text)
        key = message.key if isinstance(message, Keyed) else self._keys.get(at)
        if key is None:
            if len(self._keys) >= CACHE_LIMIT:
                self._keys.clear()
            key = self._keys[at] = message_key(*at)
        return Entry(key, message.role, well_formed(message.name).strip(), message.hidden, well_formed(message.date))

    @staticmethod
    def source(key: str, message: Message) -> Source:
        """What is stored of the text: without injected blocks and reasoning, secrets masked."""
        return Source(key, message.role, normalise(mask(clean(normalise(message.text)))))
