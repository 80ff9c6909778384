"""Fields, and the many shapes in which models write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.extract.answers import KNOWN, MET, WINDOW, codes, edges, fact, nodes, run, stated
from tidelore.engine.extract.answer import Answer
from tidelore.engine.extract.resolve import resolve
from tidelore.engine.model import EnsureEdge, EnsureNode, Evident, Known, Named, Speaker
from tidelore.engine.schema import DEFAULT, Schema


def test_fields_arrive_as_values_of_a_node() -> None:
    (node,) = stated(
        run(
            fact(
                "Ilse fears Lin",
                sub="belief",
                importance="14",
                story_time="second night",
                known_by=["speaker:1", "Lin"],
                held_by="{{char}}",
                value=["a", 3],
                fields={"certainty": "unsure", "emotion": None, "wings": 2},
            )
        )
    )
    assert node.fields == {
        "text": "Ilse fears Lin",
        "importance": 10,
        "story_time": "second night",
        "known_by": (Speaker(0), "Lin"),
        "held_by": Speaker(1),
        "value": ("a", "3"),
        "certainty": "unsure",
    }


@pytest.mark.parametrize(
    ("given_value", "expected"), [(0, 1), (7.6, 8), (0.4, 4), ("8/10", 8), (-3, 1), ("high", None), (True, None), ([5], None)]
)
def test_importance_is_one_to_ten(given_value: Any, expected: int | None) -> None:
    (node,) = nodes(run(fact("They met", importance=given_value)))
    assert node.fields.get("importance") == expected


def test_an_unknown_sub_becomes_the_usual_one_of_its_kind() -> None:
    resolved = run(fact("They met", sub="gossip"), fact("Ilse is wet", sub="gossip", attribute="clothes"))
    assert [node.sub for node in nodes(resolved)] == ["context", "state"]
    assert codes(resolved) == ["unknown sub", "unknown sub"]


def test_subs_and_fields_of_ones_own_are_understood() -> None:
    schema = Schema.from_json({"fact": [{"name": "oath", "meaning": "a vow", "fields": [{"name": "sworn_to", "required": True}]}]})
    resolved = run(fact("Ilse swore", sub="oath", fields={"swornTo": "Lin"}), fact("Mara swore", sub="oath"), schema=schema)
    assert [dict(node.fields) for node in nodes(resolved)] == [{"text": "Ilse swore", "sworn_to": "Lin"}]
    assert codes(resolved) == ["missing field"]


def test_the_answer_shape_of_st_bme_is_understood() -> None:
    resolved = run(
        {
            "action": "create",
            "type": "event",
            "ref": "e1",
            "fields": {"title": "Meeting", "summary": "Mara met Lin", "participants": ["Mara", "Lin"], "status": "resolved"},
            "importance": 6,
            "evidence": MET,
            "storyTime": {"label": "spring", "tense": "past"},
            "links": [{"targetRef": "c1", "relation": "involved_in", "strength": 0.8}, {"targetNodeId": "G3", "relation": "evolves"}],
        },
        {"action": "create", "type": "character", "ref": "c1", "fields": {"name": "Lin", "traits": "clever"}},
        {
            "action": "create",
            "type": "pov_memory",
            "fields": {"summary": "Ilse thinks rain is bad", "certainty": "certain", "about": "Ilse"},
            "scope": {"layer": "pov", "ownerName": "Ilse"},
            "message": 2,
            "quote": "I hate rain now",
        },
        {"action": "_skip"},
        {"action": "delete", "nodeId": "G1"},
    )
    event, lin, view = stated(resolved)
    assert (event.sub, event.fields["text"], event.fields["title"]) == ("event", "Mara met Lin", "Meeting")
    assert (event.fields["participants"], event.fields["story_time"]) == ((Speaker(0), "Lin"), "spring")
    assert (lin.ref, lin.fields) == (Named("Lin"), {"traits": "clever"})
    assert (view.sub, view.fields["held_by"], view.subject) == ("belief", Speaker(1), Speaker(1))
    assert edges(resolved) == [
        EnsureEdge("involved_in", Evident("moment", (0,)), Named("Lin")),
        EnsureEdge("replaces", Evident("moment", (0,)), Known("id-met")),
    ]
    assert codes(resolved) == ["not allowed"]


@pytest.mark.parametrize(
    "item",
    [
        {"memory": "They met", "type": "fact", "evidence": MET},
        {"content": "They met", "type": "context", "source": 1},
        {"action": "add", "kind": "fact/context", "text": "They met", "messages": [1]},
        {"op": "fact", "text": "They met", "evidence": MET},
        {"操作": "新增", "类型": "事实", "内容": "They met", "消息": 1},
        {"op": "NODE", "nodeType": "Fact", "summary": "They met", "evidence": {"message": 1, "quote": "We met"}},
    ],
)
def test_other_names_for_the_parts_of_an_item_are_understood(item: dict[str, Any]) -> None:
    (node,) = nodes(run(item))
    assert (node.ref, node.fields["text"]) == (Evident("fact", (0,)), "They met")


@pytest.mark.parametrize(
    "item",
    [
        {"action": "link", "sourceRef": "Lin", "targetNodeId": "G2", "relation": "related_to"},
        {"type": "relates", "source": "Lin", "target": "Oskar"},
        {"op": "create", "type": "knows", "from": {"name": "Lin"}, "to": {"key": "G2"}},
    ],
)
def test_other_names_for_the_parts_of_an_edge_are_understood(item: dict[str, Any]) -> None:
    (found,) = edges(run(item))
    assert (found.start, found.end) == (Named("Lin"), Named("Oskar"))


WORDS = st.sampled_from(
    [
        *(
            "node",
            "edge",
            "delete",
            "fact",
            "moment",
            "entity",
            "thread",
            "state",
            "Lin",
            "Ilse",
            "G1",
            "G2",
            "G3",
            "n1",
            "speaker:1",
            "I",
            "",
            "We met",
        ),
        *("They met", "relates", "knows", "1", "user", "Oskar", "[2]", "...", "小雨", "\ufffd", '"', "about", "G6", "G5"),
    ]
)
KEYS = st.sampled_from(
    [
        *(
            "op",
            "action",
            "kind",
            "type",
            "sub",
            "key",
            "ref",
            "nodeId",
            "name",
            "text",
            "summary",
            "subject",
            "attribute",
            "value",
            "fields",
        ),
        *(
            "evidence",
            "message",
            "quote",
            "importance",
            "story_time",
            "known_by",
            "held_by",
            "from",
            "to",
            "label",
            "links",
            "scope",
            "title",
            "id",
        ),
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-2, 99) | st.floats() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.req("B15")
@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=9), max_size=6))
def test_any_answer_gives_whole_operations_that_stand_alone(raw: list[dict[str, Any]]) -> None:
    resolved = resolve(Answer(tuple(raw), 0, (), "items"), WINDOW, KNOWN, DEFAULT)
    refs = {node.ref for node in nodes(resolved)}
    for operation in resolved.operations:
        if isinstance(operation, EnsureNode):
            assert operation.evidence
            assert all(0 <= quote.message < len(WINDOW) and quote.text in WINDOW[quote.message].text for quote in operation.evidence)
            assert not isinstance(operation.ref, Known)
            assert "aliases" not in operation.fields
            assert all(isinstance(value, str | int | float | bool | tuple) for value in operation.fields.values())
            if isinstance(operation.ref, Evident):
                assert operation.fields["text"]
        else:
            assert isinstance(operation, EnsureEdge)
            assert operation.start != operation.end
            assert all(end in refs for end in (operation.start, operation.end) if isinstance(end, Evident))
    assert resolved == resolve(Answer(tuple(raw), 0, (), "items"), WINDOW, KNOWN, DEFAULT)
