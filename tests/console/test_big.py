"""A graph of twenty thousand memories."""

from __future__ import annotations

import pytest

from tests.console import stories
from tests.console.conftest import Sidecar, Tabs

# The longest that the page was busy without a breath, and how often it drew, while something runs.
WATCH = """() => { window.busy = { longest: 0, frames: 0, last: performance.now() };
  const look = now => { const all = window.busy; all.longest = Math.max(all.longest, now - all.last); all.last = now; all.frames++;
    if (!all.done) requestAnimationFrame(look); };
  requestAnimationFrame(look); }"""
WATCHED = "() => { window.busy.done = true; return window.busy.longest; }"
FROZEN_MS = 3000
TOTAL = stories.LAMPS + stories.STREETS


@pytest.mark.req("P111")
def test_the_densest_part_is_drawn_with_how_much_of_it_and_filters_do_not_freeze_the_page(tabs: Tabs, town: Sidecar) -> None:
    panel = tabs.open(town, stories.BIG)
    # All of it comes first; what is measured is the drawing.
    panel.part("memories").get_by_text(f"{TOTAL} of {TOTAL}").wait_for(timeout=60_000)
    panel.page.evaluate("window.began = performance.now()")
    part = panel.part("graph")
    part.get_by_role("button", name="See all").wait_for(timeout=30_000)
    part.get_by_text(f"the best connected 10000 of {TOTAL}").wait_for()
    assert part.locator("canvas").count() > 3
    panel.page.evaluate(WATCH)
    part.get_by_label("Search memories").press_sequentially("lamp 777", delay=30)
    panel.wait("() => document.querySelector('.tidelore-graph-bar input').value === 'lamp 777'")
    part.locator("select").first.select_option("entity")
    part.locator("select").first.select_option("")
    panel.wait("() => window.busy.frames > 20")
    longest = panel.page.evaluate(WATCHED)
    # What a person would call frozen, on a busy machine with a graphics card made of software.
    assert longest < FROZEN_MS
    part.get_by_label("Search memories").fill("")
    list_ = panel.part("memories")
    list_.get_by_label("Search memories").fill("lamp 777")
    found = sum("777" in str(at) for at in range(stories.LAMPS))
    list_.get_by_text(f"{found} of {TOTAL}").wait_for()


def test_after_a_large_graph_was_moved_its_nodes_are_found_under_the_pointer_again(tabs: Tabs, town: Sidecar) -> None:
    panel = tabs.open(town, stories.BIG)
    part = panel.part("graph")
    part.get_by_text(f"the best connected 10000 of {TOTAL}").wait_for(timeout=60_000)
    stage, mouse = part.locator(".tidelore-graph-stage"), panel.page.mouse
    box = stage.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def point_at_one() -> None:
        """Goes along lines through the middle until the pointer says that something can be opened; while places are found nodes wander."""
        for step in range(2000):
            mouse.move(middle[0] - 100 + step % 40 * 5, middle[1] - 50 + step // 40 % 10 * 10)
            if stage.evaluate("stage => stage.style.cursor") == "pointer":
                return
        pytest.fail("No node was found under the pointer.")

    point_at_one()
    mouse.move(*middle)
    mouse.down()
    mouse.move(middle[0] + 60, middle[1] + 40, steps=10)
    mouse.up()
    point_at_one()
    # A hand is never quite still.
    mouse.down()
    mouse.up()
    panel.page.locator("#tidelore-tabpanel-memories .tidelore-belief").first.wait_for()
