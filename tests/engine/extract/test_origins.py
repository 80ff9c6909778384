"""Where people come from and where they live are two facts; a later home takes the place of an earlier one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.extract.test_rules import facts, nodes
from tests.engine.service_kit import Kit, rows
from tidelore.engine.extract.rules import extract


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm from Lisbon.", [("me", "comes from", "Lisbon")]),
        ("I am originally from Saltmere, by the way.", [("me", "comes from", "Saltmere")]),
        ("I come from Porto, Portugal.", [("me", "comes from", "Porto")]),
        ("I'm Ana, from Lisbon.", [("me", "name", "Ana"), ("me", "comes from", "Lisbon")]),
        (
            "I'm Sam, a cartographer from Lisbon.",
            [("me", "name", "Sam"), ("me", "works as", "cartographer"), ("me", "comes from", "Lisbon")],
        ),
        ("Mira is from Lisbon.", [("Mira", "comes from", "Lisbon")]),
        ("我来自苏州。", [("me", "comes from", "苏州")]),
        ("我是从上海来的。", [("me", "comes from", "上海")]),
        (
            "你好，我叫陈默，从上海来的，是个摄影师。",
            [("me", "name", "陈默"), ("me", "comes from", "上海"), ("me", "works as", "摄影师")],
        ),
    ],
)
def test_an_origin_is_a_fact_of_its_own(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("I'm from HR.", "I'm from the future.", "I'm from Ana's crew.", "I'm not from Lisbon.", "Are you from Lisbon?"),
        *("I come from Lisbon every Thursday.", "I came from Lisbon this morning.", "She says I'm from Lisbon.", "The letter is from Ana."),
        *("I'm from Monday to Friday at the office.", "If I'm from Lisbon, so are you.", "Bramble is from Ana.", "I'm from Team Rocket."),
        *("我从学校来的。", "我来自未来。", "我来自一家小公司。", "他从上海来的。", "如果我来自上海，你会信吗？", "我是来自北京的学生。"),
    ],
)
def test_what_is_sent_supposed_or_passed_through_is_no_origin(text: str) -> None:
    assert [row for row in facts(text) if row[1] == "comes from"] == []


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("我现在不住上海了，三月搬到了杭州。", "杭州"),
        ("我现在不住上海了，三月搬到了杭州", "杭州"),
        ("我离开了上海，现在住在杭州。", "杭州"),
        ("我去年搬到了成都。", "成都"),
        ("我三月搬到杭州了。", "杭州"),
    ],
)
def test_a_move_is_understood_with_its_time_and_after_the_home_that_is_over(text: str, home: str) -> None:
    assert facts(text) == [("me", "lives in", home)]


@pytest.mark.parametrize(
    "text",
    [
        *("我爸爸不住上海了，三月搬到了杭州。", "我现在不住上海了，他三月搬到了杭州。", "他说我现在不住上海了，三月搬到了杭州。"),
        *("我不在上海，搬到了杭州再说。", "我三月搬到窗边坐着。", "我下个月搬到杭州。", "如果我不住上海了，就搬到杭州。"),
        *("我离开了他，去年搬到了杭州。", "我去年搬去了北京，现在又回来了。"),
    ],
)
def test_a_move_of_somebody_else_or_a_step_is_no_home(text: str) -> None:
    assert facts(text) == []


def test_what_comes_after_somebody_else_in_an_introduction_is_not_said_of_the_speaker() -> None:
    for text in ("我叫陈默，我妈妈姓林，是个老师。", "我叫陈默，这是我妹妹，今年十岁。", "我叫陈默，妹妹在家，是个学生。"):
        assert facts(text) == [("me", "name", "陈默")]


def said(kit: Kit) -> dict[tuple[str, str], str]:
    graph: dict[str, Any] = kit.graph("c")
    return {
        (str(node["fields"]["attribute"]), str(node["fields"]["value"])): node["state"] for node in graph["nodes"] if node["kind"] == "fact"
    }


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ("I'm Sam, from Lisbon.", "I live in Leeds.", "I'm living in Porto these days, not Leeds any more."),
            {
                ("name", "Sam"): "current",
                ("comes from", "Lisbon"): "current",
                ("lives in", "Leeds"): "superseded",
                ("lives in", "Porto"): "current",
            },
        ),
        (
            ("我从上海来的。", "我住在苏州。", "我现在不住苏州了，三月搬到了杭州。"),
            {("comes from", "上海"): "current", ("lives in", "苏州"): "superseded", ("lives in", "杭州"): "current"},
        ),
    ],
)
def test_a_later_home_replaces_the_earlier_one_and_leaves_the_origin(lines: tuple[str, ...], expected: dict[tuple[str, str], str]) -> None:
    kit = Kit()
    kit.remember("c", rows(*(row for line in lines for row in (("Sam", line), ("Mira", "The ferry is late again tonight.")))))
    assert said(kit) == expected


def texts(message: str) -> list[object]:
    return [node.fields["text"] for node in nodes(extract("user", message), "fact")]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("你好，我叫陈默，从上海来的，是个摄影师。", ["我叫陈默", "我从上海来的", "我是个摄影师。"]),
        ("Good evening. I'm Sam, a cartographer from Lisbon.", ["I'm Sam", "I'm a cartographer", "I'm from Lisbon."]),
        ("Well, I'm Ana, and I'm a nurse.", ["I'm Ana", "I'm a nurse."]),
        ("I hate cilantro and love jazz.", ["I hate cilantro", "I love jazz."]),
        ("我喜欢猫，但是我讨厌狗。", ["我喜欢猫", "我讨厌狗。"]),
        ("My sister, Ana, is a nurse and I'm a baker.", ["My sister, Ana, is a nurse", "I'm a baker."]),
        ("Well, I'm a nurse, and it never stops raining.", ["Well, I'm a nurse, and it never stops raining."]),
    ],
)
def test_each_of_several_facts_in_one_sentence_is_told_in_its_own_clause(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize("message", ["I'm Ana, from Lisbon, and I'm a nurse.", "你好，我叫陈默，从上海来的，是个摄影师。"])
def test_the_evidence_of_a_clause_is_still_quoted_word_by_word(message: str) -> None:
    found = nodes(extract("user", message), "fact")
    assert len(found) == 3
    assert all(quote.text in message for node in found for quote in node.evidence)


def subs(message: str) -> dict[str, str]:
    return {str(node.fields["name"]): node.sub for node in nodes(extract("user", message), "entity")}


def test_what_somebody_lives_in_or_comes_from_is_a_place() -> None:
    assert subs("I'm living in Saltmere these days.") == {"Saltmere": "location"}
    assert subs("I'm Ana, from Saltmere.") == {"Saltmere": "location"}


def test_a_place_that_was_told_stays_one_however_it_is_exclaimed_later() -> None:
    kit = Kit()
    kit.remember(
        "c", rows(("Sam", "I'm living in Porto these days."), ("Mira", '"Porto! Then you know the bookshop with the red staircase."'))
    )
    assert {node["text"]: node["sub"] for node in kit.graph("c")["nodes"] if node["kind"] == "entity"}["Porto"] == "location"
