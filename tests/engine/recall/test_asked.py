"""A question wants a kind of answer, and memories that could give it come first."""

from __future__ import annotations

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.recall.asked import MOST_NAMES, Wanted, called, names_in, tells_time, wanted
from tidelore.engine.text.unicode14 import fold_name


@pytest.mark.parametrize(
    ("question", "time", "place"),
    [
        *((text, True, False) for text in ("When did she leave?", "How long did it last?", "In what year was that?", "How many days ago?")),
        *((text, True, False) for text in ("她什么时候走的？", "那是哪一年？", "多久以前？", "いつ帰ったの？", "언제 왔어요?")),
        *((text, True, False) for text in ("Когда она уехала?", "متى وصلت؟", "Quand est-elle partie ?", "Wann war das?", "¿Cuándo fue?")),
        *(
            (text, False, True)
            for text in ("Where does Nora live?", "Which city did he visit?", "她住在哪里？", "他去哪了？", "どこに住んでいますか")
        ),
        *(
            (text, False, True)
            for text in ("어디 살아요?", "Где она живёт?", "أين تسكن؟", "Où habite-t-elle ?", "Wo wohnt sie?", "¿Dónde vive?")
        ),
        *(
            (text, False, False)
            for text in ("Who is Mara?", "What whenever means", "somewhere else", "他是谁？", "Le hierarch", "Wolf", "woran")
        ),
    ],
)
def test_a_question_for_a_time_or_a_place_is_known_in_many_languages(question: str, time: bool, place: bool) -> None:
    assert wanted(fold_name(question)) == Wanted(time, place)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        *((text, True) for text in ("I left yesterday.", "We met last summer.", "It was in 2019.", "three days ago", "on Sunday")),
        *(
            (text, True)
            for text in (
                "昨天我们去了海边。",
                "我去年搬家了。",
                "三天前下雨了。",
                "周六见。",
                "先週行きました",
                "지난주에 갔어요",
                "어제 만났다",
            )
        ),
        *((text, True) for text in ("Вчера был дождь.", "وصلت أمس", "Je suis venu hier.", "Ich kam gestern.", "Llegó ayer.")),
        *((text, False) for text in ("I like tea.", "Justice matters.", "我喜欢茶。", "お茶が好きです", "차를 좋아해요", "Чай вкусный.")),
    ],
)
def test_a_text_that_tells_a_time_is_known_in_many_languages(text: str, tells: bool) -> None:
    assert tells_time(text) is tells


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I moved to Bergen.", 1),
        ("She read Emma, then Persuasion and Middlemarch.", MOST_NAMES),
        ('We saw "The Tempest" there.', 1),
        ("我看完了《三体》。", 1),
        ("「君の名は」を見ました", 1),
        ("Мы уехали в Казань.", 1),
        ("Je suis allée à Évreux.", 1),
        ("Nothing of that kind.", 0),
        ("NASA IS LOUD", 0),
    ],
)
def test_names_inside_a_text_are_counted(text: str, names: int) -> None:
    assert names_in(text) == names


def test_what_a_question_calls_by_a_name_is_what_stands_inside_it_with_a_capital() -> None:
    assert called("What did Caroline say of Évreux?") == ["Caroline", "Évreux"]
    assert called("Where is it?") == []


def test_of_two_memories_that_meet_a_question_alike_the_one_with_the_time_comes_first() -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "The ferry to the island was loud and full."), ("Bob", "The ferry to the island sank last winter.")))
    assert "last winter" in kit.recall("c", "When did the ferry to the island go?")["cards"][0]["text"]
    signals = {card["text"]: card["signals"] for card in kit.recall("c", "When did the ferry go?")["trace"]["cards"]}
    assert signals["The ferry to the island sank last winter."]["answer"] > 0
    assert "answer" not in signals["The ferry to the island was loud and full."]


def test_what_follows_upon_a_question_with_the_same_words_counts_as_its_reply() -> None:
    kit = Kit()
    said = [("Ann", "Which instrument did you play in the orchestra?"), ("Bob", "The oboe, for nine years.")]
    kit.remember("c", rows(("Ann", "Rain again."), ("Bob", "Snow was forecast."), *said, ("Ann", "Lovely!"), ("Bob", "My back hurts.")))
    signals = {card["text"]: card["signals"] for card in kit.recall("c", "Which instrument was it, in the orchestra?")["trace"]["cards"]}
    assert signals["The oboe, for nine years."]["replies"] > 0
    assert all("replies" not in of for text, of in signals.items() if text != "The oboe, for nine years.")


TOLD = ("The soup was far too salty for me.", "We could paint the fence.", "My tooth aches.", "Rain again, and no umbrella.")
SMALL = rows(
    *(pair for text in TOLD for pair in (("Ida", text), ("Nora", text.replace("the", "that").replace("My", "Her")))),
    ("Ida", "Oslo was loud."),
    ("Nora", "Our old flat near Bergen has a leaking roof."),
    user="Nora",
)


def test_a_question_of_which_no_word_occurs_is_answered_by_whom_and_what_it_asks_for() -> None:
    kit = Kit()
    kit.remember("c", SMALL)
    found = kit.recall("c", "Where does Nora live?")
    assert [card["text"] for card in found["cards"]] == ["Our old flat near Bergen has a leaking roof."]
    assert found["trace"]["cards"][0]["reason"] == "name"


def test_under_strict_such_a_guess_is_not_made() -> None:
    kit = Kit()
    kit.remember("c", SMALL)
    assert kit.recall("c", "Where does Nora live?", preset="strict")["cards"] == []


@pytest.mark.parametrize(
    ("told", "asked", "query"),
    [
        (
            "My cat is called Biscuit, and she is afraid of thunder.",
            ["What is my cat called?", "Is my cat afraid of anything?", "How is my cat called again?"],
            "What is my cat called?",
        ),
        ("我的猫叫奥利奥，它怕打雷。", ["我的猫叫什么名字？", "我的猫怕什么？"], "我的猫叫什么名字？"),
    ],
)
def test_what_was_asked_before_never_stands_before_what_was_told(told: str, asked: list[str], query: str) -> None:
    kit = Kit()
    kit.remember("told", rows(("Ann", told), ("Bob", "Thank you.")))
    for question in asked:
        kit.remember(question, rows(("Ann", question), ("Bob", "Understood, thank you.")))
    found = [card["text"] for card in kit.recall(query, query, beside=["told", *asked[1:]])["cards"]]
    assert found[0] == told
