"""What the engine keeps at hand between calls, settings and sizes of chats, is what is stored, whoever changed it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.host.store import SqliteStore

SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove of the mill."),
    ("Mara", "Biscuit hates the mill, and I live in Saltmarsh."),
)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Kit, Kit]]:
    """Two processes, as it were, on one store: the second has recalled and listed once, and so has all at hand."""
    stores = [SqliteStore(tmp_path), SqliteStore(tmp_path)]
    one, other = (Kit(store=store) for store in stores)
    one.remember("c", SAID)
    assert len(cards(other)) > 1
    assert sizes(other) == {"c": 3}
    yield one, other
    for store in stores:
        store.close()


def cards(kit: Kit) -> list[Any]:
    return list(kit.recall("c", "What does Biscuit do in the mill?", delivered=[])["cards"])


def sizes(kit: Kit) -> dict[str, int]:
    return {each["chat"]: each["messages"] for each in kit.call("chat.list")["chats"]}


@pytest.mark.parametrize("writer", [0, 1])
def test_a_setting_holds_from_the_next_recall_on_wherever_it_was_chosen(both: tuple[Kit, Kit], writer: int) -> None:
    many = len(cards(both[1]))
    both[writer].call("settings.set", values={"recall.limit": 1})
    assert len(cards(both[1])) == 1
    both[writer].call("settings.reset", names=["recall.limit"])
    assert len(cards(both[1])) == many


@pytest.mark.parametrize("writer", [0, 1])
def test_the_list_of_chats_tells_how_long_each_is_now_wherever_it_grew(both: tuple[Kit, Kit], writer: int) -> None:
    both[writer].show("c", [*SAID, *rows(("Tobin", "The ferry leaves at dawn."))])
    both[writer].show("d", SAID[:1])
    assert sizes(both[1]) == {"c": 4, "d": 1}
    both[writer].call("chat.purge", chat="c")
    assert sizes(both[1]) == {"d": 1}
