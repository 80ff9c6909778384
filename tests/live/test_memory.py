"""What a user does to a chat in SillyTavern, and what becomes of its memory: after each step exactly what the chat on screen supports."""

from __future__ import annotations

import pytest

from tests.live.memory import holds, injected, lawful, ready, settled, texts
from tests.live.stage import Tab


@pytest.fixture
def story(tab: Tab) -> Tab:
    """Three exchanges in a new chat, remembered."""
    ready(tab)
    tab.model.queue("Biscuit is a fine name for a cat.", "Lisbon has seven hills.", "The sea frightens me, Sam.")
    for words in ("My cat is called Biscuit.", "I was born in Lisbon.", "What frightens you?"):
        tab.send(words)
    lawful(tab)
    assert holds(tab, "Biscuit")
    return tab


def test_the_graph_grows_and_what_was_told_long_ago_reaches_the_model(story: Tab) -> None:
    settled(story)
    story.send("What is my cat called?")
    assert texts(story)
    print(injected(story.model.prompts()[-1]))
