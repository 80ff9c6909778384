"""Takes the pictures of docs/install.md and of the panel from a real SillyTavern: `make pictures`."""

from __future__ import annotations

from pathlib import Path

from tests import chromium
from tests.live.data_root import Setup
from tests.live.extension import NAME, ROOT, copy_repository
from tests.live.memory import ready, settled
from tests.live.stage import Stage, Tab, View
from tools import panel_pictures
from tools.palette_png import small

FOLDER = ROOT / "docs" / "pictures"
DRAWER = ".tidelore-settings"
URL = "https://example.org/tidelore.git"
STORIES = {
    "en": (
        ("My cat is called Biscuit, and she is afraid of thunder.", "Then I will keep the lamp low tonight. Bring Biscuit inside."),
        ("I was born in Lisbon.", "Lisbon has seven hills, they say. Here we have only the one rock."),
        ("What frightens you?", "The wreck of the Grey Widow, when the tide goes out far enough to show her."),
    ),
    "zh": (
        ("我的猫叫饼干，它怕打雷。", "那我今晚把灯调暗些。把饼干抱进来吧。"),
        ("我出生在杭州。", "听说杭州有一座很大的湖。这里只有一块礁石。"),
        ("你害怕什么？", "退潮时会露出来的那艘沉船，灰寡妇号。"),
    ),
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for language, locale in (("en", "en-US"), ("zh", "zh-CN")):
        setup = Setup(settings={"extension_settings": {"tidelore": {"model": {"use": "current", "asked": False}}}})
        with Stage(chromium.need(), setup, install={NAME: copy_repository}) as stage:
            take(stage, stage.open(View(size=(1280, 900), locale=locale)), language)
            phone = stage.open(View(size=(390, 844), phone=True, locale=locale))
            ready(phone)
            phone.open_extensions()
            unfold(phone)
            save(phone, f"phone-{language}")
    panel_pictures.take_all(FOLDER)
    print(f"pictures in {FOLDER.relative_to(ROOT)}")


def take(stage: Stage, tab: Tab, language: str) -> None:
    ready(tab)
    tab.open_extensions()
    tab.click("#third_party_extension_button")
    field = tab.page.locator("dialog[open] textarea, dialog[open] input[type=text]").first
    field.fill(URL)
    save(tab, f"install-{language}")
    tab.page.locator("dialog[open] .popup-button-cancel").last.click()
    for number, (words, reply) in enumerate(STORIES[language]):
        stage.model.queue(reply)
        tab.send(words)
        if number == 0:
            tab.page.locator("dialog[open]").first.wait_for()
            save(tab, f"question-{language}")
            tab.page.locator("dialog[open] .popup-button-cancel").last.click()
    settled(tab)
    unfold(tab)
    save(tab, f"settings-{language}")


def unfold(tab: Tab) -> None:
    if not tab.page.locator(f"{DRAWER} .inline-drawer-content").is_visible():
        tab.click(f"{DRAWER} .inline-drawer-toggle")
    tab.page.locator(f"{DRAWER} .inline-drawer-content").wait_for(state="visible")
    tab.page.evaluate(f"document.querySelector('{DRAWER}').scrollIntoView()")
    tab.page.wait_for_timeout(600)


def save(tab: Tab, name: str) -> Path:
    path = tab.screenshot(FOLDER / f"{name}.png")
    path.write_bytes(small(tab.page, path.read_bytes()))
    return path


if __name__ == "__main__":
    main()
