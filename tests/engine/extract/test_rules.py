"""What one message tells without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.extract.rules import MOST_ENTITIES, MOST_FACTS, PIECE, WHOLE, extract
from tidelore.engine.model import EnsureEdge, EnsureNode, Evident, Named, Operation, Role, Speaker
from tidelore.engine.text.unicode14 import normalise

ME = Speaker(0)


def nodes(operations: tuple[Operation, ...], kind: str) -> list[EnsureNode]:
    return [
        operation
        for operation in operations
        if isinstance(operation, EnsureNode) and (operation.ref.kind if isinstance(operation.ref, Named | Evident) else "speaker") == kind
    ]


def moments(text: str, role: Role = "user") -> list[str]:
    return [str(node.fields["text"]) for node in nodes(extract(role, text), "moment")]


def facts(text: str, role: Role = "user") -> list[tuple[str, object, object]]:
    """(whose, attribute, value); the speaker is "me"."""
    found = nodes(extract(role, text), "fact")
    return [
        (node.subject.name if isinstance(node.subject, Named) else "me", node.fields["attribute"], node.fields["value"]) for node in found
    ]


def entities(text: str, role: Role = "user") -> list[str]:
    return [str(node.fields["name"]) for node in nodes(extract(role, text), "entity")]


# Moments


@pytest.mark.req("F3")
@pytest.mark.parametrize(
    "text",
    [
        "Hi! How are you?",
        "ok",
        "lol",
        "thanks!",
        "good night",
        "Hey Oriel!",
        "Thanks, Oriel! Take care.",
        "hiiii",
        "Hahaha, okay",
        "*nods*",
        "*smiles softly* Good morning!",
        "I'm good, thanks! How about you?",
        "Sounds good. See you later!",
        "嗯嗯",
        "你好呀",
        "好的",
        "早上好",
        "哈哈哈",
        "*点头*",
        "好的，谢谢你！",
        "在吗？",
        "晚安～",
        "\U0001f600\U0001f600",
        "...!?",
        "",
        "  \n",
        "こんにちは！",
        "네, 감사합니다",
        "Привет! Спасибо.",
    ],
)
def test_a_message_that_says_nothing_leaves_nothing(text: str) -> None:
    assert extract("user", text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Hi! I got the job at the bakery",
        "Yes, Paris.",
        "Good morning! The mill burned down.",
        "*draws a sword*",
        "早上好，我到家了",
        "42",
        "مرحبا يا صديقي",
        "谢谢你救了我",
        "Thanks for the map",
        "ok, at nine",
        "Он ушёл.",
        "สวัสดีวันนี้ฝนตก",
    ],
)
def test_a_message_that_says_something_is_one_moment_in_its_own_words(text: str) -> None:
    assert moments(text) == [text]


@pytest.mark.req("B29")
def test_a_long_greeting_that_sets_the_scene_is_kept_whole_in_pieces_of_whole_sentences() -> None:
    text = "Welcome to Lumen, traveler! " + "The lamps along Harrow Street burn low, and the watch is nowhere to be seen. " * 20
    kept = moments(text.strip(), "assistant")
    assert len(kept) > 1
    assert all(len(piece) <= PIECE and piece in text and piece[-1] in ".!" for piece in kept)
    assert " ".join(kept) == text.strip()


def test_the_speaker_takes_part_in_every_moment_and_is_named_only_by_position() -> None:
    operations = extract("user", "The mill burned down. " * 60)
    edges = [operation for operation in operations if isinstance(operation, EnsureEdge)]
    assert [edge.end for edge in edges if edge.start == ME] == [node.ref for node in nodes(operations, "moment")]
    assert [node.certainty for node in nodes(operations, "speaker")] == ["stated"]


@pytest.mark.req("F11")
def test_the_same_words_give_the_same_operations_whoever_says_them() -> None:
    assert extract("user", "I met Oriel at dawn.") == extract("user", "I met Oriel at dawn.")


# Entities and edges


def test_names_are_tied_to_the_moment_that_holds_them_and_to_nothing_else() -> None:
    operations = extract("user", 'I read "Crossing Winter" with Oriel in Eastmarch.')
    moment = Evident("moment", (0,), 0)
    edges = [(edge.type, edge.start, edge.end) for edge in operations if isinstance(edge, EnsureEdge)]
    assert edges == [
        ("involved_in", ME, moment),
        ("about", moment, Named("Crossing Winter")),
        ("involved_in", Named("Oriel"), moment),
        ("occurred_at", moment, Named("Eastmarch")),
    ]


@pytest.mark.req("B35")
def test_ten_names_give_ten_edges_and_no_cross_product() -> None:
    text = "There were Abel, Boris, Cedric, Dorian, Edgar, Fabian, Gideon, Hector, Ivor and Jonas."
    edges = [operation for operation in extract("user", text) if isinstance(operation, EnsureEdge)]
    assert len(edges) == 11
    assert all(isinstance(edge.end, Evident) for edge in edges)


def test_an_entity_shows_the_words_that_hold_its_name() -> None:
    (node,) = nodes(extract("user", "It rained. We met Oriel at the well. Then we slept."), "entity")
    assert [quote.text for quote in node.evidence] == ["We met Oriel at the well."]
    assert node.certainty == "seen"


@pytest.mark.req("P59")
def test_a_name_seen_as_another_kind_is_the_same_node() -> None:
    (place,) = nodes(extract("user", "I moved to Ravel."), "entity")
    (person,) = nodes(extract("user", "I asked Ravel."), "entity")
    assert (place.sub, person.sub) == ("location", "character")
    assert place.ref == person.ref


def test_a_name_in_two_spellings_is_one_entity_of_a_message() -> None:
    assert entities("I asked Oriel, and then the ORIEL Guild, and Oriel again.") == ["Oriel", "ORIEL Guild"]


# Facts


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I live in Porto now.", ("me", "lives in", "Porto")),
        ("We just moved to a small house near Ghent.", ("me", "lives in", "a small house near Ghent")),
        ("I work as a night nurse at the moment.", ("me", "works as", "night nurse")),
        ("I'm a teacher.", ("me", "works as", "teacher")),
        ("Hi! I got the job at the bakery", ("me", "works at", "the bakery")),
        ("My name is Test007.", ("me", "name", "Test007")),
        ("People call me Ash.", ("me", "name", "Ash")),
        ("Hello, I'm Oriel.", ("me", "name", "Oriel")),
        ("I'm 25 years old.", ("me", "age", "25")),
        ("My cat is called Biscuit.", ("me", "has:biscuit", "cat is called Biscuit")),
        ("I took my dog Max to the vet.", ("me", "has:max", "dog Max")),
        ("I have a younger sister named Anna.", ("me", "has:anna", "sister named Anna")),
        ("I'm badly injured, so we wait.", ("me", "status", "injured")),
        ("We are now in the old mill.", ("me", "location", "the old mill")),
        ("I can't stand olives.", ("me", "likes:olives", "can't stand")),
        ("I really love pineapple on pizza!", ("me", "likes:pineapple on pizza", "love")),
        ("I'm furious!", ("me", "mood", "furious")),
        ("Oriel is furious.", ("Oriel", "mood", "furious")),
        ("Oriel lives in Ghent.", ("Oriel", "lives in", "Ghent")),
        ("Oriel loves tea.", ("Oriel", "likes:tea", "loves")),
        ("Captain Reyes was wounded.", ("Reyes", "status", "wounded")),
        ("我叫林晚。", ("me", "name", "林晚")),
        ("我住在青石镇。", ("me", "lives in", "青石镇")),
        ("我在银行工作。", ("me", "works at", "银行")),
        ("我是一名护士。", ("me", "works as", "护士")),
        ("我今年二十五岁。", ("me", "age", "二十五")),
        ("我的猫叫团子。", ("me", "has:团子", "猫叫团子")),
        ("我最喜欢猫。", ("me", "likes:猫", "喜欢")),
        ("我不喜欢香菜。", ("me", "likes:香菜", "不喜欢")),
        ("我很生气。", ("me", "mood", "生气")),
        ("我们现在在城门口。", ("me", "location", "城门口")),
        ("林晚受伤了。", ("林晚", "status", "受伤")),
    ],
)
def test_what_is_said_plainly_becomes_a_fact(text: str, fact: tuple[str, str, str]) -> None:
    assert facts(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Porto?",
        "If I live in Porto, I love it.",
        "I would love a dog.",
        "I don't live in Porto.",
        "I am not married.",
        "I might like olives.",
        "I used to live in Porto.",
        "I wish I lived in Porto.",
        "He thinks I hate olives.",
        "My friend says I am a nurse.",
        "I love it when you do that.",
        "I like to think so.",
        "I'm in love. I'm in trouble. I'm on my way.",
        "I work hard. I work at night.",
        "I live for coffee.",
        "I'm fine, I'm sorry.",
        "Answer in Markdown. I prefer answers in Markdown.",
        "Don't call me Ash.",
        "Call me later.",
        "I'm Canadian.",
        "Oriel is happy to help.",
        "Oriel is dead tired.",
        "Is Oriel married?",
        "Love is blind. Justice is blind.",
        "I feel like tea.",
        "I love you. I love your dress. I love this song.",
        "你喜欢猫吗？",
        "如果我住在北京，我会喜欢冬天。",
        "我喜欢你。",
        "我喜欢的是这个。",
        "我可能住在北京。",
        "我不是医生。",
        "我们在一起。",
        "我们在讨论。",
    ],
)
def test_questions_suppositions_denials_and_turns_of_phrase_are_no_facts(text: str) -> None:
    assert facts(text) == []


def test_a_chinese_introduction_carries_on_over_its_commas() -> None:
    assert facts("我叫林晚，今年二十三岁，住在青石镇。") == [("me", "name", "林晚"), ("me", "age", "二十三"), ("me", "lives in", "青石镇")]


def test_a_fact_is_the_sentence_with_its_subject_and_words_as_evidence() -> None:
    (fact,) = nodes(extract("user", "It rained. I hate olives. Then we slept."), "fact")
    assert fact.ref == Evident("fact", (0,), 0)
    assert fact.sub == "preference"
    assert fact.fields["text"] == fact.evidence[0].text == "I hate olives."
    assert fact.subject == ME


@pytest.mark.req("F5")
@pytest.mark.parametrize(
    ("before", "after"),
    [("I love rain.", "I hate rain."), ("I like the ocean.", "I can't stand the ocean!"), ("我喜欢下雨。", "我讨厌下雨。")],
)
def test_love_and_later_hate_of_one_thing_stand_in_one_line(before: str, after: str) -> None:
    ((who, line, love),) = facts(before)
    ((whom, same, hate),) = facts(after)
    assert (who, line) == (whom, same)
    assert love != hate


@pytest.mark.req("F7")
@pytest.mark.parametrize("text", ["My co-worker Lin has a PhD.", "我的同事林晚是医生。"])
def test_a_fact_about_a_third_person_is_told_of_them(text: str) -> None:
    assert [who for who, _, _ in facts(text)] == [entities(text)[0]]


@pytest.mark.req("P47")
@pytest.mark.parametrize(
    "text",
    [
        'My mentor told me: "I am Zhang Wei. My name is Zhang Wei." I was impressed.',
        '"I am Zhang Wei," he said. "I live in Rome."',
        "As Zhang Wei puts it: “I hate haste.”",
        "少女抬起头：“我叫白芷，今年十六岁。”",
    ],
)
def test_the_words_of_somebody_quoted_are_not_told_of_the_user(text: str) -> None:
    assert facts(text) == []


@pytest.mark.req("P49")
def test_each_introduces_only_themselves() -> None:
    assert facts("My name is Test007.") == [("me", "name", "Test007")]
    assert facts("I'm Mei, and I'm a florist from Taiwan.", "assistant") == [
        ("me", "name", "Mei"),
        ("me", "works as", "florist from Taiwan"),
    ]


@pytest.mark.req("P51")
@pytest.mark.parametrize("text", ["What is Christophe's score?", "Is Christophe a nurse?", "林晚是医生吗？"])
def test_a_question_about_someone_is_no_fact(text: str) -> None:
    assert facts(text) == []


@pytest.mark.req("F9")
def test_what_the_assistant_says_of_the_user_is_no_fact() -> None:
    assert facts("You solved it recursively. You live in Boston, and your name is Kevin. You love chess.", "assistant") == []


def test_in_a_narrated_reply_the_first_person_of_a_quote_is_not_surely_the_speaker() -> None:
    assert facts('"I hate rain," Oriel said, closing the window.', "assistant") == []
    assert facts('"I hate rain." *nods*', "assistant") == [("me", "likes:rain", "hate")]
    assert facts("*nods* I hate rain.", "assistant") == [("me", "likes:rain", "hate")]
    assert facts('"I hate rain."', "assistant") == [("me", "likes:rain", "hate")]
    assert facts('*I close the window.* "I hate rain."', "user") == [("me", "likes:rain", "hate")]


@pytest.mark.req("B33")
def test_changes_of_mood_stand_in_one_line_and_add_no_moments() -> None:
    lines = [facts(f"Oriel is {mood}.") for mood in ("happy", "sad", "furious")]
    assert {(who, line) for ((who, line, _),) in lines} == {("Oriel", "mood")}
    assert len(moments("Oriel is happy. Oriel is sad.")) == 1
    assert facts("Oriel is happy. But Oriel is sad.") == [("Oriel", "mood", "sad")]


def test_the_name_that_the_speaker_gives_makes_no_second_node_of_them() -> None:
    assert entities("My name is Oriel Vance.") == []


# Bounds

FRAGMENTS = [
    "I love tea. ",
    "My dog Max ",
    "Aria of the ",
    '"',
    "*",
    "「",
    "」",
    "“",
    "\n",
    "我叫林晚，",
    "我喜欢",
    "和苏晴",
    "·",
    "Dr. ",
    "A. ",
    "`",
    "《",
    "》",
    "\ud800",
    "? ",
]


@given(st.sampled_from(["user", "assistant"]), st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join))
def test_any_text_gives_verbatim_operations_within_bounds(role: Role, text: str) -> None:
    text = normalise(text)
    operations = extract(role, text)
    assert len(nodes(operations, "entity")) + 1 <= MOST_ENTITIES
    assert len(nodes(operations, "fact")) <= MOST_FACTS
    for operation in operations:
        if isinstance(operation, EnsureNode):
            assert all(quote.text in text for quote in operation.evidence)
            assert all(str(value) in text for key, value in operation.fields.items() if key != "attribute")
    stated = {operation.ref for operation in operations if isinstance(operation, EnsureNode)}
    for operation in operations:
        if isinstance(operation, EnsureEdge):
            assert {operation.start, operation.end} <= stated
    if len(text) <= WHOLE:
        assert len(nodes(operations, "moment")) == (1 if operations else 0)


@given(st.text('\ud800\udfff林说A\u0301 ."', max_size=80))
def test_lone_surrogates_do_no_harm(text: str) -> None:
    extract("assistant", text)


@pytest.mark.parametrize("part", ['"', "「", "Aria of the ", "A. ", "I'm in the ", "my dog ", "和林晚", "阿尔·", "`", "x", "Thanks! "])
def test_a_long_monotonous_message_is_read_to_its_end(part: str) -> None:
    operations = extract("user", normalise(part * (60_000 // len(part)) + "The mill burned."))
    assert str(nodes(operations, "moment")[-1].fields["text"]).endswith("burned.")
