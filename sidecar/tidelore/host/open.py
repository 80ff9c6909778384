"""Opens the service on a folder, with the clock and the randomness of this machine."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tidelore.engine.ports import Complete, Vectors
from tidelore.engine.service import Service
from tidelore.host.store import SqliteStore


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def token() -> str:
    return secrets.token_hex(16)


@asynccontextmanager
async def open_service(
    folder: Path, model: Complete | None = None, vectors: Vectors | None = None, *, embeds_later: bool = False
) -> AsyncIterator[Service]:
    """The service on the store in `folder`, which is made where it is missing, and closed at the end. `embeds_later` as in Service. Raises
    StoreError."""
    store = SqliteStore(folder)
    try:
        yield Service(store, now, token, model, vectors, embeds_later=embeds_later)
    finally:
        store.close()
