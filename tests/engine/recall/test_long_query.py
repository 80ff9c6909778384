"""Of a query that goes on and on the end is looked at."""

from __future__ import annotations

from tidelore.engine.recall.query import LOOKED_AT, ending


def test_of_a_long_text_the_end_is_kept_from_a_word_on() -> None:
    text = "Ann met Bo in Lisbon. " * 400_000 + "Where is the brass key?"
    found = ending(text)
    assert LOOKED_AT // 2 < len(found) <= LOOKED_AT
    assert found.endswith("Where is the brass key?")
    assert set(found.split()) <= set(text[-100:].split())


def test_a_text_without_a_gap_is_cut_all_the_same() -> None:
    assert ending("a" * 8_000_000) == "a" * LOOKED_AT
    assert len(ending("饼" * 8_000_000)) == LOOKED_AT


def test_a_shorter_text_stays_whole() -> None:
    text = "Ann met Bo. " * 300 + "Where?"
    assert ending(text) == text
