"""Memories as a list, and the graph in part: searched, filtered, sorted, as of any message."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput


@pytest.fixture
def kit() -> CareKit:
    return CareKit()


def _texts(kit: CareKit, **more: Any) -> list[str]:
    return [row["text"] for row in kit.call("node.list", chat=CHAT, **more)["nodes"]]


@pytest.mark.parametrize("query", ["drowned last winter", "DROWNED winter", "winters drown", "ferryman of Ald"])
def test_words_are_found_in_any_form_and_so_is_the_beginning_of_what_was_said(kit: CareKit, query: str) -> None:
    assert _texts(kit, query=query, kinds=["moment"]) == [STORY[3]["text"]]


def test_han_and_other_names_are_found(kit: CareKit) -> None:
    kit.fact(3, "船夫去年冬天淹死了。")
    assert _texts(kit, query="冬天") == ["船夫去年冬天淹死了。"]
    kit.call("entity.alias", chat=CHAT, name="Mara", alias="Captain of the Night")
    assert _texts(kit, query="captain night") == ["Mara"]


def test_lists_are_sorted_and_come_a_page_at_a_time(kit: CareKit) -> None:
    kit.call("node.edit", chat=CHAT, node=kit.id_of(STORY[2]["text"]), fields={"importance": 9})
    said = [row["text"] for row in STORY]
    assert _texts(kit, kinds=["moment"], sort="oldest") == said
    assert _texts(kit, kinds=["moment"]) == said[::-1]
    assert _texts(kit, kinds=["moment"], sort="importance")[0] == said[2]
    assert _texts(kit, kinds=["moment"], sort="changed")[0] == said[2]
    assert _texts(kit, kinds=["moment"], sort="text") == sorted(said, key=str.casefold)
    page = kit.call("node.list", chat=CHAT, kinds=["moment"], sort="oldest", limit=4)
    assert (page["total"], page["next"]) == (6, 4)
    page = kit.call("node.list", chat=CHAT, kinds=["moment"], sort="oldest", limit=4, offset=4)
    assert ([row["text"] for row in page["nodes"]], page["next"]) == (said[4:], None)


def test_a_search_shows_what_was_said_before_what_was_asked_about_it() -> None:
    kit = Kit()
    told, asked = "I'll keep the compass in the blue chest.", "Remind me: where do you keep the compass?"
    kit.remember("c", rows(("Sam", "I brought you a compass."), ("Mira", told), ("Sam", "The reef is calm today."), ("Mira", asked)))

    def found(**more: Any) -> list[str]:
        return [row["text"] for row in kit.call("node.list", chat="c", query="compass", kinds=["moment"], **more)["nodes"]]

    assert found() == [told, "I brought you a compass.", asked]
    assert found(sort="oldest") == ["I brought you a compass.", told, asked]
    assert found(limit=1, offset=2) == [asked]


def test_a_row_says_where_a_memory_is_from_and_how_it_is_treated(kit: CareKit) -> None:
    node = kit.fact(3, "The ferryman drowned.", importance=8)
    kit.call("node.pin", chat=CHAT, node=node)
    (row,) = kit.call("node.list", chat=CHAT, kinds=["fact"])["nodes"]
    expected = {"id": node, "first": 3, "last": 3, "importance": 8.0, "pinned": True, "private": False, "evidence": 1, "edges": 1}
    assert expected.items() <= row.items()
    assert (row["author"], row["state"]) == ("person", "current")
    assert (row["speaker"], row["date"]) == ("Tobin", STORY[3].get("date", ""))
    assert _texts(kit, marked="pinned") == ["The ferryman drowned."]


def test_a_row_has_the_date_of_the_first_message_and_neither_where_it_rests_on_none(kit: CareKit) -> None:
    dated = [{**row, "date": f"2026-11-{10 + at}"} for at, row in enumerate(STORY)]
    kit.remember(CHAT, dated)
    kit.call("node.write", chat=CHAT, text="The toll is a copper.")
    found = {row["text"]: (row["speaker"], row["date"]) for row in kit.call("node.list", chat=CHAT)["nodes"]}
    assert found[STORY[3]["text"]] == ("Tobin", "2026-11-13")
    assert found["The toll is a copper."] == ("", "")


def test_what_hangs_together_with_somebody_is_listed(kit: CareKit) -> None:
    kit.fact(3, "The ferryman drowned.")
    kit.fact(5, "The sexton rows.", "Sexton")
    assert sorted(_texts(kit, about="Ferryman")) == ["Ferryman", "The ferryman drowned."]


def test_states_scopes_kinds_subs_and_time_filter_both_list_and_graph(kit: CareKit) -> None:
    old, new = kit.fact(0, "It burns.", "Lantern", attribute="light"), kit.fact(4, "It is out.", "Lantern", attribute="light")
    hidden = kit.id_of(STORY[1]["text"])
    kit.call("node.retire", chat=CHAT, node=hidden)
    filters: list[tuple[dict[str, Any], set[str]]] = [
        ({"states": ["superseded"]}, {old}),
        ({"states": ["hidden"]}, {hidden}),
        ({"kinds": ["fact"]}, {old, new}),
        ({"kinds": ["fact"], "first": 3}, {new}),
        ({"kinds": ["fact"], "last": 3}, {old}),
        ({"kinds": ["fact"], "scopes": ["profile"]}, set()),
        ({"subs": ["context"]}, {old, new}),
    ]
    for wanted, ids in filters:
        assert {row["id"] for row in kit.call("node.list", chat=CHAT, **wanted)["nodes"]} == ids, wanted
        assert {row["id"] for row in kit.call("graph.get", chat=CHAT, **wanted)["nodes"]} == ids, wanted


def test_a_part_of_a_graph_has_only_edges_between_its_nodes(kit: CareKit) -> None:
    kit.fact(3, "The ferryman drowned.")
    view = kit.call("graph.get", chat=CHAT, kinds=["fact", "entity"], first=3, last=3)
    ids = {node["id"] for node in view["nodes"]}
    assert view["edges"]
    assert all(edge["from"] in ids and edge["to"] in ids for edge in view["edges"])
    assert all(edge["type"] != "continues" for edge in view["edges"])


def test_the_graph_as_of_a_message_is_filtered_too(kit: CareKit) -> None:
    early = kit.call("graph.get", chat=CHAT, at=2, kinds=["moment"])
    assert sorted(node["text"] for node in early["nodes"]) == sorted(row["text"] for row in STORY[:3])


@pytest.mark.parametrize(
    "wrong",
    [
        {"kinds": ["thing"]},
        {"states": ["gone"]},
        {"scopes": ["world"]},
        {"first": 3, "last": 1},
        {"limit": 0},
        {"limit": 501},
        {"offset": -1},
    ],
)
def test_a_filter_that_is_none_is_refused(kit: CareKit, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        kit.call("node.list", chat=CHAT, **wrong)
