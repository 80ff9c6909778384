"""From the items of an answer to operations that stand alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.extract.answers import MET, RAIN, codes, edge, edges, entity, fact, nodes, run, stated
from tidelore.engine.extract.prompt import PromptMessage
from tidelore.engine.model import EnsureEdge, EnsureNode, Evident, Known, Named, Quote, Speaker


@pytest.mark.req("F7")
def test_a_fact_about_a_third_person_keeps_its_subject() -> None:
    resolved = run(fact("Lin, Mara's co-worker, has a PhD", [{"message": 1, "quote": "Lin has a PhD"}], subject="Lin", attribute="degree"))
    (node,) = stated(resolved)
    assert node.subject == Named("Lin")
    assert node.fields == {"text": "Lin, Mara's co-worker, has a PhD", "attribute": "degree"}
    assert EnsureNode(Named("Lin"), "character", {}, (Quote(0, "Lin"),)) in resolved.operations


@pytest.mark.req("F11")
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Ilse", Speaker(1)),
        ("ILSE ", Speaker(1)),
        ("Ilse (assistant)", Speaker(1)),
        ("speaker:2", Speaker(1)),
        ("speaker:3", Speaker(0)),
        ("the user", Speaker(0)),
        ("{{char}}", Speaker(1)),
        ("I", Speaker(1)),
        ("G7", Speaker(1)),
        ("G2", Named("Oskar")),
        ("oskar", Named("Oskar")),
        ("Lin", Named("Lin")),
        ("小雨", Named("小雨")),
        ("Nobody", None),
        ("speaker:9", None),
    ],
)
def test_a_subject_is_whoever_is_meant(word: str, expected: object) -> None:
    (node,) = stated(run(fact("It rains", RAIN, subject=word)))
    assert node.subject == expected


@pytest.mark.req("F11", "F9")
def test_among_several_speakers_of_a_role_the_cited_one_is_meant() -> None:
    group = [PromptMessage(1, "assistant", "Ann", "I row."), PromptMessage(2, "assistant", "Bo", "I swim.")]
    resolved = run(
        fact("Bo swims", [{"message": 2, "quote": "I swim"}], subject="assistant"),
        fact("One rows", [1, 2], subject="assistant"),
        window=group,
    )
    assert [node.subject for node in stated(resolved)] == [Speaker(1), None]
    assert codes(resolved) == ["subject unknown"]


def test_speakers_without_a_name_are_known_by_their_role() -> None:
    window = [PromptMessage(1, "assistant", "", "Hi."), PromptMessage(2, "user", "", "I row.")]
    (node,) = stated(run(fact("The user rows", [{"message": 2, "quote": "I row"}], subject="user"), window=window))
    assert node.subject == Speaker(1)


@pytest.mark.req("S21")
def test_a_name_that_stands_nowhere_in_the_window_is_dropped_and_counted() -> None:
    resolved = run(entity("Zorblax", evidence=MET), entity("Lin"), entity("Art", evidence=MET))
    assert [node.ref for node in nodes(resolved)] == [Named("Lin")]
    assert (resolved.kept, resolved.dropped) == (1, 2)
    assert codes(resolved) == ["name not in window", "name not in window"]


@pytest.mark.parametrize("name", ["Old Harbour", "the old harbour", "Лина", "小雨", "lin"])
def test_a_name_is_found_whatever_its_case_ending_and_script(name: str) -> None:
    assert len(nodes(run(entity(name)))) == 1


@pytest.mark.req("S21")
def test_aliases_of_a_model_are_suggestions_and_must_stand_in_the_texts() -> None:
    (node,) = nodes(run(entity("Lin", fields={"aliases": ["co-worker", "Linda"]})))
    assert node.fields == {"suggested_aliases": ("co-worker",)}


def test_an_entity_named_twice_is_one_node_with_all_fields() -> None:
    resolved = run(
        entity("Lin", fields={"traits": "clever"}), entity("lin", fields={"goal": "rest"}), entity("Lin", fields={"goal": "rest"})
    )
    assert [dict(node.fields) for node in nodes(resolved)] == [{"traits": "clever", "goal": "rest"}]
    assert codes(resolved) == ["duplicate"]


@pytest.mark.req("S21")
@pytest.mark.parametrize(
    ("cite", "expected"),
    [
        ({"message": 1, "quote": "We met"}, Quote(0, "We met")),
        ({"message": 1, "quote": 'met in "Bergen" - near'}, Quote(0, "met* in “Bergen” — near")),
        ({"message": 1, "quote": "  HAS  a\nphd "}, Quote(0, "has a PhD")),
        ({"message": 1, "quote": "“My co-worker ... a PhD.”"}, Quote(0, "My co-worker Lin has a PhD.")),
        ({"message": "[1]", "quote": "[1] Mara: My co-worker"}, Quote(0, "My co-worker")),
        ({"message": 1, "quote": "I hate rain"}, Quote(1, "I hate rain")),
        ({"message": 40, "quote": "I hate rain"}, Quote(1, "I hate rain")),
        ({"msg": 1, "quote": "认识了小雨"}, Quote(2, "认识了小雨")),
        ({"2": "I hate rain"}, Quote(1, "I hate rain")),
        ("I hate rain", Quote(1, "I hate rain")),
        (2, Quote(1)),
        ("3", Quote(2)),
    ],
)
def test_a_quote_is_found_where_it_stands(cite: Any, expected: Quote) -> None:
    (node,) = nodes(run(fact("It is so", [cite])))
    assert node.evidence == (expected,)
    assert node.ref == Evident("fact", (expected.message,), 0)


@pytest.mark.req("S21", "S16")
@pytest.mark.parametrize("evidence", [[], [{"message": 1, "quote": "They sang"}], [9], [{"message": 0, "quote": ""}], "They sang"])
@pytest.mark.parametrize("kind", ["fact", "moment"])
def test_what_no_message_says_is_dropped(evidence: Any, kind: str) -> None:
    resolved = run(fact("They sang", evidence, kind=kind, sub=""))
    assert resolved.operations == ()
    assert resolved.dropped == 1
    assert "no evidence" in codes(resolved)


def test_one_good_quote_keeps_an_item_and_the_bad_one_is_reported() -> None:
    resolved = run(fact("They met", [*MET, {"message": 2, "quote": "They sang"}]))
    assert [node.evidence for node in nodes(resolved)] == [(Quote(0, "We met"),)]
    assert codes(resolved) == ["quote not found"]


@pytest.mark.req("F27")
def test_the_words_of_a_memory_need_not_be_those_of_the_message() -> None:
    assert len(nodes(run(fact("Two people became acquainted after lunch")))) == 1


@pytest.mark.req("P37")
def test_a_number_outside_the_window_costs_its_evidence_alone() -> None:
    resolved = run(fact("They met", [{"message": 99}, *MET]))
    assert len(nodes(resolved)) == 1
    assert codes(resolved) == ["message outside window"]


def test_items_with_equal_evidence_are_told_apart_by_their_order() -> None:
    resolved = run(fact("One"), fact("Two"), fact("Three", [2, 1]), {**fact("Four"), "kind": "moment", "sub": "event"})
    assert [node.ref for node in nodes(resolved)] == [
        Evident("fact", (0,), 0),
        Evident("fact", (0,), 1),
        Evident("fact", (0, 1), 0),
        Evident("moment", (0,), 0),
    ]


@pytest.mark.req("B31", "F5")
def test_an_update_of_a_known_fact_is_a_new_fact_in_its_line() -> None:
    resolved = run({"op": "update", "key": "G1", "kind": "fact", "text": "Ilse hates rain", "attribute": "mood", "evidence": RAIN})
    (node,) = stated(resolved)
    assert (node.sub, node.subject, node.fields["attribute"]) == ("preference", Speaker(1), "weather")
    assert edges(resolved) == []


def test_a_new_fact_replaces_a_known_one_that_has_no_line() -> None:
    resolved = run(fact("Bergen is dry", key="G4"))
    assert edges(resolved) == [EnsureEdge("replaces", Evident("fact", (0,)), Known("id-note"))]


def test_an_update_of_a_known_entity_states_it_by_its_name() -> None:
    resolved = run({"op": "node", "key": "g2", "kind": "entity", "fields": {"state": "wet"}, "evidence": MET})
    assert nodes(resolved) == [EnsureNode(Named("Oskar"), "character", {"state": "wet"}, (Quote(0, "We met"),))]


def test_an_update_of_a_known_speaker_follows_a_rename() -> None:
    (node,) = nodes(run({"op": "node", "key": "G7", "kind": "entity", "fields": {"state": "wet"}, "evidence": RAIN}))
    assert node.ref == Speaker(1)


def test_what_goes_on_from_a_known_moment_is_a_new_moment() -> None:
    resolved = run({"op": "node", "key": "G3", "kind": "moment", "text": "They met again", "evidence": MET})
    assert edges(resolved) == [EnsureEdge("continues", Evident("moment", (0,)), Known("id-met"))]


@pytest.mark.req("B33")
def test_changes_of_one_state_stay_in_one_line_and_make_no_events() -> None:
    moods = [fact(f"Ilse is {mood}", [2], sub="state", subject="Ilse", attribute="mood") for mood in ("sad", "glad", "cross")]
    resolved = run(*moods)
    assert {(node.subject, node.fields["attribute"]) for node in stated(resolved)} == {(Speaker(1), "mood")}
    assert [node.ref for node in stated(resolved)] == [Evident("fact", (1,), at) for at in range(3)]


@pytest.mark.req("B35")
def test_only_stated_links_become_edges() -> None:
    assert edges(run(*(fact(f"Fact {number}") for number in range(10)))) == []


def test_edges_join_keys_names_speakers_and_known_nodes() -> None:
    resolved = run(
        edge("n1", "Old Harbour", "occurred_at"),
        edge("n1", "G3", "continues"),
        edge("n1", "The search", "part_of"),
        edge("speaker:1", "G2", label="married to"),
        {**fact("They met"), "kind": "moment", "sub": "event", "key": "n1"},
        {"op": "node", "key": "t", "kind": "thread", "sub": "plot", "name": "The search", "evidence": MET},
    )
    moment = Evident("moment", (0,))
    assert edges(resolved) == [
        EnsureEdge("occurred_at", moment, Named("Old Harbour")),
        EnsureEdge("continues", moment, Known("id-met")),
        EnsureEdge("part_of", moment, Named("The search", "thread")),
        EnsureEdge("relates", Speaker(0), Named("Oskar"), "married to"),
    ]
    assert EnsureNode(Named("Old Harbour"), "location", {}, (Quote(0, "Old Harbour"),)) in resolved.operations
    assert Named("Oskar") not in [node.ref for node in nodes(resolved)]
    assert (resolved.kept, resolved.dropped) == (6, 0)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (edge("n1", "Nobody"), "unresolvable end"),
        (edge("n1", "n1"), "unresolvable end"),
        (edge("n1", "G99"), "unresolvable end"),
        (edge("n1", "Lin", "loves"), "unknown edge type"),
        (edge("n1", "Lin", "evidence"), "unknown edge type"),
    ],
)
def test_an_edge_that_leads_nowhere_is_dropped(bad: dict[str, Any], code: str) -> None:
    resolved = run(fact("They met", key="n1"), bad)
    assert edges(resolved) == []
    assert codes(resolved) == [code]
    assert (resolved.kept, resolved.dropped) == (1, 1)


def test_an_edge_stated_twice_is_one() -> None:
    resolved = run(fact("They met", key="n1"), edge("n1", "Lin"), edge("n1", "lin"), edge("n1", "Lin", label="x"))
    assert [item.label for item in edges(resolved)] == ["", "x"]
