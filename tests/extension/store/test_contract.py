"""The browser's store keeps the contract of every store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.extension.store.served import Node
from tests.sidecar.store_contract import StoreContract
from tidelore.engine.ports import Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def process(node: str) -> Iterator[Node]:
    process = Node(node)
    yield process
    process.close()


class TestBrowserStore(StoreContract):
    @pytest.fixture
    def store(self, process: Node) -> Store:
        return process.store()
