"""Facts of a life that people state in passing."""

from __future__ import annotations

import pytest

from tests.engine.extract.test_rules import facts


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I'm severely allergic to peanuts and shellfish.", "allergy:peanuts and shellfish", "peanuts and shellfish"),
        ("I have a bad nut allergy.", "allergy:nut", "nut"),
        ("我对花生过敏。", "allergy:花生", "花生"),
        ("I'm a vegetarian now.", "diet", "vegetarian"),
        ("I've been vegan since 2019.", "diet", "vegan"),
        ("我吃素。", "diet", "吃素"),
        ("My birthday is March 3, 1990.", "birthday", "March 3, 1990"),
        ("I was born on 12 May 1988.", "birthday", "12 May 1988"),
        ("I was born and raised in Porto.", "born in", "Porto"),
        ("我的生日是5月3日。", "birthday", "5月3日"),
        ("我出生在苏州。", "born in", "苏州"),
        ("My favourite colour is green.", "favourite:colour", "green"),
        ("My favorite band is The Cure.", "favourite:band", "The Cure"),
        ("我最喜欢的颜色是绿色。", "favourite:颜色", "绿色"),
        ("I moved to Bordeaux last year.", "lives in", "Bordeaux"),
        ("I moved in with my sister on Net Street.", "lives in", "Net Street"),
        ("I've just moved into a flat in Leeds.", "lives in", "a flat in Leeds"),
        ("我搬到苏州了。", "lives in", "苏州"),
        ("我搬去大理了。", "lives in", "大理"),
        ("I'm a nurse now.", "works as", "nurse"),
        ("I got a job as a ferry pilot.", "works as", "ferry pilot"),
        ("I start work on the 8th.", "starts work", "the 8th"),
        ("My brother, Tom, lives far away.", "has:tom", "brother, Tom"),
        ("我姓陆，陆怀山。", "name", "陆怀山"),
    ],
)
def test_what_people_say_of_their_lives_is_a_fact(text: str, attribute: str, value: str) -> None:
    assert facts(text) == [("me", attribute, value)]


def test_several_children_are_one_fact_each() -> None:
    expected = [("me", "has:leo", "Leo"), ("me", "has:mia", "Mia")]
    assert facts("I have two kids, Leo and Mia.") == facts("My two kids, Leo and Mia, love it.") == expected


def test_two_facts_of_one_sentence_are_both_kept() -> None:
    assert facts("I hate cilantro and love jazz.") == [("me", "likes:cilantro", "hate"), ("me", "likes:jazz", "love")]
    assert facts("I live in Leeds and work as a nurse.") == [("me", "lives in", "Leeds"), ("me", "works as", "nurse")]
    assert facts("I'm allergic to cats and love dogs.") == [("me", "allergy:cats", "cats"), ("me", "likes:dogs", "love")]


@pytest.mark.parametrize(
    "text",
    [
        "My birthday is next week.",
        "My favorite part is the ending.",
        "We moved on Monday.",
        "I told my sister, Ana said no.",
        "I like to think that peace and love matter.",
        "I love the self-acceptance and love theme.",
        "I work as little as possible.",
        "I took it as a joke.",
        "I write music and love songs.",
        "Maybe I moved to Bordeaux.",
        "我最喜欢的是你。",
        "你对花生过敏吗？",
    ],
)
def test_what_is_not_plain_is_no_fact(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I should warn you: I'm allergic to shellfish", "allergy:shellfish", "shellfish"),
        ("Thank you. I should warn you: I'm allergic to shellfish, so please no mussels tonight.", "allergy:shellfish", "shellfish"),
        ("You should know that I'm allergic to nuts.", "allergy:nuts", "nuts"),
        ("By the way, I'm allergic to nuts.", "allergy:nuts", "nuts"),
        ("I should mention that I love jazz.", "likes:jazz", "love"),
        ("I must confess, I'm married.", "status", "married"),
        ("I'd better warn you: I'm allergic to bees.", "allergy:bees", "bees"),
        ("I should have told you first: I hate cats.", "likes:cats", "hate"),
        ("I should tell you: I'm a baker.", "works as", "baker"),
        ("Let me warn you: I hate cats.", "likes:cats", "hate"),
        ("I might as well tell you that I live in Porto.", "lives in", "Porto"),
    ],
)
def test_what_is_announced_to_the_listener_is_meant(text: str, attribute: str, value: str) -> None:
    assert facts(text) == [("me", attribute, value)]


@pytest.mark.parametrize(
    "text",
    [
        "I should warn you that he thinks I'm a baker.",
        "I should warn him that I'm a baker.",
        "Should I warn you that I'm a witch?",
        "I would warn you that I'm a witch if I were one.",
        "I should warn you, if I'm a witch, we are lost.",
        "He told me: I should warn you: I'm a baker.",
        "She said I should warn you, I'm allergic to nuts.",
        "She thinks you should know that I'm a baker.",
        "I should warn you: maybe I'm a witch.",
        "I should be a baker.",
    ],
)
def test_an_announcement_vouches_for_nobody_else_and_for_no_supposition(text: str) -> None:
    assert facts(text) == []
