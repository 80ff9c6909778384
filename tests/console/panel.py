"""The panel in a tab, used as a person uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN_AXE = """async tags => {
  const { violations } = await axe.run(document, { preload: false, runOnly: { type: "tag", values: tags } });
  const say = each => `${each.html.slice(0, 160)} ${each.any[0]?.message ?? ""}`;
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(say)]);
}"""
TOO_WIDE = """[...document.querySelectorAll("body *")]
  .filter(each => each.getClientRects().length && !each.closest(".tidelore-graph-stage"))
  .filter(each => each.getBoundingClientRect().right > innerWidth + 1).map(each => each.outerHTML.slice(0, 200))"""
TOUCHED = ":is(button, input:not([type=checkbox], [type=radio]), select, textarea, summary, .checkbox_label)"
TOO_SMALL = f"""[...document.querySelectorAll("{TOUCHED}")]
  .filter(each => each.getClientRects().length && each.getBoundingClientRect().height < 43.9)
  .map(each => each.outerHTML.slice(0, 200))"""
PARTS = ("overview", "memories", "graph", "decide", "injection", "actions", "settings")


class Panel:
    def __init__(self, page: Page) -> None:
        self.page = page

    def choose(self, chat: str) -> None:
        """The conversation of this name."""
        select = self.page.locator(".tidelore-chooser")
        select.wait_for()
        if select.input_value() != chat:
            select.select_option(value=chat)
        self.wait(
            "chat => document.querySelector('.tidelore-chooser')?.value === chat && !!document.querySelector('.tidelore-bars')",
            chat,
        )

    def part(self, name: str) -> Locator:
        if name == "settings":
            self.page.locator(".tidelore-panel-head button:has(.tidelore-sign-settings)").click()
        else:
            self.page.locator(f"#tidelore-tab-{name}").click()
        found = self.page.locator(f"#tidelore-tabpanel-{name}")
        found.wait_for(state="visible")
        return found

    def node(self, text: str) -> Locator:
        """Opens the page of the memory whose row has this text."""
        self.part("memories").locator(".tidelore-row", has_text=text).first.click()
        found = self.page.locator(".tidelore-split-page")
        found.get_by_role("heading", name="Where it comes from").wait_for()
        return found

    def wait(self, script: str, arg: Any = None) -> None:
        self.page.wait_for_function(script, arg=arg)

    def undo(self) -> None:
        """By the line at the bottom."""
        self.page.locator(".tidelore-panel-foot").get_by_role("button", name="Undo").click()
        self.page.get_by_text("Undone.").wait_for()

    def call(self, key: str, method: str, **params: Any) -> Any:
        """A method of the sidecar, past the panel."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = self.page.request.post(f"{self.page.url.split('/console/')[0]}/rpc", data=body, headers={"Authorization": f"Bearer {key}"})
        found = answer.json()
        assert "result" in found, found
        return found["result"]

    def audited(self) -> list[Any]:
        """What axe finds wrong: rule and elements."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text("utf-8"))
        found: list[Any] = self.page.evaluate(RUN_AXE, WCAG)
        return found
