"""The folder of the mirror as the page has it: SillyTavern's user files, asked for over the channel. Contents cross as base64."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from engine_channel import Channel, PortFailed
from tidelore.engine.errors import StoreError

FILE_SECONDS = 60.0


class PageFiles:
    """See `tidelore.engine.ports.Files`. The page cannot list a folder."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def list(self) -> Mapping[str, int] | None:
        return None

    async def read(self, name: str) -> bytes | None:
        found = await self._ask("read", name)
        try:
            return None if found is None else b64decode(found, validate=True)
        except (TypeError, ValueError) as error:
            raise StoreError(f"What the page read of {name} is no file.", "Reload the page.") from error

    async def write(self, name: str, data: bytes) -> None:
        await self._ask("write", name, b64encode(data).decode())

    async def remove(self, name: str) -> None:
        await self._ask("remove", name)

    async def _ask(self, method: str, *arguments: Any) -> Any:
        late = StoreError("SillyTavern did not answer about a file of the mirror.", "Is its server running? The mirror is tried again.")
        try:
            return await self._channel.ask("mirror", method, *arguments, seconds=FILE_SECONDS, late=late)
        except PortFailed as failed:
            raise StoreError(failed.sentence, failed.hint or "The mirror is tried again.") from failed
