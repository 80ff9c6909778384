"""Edges by hand, what holds about somebody, and the messages word for word."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit
from tidelore.engine.errors import BadInput, Conflict, NotFound


def _say(*texts: str, name: str = "Ann") -> list[dict[str, Any]]:
    return [
        {"role": "user" if at % 2 == 0 else "assistant", "text": text, "name": name if at % 2 == 0 else "Bob"}
        for at, text in enumerate(texts)
    ]


def _found(kit: Kit, query: str, **more: Any) -> list[int]:
    return [each["index"] for each in kit.call("sources.search", chat="c", query=query, **more)["messages"]]


@pytest.fixture
def people() -> Kit:
    kit = Kit()
    for name in ("Mira", "Silas"):
        kit.call("node.write", scope="profile", kind="entity", name=name)
    return kit


HERE = {"chat": "\x1fprofile"}


def _edges(kit: Kit) -> list[tuple[str, str]]:
    return [(each["type"], each["label"]) for each in kit.graph(HERE["chat"])["edges"]]


@pytest.mark.parametrize("query", ["花", "北京", "我喜欢", "喜欢北京的花", "iphone", "CAT", "cats", "100%", "running"])
def test_a_message_is_found_by_its_words_in_every_script_and_form(query: str) -> None:
    kit = Kit()
    kit.show("c", _say("nothing here", "我喜欢北京的花，用iPhone拍的", "The cat runs, 100% sure", "still nothing"))
    assert len(_found(kit, query)) == 1


def test_a_search_needs_all_the_words_and_answers_newest_first() -> None:
    kit = Kit()
    kit.show("c", _say("red apple", "green apple", "red pear", "an apple that is red"))
    assert _found(kit, "red apple") == [3, 0]
    assert _found(kit, "") == [3, 2, 1, 0]
    assert _found(kit, "apple", role="assistant") == [3, 1]
    assert _found(kit, "apple", speaker="ann") == [0]


def test_a_search_is_read_in_pages() -> None:
    kit = Kit()
    kit.show("c", _say(*(f"apple {at}" for at in range(7))))
    seen, before, totals = [], None, []
    while True:
        page = kit.call("sources.search", chat="c", query="apple", limit=3, before=before)
        seen += [each["index"] for each in page["messages"]]
        totals.append(page["total"])
        before = page["next"]
        if before is None:
            break
    assert (seen, totals) == ([6, 5, 4, 3, 2, 1, 0], [7, 4, 1])


def test_an_excerpt_shows_what_was_looked_for() -> None:
    kit = Kit()
    kit.show("c", _say("x " * 500 + "the lighthouse " + "y " * 500))
    (hit,) = kit.call("sources.search", chat="c", query="lighthouse")["messages"]
    assert "lighthouse" in hit["text"]
    assert (len(hit["text"]), hit["length"]) == (320, 2014)
    (whole,) = kit.call("sources.read", chat="c", first=0)["messages"]
    assert whole["text"][hit["offset"] :].startswith(hit["text"])


def test_messages_are_read_with_their_neighbours_within_the_chat() -> None:
    kit = Kit()
    kit.show("c", _say(*"abcdef"))
    shown = kit.call("sources.read", chat="c", first=1, around=2)
    assert ([each["text"] for each in shown["messages"]], shown["total"]) == (["a", "b", "c", "d"], 6)
    assert [each["index"] for each in kit.call("sources.read", chat="c", first=4, last=5)["messages"]] == [4, 5]


@pytest.mark.parametrize("wrong", [{"first": 9}, {"first": 2, "last": 1}, {"first": 0, "last": 9}, {"first": 0, "around": -1}])
def test_a_range_that_is_none_is_refused(wrong: dict[str, int]) -> None:
    kit = Kit()
    kit.show("c", _say("a", "b", "c"))
    with pytest.raises(BadInput):
        kit.call("sources.read", chat="c", **wrong)


def test_two_nodes_are_joined_by_name_and_parted_again(people: Kit) -> None:
    made = people.call("edge.add", **HERE, start="Mira", end="silas", label="sister of")
    assert _edges(people) == [("relates", "sister of")]
    people.call("edge.add", **HERE, start=made["from"][:12], end=made["to"], label="sister of")
    assert _edges(people) == [("relates", "sister of")]
    (first, second) = people.call("edge.remove", **HERE, start="Mira", end="Silas", label="sister of")["commits"]
    assert _edges(people) == []
    people.call("undo", **HERE, commit=first)
    people.call("undo", **HERE, commit=second)
    assert _edges(people) == [("relates", "sister of")]


def test_an_edge_needs_two_nodes_that_are_there(people: Kit) -> None:
    with pytest.raises(NotFound):
        people.call("edge.add", **HERE, start="Mira", end="Nobody")
    with pytest.raises(BadInput):
        people.call("edge.add", **HERE, start="Mira", end="mira")
    with pytest.raises(NotFound):
        people.call("edge.remove", **HERE, start="Mira", end="Silas")


def test_an_edge_that_follows_from_a_memory_is_not_taken_away(people: Kit) -> None:
    fact = people.call("node.write", scope="profile", about="Mira", text="Mira sells clocks.")["node"]
    with pytest.raises(Conflict):
        people.call("edge.remove", **HERE, start=fact, end="Mira", type="about")


def test_the_state_of_somebody_is_what_holds_now(people: Kit) -> None:
    for town in ("Rome", "Oslo"):
        people.call("node.write", scope="profile", about="Mira", text=f"Mira lives in {town}.", fields={"attribute": "home"})
    people.call("node.write", scope="profile", about="Mira", text="Mira sells clocks.")
    people.call("edge.add", **HERE, start="Silas", end="Mira", type="knows")
    state = people.call("state.get", **HERE, about="mira")
    assert [(each["attribute"], each["text"]) for each in state["facts"]] == [("", "Mira sells clocks."), ("home", "Mira lives in Oslo.")]
    assert [(each["type"], each["outgoing"], each["text"]) for each in state["relations"]] == [("knows", False, "Silas")]
    assert people.call("state.get", **HERE, about="Nobody")["node"] == ""


def test_the_state_in_a_chat_includes_what_holds_beyond_it(people: Kit) -> None:
    people.call("node.write", scope="profile", about="Mira", text="Mira sells clocks.")
    people.show("c", _say("hello"))
    people.call("node.write", chat="c", about="Mira", text="Mira is late.")
    alone = people.call("state.get", chat="c", about="Mira")
    both = people.call("state.get", chat="c", about="Mira", scopes=["profile", "character:Nobody"])
    assert [each["text"] for each in alone["facts"]] == ["Mira is late."]
    assert [(each["text"], each["chat"]) for each in both["facts"]] == [("Mira is late.", "c"), ("Mira sells clocks.", HERE["chat"])]


def test_what_was_hidden_is_shown_again(people: Kit) -> None:
    node = people.call("node.retire", **HERE, node=people.nodes(HERE["chat"], "entity")[0]["id"])
    assert len(people.nodes(HERE["chat"], "entity")) == 1
    assert people.call("node.restore", **HERE, node=node["text"])["node"] == node["node"]
    assert len(people.nodes(HERE["chat"], "entity")) == 2
    with pytest.raises(NotFound):
        people.call("node.restore", **HERE, node=node["text"])


def test_several_things_are_written_at_once_or_not_at_all() -> None:
    kit = Kit()
    items: list[dict[str, Any]] = [{"text": "Mira sells clocks.", "about": "Mira"}, {"kind": "entity", "name": "Mira", "sub": "character"}]
    written = kit.call("nodes.write", scope="profile", items=items)["items"]
    (entity,) = kit.nodes(HERE["chat"], "entity")
    assert (entity["sub"], entity["id"]) == ("character", written[1]["node"])
    kit.call("undo", **HERE, commit=written[0]["commit"])
    assert kit.texts(HERE["chat"], "fact") == []
    with pytest.raises(BadInput):
        kit.call("nodes.write", scope="profile", items=[{"text": "one"}, {"kind": "entity"}])
    assert kit.texts(HERE["chat"], "fact") == []
