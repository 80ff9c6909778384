"""Where the messages that a client sends stand in the conversation as it is known."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.serve.gateway import splice
from tidelore.serve.gateway.overlap import overlap

KEYS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def merged(known: str, sent: str) -> str | None:
    found = overlap(known, sent)
    return None if found is None else known[: found.keep] + sent[found.skip :]


@pytest.mark.parametrize(
    ("known", "sent", "now", "why"),
    [
        ("abcd", "abcdef", "abcdef", "it goes on"),
        ("abcd", "cdef", "abcdef", "the client shows the end alone"),
        ("abcd", "def", "abcdef", "less of the end"),
        ("abcdef", "abcd", "abcd", "the last were deleted"),
        ("abcdef", "abcx", "abcx", "one was edited, and the client goes on from there"),
        ("abcdef", "cdx", "abcdx", "the same at the end of a long one"),
        ("abcdef", "Abcdef", "Abcdef", "the first was edited"),
        ("abcdef", "abdef", "abdef", "one in the middle was deleted"),
        ("abcdef", "Sdefg", "abcdefg", "a summary in place of what was dropped is no message"),
        ("cd", "abcdef", "abcdef", "the client knows more of the beginning"),
        ("okaobokc", "okcd", "okaobokcd", "one that stands twice is placed by what follows it"),
        ("axbxcx", "axbxcxd", "axbxcxd", "a word that returns again and again moves nothing"),
        ("axbxcx", "cxd", "axbxcxd", "nor in a client that shows the end"),
        ("abcd", "efgh", None, "nothing in common"),
        ("", "a", None, "nothing is known"),
        ("a", "", None, "nothing is sent"),
    ],
)
def test_the_rule(known: str, sent: str, now: str | None, why: str) -> None:
    assert merged(known, sent) == now, why


@given(st.lists(st.integers(), unique=True, min_size=1, max_size=20), st.data())
def test_a_client_that_shows_any_end_of_what_is_known_and_something_new_loses_nothing(known: list[int], data: st.DataObject) -> None:
    keys = [str(each) for each in known]
    start = data.draw(st.integers(0, len(keys) - 1))
    found = overlap(keys, [*keys[start:], "new"])
    assert found is not None
    assert [*keys[: found.keep], *[*keys[start:], "new"][found.skip :]] == [*keys, "new"]
    assert found.lost == 0


@given(KEYS, KEYS)
def test_what_is_found_keeps_within_both(known: list[str], sent: list[str]) -> None:
    found = overlap(known, sent)
    assert (found is None) == set(known).isdisjoint(sent)
    if found is not None:
        assert 0 <= found.keep < len(known)
        assert 0 <= found.skip < len(sent)
        assert 0 <= found.lost <= len(known) - found.keep
        assert 1 <= found.found <= len(sent)
        # Nothing that the client sends from its first known message on is left out.
        first = next(at for at, key in enumerate(sent) if key in known)
        assert found.skip <= first


# ---- JSON that is changed in place ----

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
SPACES = st.text(alphabet=" \t\n\r", max_size=2)
NAMES = st.text(alphabet=string.ascii_lowercase, min_size=1, max_size=3)


@st.composite
def objects(draw: st.DrawFn) -> tuple[str, list[tuple[str, Any]]]:
    """The text of an object with any spaces, its members in order, names maybe twice."""
    rows = draw(st.lists(st.tuples(NAMES, VALUES), max_size=5))
    members = [
        draw(SPACES) + json.dumps(name) + draw(SPACES) + ":" + draw(SPACES) + json.dumps(value) + draw(SPACES) for name, value in rows
    ]
    return draw(SPACES) + "{" + (",".join(members) or draw(SPACES)) + "}" + draw(SPACES), rows


@given(objects())
def test_the_members_of_an_object_are_found_where_they_stand(made: tuple[str, list[tuple[str, Any]]]) -> None:
    text, rows = made
    found = list(splice.members(text))
    assert [(each.name, each.value) for each in found] == rows
    for each in found:
        assert json.loads(text[each.start : each.end]) == each.value
        assert text[each.key] == '"'


@given(objects(), st.data())
def test_a_member_that_is_taken_out_leaves_the_others_as_they_were(made: tuple[str, list[tuple[str, Any]]], data: st.DataObject) -> None:
    text, rows = made
    found = list(splice.members(text))
    if not found:
        return
    at = data.draw(st.integers(0, len(found) - 1))
    left = splice.apply(text, [splice.removal(text, found[at])])
    assert [(each.name, each.value) for each in splice.members(left)] == [*rows[:at], *rows[at + 1 :]]
    json.loads(left)
    for each in [*found[:at], *found[at + 1 :]]:
        assert text[each.key : each.end] in left


@given(st.lists(VALUES, max_size=5))
def test_the_items_of_a_list_are_found_where_they_stand(values: list[Any]) -> None:
    text = json.dumps(values, indent=1)
    assert [each.value for each in splice.items(text, 0)] == values


@pytest.mark.parametrize("text", ["", "[", "{,}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1', "{1:2}", '{"a":1]', "[1,]", "[1"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        list(splice.items(text, 0) if text.startswith("[") else splice.members(text))
