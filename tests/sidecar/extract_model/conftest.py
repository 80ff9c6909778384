from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sidecar.extract_model.world import World


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as found:
        yield found


@pytest.fixture
def world(tmp_path: Path, runner: asyncio.Runner) -> Iterator[World]:
    found = World(tmp_path, runner)
    yield found
    found.store.close()
