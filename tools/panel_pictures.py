"""Pictures of every tab of the panel, at a desk and on a phone, in a real SillyTavern with the sample story."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import chromium
from tests.live.cards import Card
from tests.live.data_root import Setup
from tests.live.extension import NAME, ROOT, copy_repository
from tests.live.memory import SETTINGS, ask, call, ready, settled
from tests.live.panel import card, open_panel, panel
from tests.live.stage import PHONE_VIEW, Stage, Tab, View
from tools.palette_png import small

SAMPLES = ROOT / "sidecar" / "tidelore" / "samples"
MESSAGES = 45
PARTS = ("overview", "memories", "graph", "decide", "injection", "actions", "settings")
SETTLE_MS = 700
SAY = """(value.map(({ role, name, text }) => ctx.chat.push({
    name, is_user: role === "user", is_system: false, mes: text, send_date: new Date().toISOString(), extra: {},
  })),
  ctx.saveChat().then(() => ctx.reloadCurrentChat()).then(() => null))"""


@dataclass(frozen=True)
class Words:
    """What is written and said for the pictures: facts that contradict each other, a question that finds something, its answer."""

    locale: str
    facts: tuple[str, ...]
    question: str
    reply: str


WORDS = {
    "en": Words(
        "en-US",
        (
            "Corwin owes Jory Pask three hundred and forty crowns.",
            "Corwin owes Jory Pask three hundred and forty crowns for cogs.",
            "Corwin keeps the old key by the mill door.",
            "Corwin gave the old key to June.",
        ),
        "How much do you still owe for the applewood cogs, and to whom?",
        "*He does not look up from the hopper.* Three hundred and forty crowns, to Jory Pask. He has never once asked for them.",
    ),
    "zh": Words(
        "zh-CN",
        (
            "贺长川欠船坞老魏四万六千块。",
            "贺长川欠船坞老魏四万六千块，换喷口用的。",
            "贺长川的搪瓷缸放在船头。",
            "贺长川的搪瓷缸送给了豆子。",
        ),
        "换喷口到底欠了船坞老魏多少钱？",
        "*贺长川没有抬头。* 四万六。说好年底还，还不上，船就归他。",
    ),
}


def take_all(folder: Path) -> None:
    """All of them into this folder."""
    for language, words in WORDS.items():
        story: dict[str, Any] = json.loads((SAMPLES / f"{language}.json").read_text("utf-8"))
        setup = Setup(
            characters=(Card(name=story["character"], first_mes=story["messages"][0]["text"]),),
            user=story["user"],
            settings={"extension_settings": {"tidelore": SETTINGS}},
        )
        with Stage(chromium.need(), setup, install={NAME: copy_repository}) as stage:
            desk = stage.open(View(size=(1280, 800), locale=words.locale))
            _remember(desk, story, words)
            _tabs(desk, folder, f"desk-{language}")
            # The other browser has it from the mirror.
            ask(desk, "/tidelore-exchange quiet=true")
            phone = stage.open(View(size=PHONE_VIEW.size, phone=True, locale=words.locale))
            ready(phone)
            settled(phone)
            _tabs(phone, folder, f"phone-{language}")


def _remember(tab: Tab, story: dict[str, Any], words: Words) -> None:
    ready(tab)
    tab.evaluate(SAY, story["messages"][1:MESSAGES])
    tab.wait_rest(500)
    settled(tab)
    for text in words.facts:
        call(tab, "node.write", text=text, about=story["character"])
    tab.model.queue(words.reply)
    tab.send(words.question)
    settled(tab)


def _tabs(tab: Tab, folder: Path, name: str) -> None:
    phone = name.startswith("phone")
    # What comes and goes is in no picture.
    tab.page.add_style_tag(content="#toast-container { display: none !important; }")
    for part in PARTS:
        shown = open_panel(tab, part)
        if part == "overview":
            shown.locator(".tidelore-bars").wait_for()
        if part == "memories":
            shown.locator(".tidelore-row").first.wait_for()
            if phone:
                _save(tab, folder, f"panel-list-{name}")
            shown.locator(".tidelore-row", has_text=" ").nth(4).click() if not phone else shown.locator(".tidelore-row").nth(4).tap()
            panel(tab).locator(".tidelore-belief").first.wait_for()
        if part == "graph":
            shown.locator("canvas").first.wait_for()
            shown.locator(".tidelore-graph-line").wait_for()
            tab.page.wait_for_timeout(3000)
        if part == "decide":
            shown.locator(".tidelore-side").first.wait_for()
        if part == "injection":
            shown.locator("details[open] > summary").first.click() if shown.locator("details[open] > summary").count() else None
            shown.locator("button[type=submit]").click()
            shown.locator(".tidelore-result").first.wait_for()
        if part == "actions":
            shown.locator(".tidelore-change").first.wait_for()
        if part == "settings":
            shown.locator(".tidelore-field").first.wait_for()
        _save(tab, folder, f"panel-{part}-{name}")
        if part == "memories":
            if phone:
                shown.locator(".tidelore-more > summary").click()
            shown.locator(".tidelore-split-page > .tidelore-actions button, .tidelore-more button").last.click()
            shown.locator("#tidelore-purge-title").wait_for()
            shown.locator("#tidelore-purge-title").scroll_into_view_if_needed()
            shown.locator("#tidelore-purge-title").evaluate("each => each.scrollIntoView({ block: 'start' })")
            _save(tab, folder, f"panel-forget-{name}")
            shown.locator("section:has(> #tidelore-purge-title) button").last.click()
        if part == "actions":
            shown.locator("#tidelore-files-title").evaluate("each => each.scrollIntoView({ block: 'start' })")
            _save(tab, folder, f"panel-files-{name}")
            shown.locator("#tidelore-backup-title").evaluate("each => each.scrollIntoView({ block: 'start' })")
            _save(tab, folder, f"panel-backup-{name}")
    shown = open_panel(tab, "overview")
    opener = shown.locator("button.tidelore-main")
    if opener.count():
        opener.first.click()
        tab.page.locator(".tidelore-wizard[open]").wait_for()
        _save(tab, folder, f"panel-wizard-{name}", whole=True)
        tab.page.keyboard.press("Escape")
    panel(tab).locator(".tidelore-sign-close").first.click()
    panel(tab).wait_for(state="hidden")
    asked = len(tab.chat()) - 2
    mine = card(tab, asked)
    mine.locator(".tidelore-card-head").click()
    mine.locator(".tidelore-card-body").wait_for()
    mine.scroll_into_view_if_needed()
    _save(tab, folder, f"panel-card-{name}", whole=True)


def _save(tab: Tab, folder: Path, name: str, *, whole: bool = False) -> None:
    tab.page.evaluate("document.activeElement?.blur()")
    tab.page.mouse.move(0, 0)
    tab.page.wait_for_timeout(SETTLE_MS)
    png = tab.page.screenshot(scale="css") if whole else panel(tab).screenshot(scale="css")
    (folder / f"{name}.png").write_bytes(small(tab.page, png))
