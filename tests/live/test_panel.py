"""The panel and the recall card in SillyTavern, by mouse, keys and thumb."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.memory import call, configure, graph, holds, injected, lawful, ready, settled
from tests.live.panel import TOO_SMALL, TOO_WIDE, audited, card, open_node, open_panel, panel
from tests.live.replies import Reply
from tests.live.stage import Stage, Tab, View
from tests.live.test_memory import ask_far_away

HOSTILE = '<img src=x onerror="window.caught=1"><b>Bo</b>'
PARTS = ("overview", "memories", "graph", "decide", "injection", "actions", "settings")
COLOURS = ("host", "crimson", "cyan", "amber", "violet", "light")


@pytest.fixture
def story(tab: Tab) -> Iterator[Tab]:
    """Three exchanges in a new chat, remembered; the panel is closed afterwards."""
    ready(tab)
    tab.model.queue("Biscuit is a fine name for a cat.", "Lisbon has seven hills.", "The wreck of the Grey Widow frightens me.")
    for words in ("My cat is called Biscuit.", "I was born in Lisbon.", "What frightens you?"):
        tab.send(words)
    lawful(tab)
    tab.model.clear()
    yield tab
    tab.page.evaluate("document.querySelector('.tidelore-panel [aria-label=Close]')?.click()")


def test_the_panel_opens_from_menu_button_and_command_and_escape_closes_it_without_touching_the_chat(story: Tab) -> None:
    before = story.chat()
    story.click(".tidelore-menu .list-group-item")
    panel(story).wait_for(state="visible")
    story.page.keyboard.press("ArrowRight")
    story.page.keyboard.press("ArrowLeft")
    assert story.page.evaluate("document.activeElement.id") == "tidelore-tab-overview"
    story.page.keyboard.press("Escape")
    panel(story).wait_for(state="hidden")
    story.page.locator("#tidelore_button").click()
    panel(story).wait_for(state="visible")
    story.page.locator("#tidelore_button").click()
    panel(story).wait_for(state="hidden")
    open_panel(story)
    story.wait_rest()
    assert story.chat() == before, "an arrow pressed in the panel swipes nothing"


def test_the_window_is_moved_and_resized_by_the_mouse_and_comes_back_where_it_was(story: Tab) -> None:
    open_panel(story)
    before = panel(story).bounding_box()
    assert before is not None
    mouse = story.page.mouse
    mouse.move(before["x"] + 120, before["y"] + 20)
    mouse.down()
    mouse.move(before["x"] + 20, before["y"] + 50, steps=4)
    mouse.up()
    corner = (before["x"] - 100 + before["width"] - 8, before["y"] + 30 + before["height"] - 8)
    mouse.move(*corner)
    mouse.down()
    mouse.move(corner[0] - 60, corner[1] - 40, steps=4)
    mouse.up()
    after = panel(story).bounding_box()
    assert after == {"x": before["x"] - 100, "y": before["y"] + 30, "width": before["width"] - 60, "height": before["height"] - 40}
    story.reload()
    ready(story)
    open_panel(story)
    story.wait("box => document.querySelector('.tidelore-panel').getBoundingClientRect().x === box.x", "the place it had", after)
    assert panel(story).bounding_box() == after


def test_a_memory_is_found_read_back_to_its_message_edited_forgotten_and_brought_back(story: Tab) -> None:
    before = graph(story)
    part = open_panel(story, "memories")
    part.locator("input[type=search]").fill("biscuit CALLED")
    story.wait("() => document.querySelectorAll('.tidelore-row').length < 3", "the search")
    page = open_node(story, "My cat is called Biscuit.")
    assert "My cat is called Biscuit." in page.locator("mark, blockquote").first.inner_text()
    page.get_by_role("button", name="Floor 1").first.click()
    story.wait(
        """() => { const { top, bottom } = document.querySelector('#chat .mes[mesid="1"]').getBoundingClientRect();
        return top < innerHeight && bottom > 0; }""",
        "the message to be in sight",
    )
    page.get_by_role("button", name="Edit").click()
    page.locator("textarea").fill("My cat is called Pepper.")
    page.get_by_role("button", name="Save").click()
    panel(story).get_by_role("button", name="Undo").wait_for()
    assert holds(story, "Pepper")
    panel(story).get_by_role("button", name="Undo").click()
    panel(story).get_by_text("Undone.").wait_for()
    assert graph(story) == before
    page.get_by_role("button", name="Forget", exact=True).click()
    panel(story).get_by_role("button", name="Undo").wait_for()
    # The fact and the moment of the same words.
    assert len(graph(story)["nodes"]) == len(before["nodes"]) - 2
    panel(story).get_by_role("button", name="Undo").click()
    panel(story).get_by_text("Undone.").wait_for()
    assert graph(story) == before


@pytest.mark.req("P113")
def test_markup_in_a_name_or_a_memory_is_text_in_panel_and_card(story: Tab) -> None:
    call(story, "node.write", kind="entity", sub="character", name=HOSTILE)
    call(story, "node.write", text=f"{HOSTILE} owes Mira a lantern.", about=HOSTILE)
    settled(story)
    page = open_node(story, "owes Mira a lantern")
    assert HOSTILE in page.inner_text()
    page.locator(".tidelore-edge").first.click()
    part = open_panel(story, "injection")
    part.locator("input[type=text]").fill(f"{HOSTILE} lantern?")
    part.get_by_role("button", name="Try", exact=True).click()
    part.locator(".tidelore-result ol > li").first.wait_for()
    assert HOSTILE in part.inner_text()
    assert panel(story).locator("img").count() == 0
    assert story.page.evaluate("window.caught") is None


def test_the_injection_is_what_the_model_got_and_a_trial_changes_nothing(story: Tab) -> None:
    got = ask_far_away(story, "What is my cat called?")
    part = open_panel(story, "injection")
    shown = "\n".join(part.locator(".tidelore-injected pre").all_inner_texts())
    assert shown.strip() == got.strip()
    before = (graph(story), story.chat())
    part.locator("input[type=text]").fill("Where was I born?")
    part.locator("input[type=checkbox]").check()
    part.locator("select").select_option("strict")
    part.get_by_role("button", name="Try", exact=True).click()
    story.wait("() => document.querySelectorAll('.tidelore-result').length === 2", "both results")
    assert "I was born in Lisbon." in part.locator(".tidelore-result").first.inner_text()
    assert (graph(story), story.chat()) == before
    assert story.slash("/tidelore-injected").strip() == got.strip()


def test_the_card_under_a_message_is_edited_and_the_next_swipe_gets_the_new_words(story: Tab) -> None:
    ask_far_away(story, "What is my cat called?")
    asked = len(story.chat()) - 2
    mine = card(story, asked)
    mine.locator(".tidelore-card-head").click()
    assert "Biscuit" in mine.inner_text()
    mine.get_by_role("button", name="Edit").click()
    area = mine.locator("textarea").last
    tokens = mine.locator(".tidelore-card-body p").first.inner_text()
    area.fill(area.input_value().replace("Biscuit", "Pepper") + "\n" + "A note of my own. " * 20)
    story.wait("old => document.querySelector('.tidelore-card-body p').innerText !== old", "the tokens to be counted", tokens)
    mine.get_by_role("button", name="Save").click()
    mine.locator("textarea").first.wait_for(state="detached")
    story.wait_rest(1200)
    story.swipe_right()
    assert "Pepper" in injected(story.model.prompts()[-1])
    mine.get_by_role("button", name="Recall again").click()
    story.wait("() => !document.querySelector('.tidelore-card').innerText.includes('edited')", "the recall")
    assert "Biscuit" in injected_again(story)


def injected_again(tab: Tab) -> str:
    tab.swipe_right()
    return injected(tab.model.prompts()[-1])


def test_the_card_survives_redraws_and_changes_of_chat_and_is_deleted_in_two_steps(story: Tab) -> None:
    ask_far_away(story, "What is my cat called?")
    asked = len(story.chat()) - 2
    name = story.current_chat()
    card(story, asked).wait_for()
    story.edit(asked, "What is my cat called again?")
    card(story, asked).wait_for()
    story.evaluate("ctx.reloadCurrentChat().then(() => null)")
    story.wait_rest(500)
    card(story, asked).wait_for()
    story.new_chat()
    assert story.page.locator(".tidelore-card").count() == 0
    assert name is not None
    story.open_chat(name)
    card(story, asked).wait_for()
    assert story.page.locator(f'#chat .mes[mesid="{asked}"] .tidelore-card').count() == 1
    card(story, asked).locator(".tidelore-card-head").click()
    card(story, asked).get_by_role("button", name="Delete").click()
    assert card(story, asked).count() == 1
    card(story, asked).get_by_role("button", name="Really delete?").click()
    card(story, asked).wait_for(state="detached")
    story.reload()
    ready(story)
    assert card(story, asked).count() == 0


def test_a_reply_that_streams_in_does_not_draw_the_cards_anew(story: Tab) -> None:
    ask_far_away(story, "What is my cat called?")
    asked = len(story.chat()) - 2
    card(story, asked).wait_for()
    story.page.evaluate("""() => { window.drawn = 0; new MutationObserver(all => { window.drawn += all.length; })
        .observe(document.querySelector('.tidelore-card'), { childList: true, subtree: true, characterData: true, attributes: true }); }""")
    story.set_streaming(True)
    story.model.queue(Reply(content="The tide comes in, and goes out again, and the lamp turns. " * 6))
    story.swipe_right()
    assert story.page.evaluate("window.drawn") <= 4


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_on_a_phone_everything_fits_in_360_pixels_and_can_be_hit_with_a_thumb(stage: Stage, locale: str) -> None:
    tab = stage.open(View(size=(360, 740), phone=True, locale=locale))
    ready(tab)
    tab.send("My cat is called Biscuit.")
    settled(tab)
    for part in PARTS:
        shown = open_panel(tab, part)
        if part == "injection":
            shown.locator(".checkbox_label").tap()
            shown.locator("button[type=submit]").tap()
            shown.locator(".tidelore-result").first.wait_for()
        assert tab.page.evaluate(TOO_WIDE) == []
        assert tab.page.evaluate(TOO_SMALL) == []
        assert tab.page.evaluate("document.querySelector('.tidelore-panel').getBoundingClientRect().height === innerHeight")
    open_panel(tab, "memories").locator(".tidelore-row").first.tap()
    panel(tab).locator(".tidelore-belief, .tidelore-edges").first.wait_for()
    assert tab.page.evaluate(TOO_WIDE) == []
    assert tab.page.evaluate(TOO_SMALL) == []
    # The focus goes round inside.
    for _ in range(60):
        tab.page.keyboard.press("Tab")
        assert tab.page.evaluate("!!document.activeElement.closest('.tidelore-panel')")


def test_nothing_in_panel_and_card_is_out_of_reach_for_who_cannot_see_or_point(story: Tab) -> None:
    ask_far_away(story, "What is my cat called?")
    card(story, len(story.chat()) - 2).locator(".tidelore-card-head").click()
    assert audited(story, ".tidelore-card") == []
    for colours in COLOURS:
        open_panel(story).locator("#tidelore-colours").select_option(colours)
        for part in PARTS:
            shown = open_panel(story, part)
            if part == "injection" and not shown.locator(".tidelore-result").count():
                shown.get_by_role("button", name="Try", exact=True).click()
                shown.locator(".tidelore-result").wait_for()
            assert audited(story) == [], (colours, part)
        open_node(story, "My cat is called Biscuit.")
        assert audited(story) == [], (colours, "node")
    open_panel(story).locator("#tidelore-colours").select_option("host")


def test_the_graph_is_drawn_its_places_last_and_a_past_of_it_is_shown(story: Tab) -> None:
    part = open_panel(story, "graph")
    part.locator("canvas").first.wait_for()
    part.get_by_role("button", name="See all").wait_for()
    everything = len(graph(story)["nodes"])
    story.wait("n => document.querySelector('.tidelore-graph-line').innerText.includes(`${n} of ${n}`)", "all of it", everything)
    part.locator("input[type=range]").focus()
    story.page.keyboard.press("Home")
    story.wait("n => !document.querySelector('.tidelore-graph-line').innerText.includes(`of ${n}`)", "the beginning of it", everything)
    assert "as of floor 0" in part.inner_text()
    story.page.keyboard.press("End")
    story.wait("n => document.querySelector('.tidelore-graph-line').innerText.includes(`${n} of ${n}`)", "the present", everything)
    page = open_node(story, "My cat is called Biscuit.")
    page.get_by_role("button", name="Show in the graph").click()
    part.get_by_role("button", name="Show all again").wait_for()


def test_memory_that_is_off_says_so_in_the_panel_and_is_switched_on_there(story: Tab) -> None:
    configure(story, enabled=False)
    part = open_panel(story)
    part.get_by_role("button", name="Switch memory on").click()
    ready(story)
    assert holds(story, "Biscuit")
