"""What is kept of a live test that failed: build/live-failures/TEST/."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from playwright.sync_api import Error

from tests.live.extension import ROOT
from tests.live.stage import Stage

FOLDER = ROOT / "build" / "live-failures"


def keep(test: str, stage: Stage) -> Path:
    """A picture and the events of every open tab, the console, the server's log and the prompts. The folder comes back."""
    folder = FOLDER / re.sub(r"[^\w.-]+", "_", test)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages = [page for context in stage.browsers() for page in context.pages]
    for number, page in enumerate(pages, 1):
        try:
            page.screenshot(path=folder / f"tab-{number}.png", timeout=10_000)
            events = page.evaluate("window.tideloreLive?.events ?? []")
        except Error as error:  # a page that hangs or crashed: the rest is still worth keeping
            events = [str(error)]
        _write(folder / f"events-{number}.json", events)
    told = [*(f"{kind}: {text}" for kind, text in stage.told.console), *(f"uncaught: {text}" for text in stage.told.errors)]
    (folder / "console.txt").write_text("\n".join(told), "utf-8")
    (folder / "server.log").write_text(stage.server.log(), "utf-8")
    _write(folder / "prompts.json", stage.model.prompts())
    return folder


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
