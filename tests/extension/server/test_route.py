"""The memory model's endpoint, asked through the server of a real SillyTavern."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.data_root import DataRoot, Setup, make
from tests.live.server import PACKAGE, Server
from tests.parity.conftest import node, run

__all__ = ["node"]
pytestmark = [pytest.mark.slow, pytest.mark.live]


def test_an_endpoint_through_the_server(node: str, tmp_path: Path) -> None:
    root = DataRoot(tmp_path)
    make(root, Setup(), PACKAGE, "http://127.0.0.1:9")
    with Server(root) as server:
        done = run(node, "--test", "--test-reporter=spec", "tests/extension/server/route.test.mjs", TIDELORE_SILLYTAVERN=server.address)
        assert "\u2139 fail 0" in done.stdout
        assert "\u2139 skipped 0" in done.stdout
        assert "sk-of-the-memory-model" not in server.log()
