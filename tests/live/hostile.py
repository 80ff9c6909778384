"""Texts that must stay texts, whoever shows them, and what would be seen if they did not."""

from __future__ import annotations

import json

from tests.live.panel import PANEL
from tests.live.stage import Tab

MARKUP = """<img src=x onerror="window.caught=1"><script>window.caught=1</script><b id="caught">Bo</b>"""
MACROS = "{{user}} {{random::1::2}} {{setvar::caught::1}} ${1+1} <%= 1 %>"
# From right to left, with marks that turn a line about; and letters that nobody sees.
BACKWARDS = "\u202emoob\u202c \u0645\u0631\u062d\u0628\u0627 \u2067back\u2069"
UNSEEN = "a\u200bb\u200dc\ufeffd\u2060e"
ENDLESS = "W" * 10_000
ALL = f"{MARKUP} {MACROS} {BACKWARDS} {UNSEEN}"
# What people type into a field of one line.
TYPED = f"{ALL} {'M' * 400}"

EXECUTED = """() => [window.caught ?? null, SillyTavern.getContext().variables.local.get("caught") || null,
  document.querySelector("#caught, .tidelore-panel img, .tidelore-panel script, .tidelore-card img")?.outerHTML ?? null]"""
# Past the edge of the page, and not within something that scrolls or cuts it off.
OUTSIDE = f"""() => [...document.querySelectorAll("{PANEL}, {PANEL} *, .tidelore-card, .tidelore-card *")].filter(each => {{
  const box = each.getBoundingClientRect();
  if (!each.getClientRects().length || each.closest(".tidelore-graph-stage")) return false;
  if (box.right <= innerWidth + 1 && box.left >= -1) return false;
  for (let at = each.parentElement; at; at = at.parentElement)
    if (!at.matches("body, html") && getComputedStyle(at).overflowX !== "visible" && at.getBoundingClientRect().right <= innerWidth + 1)
      return false;
  return true;
}}).map(each => each.outerHTML.slice(0, 160))"""
# What would have to be moved sideways to be read.
SIDEWAYS = f"""() => [...document.querySelectorAll("{PANEL}, {PANEL} *, html, body")].filter(each => each.scrollWidth > each.clientWidth + 1
  && each.clientWidth > 0 && ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
  && !each.matches("input, textarea, select, .tidelore-graph-stage *")).map(each => each.outerHTML.slice(0, 160))"""


def memories() -> bytes:
    """A file of the MCP memory server whose every word is hostile; two memories say nearly the same, so that there is a card to decide."""
    first = f"{ALL} owes the harbour master forty crowns."
    lines = [
        {
            "type": "entity",
            "name": ALL,
            "entityType": MARKUP,
            "observations": [first, f"{first[:-1]} again.", f"{MARKUP} {MACROS} keeps a lantern.", f"{ENDLESS} is a word.", UNSEEN],
        },
        {"type": "entity", "name": ENDLESS, "entityType": ENDLESS, "observations": [f"{BACKWARDS} {MARKUP}"]},
        {"type": "relation", "from": ALL, "to": ENDLESS, "relationType": f"{MARKUP} {ENDLESS}"},
    ]
    return "\n".join(json.dumps(line) for line in lines).encode()


def harmless(tab: Tab, where: str) -> None:
    """Nothing of it was run, and nothing of it sticks out of the page."""
    assert tab.page.evaluate(EXECUTED) == [None, None, None], where
    assert tab.page.evaluate(OUTSIDE) == [], where
    assert tab.page.evaluate(SIDEWAYS) == [], where
