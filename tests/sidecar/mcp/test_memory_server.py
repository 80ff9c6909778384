"""The nine tools of the reference memory server, with its shapes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sidecar.mcp.kit import Tools, text

Entity = dict[str, Any]


def _entity(name: str, *observations: str, kind: str = "person") -> Entity:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def _relation(start: str, end: str, kind: str = "knows") -> dict[str, str]:
    return {"from": start, "to": end, "relationType": kind}


@pytest.fixture
def tools() -> Tools:
    made = Tools()
    made.data("create_entities", entities=[_entity("Mira", "sells clocks", "has a cat"), _entity("Acme", kind="company")])
    made.data("create_relations", relations=[_relation("Mira", "Acme", "works_at")])
    return made


def test_the_graph_reads_as_it_was_written(tools: Tools) -> None:
    graph = tools.data("read_graph")
    assert {each["name"]: each for each in graph["entities"]} == {
        "Mira": _entity("Mira", "sells clocks", "has a cat") | {"observations": graph["entities"][1]["observations"]},
        "Acme": _entity("Acme", kind="company"),
    }
    assert sorted(graph["entities"][1]["observations"]) == ["has a cat", "sells clocks"]
    assert graph["relations"] == [_relation("Mira", "Acme", "works_at")]
    assert json.loads(text(tools("read_graph"))) == graph


def test_what_exists_is_left_as_it_is(tools: Tools) -> None:
    again = tools.data("create_entities", entities=[_entity("Mira", "is tall"), _entity("Silas"), _entity("Silas")])
    assert [each["name"] for each in again["entities"]] == ["Silas"]
    assert tools.data("create_relations", relations=[_relation("Mira", "Acme", "works_at")])["relations"] == []
    added = tools.data("add_observations", observations=[{"entityName": "Mira", "contents": ["has a cat", "is tall", "is tall"]}])
    assert added["results"] == [{"entityName": "Mira", "addedObservations": ["is tall"]}]


def test_an_entity_that_is_missing_is_an_error_that_changes_nothing(tools: Tools) -> None:
    before = tools.data("read_graph")
    wanted = [{"entityName": "Mira", "contents": ["new"]}, {"entityName": "Nobody", "contents": ["x"]}]
    assert "Entity with name Nobody not found" in text(tools("add_observations", observations=wanted))
    assert tools("create_relations", relations=[_relation("Mira", "Acme", "owns"), _relation("Mira", "Nobody")]).is_error
    assert tools.data("read_graph") == before


def test_deleting_takes_observations_and_relations_along(tools: Tools) -> None:
    assert tools.data("delete_observations", deletions=[{"entityName": "Mira", "observations": ["has a cat", "unknown"]}])["success"]
    assert tools.data("open_nodes", names=["Mira"])["entities"][0]["observations"] == ["sells clocks"]
    assert tools.data("delete_relations", relations=[_relation("Mira", "Acme", "works_at"), _relation("Mira", "Acme", "unknown")])[
        "success"
    ]
    assert tools.data("read_graph")["relations"] == []
    tools.data("create_relations", relations=[_relation("Mira", "Acme", "works_at")])
    assert tools.data("delete_entities", entityNames=["Mira", "Nobody"])["success"]
    graph = tools.data("read_graph")
    assert [each["name"] for each in graph["entities"]] == ["Acme"]
    assert graph["relations"] == []
    assert tools.data("recall", query="Who sells clocks?")["memories"] == []


def test_what_was_deleted_can_be_made_again(tools: Tools) -> None:
    tools.data("delete_entities", entityNames=["Mira"])
    tools.data("create_entities", entities=[_entity("Mira", "sells bread")])
    (mira,) = tools.data("open_nodes", names=["Mira"])["entities"]
    assert mira["observations"] == ["sells bread"]


@pytest.mark.parametrize(("query", "names"), [("clocks", ["Mira"]), ("company", ["Acme"]), ("MIRA", ["Mira"]), ("nothing", [])])
def test_nodes_are_found_by_name_type_and_observation(tools: Tools, query: str, names: list[str]) -> None:
    found = tools.data("search_nodes", query=query)
    assert [each["name"] for each in found["entities"]] == names
    # A relation is told where one of its ends was found.
    assert len(found["relations"]) == bool(names)


@pytest.mark.req("P85")
def test_tool_calls_of_one_turn_all_apply_and_leave_a_valid_memory(tools: Tools) -> None:
    tools.data("create_entities", entities=[_entity("Old", "stays a while")])
    calls: list[tuple[str, dict[str, Any]]] = []
    for at in range(6):
        calls += [
            ("create_entities", {"entities": [_entity(f"New{at}", f"observation {at}"), _entity("Shared", "once")]}),
            ("add_observations", {"observations": [{"entityName": "Mira", "contents": [f"fact {at}", "the same fact"]}]}),
            ("create_relations", {"relations": [_relation("Mira", "Acme", f"relation {at}"), _relation("Mira", "Acme", "works_at")]}),
            ("delete_entities", {"entityNames": ["Old"]}),
        ]
    results = tools.together(*calls)
    assert [text(each) for each in results if each.is_error] == []
    names = {
        each["name"]: each["observations"] for page in tools.pages("read_graph", cursor_name="nextCursor") for each in page["entities"]
    }
    assert set(names) == {"Mira", "Acme", "Shared", *(f"New{at}" for at in range(6))}
    assert sorted(names["Mira"]) == sorted(["sells clocks", "has a cat", "the same fact", *(f"fact {at}" for at in range(6))])
    assert names["Shared"] == ["once"]
    relations = [each for page in tools.pages("read_graph", cursor_name="nextCursor") for each in page["relations"]]
    assert sorted(each["relationType"] for each in relations) == sorted(["works_at", *(f"relation {at}" for at in range(6))])
    # The same from what is stored, read anew.
    tools.service.chats._pools.clear()
    tools.service.chats._version = -1
    again = {each["name"] for page in tools.pages("read_graph", cursor_name="nextCursor") for each in page["entities"]}
    assert again == set(names)


@pytest.mark.req("P99")
def test_a_large_graph_is_read_in_pages_that_a_client_can_take() -> None:
    tools = Tools()
    many = 150
    entities = [
        _entity(f"Person {at:03}", *(f"Observation {n} of person {at:03}, of an ordinary length." for n in range(5))) for at in range(many)
    ]
    entities[7]["observations"] += [f"Observation {n} of a busy life." for n in range(50)]
    entities[8]["observations"] += ["word " * 4000]
    assert sum(len(each["observations"]) for each in entities) > 800
    tools.data("create_entities", entities=entities)
    tools.data("create_relations", relations=[_relation(f"Person {at:03}", f"Person {at + 1:03}") for at in range(60)])
    first = tools.data("read_graph")
    assert (first["totalEntities"], first["totalRelations"]) == (many, 60)
    pages = tools.pages("read_graph", cursor_name="nextCursor")
    assert 5 < len(pages) < 40
    told: dict[str, list[str]] = {}
    for page in pages:
        for each in page["entities"]:
            told.setdefault(each["name"], []).extend(each["observations"])
    for each in entities:
        assert sorted("".join(told[each["name"]])) == sorted(
            "".join(each["observations"]).rstrip() if each is not entities[8] else "".join(o.strip() for o in each["observations"])
        )
    assert sum(len(page["relations"]) for page in pages) == 60
