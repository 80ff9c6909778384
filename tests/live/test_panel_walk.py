"""The panel in SillyTavern, walked through by somebody who types and imports the worst; at a desk and on a phone, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator

from tests.live import hostile
from tests.live.extension import ROOT
from tests.live.hostile import MARKUP, TYPED, harmless
from tests.live.memory import call, graph, ready, settled
from tests.live.panel import TOO_SMALL, card, open_panel, panel
from tests.live.stage import Stage, Tab, View
from tests.live.test_memory import ask_far_away

DESK, PHONE = (1280, 800), (360, 740)


class Walk:
    """A tab with the panel, and the words of its language."""

    def __init__(self, tab: Tab, language: str) -> None:
        self.tab = tab
        self.texts: dict[str, str] = json.loads((ROOT / "extension" / "locales" / f"{language}.json").read_text("utf-8"))

    def part(self, name: str) -> Locator:
        """A tab of the panel."""
        return open_panel(self.tab, name)

    def press(self, where: Locator, key: str, *, first: bool = False) -> None:
        button = where.get_by_role("button", name=self.texts[key], exact=True)
        (button.first if first else button).click()

    def said(self, key: str) -> None:
        """Waits for what the line at the bottom says; what is filled in may be anything."""
        words = [re.escape(part) for part in re.split(r"\{\w+\}", self.texts[key])]
        panel(self.tab).locator(".tidelore-panel-foot").filter(has_text=re.compile(".*".join(words), re.S)).wait_for()

    def look(self, where: str) -> None:
        """In both sizes, nothing was run and nothing sticks out."""
        for size in (DESK, PHONE) if not self.phone else (PHONE,):
            if not self.phone:
                self.tab.set_viewport(*size)
            harmless(self.tab, f"{where} at {size}")
        if not self.phone:
            self.tab.set_viewport(*DESK)
        else:
            assert self.tab.page.evaluate(TOO_SMALL) == [], where

    @property
    def phone(self) -> bool:
        return bool(self.tab.page.evaluate("matchMedia('(pointer: coarse)').matches"))


@pytest.fixture(params=["en", "zh-cn"])
def walk(stage: Stage, request: pytest.FixtureRequest) -> Walk:
    """English at a desk, Chinese on a phone; one message in a chat of its own."""
    language = request.param
    if language == "en":
        tab = stage.tab
        ready(tab)
    else:
        tab = stage.open(View(size=PHONE, phone=True, locale="zh-CN"))
        ready(tab)
        tab.new_chat()
    tab.model.queue("Biscuit is a fine name for a cat.")
    tab.send("My cat is called Biscuit.")
    settled(tab)
    return Walk(tab, language)


@pytest.mark.req("P113")
def test_whoever_types_and_imports_the_worst_sees_texts_on_every_tab_and_everything_there_works(walk: Walk, tmp_path: Path) -> None:
    tab = walk.tab
    _brings_in(walk)
    _looks_at_memories(walk)
    _decides(walk)
    _acts(walk, tmp_path)
    _sets(walk)
    _sets_up(walk)
    part = walk.part("injection")
    part.locator("input[type=text]").first.fill(TYPED)
    part.locator("button[type=submit]").click()
    part.locator(".tidelore-result").first.wait_for()
    walk.look("injection")
    part = walk.part("graph")
    part.locator("canvas").first.wait_for()
    part.locator("input[type=search]").fill(TYPED)
    walk.look("graph")
    tab.page.keyboard.press("Escape")
    assert tab.page.evaluate(hostile.EXECUTED) == [None, None, None]


def _brings_in(walk: Walk) -> None:
    part = walk.part("actions")
    # SillyTavern hides such fields, and a test can fill what nobody sees.
    assert part.locator(".tidelore-pick > #tidelore-file").is_visible()
    assert part.locator(".tidelore-pick > #tidelore-backup").is_visible()
    part.locator("#tidelore-file").set_input_files({"name": f"{MARKUP[:60]}.jsonl", "mimeType": "", "buffer": hostile.memories()})
    bring = part.get_by_role("button", name=walk.texts["files.bring"], exact=True)
    bring.wait_for()
    walk.look("preview of a file")
    bring.click()
    walk.said("files.brought")
    part.locator(".tidelore-change").first.wait_for()
    walk.look("actions")
    # Of what is here already nothing comes twice.
    part.locator("#tidelore-file").set_input_files({"name": "again.jsonl", "mimeType": "", "buffer": hostile.memories()})
    part.get_by_text(walk.texts["files.nothing_new"]).wait_for()
    walk.press(part, "node.cancel", first=True)


def _looks_at_memories(walk: Walk) -> None:
    part = walk.part("memories")
    part.locator("input[type=search]").fill(f"{MARKUP[:40]}")
    part.locator(".tidelore-row").first.wait_for()
    walk.look("list")
    part.locator(".tidelore-row", has_text="keeps a lantern").first.click()
    page = panel(walk.tab).locator(".tidelore-split-page")
    page.locator(".tidelore-belief").first.wait_for()
    assert MARKUP in page.inner_text()
    walk.look("node")
    # Where the page is small they are folded away.
    if (more := page.locator(".tidelore-more > summary")).count():
        more.click()
    for form in ("node.merge", "node.split"):
        walk.press(page, form)
        walk.look(form)
        walk.press(page, "node.cancel", first=True)
    walk.press(page, "node.edit")
    walk.look("editor")
    page.locator("textarea").fill(f"{TYPED} edited")
    walk.press(page, "node.save")
    walk.said("node.saved")
    page.get_by_role("heading", name="edited").wait_for()
    walk.look("edited node")


def _decides(walk: Walk) -> None:
    part = walk.part("decide")
    part.locator(".tidelore-side").first.wait_for()
    walk.look("decide")
    before = call(walk.tab, "cards.list")["total"]
    part.locator(".tidelore-decision").focus()
    walk.tab.page.keyboard.press("3")
    walk.said("decide.done.keep_both")
    assert call(walk.tab, "cards.list")["total"] == before - 1
    walk.press(panel(walk.tab).locator(".tidelore-panel-foot"), "panel.undo")
    walk.said("panel.undone")
    part.locator(".tidelore-side").first.wait_for()
    assert call(walk.tab, "cards.list")["total"] == before


def _acts(walk: Walk, folder: Path) -> None:
    part = walk.part("actions")
    part.locator("#tidelore-panel-range").fill(TYPED)
    walk.press(part, "range.go")
    part.get_by_role("alert").first.wait_for()
    walk.look("range")
    walk.press(part, "upkeep.rebuild")
    walk.said("upkeep.rebuilt")
    with walk.tab.page.expect_download() as saving:
        walk.press(part, "backup.save")
    saved = folder / "all.gz"
    saving.value.save_as(saved)
    walk.said("backup.saved")
    part.locator("#tidelore-backup").set_input_files(saved)
    restore = part.get_by_role("button", name=walk.texts["backup.restore"], exact=True)
    restore.wait_for()
    walk.look("restore")
    before = graph(walk.tab)
    restore.click()
    walk.said("backup.restored")
    assert graph(walk.tab) == before, "what is here is not there twice"
    part.locator("#tidelore-backup").set_input_files({"name": f"{MARKUP[:60]}.gz", "mimeType": "", "buffer": saved.read_bytes()[:-40]})
    walk.tab.page.locator(".toast").filter(has_text=walk.texts["backup.broken"]).first.wait_for()


def _sets(walk: Walk) -> None:
    part = walk.part("settings")
    part.locator("input[type=search]").fill(TYPED)
    part.get_by_text(walk.texts["settings.none_found"]).wait_for()
    walk.look("settings without a find")
    part.locator("input[type=search]").fill("")
    part.locator(".tidelore-settings-bar input[type=checkbox]").check()
    field = part.locator("#tidelore-setting-cards-alike")
    field.fill("999999")
    field.press("Tab")
    part.get_by_role("alert").first.wait_for()
    part.locator(".tidelore-list button").last.click()
    area = part.locator("#tidelore-prompt-text")
    words = area.input_value()
    area.fill(f"{words}\n{MARKUP} {hostile.BACKWARDS} {'M' * 400}")
    walk.press(part, "node.save")
    walk.said("prompts.saved")
    walk.look("settings with a prompt")
    walk.press(part.locator(".tidelore-result"), "settings.reset")
    walk.said("prompts.reset")
    assert all(not each["changed"] for each in call(walk.tab, "prompt.list")["prompts"])


def _sets_up(walk: Walk) -> None:
    part = walk.part("overview")
    walk.look("overview")
    walk.press(walk.part("settings"), "wizard.open")
    dialog = walk.tab.page.locator(".tidelore-wizard[open]")
    dialog.wait_for()
    dialog.locator("select").select_option("current")
    walk.tab.model.queue('{"ready": true}')
    walk.press(dialog, "test.run")
    dialog.locator("[role=status].tidelore-good").wait_for()
    walk.look("wizard with a model")
    dialog.locator("select").select_option("none")
    walk.press(dialog, "wizard.next")
    walk.look("wizard with an embedder")
    walk.press(dialog, "wizard.next")
    dialog.locator("input[type=text]").fill(TYPED)
    dialog.locator("button[type=submit]").click()
    dialog.locator("[role=status]").first.wait_for()
    walk.look("wizard with a recall")
    dialog.locator("input[type=text]").fill("What is the cat called?" if walk.texts["panel.close"] == "Close" else "Biscuit")
    dialog.locator("button[type=submit]").click()
    dialog.get_by_text("My cat is called Biscuit.").first.wait_for()
    walk.press(dialog, "wizard.done")
    dialog.wait_for(state="hidden")
    part = walk.part("overview")
    part.get_by_role("button", name=walk.texts["wizard.open"], exact=True).wait_for(state="detached")


def test_a_memory_is_forgotten_for_good_with_a_receipt_of_every_place_and_in_the_card_under_the_message(tab: Tab) -> None:
    ready(tab)
    tab.model.queue("A fine name.")
    tab.send("My cat is called Biscuit.")
    got = ask_far_away(tab, "What is my cat called?")
    assert "Biscuit" in got
    asked = len(tab.chat()) - 2
    assert card(tab, asked).count() == 1
    list_ = open_panel(tab, "memories")
    list_.locator("input[type=search]").fill("cat called Biscuit")
    list_.locator(".tidelore-row", has_text="My cat is called Biscuit.").first.click()
    page = panel(tab).locator(".tidelore-split-page")
    page.locator(".tidelore-belief").first.wait_for()
    if (more := page.locator(".tidelore-more > summary")).count():
        more.click()
    page.get_by_role("button", name="Forget for good …").click()
    preview = page.locator("section", has=tab.page.locator("#tidelore-purge-title"))
    preview.get_by_text("messages go: 1").wait_for()
    assert "Floors: 1" in preview.inner_text()
    preview.get_by_role("button", name="Forget for good", exact=True).click()
    preview.get_by_role("button", name="Really forget for good?").click()
    receipts = page.locator(".tidelore-receipts > li")
    receipts.first.wait_for()
    told = "\n".join(receipts.all_inner_texts())
    states = receipts.evaluate_all("all => all.map(each => each.getAttribute('data-state'))")
    assert sorted(set(states)) == ["done", "outside", "waiting"], told
    for place in (
        "Store: records removed",
        "File mirror",
        "Recall cards in this chat: removed",
        "Messages on screen that still hold the words: 1",
    ):
        assert place in told, told
    left = json.dumps(graph(tab))
    assert "My cat is called Biscuit." not in left
    assert card(tab, asked).count() == 0
    assert "tidelore_recall" not in json.dumps([each.get("extra") for each in tab.chat()])
    # Extracting all of it again does not bring it back.
    tab.slash("/tidelore-extract by=rules quiet=true 0-3")
    assert "My cat is called Biscuit." not in json.dumps(graph(tab))
