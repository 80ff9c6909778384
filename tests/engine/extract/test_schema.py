"""What can be remembered, and what people may change about it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.errors import BadInput
from tidelore.engine.schema import DEFAULT, KINDS, Schema


def test_the_default_has_every_kind_and_names_no_sub_twice() -> None:
    assert {sub.kind for sub in DEFAULT.subs} == set(KINDS)
    names = [sub.name for sub in DEFAULT.subs]
    assert len(names) == len(set(names))
    assert not set(names) & set(KINDS)


def test_a_schema_survives_json_unchanged() -> None:
    assert Schema.from_json(DEFAULT.to_json()) == DEFAULT
    assert Schema.from_json(None) == Schema.from_json({}) == DEFAULT


def test_a_person_adds_a_sub_and_a_field_and_loses_nothing() -> None:
    schema = Schema.from_json(
        {
            "kinds": {
                "entity": [{"name": "ship", "meaning": "a starship", "fields": ["hull", {"name": "crew", "required": True}]}],
                "fact": [{"name": "state", "fields": [{"name": "mood", "meaning": "how they feel"}]}],
            }
        }
    )
    assert len(schema.subs) == len(DEFAULT.subs) + 1
    assert "entity/ship: a starship [hull, crew*]" in schema.describe("en").splitlines()
    assert "fact/state: how someone or something is now [mood (how they feel)]" in schema.describe("en")
    state = schema.find("state")
    assert state is not None
    assert state.latest
    assert Schema.from_json(schema.to_json()) == schema


def test_a_new_meaning_replaces_the_old_one_in_both_languages() -> None:
    schema = Schema.from_json({"fact": [{"name": "rule", "meaning": "a law of magic"}]})
    assert "fact/rule: a law of magic" in schema.describe("en")
    assert "fact/rule: a law of magic" in schema.describe("zh")


def test_a_sub_can_be_kept_from_the_model_but_not_removed() -> None:
    schema = Schema.from_json({"thread": [{"name": "question", "extract": False}]})
    assert "thread/question" not in schema.describe("en")
    assert schema.find("question")


def test_only_kinds_that_a_model_may_write_are_described() -> None:
    for language in ("en", "zh", "zh-TW"):
        kinds = {line.split("/")[0] for line in DEFAULT.describe(language).splitlines()}
        assert kinds == {"entity", "moment", "fact", "thread"}
    assert "人物" in DEFAULT.describe("zh")


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([], "kinds"),
        ({"kinds": 3}, "kinds"),
        ({"planet": []}, "planet"),
        ({"moment": None}, "moment"),
        ({"fact": [3]}, "sub 1"),
        ({"fact": [{"meaning": "x"}]}, "name"),
        ({"fact": [{"name": "two words", "meaning": "x"}]}, "two words"),
        ({"fact": [{"name": "event", "meaning": "x"}]}, "event"),
        ({"fact": [{"name": "thread", "meaning": "x"}]}, "thread"),
        ({"fact": [{"name": "oath"}]}, "oath"),
        ({"fact": [{"name": "oath", "meaning": "a\nb"}]}, "meaning"),
        ({"fact": [{"name": "oath", "meaning": "x" * 500}]}, "meaning"),
        ({"fact": [{"name": "oath", "meaning": "x", "latest": "yes"}]}, "latest"),
        ({"fact": [{"name": "oath", "meaning": "x", "fields": {"a": 1}}]}, "fields"),
        ({"fact": [{"name": "oath", "meaning": "x", "fields": ["text"]}]}, "text"),
        ({"fact": [{"name": "oath", "meaning": "x"}, {"name": "oath", "meaning": "y"}]}, "twice"),
        ({"fact": [{"name": f"oath{n}", "meaning": "x"} for n in range(50)]}, "more than"),
    ],
)
def test_a_fault_in_a_schema_is_named_with_a_hint(value: Any, word: str) -> None:
    with pytest.raises(BadInput) as caught:
        Schema.from_json(value)
    assert word in caught.value.sentence
    assert caught.value.hint


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["fact", "oath", "name", "x y", "", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kinds", "fact", "entity", "name", "meaning", "fields", "latest", "extract"]), inner, max_size=4)
    ),
)


@given(JSON_VALUES)
def test_any_value_gives_a_schema_or_bad_input(value: Any) -> None:
    try:
        schema = Schema.from_json(value)
    except BadInput:
        return
    assert Schema.from_json(schema.to_json()) == schema


def test_a_node_is_checked_against_its_sub() -> None:
    assert DEFAULT.check("fact", "state", {"text": "Ann is ill", "attribute": "health"}) == ()
    assert DEFAULT.check("fact", "belief", {"text": "Ann lies", "held_by": "Bo"}) == ()
    assert DEFAULT.check("fact", "belief", {"text": "Ann lies"}) == ("missing field: held_by",)
    assert DEFAULT.check("fact", "state", {"text": " "}) == ("missing field: text",)
    assert DEFAULT.check("entity", "character", {"name": "Ann", "wings": 2}) == ("unknown field: wings",)
    assert DEFAULT.check("planet", "mars", {}) == ("unknown kind: planet",)
    assert DEFAULT.check("fact", "event", {"text": "x"}) == ("unknown sub: fact/event",)
