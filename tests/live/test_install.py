"""Installing as a user does: by the address of a repository, in SillyTavern's own dialog, without a build step."""

from __future__ import annotations

from pathlib import Path

from tests import chromium
from tests.live.data_root import Setup
from tests.live.extension import BUILD
from tests.live.loopback import cdn, git_host
from tests.live.memory import SETTINGS, ask, holds, lawful, ready
from tests.live.stage import Stage


def test_a_clone_works_without_a_build_step(shared_stage: Stage, tmp_path: Path) -> None:
    with git_host(tmp_path) as repository, cdn(BUILD) as python:
        settings = {**SETTINGS, "cdns": [{"name": "loopback", "url": python}]}
        setup = Setup(settings={"extension_settings": {"tidelore": settings}})
        with Stage(chromium.need(), setup, browser=shared_stage.browser) as stage:
            tab = stage.tab
            assert tab.page.locator(".tidelore-settings").count() == 0
            tab.open_extensions()
            tab.click("#third_party_extension_button")
            tab.page.locator("dialog[open] textarea, dialog[open] input[type=text]").first.fill(repository)
            tab.confirm("Install just for me")
            ready(tab)
            status = ask(tab, "/tidelore status")
            assert "loopback" in status, status
            tab.model.queue("Biscuit is a fine name.")
            tab.send("My cat is called Biscuit.")
            lawful(tab)
            assert holds(tab, "Biscuit")
            tab.reload()
            ready(tab)
            assert lawful(tab)["nodes"]
