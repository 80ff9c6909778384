"""The panel in a live tab, used as a person uses it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator

from tests.live.extension import ROOT
from tests.live.stage import Tab

PANEL = ".tidelore-panel"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN_AXE = """async ([selector, tags]) => {
  const { violations } = await axe.run(selector, { runOnly: { type: "tag", values: tags } });
  const say = each => `${each.html.slice(0, 160)} ${each.any[0]?.message ?? ""}`;
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(say)]);
}"""
TOO_WIDE = """[...document.querySelectorAll(".tidelore-panel, .tidelore-panel *")]
  .filter(each => each.getClientRects().length && each.getBoundingClientRect().right > innerWidth + 1)
  .map(each => each.outerHTML.slice(0, 200))"""
TOUCHED = ":is(button, input:not([type=checkbox], [type=radio]), select, textarea, summary, .checkbox_label)"
TOO_SMALL = f"""[...document.querySelectorAll(".tidelore-panel {TOUCHED}")]
  .filter(each => each.getClientRects().length && each.getBoundingClientRect().height < 43.9)
  .map(each => each.outerHTML.slice(0, 200))"""


def panel(tab: Tab) -> Locator:
    return tab.page.locator(PANEL)


def open_panel(tab: Tab, part: str = "overview") -> Locator:
    tab.slash(f"/tidelore-panel {part}")
    found = panel(tab).locator(f"#tidelore-tabpanel-{part}")
    found.wait_for(state="visible")
    return found


def open_node(tab: Tab, text: str) -> Locator:
    """Open the page of the memory whose row has this text."""
    open_panel(tab, "memories").locator(".tidelore-row", has_text=text).first.click()
    page = panel(tab).locator(".tidelore-split-page")
    page.locator(".tidelore-belief").first.wait_for()
    return page


def audited(tab: Tab, selector: str = PANEL) -> list[Any]:
    """What axe finds wrong: rule and elements."""
    if not tab.page.evaluate("'axe' in window"):
        tab.page.add_script_tag(path=AXE)
    found: list[Any] = tab.page.evaluate(RUN_AXE, [selector, WCAG])
    return found


def card(tab: Tab, index: int) -> Locator:
    """The recall card under a message."""
    return tab.page.locator(f'#chat .mes[mesid="{index}"] .tidelore-card')
