"""Memories among SillyTavern's files: for a browser that has lost its own, for another browser, and for a sidecar beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.memory import ask, call, configure, graph, holds, ready, settled
from tests.live.reader import waiting
from tests.live.stage import Stage, Tab
from tests.live.test_storage import FORGET, told

SIDECAR = Path(__file__).parents[2] / "sidecar"
LANTERN = "Sam owes Mira a lantern."
KETTLE = "The kettle belongs to Tova."

# The script stays with the tab, also for pages that have no storage.
COUNTED = """(() => {
  const { storage } = navigator;
  if (!storage) return;
  const persist = storage.persist.bind(storage);
  window.askedToPersist = 0;
  storage.persist = () => { window.askedToPersist += 1; return persist(); };
})()"""


@pytest.fixture
def story(tab: Tab) -> Iterator[Tab]:
    """A chat with something that the rules remember, and something written by hand that they cannot know."""
    ready(tab)
    tab.send("My cat is called Biscuit.")
    call(tab, "node.write", text=LANTERN)
    yield tab
    configure(tab, mirror=True)


def mirrored(tab: Tab) -> None:
    """Wait until a round has taken out and in all there is."""
    settled(tab)
    answer = ask(tab, "/tidelore-exchange")
    assert "up to date" in answer, answer


def files(stage: Stage) -> list[Path]:
    return sorted((stage.root.user / "user" / "files").glob("tidelore-*"))


@pytest.mark.req("P23")
def test_a_browser_that_lost_its_store_gets_everything_back_from_the_mirror(story: Tab) -> None:
    before = graph(story)
    mirrored(story)
    story.wait_rest(1200)
    story.page.goto(f"{story.address}/favicon.ico")
    assert story.page.evaluate(FORGET) >= 2
    story.page.add_init_script(COUNTED)
    story.open()
    ready(story)
    waiting(story, lambda: told(story, "they came back from the mirror") == 1, "the notice")
    assert graph(story) == before
    assert holds(story, LANTERN)
    assert told(story, "the rules read it again") == 0
    assert story.page.evaluate("window.askedToPersist") == 1, "the browser is asked once not to do that again"


@pytest.mark.req("P15")
def test_two_browsers_hold_equal_memories_and_what_is_undone_in_one_is_undone_in_the_other(stage: Stage, story: Tab) -> None:
    mirrored(story)
    other = stage.open()
    ready(other)
    mirrored(other)
    assert graph(other) == graph(story)
    call(other, "node.write", text=KETTLE)
    mirrored(other)
    mirrored(story)
    assert holds(story, KETTLE)
    call(story, "undo")
    mirrored(story)
    mirrored(other)
    assert graph(other) == graph(story)


def test_a_torn_and_a_vanished_mirror_delete_nothing_and_are_mended(stage: Stage, story: Tab) -> None:
    mirrored(story)
    before = graph(story)
    for path in files(stage):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    mirrored(story)
    assert graph(story) == before
    for path in files(stage):
        path.unlink()
    mirrored(story)
    assert graph(story) == before
    other = stage.open()
    ready(other)
    mirrored(other)
    assert graph(other) == before


def test_a_sidecar_on_the_folder_remembers_the_same_and_what_it_is_told_is_in_the_page(stage: Stage, story: Tab, tmp_path: Path) -> None:
    mirrored(story)
    story.wait_rest(1200)
    name = story.evaluate("ctx.chatMetadata.tidelore.chat")

    def tidelore(*arguments: str) -> Any:
        command = [sys.executable, "-m", "tidelore", *arguments, "--data", str(tmp_path / "data"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=SIDECAR)
        assert done.returncode == 0, done
        return json.loads(done.stdout)

    follow = ("mirror", "--user-data", str(stage.root.user), "--once")
    assert tidelore(*follow)["problems"] == []
    assert tidelore("graph", "--chat", name)["nodes"] == graph(story)["nodes"]
    node = next(node for node in graph(story)["nodes"] if node["text"] == LANTERN)
    tidelore("edit", node["id"], f"text={KETTLE}", "--chat", name)
    tidelore(*follow)
    mirrored(story)
    assert holds(story, KETTLE)
    assert not holds(story, LANTERN)
