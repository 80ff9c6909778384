"""The table of methods: bad input gets a sentence and a hint, results hold what they say, nothing half-happens."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.errors import BadInput, Conflict, NotFound, TideloreError
from tidelore.engine.service import METHODS

SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove."),
    ("Mara", "Then she is forgiven, since the herring was old."),
)


@pytest.fixture
def kit() -> Kit:
    kit = Kit()
    kit.remember("c", SAID)
    return kit


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("chat.updat", {}, "no method named"),
        ("chat.update", {"chat": "c"}, "lacks 'messages'"),
        ("chat.update", {"chat": 3, "messages": []}, "params.chat must be text, not 3"),
        ("chat.update", {"chat": "  ", "messages": []}, "must hold a letter"),
        ("chat.update", {"chat": "c", "messages": {}}, "must be a list"),
        ("chat.update", {"chat": "c", "messages": ["hello"]}, "messages[]"),
        ("chat.update", {"chat": "c", "messages": [{"role": "user"}]}, "lacks 'text'"),
        ("chat.update", {"chat": "c", "messages": [{"role": "king", "text": "x"}]}, "'king'"),
        ("chat.update", {"chat": "c", "messages": [{"role": "user", "text": None}]}, "must be text, not null"),
        ("chat.update", {"chat": "c", "messages": [], "colour": 1}, "'colour'"),
        ("chat.update", [], "must be an object"),
        ("extract.run", {"chat": "c", "by": "magic"}, "'rules' or 'model'"),
        ("extract.run", {"chat": "c", "lag": -1}, "lag is -1"),
        ("extract.run", {"chat": "c", "lag": True}, "not True"),
        ("extract.run", {"chat": "c", "range": [2, 1]}, "range is [2, 1]"),
        ("extract.run", {"chat": "c", "range": [1]}, "range is [1]"),
        ("extract.run", {"chat": "c", "range": [0, 3]}, "range is 3"),
        ("extract.run", {"chat": "c", "exchanges": 0}, "exchanges is 0"),
        ("extract.run", {"chat": "c", "by": "model"}, "No memory model"),
        ("graph.get", {"chat": "c", "at": 9}, "at is 9"),
        ("node.edit", {"chat": "c", "node": "x", "fields": {}}, "fields is empty"),
        ("recall.run", {"chat": "c", "query": "x", "preset": "loud"}, "'loud'"),
        ("recall.run", {"chat": "c", "query": "x", "budget": 0}, "budget is 0"),
        ("entity.alias", {"chat": "c", "name": "", "alias": "x"}, "letter"),
    ],
)
def test_bad_input_is_named_with_what_is_expected(kit: Kit, method: str, params: Any, words: str) -> None:
    before = kit.graph("c")
    with pytest.raises(BadInput) as raised:
        kit.run_sync(kit.service.call(method, params))
    assert words in raised.value.sentence
    assert kit.graph("c") == before


@pytest.mark.parametrize("method", ["extract.plan", "graph.get", "stats"])
def test_an_unknown_chat_is_not_made_by_reading(kit: Kit, method: str) -> None:
    with pytest.raises(NotFound) as raised:
        kit.call(method, chat="nowhere")
    assert "nowhere" in raised.value.sentence
    assert [chat["chat"] for chat in kit.call("chat.list")["chats"]] == ["c"]


def test_a_bad_message_changes_nothing_of_the_others(kit: Kit) -> None:
    before = kit.graph("c")
    with pytest.raises(BadInput):
        kit.show("c", [*SAID, {"role": "user", "text": 7}])
    assert kit.graph("c") == before
    assert kit.show("c", SAID)["inserted"] == 0


def test_a_branch_of_an_unknown_chat_is_refused_and_not_made(kit: Kit) -> None:
    with pytest.raises(NotFound):
        kit.show("d", SAID, branch_of="nowhere")
    assert len(kit.call("chat.list")["chats"]) == 1


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\0b", "名字", "🦊", "x" * 5000, "Robert'); drop table chats;--", "a\nb"])
def test_any_text_is_a_chat_name(name: str) -> None:
    kit = Kit()
    kit.remember(name, SAID)
    assert kit.nodes(name, "moment")
    kit.restart()
    (found,) = kit.call("chat.list")["chats"]
    assert (found["chat"], found["messages"], found["branch_of"], found["parent_gone"]) == (name, 3, "", False)


@pytest.mark.parametrize(
    "text", ["\ud800", "a\0b", "\ufeffhello there, miller", "e\u0301" * 50, "\u202eabc def", "{{user}} </tidelore-memory>"]
)
def test_odd_texts_are_stored_and_read_back(text: str) -> None:
    kit = Kit()
    kit.remember("c", rows(("Mara", f"The sign on the mill reads {text} in red paint.")))
    graph = kit.graph("c")
    kit.restart()
    assert kit.graph("c") == graph
    assert kit.recall("c", "What does the sign on the mill read?")["cards"]


def test_a_range_is_closed_at_both_ends_and_ignores_the_lag() -> None:
    kit = Kit()
    kit.show("c", rows(*((("Mara", "Tobin")[at % 2], f"Lantern number {at} burns over the quay.") for at in range(40))))
    result = kit.call("extract.run", chat="c", by="rules", range=[10, 20])
    assert (result["windows"], result["commits"]) == (11, 11)
    assert sorted(kit.texts("c", "moment")) == sorted(f"Lantern number {at} burns over the quay." for at in range(10, 21))
    again = kit.call("extract.run", chat="c", by="rules", range=[10, 20])
    assert again["commits"] == 0, "the same rules on the same words say nothing new"


def test_the_newest_exchange_is_left_alone_by_default() -> None:
    kit = Kit()
    kit.show("c", SAID)
    assert [window["first"] for window in kit.call("extract.plan", chat="c", by="rules")["windows"]] == [0, 1]
    assert kit.call("extract.run", chat="c")["windows"] == 2
    assert kit.call("extract.plan", chat="c", by="rules", lag=0)["windows"] == [{"first": 2, "last": 2}]


def test_a_gap_in_the_middle_is_found_and_filled_alone() -> None:
    kit = Kit()
    said = rows(*((("Mara", "Tobin")[at % 2], f"Lantern number {at} burns over the quay.") for at in range(12)))
    kit.remember("c", said)
    said[5] = {**said[5], "text": "The fifth lantern is out."}
    kit.show("c", said)
    assert kit.call("extract.plan", chat="c", by="rules", lag=0)["windows"] == [{"first": 5, "last": 5}]
    assert kit.call("extract.run", chat="c", lag=0)["windows"] == 1


def test_an_edit_by_someone_who_saw_something_else_is_a_conflict(kit: Kit) -> None:
    node = kit.nodes("c", "moment")[0]
    kit.call("node.edit", chat="c", node=node["id"], fields={"text": "one"}, expects={"text": node["text"]})
    with pytest.raises(Conflict):
        kit.call("node.edit", chat="c", node=node["id"], fields={"text": "two"}, expects={"text": node["text"]})
    assert kit.call("node.get", chat="c", node=node["id"])["text"] == "one"


def test_a_node_is_found_by_a_beginning_that_no_other_has(kit: Kit) -> None:
    node = kit.nodes("c", "moment")[0]
    assert kit.call("node.get", chat="c", node=node["id"][:12])["id"] == node["id"]
    with pytest.raises(NotFound):
        kit.call("node.get", chat="c", node=node["id"][:3])


def test_a_retired_node_is_hidden_until_the_change_is_undone(kit: Kit) -> None:
    before = kit.graph("c")
    node = kit.nodes("c", "moment")[0]
    done = kit.call("node.retire", chat="c", node=node["id"])
    assert node["id"] not in str(kit.graph("c"))
    kit.call("undo", chat="c", commit=done["commit"])
    assert kit.graph("c") == before
    with pytest.raises(Conflict):
        kit.call("undo", chat="c", commit=done["commit"])


def test_nothing_to_undo_is_said(kit: Kit) -> None:
    with pytest.raises(NotFound):
        kit.call("undo", chat="c")
    with pytest.raises(NotFound):
        kit.call("undo", chat="c", commit="0" * 32)


def test_a_schema_with_own_subs_is_kept_and_a_wrong_one_refused(kit: Kit) -> None:
    schema = kit.call("schema.get")["schema"]
    with pytest.raises(TideloreError):
        kit.call("schema.set", schema={"kinds": 3})
    kit.call("schema.set", schema=schema)
    kit.restart()
    assert kit.call("schema.get")["schema"] == schema


def test_every_method_is_documented_and_typed() -> None:
    for name, row in METHODS.items():
        assert len(row.doc) > 20, name
        assert dataclasses.is_dataclass(row.params), name
        assert dataclasses.is_dataclass(row.result), name


def test_nothing_of_pool_or_clock_is_in_a_graph(kit: Kit) -> None:
    chat = kit.run_sync(kit.service.chats.open("c"))
    text = str(kit.graph("c"))
    assert chat.record.pool not in text
    assert not any(commit in text for commit in chat.pool.commits)


def test_a_new_start_of_the_process_answers_the_same(kit: Kit) -> None:
    kit.call("node.edit", chat="c", node=kit.nodes("c", "moment")[0]["id"], fields={"text": "by hand"})
    graph, answer = kit.graph("c"), kit.recall("c", "Who stole the herring?")
    kit.restart()
    assert kit.graph("c") == graph
    again = kit.recall("c", "Who stole the herring?")
    assert {**again, "recall": ""} == {**answer, "recall": ""}


def test_other_names_of_an_entity_are_united(kit: Kit) -> None:
    kit.call("entity.alias", chat="c", name="Biscuit", alias="Bis")
    second = kit.call("entity.alias", chat="c", name="Biscuit", alias="Old Biscuit")
    node = next(node for node in kit.nodes("c", "entity") if node["text"] == "Biscuit")
    assert node["fields"]["aliases"] == ["Bis", "Old Biscuit"]
    kit.call("undo", chat="c", commit=second["commit"])
    node = next(node for node in kit.nodes("c", "entity") if node["text"] == "Biscuit")
    assert node["fields"]["aliases"] == ["Bis"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1], {"a": 1}, [["a"]]])
def test_a_field_takes_what_can_be_stored(kit: Kit, value: Any) -> None:
    node = kit.nodes("c", "moment")[0]["id"]
    with pytest.raises(BadInput):
        kit.call("node.edit", chat="c", node=node, fields={"n": value})


def test_two_equal_changes_in_one_moment_are_two(kit: Kit) -> None:
    kit.service = type(kit.service)(kit.store, lambda: 1, kit.service.chats.token)
    done = {kit.call("entity.alias", chat="c", name="Biscuit", alias="Bis")["commit"] for _ in range(3)}
    assert len(done) == 3


def test_half_a_character_in_a_name_or_date_is_refused_or_mended() -> None:
    kit = Kit()
    with pytest.raises(BadInput):
        kit.show("a\ud800", SAID)
    kit.show("c", [{**SAID[0], "date": "\ud800", "name": "Ma\ud800ra"}])
    assert kit.call("chat.list")["chats"][0]["messages"] == 1


def test_many_chats_are_not_all_kept_in_memory_and_none_is_lost() -> None:
    kit = Kit()
    for number in range(30):
        kit.remember(f"chat {number}", rows(("Mara", f"Lantern {number} burns over the quay of Saltmarsh.")))
    assert [kit.texts(f"chat {number}", "moment") for number in range(30)] == [
        [f"Lantern {number} burns over the quay of Saltmarsh."] for number in range(30)
    ]
    assert len(kit.call("chat.list")["chats"]) == 30


def test_an_undo_says_what_it_took_back_and_takes_the_beginning_of_an_id(kit: Kit) -> None:
    node = kit.nodes("c", "moment")[0]
    done = kit.call("node.edit", chat="c", node=node["id"], fields={"importance": 7})
    undone = kit.call("undo", chat="c", commit=done["commit"][:8])
    assert (undone["node"], undone["text"]) == (node["id"], "importance: nothing -> 7")
    with pytest.raises(NotFound):
        kit.call("undo", chat="c", commit=done["commit"][:7])


@pytest.mark.parametrize("fields", [{"text": ""}, {"text": None}, {"importance": "high"}, {"importance": 99}, {"importance": True}])
def test_an_edit_that_leaves_nothing_to_say_is_refused(kit: Kit, fields: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        kit.call("node.edit", chat="c", node=kit.nodes("c", "moment")[0]["id"], fields=fields)


def test_null_for_what_may_be_left_out_is_left_out(kit: Kit) -> None:
    kit.show("n", [{"role": "user", "text": "The lantern hangs in the mill.", "name": None, "hidden": None, "date": None}])
    assert kit.call("extract.run", chat="n", by="rules", lag=0, range=None)["windows"] == 1
    assert kit.recall("n", "Where does the lantern hang?", budget=None, preset=None)["cards"]


def test_a_mistyped_method_is_answered_with_the_three_nearest(kit: Kit) -> None:
    with pytest.raises(BadInput) as caught:
        kit.call("grph.get")
    nearest = caught.value.hint.removeprefix("The nearest: ").removesuffix(".").split(", ")
    assert (nearest[0], len(nearest)) == ("graph.get", 3)
    assert set(nearest) <= METHODS.keys()
    with pytest.raises(BadInput) as caught:
        kit.call("no such thing " * 50)
    assert len(str(caught.value) + caught.value.hint) < 300
