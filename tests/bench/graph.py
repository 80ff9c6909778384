"""How fast the panel draws a graph of 20,000 memories, of which 10,000 are drawn: time to the first picture, and frames a second while it
is moved and zoomed. Chromium draws it by software, so a machine with a graphics card is faster: read it as the least."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import httpx
from playwright.sync_api import Locator, Page, sync_playwright

from tests import chromium
from tests.bench.figures import machine
from tests.console import stories
from tests.console.panel import Panel
from tests.live.stage import FLAGS
from tests.sidecar.serve.kit import process

WATCH = """() => { const all = window.watched = { frames: 0, longest: 0, began: performance.now(), last: performance.now() };
  const look = now => { if (all.done) return; all.frames++; all.longest = Math.max(all.longest, now - all.last); all.last = now;
    requestAnimationFrame(look); };
  requestAnimationFrame(look); }"""
WATCHED = (
    "() => { const all = window.watched; all.done = true; return [all.frames / (performance.now() - all.began) * 1000, all.longest]; }"
)
FIRST = """() => new Promise(done => { const began = performance.now();
  const there = selector => document.querySelector(`.tidelore-tab-graph ${selector}`);
  const drawn = () => there(".tidelore-graph-tools button") && there("canvas + canvas");
  const after = () => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
  const look = () => drawn() ? after() : requestAnimationFrame(look);
  document.querySelector("#tidelore-tab-graph").click(); look(); })"""
STEPS = 60


def moved(page: Page, stage: Locator, how: str) -> tuple[float, float]:
    """Frames a second, and the longest wait for one in milliseconds."""
    box = stage.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.evaluate(WATCH)
    if how == "pan":
        page.mouse.down()
        page.mouse.move(x + 160, y + 100, steps=STEPS)
        page.mouse.move(x - 160, y - 100, steps=STEPS)
        page.mouse.up()
    else:
        for step in range(STEPS):
            page.mouse.wheel(0, -120 if step < STEPS // 2 else 120)
            page.wait_for_timeout(16)
    frames, longest = page.evaluate(WATCHED)
    return frames, longest


def main() -> None:
    found = chromium.find()
    if found is None:
        print("  graph: no Chromium, not measured")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        # A folder that is named is used again: filling it takes longer than measuring.
        data = Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/data")
        if not data.exists():
            stories.town(data)
        with process(data, env={"TIDELORE_EMBEDDER": "none"}) as (_, said):
            browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
            page = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce").new_page()
            page.set_default_timeout(120_000)
            asked = httpx.post(f"{said['url']}/pairings/console", headers={"Authorization": f"Bearer {said['key']}"}, trust_env=False)
            page.goto(f"{said['url']}/console/#login={asked.json()['code']}")
            panel = Panel(page)
            panel.choose(stories.BIG)
            total = stories.LAMPS + stories.STREETS
            panel.part("memories").get_by_text(f"{total} of {total}").wait_for(timeout=60_000)
            page.evaluate(WATCH)
            page.wait_for_timeout(1000)
            idle, _ = page.evaluate(WATCHED)
            first = page.evaluate(FIRST)
            part = page.locator("#tidelore-tabpanel-graph")
            part.get_by_text(f"the best connected 10000 of {total}").wait_for()
            rows = [("while places are found", *moved(page, part.locator(".tidelore-graph-stage"), "pan"))]
            # The first places of so many are found in the background.
            panel.wait("() => document.querySelector('.tidelore-graph-stage').getAttribute('aria-busy') === 'false'")
            rows += [(how, *moved(page, part.locator(".tidelore-graph-stage"), how)) for how in ("pan", "zoom")]
            browser.close()
    print(f"  graph of {total} memories, 10000 drawn by software; an idle page: {idle:.0f} frames a second")
    print(f"  first picture {first:.0f} ms (< 2000)")
    for how, frames, longest in rows:
        print(f"  {how:26} {frames:5.0f} frames a second (> 30), longest wait {longest:5.0f} ms")
    print(f"  {machine()}")


if __name__ == "__main__":
    main()
