"""What every store must do, asked of a page's store through the engine's port to it. Runs inside Pyodide only."""

from __future__ import annotations

import json

import js  # type: ignore[import-not-found]
import pytest

from engine_channel import Channel, PortFailed
from engine_ports import PageStore
from tests.sidecar.store_contract import StoreContract
from tidelore.engine.ports import Store


class TestPageStore(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        page = js.openPage()

        def send(text: str) -> None:
            asked = json.loads(text)
            if asked["type"] == "ask":
                answer = json.loads(page(text))
                failed = answer.get("error")
                channel.answered(asked["id"], answer.get("result") if failed is None else PortFailed(failed))

        channel = Channel(send)
        return PageStore(channel)
