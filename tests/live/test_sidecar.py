"""The page with a sidecar that really runs: paired by a short code, used, lost and found again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live.extension import BUILD, NAME
from tests.live.memory import ask, call, configure, holds, injected, lawful, ready, settled
from tests.live.reader import waiting
from tests.live.stage import Stage, Tab
from tests.sidecar.cli_kit import answered
from tests.sidecar.serve.kit import process

LANTERN = "Sam owes Mira a lantern."
KETTLE = "The kettle belongs to Tova."
BOAT = "The boat is under the bridge."
CONNECTED, GONE = "Sidecar: connected", "Sidecar: not within reach"


@pytest.fixture
def data(tab: Tab, tmp_path: Path) -> Iterator[Path]:
    """The folder of a sidecar. The page uses none afterwards."""
    ready(tab)
    yield tmp_path
    configure(tab, sidecar__use=False, sidecar__url="default")
    tab.wait_rest(1500)


def embedder(tab: Tab) -> dict[str, str]:
    return {"TIDELORE_EMBEDDER_URL": tab.model.url, "TIDELORE_EMBEDDER": "by words"}


def pair(tab: Tab, url: str, data: Path) -> None:
    configure(tab, sidecar__url=url, sidecar__use=True)
    assert "Sidecar: refused; pair once more" in ask(tab, "/tidelore status")
    code = ask(tab, "/tidelore-pair quiet=true")
    assert "Sidecar: waiting for your confirmation" in ask(tab, "/tidelore status")
    answered(data, "pair", "000000" if code != "000000" else "111111", code=1)
    answered(data, "pair", code)
    reached(tab, CONNECTED)


def reached(tab: Tab, state: str) -> None:
    waiting(tab, lambda: state in ask(tab, "/tidelore status"), state, seconds=40)


def rpc(tab: Tab, served: dict[str, str], method: str, **params: Any) -> Any:
    """A method of the sidecar on the chat that is open in the page."""
    chat = tab.evaluate("ctx.chatMetadata.tidelore.chat")
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"chat": chat, **params}}
    answer = httpx.post(
        f"{served['url']}/rpc", json=body, headers={"Authorization": f"Bearer {served['key']}"}, trust_env=False, timeout=30
    )
    return answer.json().get("result")


def remembers(tab: Tab, served: dict[str, str], text: str) -> bool:
    found = rpc(tab, served, "graph.get")
    return found is not None and any(node["text"] == text for node in found["nodes"])


def embedded(tab: Tab) -> set[str]:
    """Every text that the embedder was sent."""
    return {text for body in tab.model.embedded for text in ([body["input"]] if isinstance(body["input"], str) else body["input"])}


def test_a_page_is_paired_by_a_short_code_goes_on_alone_when_the_sidecar_dies_and_catches_up_later(tab: Tab, data: Path) -> None:
    with process(data, env=embedder(tab)) as (serve, served):
        pair(tab, served["url"], data)
        assert "Embedder: by words" in ask(tab, "/tidelore status")
        call(tab, "node.write", text=LANTERN)
        tab.send("My cat is called Biscuit.")
        waiting(tab, lambda: any("Biscuit" in text for text in embedded(tab)), "the memories to be embedded")
        tab.send("And the lantern?")
        assert LANTERN in injected(tab.model.prompts()[-1])
        assert "And the lantern?" in embedded(tab)
        assert "tl_" not in json.dumps(tab.evaluate("ctx.extensionSettings.tidelore")), "the key stays in this browser"
        waiting(tab, lambda: remembers(tab, served, LANTERN), "the sidecar to have what was written in the page", seconds=40)
        rpc(tab, served, "node.write", kind="fact", text=KETTLE)
        assert "up to date" in ask(tab, "/tidelore-exchange")
        assert holds(tab, KETTLE)
        serve.kill()
        reached(tab, GONE)
        tab.send("I was born in Lisbon. What does Sam owe Mira?")
        assert LANTERN in injected(tab.model.prompts()[-1])
        call(tab, "node.write", text=BOAT)
        settled(tab)
        assert holds(tab, "Lisbon")
    port = served["url"].rpartition(":")[2]
    tab.model.embedded.clear()
    with process(data, "--port", port, env=embedder(tab)) as (_, served):
        reached(tab, CONNECTED)
        waiting(tab, lambda: remembers(tab, served, BOAT), "the sidecar to catch up by itself", seconds=40)
        assert remembers(tab, served, KETTLE)
        tab.send("Is the lantern lit?")
        assert "Is the lantern lit?" in embedded(tab)
        waiting(tab, lambda: any("Lisbon" in text for text in embedded(tab)), "what was missed to be embedded")


def test_a_sidecar_serves_the_runtime_that_the_extension_does_not_have_and_the_browser_keeps_it(stage: Stage, tab: Tab, data: Path) -> None:
    other = stage.open()
    ready(other)
    dist = stage.root.extensions / NAME / "wasm" / "dist"
    kept = dist.with_name("dist.kept")
    with process(data, "--runtime", str(BUILD)) as (_, served):
        pair(other, served["url"], data)
        shutil.move(dist, kept)
        try:
            other.reload()
            ready(other)
            assert "the sidecar" in ask(other, "/tidelore status")
            other.send("My cat is called Biscuit.")
            lawful(other)
            configure(other, sidecar__use=False)
            other.reload()
            ready(other)
            assert "kept" in ask(other, "/tidelore status")
            assert holds(other, "Biscuit")
        finally:
            shutil.move(kept, dist)
