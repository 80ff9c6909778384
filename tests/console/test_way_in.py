"""Who gets to see the panel, and what is left of the address that opened it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.console import stories
from tests.console.conftest import Sidecar, Tabs
from tests.console.panel import TOO_SMALL, TOO_WIDE, Panel
from tests.sidecar.serve.kit import process


def test_the_address_opens_the_panel_once_and_leaves_no_code_behind(tabs: Tabs, sidecar: Sidecar) -> None:
    page = tabs.blank()
    address = sidecar.address()
    page.goto(address)
    panel = Panel(page)
    panel.choose(stories.STORY)
    assert page.url == f"{sidecar.url}/console/"
    assert page.evaluate("history.length") <= 2
    assert sidecar.key not in page.content()
    assert page.evaluate("Object.keys(localStorage)") == []
    page.reload()
    panel.choose(stories.STORY)
    # Somebody who finds the address later comes in by nothing.
    other = tabs.blank()
    other.goto(address)
    other.get_by_text("This address has opened the panel before").wait_for()
    assert other.locator(".tidelore-chooser").count() == 0
    tabs.errors[:] = [each for each in tabs.errors if "403" not in each]


def test_who_has_no_address_is_let_in_by_a_code_that_is_typed_into_the_sidecar(tabs: Tabs, sidecar: Sidecar) -> None:
    # axe writes styles of its own into the page that it looks at.
    page = tabs.blank(bypass_csp=True)
    page.goto(f"{sidecar.url}/console/")
    page.get_by_role("button", name="Show a code").click()
    code = page.locator(".tidelore-code").inner_text()
    assert Panel(page).audited() == []
    headers = {"Authorization": f"Bearer {sidecar.key}"}
    confirmed = httpx.post(f"{sidecar.url}/pairings/confirm", json={"code": code}, headers=headers, trust_env=False)
    assert confirmed.status_code == 200
    Panel(page).choose(stories.STORY)


def test_after_many_wrong_keys_the_page_says_how_long_it_is_closed_and_keeps_its_key(tabs: Tabs, sidecar: Sidecar) -> None:
    page = tabs.blank()
    # One that the sidecar has not seen before.
    page.add_init_script("sessionStorage.setItem('tidelore-key', 'tl_not_seen_before')")
    for at in range(10):
        httpx.get(f"{sidecar.url}/status", headers={"Authorization": f"Bearer tl_wrong_{at}"}, trust_env=False)
    page.goto(f"{sidecar.url}/console/")
    page.get_by_text("for a minute the sidecar lets no new one in").wait_for()
    assert page.get_by_text("has not been let in yet").count() == 0
    assert page.evaluate("sessionStorage.getItem('tidelore-key')") == "tl_not_seen_before"
    assert page.get_by_role("button", name="Try again").count() == 1
    order = [each.strip() for each in page.locator(".tidelore-login").inner_text().splitlines() if each.strip()]
    assert order.index("Show a code") < next(at for at, line in enumerate(order) if line.startswith("Or get an address"))


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_way_in_speaks_both_languages_and_fits_a_phone(tabs: Tabs, sidecar: Sidecar, locale: str) -> None:
    page = tabs.blank((360, 740), phone=True, locale=locale)
    page.goto(f"{sidecar.url}/console/")
    page.locator(".tidelore-login button").wait_for()
    assert page.evaluate("document.documentElement.lang") == {"en-US": "en", "zh-CN": "zh-CN"}[locale]
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(TOO_SMALL) == []
    page.locator(".tidelore-login button").tap()
    page.locator(".tidelore-code").wait_for()
    assert page.evaluate(TOO_WIDE) == []


def test_a_sidecar_that_ends_is_missed_and_a_new_one_asks_who_is_there(tabs: Tabs, tmp_path: Path) -> None:
    data = tmp_path / "data"
    stories.harbour(data)
    with process(data, env={"TIDELORE_EMBEDDER": "none"}) as (_, said):
        sidecar = Sidecar(said["url"], said["key"])
        panel = tabs.open(sidecar)
    panel.page.get_by_text("The connection to the sidecar ended").or_(panel.page.get_by_text("cannot be reached")).or_(
        panel.page.get_by_text("is shutting down")
    ).first.wait_for()
    port = said["url"].rpartition(":")[2]
    with process(data, "--port", port, env={"TIDELORE_EMBEDDER": "none"}):
        panel.page.get_by_role("button", name="Show a code").wait_for(timeout=40_000)
    tabs.errors.clear()
