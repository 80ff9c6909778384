"""The panel in the browser, by mouse, keys and thumb."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.console.conftest import Sidecar, Tabs
from tests.console.panel import PARTS, TOO_SMALL, TOO_WIDE
from tests.console.stories import HOSTILE, STORY

COLOURS = ("host", "crimson", "cyan", "amber", "violet", "light")


def test_the_conversation_is_chosen_at_the_top_and_its_memories_follow(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    rows = panel.part("memories").locator(".tidelore-row")
    rows.filter(has_text="My cat is called Biscuit.").first.wait_for()
    scope = panel.page.locator(".tidelore-chooser option", has_text="character:").get_attribute("value")
    panel.page.locator(".tidelore-chooser").select_option(value=scope)
    rows.filter(has_text="is shy.").first.wait_for()
    assert rows.filter(has_text="Biscuit").count() == 0


def test_a_memory_is_found_read_back_to_its_message_edited_pinned_and_all_of_it_undone(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    before = panel.call(sidecar.key, "graph.get", chat=STORY)
    panel.part("memories").locator("input[type=search]").fill("biscuit CALLED")
    # The moment, and the fact that the rules found in it.
    panel.wait("() => document.querySelectorAll('.tidelore-row').length === 2")
    page = panel.node("My cat is called Biscuit.")
    page.get_by_role("button", name="Floor 0").first.click()
    reader = panel.page.get_by_role("dialog", name="The conversation")
    assert "My cat is called Biscuit." in reader.locator("[aria-current]").inner_text()
    assert "Lisbon has seven hills" in reader.inner_text()
    panel.page.keyboard.press("Escape")
    reader.wait_for(state="hidden")
    page.get_by_role("button", name="Edit").click()
    page.locator("textarea").fill("My cat is called Pepper.")
    page.get_by_role("button", name="Save").click()
    panel.undo()
    page.get_by_role("button", name="Pin", exact=True).click()
    page.locator("p > span", has_text="pinned").wait_for()
    panel.undo()
    page.get_by_role("button", name="Archive").click()
    page.locator("p > span", has_text="archived").wait_for()
    panel.undo()
    assert panel.call(sidecar.key, "graph.get", chat=STORY) == before
    changes = panel.part("actions").locator(".tidelore-change")
    changes.filter(has_text="pinned").first.wait_for()
    changes.filter(has_text="edited").first.get_by_role("button", name="Redo").click()
    panel.page.get_by_text("Done again.").wait_for()
    assert "Pepper" in str(panel.call(sidecar.key, "graph.get", chat=STORY))


def test_what_is_marked_private_stays_in_the_list_and_the_change_is_told_in_words(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    page = panel.node("My cat is called Biscuit.")
    page.get_by_role("button", name="Pin", exact=True).click()
    page.locator("p > span", has_text="pinned").wait_for()
    page.get_by_role("button", name="Mark private").click()
    panel.page.get_by_text("It is not pinned any more.").wait_for()
    page.get_by_role("button", name="Make public").wait_for()
    row = panel.page.locator(".tidelore-row", has=panel.page.locator(".tidelore-sign-private"))
    assert "#0 · " in row.inner_text()
    panel.page.get_by_label("state").select_option("private")
    panel.wait("() => document.querySelectorAll('.tidelore-row').length === 1")
    change = panel.part("actions").locator(".tidelore-change").first
    change.get_by_text("marked private, unpinned").wait_for()
    assert change.get_by_text("My cat is called Biscuit.").count() == 1
    for _ in range(2):
        change.get_by_role("button", name="Undo").click()
        change.get_by_role("button", name="Redo").wait_for()
        change = panel.page.locator(".tidelore-change").nth(1)
    panel.part("memories").get_by_label("state").select_option("")
    panel.node("My cat is called Biscuit.").get_by_role("button", name="Mark private").wait_for()


def test_two_memories_are_merged_and_one_is_split(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    before = panel.call(sidecar.key, "graph.get", chat=STORY)
    page = panel.node("hangs in the north tower")
    page.get_by_role("button", name="Merge …").click()
    page.get_by_label("Search memories").fill("sold in spring")
    panel.wait("() => document.querySelectorAll('.tidelore-split-page input[type=radio]').length === 1")
    page.get_by_role("radio").check()
    page.get_by_role("button", name="Merge", exact=True).click()
    panel.page.get_by_text("Merged.").wait_for()
    panel.wait("() => !document.querySelector('.tidelore-split-page input[type=radio]')")
    assert len(panel.call(sidecar.key, "graph.get", chat=STORY)["nodes"]) == len(before["nodes"]) - 1
    panel.undo()
    assert panel.call(sidecar.key, "graph.get", chat=STORY) == before
    page = panel.node("Lisbon has seven hills. The wreck")
    page.get_by_role("button", name="Split …").click()
    assert page.get_by_label("Part 2").input_value() == "The wreck of the Grey Widow lies off Porto."
    page.get_by_role("button", name="Split", exact=True).click()
    panel.page.get_by_text("Split.").wait_for()
    assert len(panel.call(sidecar.key, "graph.get", chat=STORY)["nodes"]) == len(before["nodes"]) + 1
    panel.undo()
    assert panel.call(sidecar.key, "graph.get", chat=STORY) == before


def test_a_card_is_decided_by_a_key_and_the_decision_is_undone(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    part = panel.part("decide")
    part.locator(".tidelore-side").first.wait_for()
    cards = panel.call(sidecar.key, "cards.list", chat=STORY)["total"]
    before = panel.call(sidecar.key, "graph.get", chat=STORY)
    part.locator(".tidelore-decision").focus()
    panel.page.keyboard.press("1")
    panel.page.get_by_text("The older one stays.").wait_for()
    assert panel.call(sidecar.key, "cards.list", chat=STORY)["total"] == cards - 1
    panel.undo()
    assert panel.call(sidecar.key, "cards.list", chat=STORY)["total"] == cards
    part.locator(".tidelore-side").first.wait_for()
    part.get_by_role("button", name="Merge").click()
    part.locator("textarea").fill("Mira owes the harbour master forty crowns, for oil.")
    part.get_by_role("button", name="Merge into this").click()
    panel.page.get_by_text("They are one now.").wait_for()
    assert "forty crowns, for oil." in str(panel.call(sidecar.key, "graph.get", chat=STORY))
    panel.undo()
    assert panel.call(sidecar.key, "graph.get", chat=STORY) == before


def test_a_sentence_is_tried_in_two_ways_and_nothing_changes(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    before = panel.call(sidecar.key, "graph.get", chat=STORY)
    part = panel.part("injection")
    part.locator("input[type=text]").fill("Where was Ann born?")
    part.locator("input[type=checkbox]").check()
    part.locator("select").select_option("strict")
    part.get_by_label("Most memories").fill("1")
    part.get_by_role("button", name="Try", exact=True).click()
    panel.wait("() => document.querySelectorAll('.tidelore-beside > *').length === 2")
    first, second = part.locator(".tidelore-result").all()
    assert "born in Lisbon" in first.inner_text()
    for step in ("found", "admitted", "cooled", "selected", "delivered"):
        assert f"{step}:" in first.locator(".tidelore-steps").inner_text()
    assert "selected: 1" in second.inner_text() or "selected: 0" in second.inner_text()
    assert panel.call(sidecar.key, "graph.get", chat=STORY) == before
    assert panel.call(sidecar.key, "recall.deliveries")["deliveries"] == []


def test_a_receipt_shows_what_was_delivered(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    found = panel.call(sidecar.key, "recall.run", chat=STORY, query="What is the cat called?")
    panel.call(sidecar.key, "recall.delivered", chat=STORY, recall=found["recall"])
    panel.page.reload()
    panel.choose(STORY)
    section = panel.part("injection").get_by_role("region", name="Delivered lately")
    section.locator("summary").first.click()
    section.get_by_role("button", name="My cat is called Biscuit.").first.wait_for()


def test_work_is_seen_and_memories_go_out_and_come_in_as_a_file(tabs: Tabs, sidecar: Sidecar, tmp_path: Path) -> None:
    panel = tabs.open(sidecar)
    part = panel.part("actions")
    part.get_by_label("Extract a range again").fill("0-3")
    part.get_by_role("button", name="Extract", exact=True).click()
    part.locator(".tidelore-job", has_text="done").wait_for()
    with panel.page.expect_download() as saved:
        part.get_by_role("button", name="Save as a file").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    assert "Biscuit" in file.read_text("utf-8")
    part.get_by_label("Bring in a file").set_input_files(file)
    part.locator(".tidelore-result").get_by_text("known already").wait_for()
    part.locator(".tidelore-result").get_by_role("button", name="Cancel").click()
    notes = tmp_path / "notes.json"
    notes.write_text("{ no file of ours", "utf-8")
    part.get_by_label("Bring in a file").set_input_files(notes)
    panel.page.locator(".tidelore-toast-error").wait_for()
    assert part.locator(".tidelore-result").count() == 0


def test_all_of_it_is_saved_as_a_backup_and_comes_back_into_a_store_that_lost_it(tabs: Tabs, sidecar: Sidecar, tmp_path: Path) -> None:
    panel = tabs.open(sidecar)
    part = panel.part("actions")
    with panel.page.expect_download() as saved:
        part.get_by_role("button", name="Save a backup").click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    assert gzip.decompress(file.read_bytes()).count(b"\n") > 10
    before = panel.call(sidecar.key, "graph.get", chat=STORY)
    part.get_by_label("Restore from a backup").set_input_files({"name": "torn.gz", "mimeType": "", "buffer": file.read_bytes()[:-30]})
    panel.page.locator(".tidelore-toast-error", has_text="not a whole backup").wait_for()
    part.get_by_label("Restore from a backup").set_input_files(file)
    part.get_by_role("button", name="Restore", exact=True).click()
    panel.page.get_by_text("Restored. New records: 0, chats: 0").wait_for()
    assert panel.call(sidecar.key, "graph.get", chat=STORY) == before, "what is here is not there twice"


def test_a_memory_is_forgotten_for_good_and_then_the_conversation_with_receipts(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    page = panel.node("My cat is called Biscuit.")
    page.get_by_role("button", name="Forget for good …").click()
    preview = page.locator("section", has=panel.page.locator("#tidelore-purge-title"))
    assert "Other memories that go along" in preview.inner_text()
    preview.get_by_role("button", name="Cancel").click()
    preview.wait_for(state="detached")
    assert "My cat is called Biscuit." in str(panel.call(sidecar.key, "graph.get", chat=STORY))
    page.get_by_role("button", name="Forget for good …").click()
    preview.get_by_role("button", name="Forget for good", exact=True).click()
    preview.get_by_role("button", name="Really forget for good?").click()
    receipts = page.locator(".tidelore-receipts > li")
    receipts.filter(has_text="Messages on screen that still hold the words: 1").wait_for()
    assert "My cat is called Biscuit." not in str(panel.call(sidecar.key, "graph.get", chat=STORY))
    page.get_by_role("heading", name="Not there now").wait_for()
    part = panel.part("actions")
    part.get_by_text("gone in every replica that is known").first.wait_for()
    whole = part.get_by_role("button", name=f"Purge the memories of {STORY}", exact=True)
    whole.click()
    part.get_by_role("button", name=f"Purge the memories of {STORY} for good; this cannot be undone").click()
    part.get_by_text(f"The memories of “{STORY}” are purged.").or_(part.get_by_text("purged")).first.wait_for()
    assert all(each["chat"] != STORY for each in panel.call(sidecar.key, "chat.list")["chats"])


def test_what_another_tidelore_exported_becomes_a_conversation_of_its_own(tabs: Tabs, sidecar: Sidecar, tmp_path: Path) -> None:
    panel = tabs.open(sidecar)
    exported = panel.call(sidecar.key, "export", chat=STORY)
    panel.choose(HOSTILE)
    part = panel.part("actions")
    part.get_by_label("Bring in a file").set_input_files({"name": "story.json", "mimeType": "", "buffer": exported["text"].encode()})
    panel.page.locator(".tidelore-toast-error").wait_for()
    into = part.get_by_label("Into the conversation")
    into.fill("The harbour, again")
    into.press("Tab")
    part.get_by_role("button", name="Bring these in").click()
    panel.wait("() => [...document.querySelectorAll('.tidelore-chooser option')].some(each => each.value === 'The harbour, again')")
    assert "Biscuit" in str(panel.call(sidecar.key, "graph.get", chat="The harbour, again"))


def test_settings_are_searched_changed_and_go_back_to_their_defaults(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    part = panel.part("settings")
    part.get_by_label("Way of recalling").select_option("plain")
    part.get_by_role("button", name="Back to the default: Way of recalling").wait_for()
    part.get_by_label("Search settings").fill("alike")
    field = part.get_by_label("Alike from which share of words")
    field.fill("7")
    field.press("Tab")
    part.get_by_role("alert").filter(has_text="from 0.5 to 1").wait_for()
    part.get_by_label("Search settings").fill("")
    part.get_by_role("button", name="Back to the default: Way of recalling").click()
    panel.wait("() => document.querySelector('#tidelore-setting-recall-preset').value === 'story'")
    assert all(not each["changed"] for each in panel.call(sidecar.key, "settings.describe")["settings"])
    part.get_by_role("button", name="Edit: Extraction (en)").click()
    area = part.get_by_role("textbox", name="Extraction (en)")
    words = area.input_value()
    area.fill(f"{words}\n\nRemember what people eat.")
    part.get_by_role("button", name="Save").click()
    panel.page.get_by_text("Saved; the next exchange is read with it.").wait_for()
    assert panel.call(sidecar.key, "prompt.get", prompt="extract.en")["changed"]
    part.locator(".tidelore-result").get_by_role("button", name="Reset").click()
    panel.page.get_by_text("Back to the default.").wait_for()
    assert not panel.call(sidecar.key, "prompt.get", prompt="extract.en")["changed"]


def test_the_first_run_tests_for_real_and_ends_with_a_recall(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    panel.part("overview").get_by_role("button", name="Set up in three steps").click()
    dialog = panel.page.get_by_role("dialog", name="Set up Tidelore")
    dialog.get_by_text("No memory model is set up").wait_for()
    dialog.get_by_role("button", name="Next").click()
    dialog.get_by_text("No embedder is set up").wait_for()
    dialog.get_by_role("button", name="Next").click()
    dialog.get_by_label("A sentence").fill("What is the cat called?")
    dialog.get_by_role("button", name="Try", exact=True).click()
    dialog.get_by_text("It works.").wait_for()
    assert "My cat is called Biscuit." in dialog.inner_text()
    dialog.get_by_role("button", name="Done").click()
    dialog.wait_for(state="hidden")
    panel.page.reload()
    panel.choose(STORY)
    assert panel.part("overview").get_by_role("button", name="Set up in three steps").count() == 0


@pytest.mark.req("P113")
def test_markup_in_a_name_a_memory_a_chat_or_a_scope_is_text_wherever_it_is_shown(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar, HOSTILE)
    assert HOSTILE in panel.page.locator(".tidelore-chooser").inner_text()
    assert f"character: {HOSTILE}" in panel.page.locator(".tidelore-chooser").inner_text()
    page = panel.node("owes Ann a lantern")
    assert HOSTILE in page.inner_text()
    page.get_by_role("button", name="Merge …").click()
    decide = panel.part("decide")
    decide.locator(".tidelore-side").first.wait_for()
    assert HOSTILE in decide.inner_text()
    part = panel.part("injection")
    part.locator("input[type=text]").fill(f"{HOSTILE} lantern?")
    part.get_by_role("button", name="Try", exact=True).click()
    part.locator(".tidelore-result ol > li").first.wait_for()
    assert HOSTILE in part.inner_text()
    actions = panel.part("actions")
    actions.locator(".tidelore-change").first.wait_for()
    assert HOSTILE in actions.inner_text()
    page = panel.node(f"{HOSTILE} owes me a lantern.")
    page.get_by_role("button", name="Floor 0").first.click()
    panel.page.locator(".tidelore-reader article").first.wait_for()
    assert HOSTILE in panel.page.locator(".tidelore-reader[open]").inner_text()
    panel.page.keyboard.press("Escape")
    panel.part("graph").locator("canvas").first.wait_for()
    assert panel.page.locator("img, b:text-is('Bo')").count() == 0
    assert panel.page.evaluate("window.caught") is None


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_on_a_phone_everything_fits_in_360_pixels_and_can_be_hit_with_a_thumb(tabs: Tabs, sidecar: Sidecar, locale: str) -> None:
    panel = tabs.open(sidecar, size=(360, 740), phone=True, locale=locale)
    for part in PARTS:
        shown = panel.part(part)
        if part == "injection":
            shown.locator(".checkbox_label").tap()
            shown.locator("button[type=submit]").tap()
            shown.locator(".tidelore-result").first.wait_for()
        if part == "memories":
            shown.locator(".tidelore-row").first.tap()
            shown.locator(".tidelore-more summary").tap()
            shown.locator(".tidelore-belief, .tidelore-edges").first.wait_for()
        if part == "decide":
            shown.locator(".tidelore-side").first.wait_for()
        if part == "actions":
            shown.locator(".tidelore-change").first.wait_for()
        assert panel.page.evaluate(TOO_WIDE) == [], part
        assert panel.page.evaluate(TOO_SMALL) == [], part
    panel.part("overview").locator("button.tidelore-main").tap()
    panel.page.locator(".tidelore-wizard[open]").wait_for()
    assert panel.page.evaluate(TOO_WIDE) == []
    assert panel.page.evaluate(TOO_SMALL) == []


def test_nothing_is_out_of_reach_for_who_cannot_see_or_point(tabs: Tabs, sidecar: Sidecar) -> None:
    # axe writes styles of its own into the page that it looks at.
    panel = tabs.open(sidecar, bypass_csp=True)
    panel.part("overview").get_by_role("button", name="Set up in three steps").click()
    for _ in range(3):
        assert panel.audited() == [], "the first run"
        panel.page.get_by_role("dialog").get_by_role("button", name="Next").or_(panel.page.get_by_role("button", name="Done")).click()
    for colours in COLOURS:
        panel.part("overview").locator("#tidelore-colours").select_option(colours)
        for part in PARTS:
            shown = panel.part(part)
            if part == "injection" and not shown.locator(".tidelore-result").count():
                shown.get_by_role("button", name="Try", exact=True).click()
                shown.locator(".tidelore-result").wait_for()
            if part == "decide":
                shown.locator(".tidelore-side").first.wait_for()
            if part == "actions":
                shown.locator(".tidelore-change").first.wait_for()
            assert panel.audited() == [], (colours, part)
        panel.node("My cat is called Biscuit.")
        assert panel.audited() == [], (colours, "node")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_language_follows_the_browser_and_can_be_chosen(tabs: Tabs, sidecar: Sidecar, locale: str) -> None:
    panel = tabs.open(sidecar, locale=locale)
    names = {"en-US": "Memories", "zh-CN": "记忆"}
    assert panel.page.locator("#tidelore-tab-memories").inner_text().strip() == names[locale]
    other = {"en-US": "zh-cn", "zh-CN": "en"}[locale]
    panel.part("overview").locator("#tidelore-language").select_option(other)
    panel.wait(
        "name => document.querySelector('#tidelore-tab-memories')?.innerText.trim() === name", {"zh-cn": "记忆", "en": "Memories"}[other]
    )


def test_what_another_client_writes_is_seen_without_a_reload(tabs: Tabs, sidecar: Sidecar) -> None:
    panel = tabs.open(sidecar)
    panel.part("memories").locator(".tidelore-row").first.wait_for()
    panel.call(sidecar.key, "node.write", chat=STORY, text="The lamp of the north tower is out.", about="Mira")
    panel.page.locator(".tidelore-row", has_text="The lamp of the north tower is out.").wait_for()
    panel.call(sidecar.key, "chat.update", chat="A new one", messages=[{"role": "user", "text": "Hello."}])
    panel.wait("() => [...document.querySelectorAll('.tidelore-chooser option')].some(each => each.value === 'A new one')")
    assert panel.page.locator(".tidelore-chooser").input_value() == STORY
