"""What is not asked for is not recalled; what is named always is."""

from __future__ import annotations

import pytest

from tests.engine.service_kit import Kit, rows

CHAT = rows(
    ("Mara", "I grew up in Brightwater with my brother Tobin."),
    ("Sena", "The lighthouse keeper, Old Corvin, gave me a brass key."),
    ("Mara", "Good morning to all the fishermen, we said every day."),
    ("Sena", "Hello was the first word the parrot learned."),
    ("Mara", "The key opens the crypt below Brightwater."),
    ("Sena", "I sold my violin to pay for the voyage."),
)


@pytest.fixture(name="kit")
def a_kit() -> Kit:
    kit = Kit()
    kit.remember("c", CHAT)
    return kit


@pytest.mark.req("S25")
@pytest.mark.parametrize(
    "query",
    [
        *("Hello!", "hi", "Hey there", "Good morning", "Thanks a lot!", "ok", "Yes.", "haha", "*nods*", "How are you?", "Hello Sena!"),
        *("你好", "早上好！", "谢谢你", "好的", "嗯嗯", "哈哈哈", "晚安～", "こんにちは", "ありがとう", "안녕하세요", "고마워요"),
        *("Привет!", "Спасибо", "Hola", "Guten Morgen", "Merci", "", "   ", "...", "🙂"),
    ],
)
def test_a_greeting_recalls_nothing(kit: Kit, query: str) -> None:
    found = kit.recall("c", query)
    assert found["cards"] == []
    assert found["recalled"] == ""
    assert found["trace"]["words"] == []


@pytest.mark.req("S25")
def test_a_greeting_recalls_nothing_of_the_last_reply(kit: Kit) -> None:
    assert kit.recall("c", "Good morning!", reply="The lighthouse keeper waits with his brass key.")["cards"] == []


def test_without_words_of_the_user_the_last_reply_decides(kit: Kit) -> None:
    found = kit.recall("c", "", reply="The lighthouse keeper waits with his brass key.")
    assert "Old Corvin" in found["cards"][0]["text"]


@pytest.mark.parametrize("query", ["What is the capital of Mongolia?", "股票价格是多少？", "Compute the square root of nine."])
def test_what_no_memory_speaks_of_recalls_nothing(kit: Kit, query: str) -> None:
    assert kit.recall("c", query)["cards"] == []


@pytest.mark.parametrize("query", ["Mara, what is the capital of Mongolia?", "Sena: compute the square root of nine."])
def test_a_speaker_who_is_merely_addressed_brings_nothing_of_theirs(query: str) -> None:
    kit = Kit()
    kit.remember("c", CHAT * 3)
    assert kit.recall("c", query)["cards"] == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Who is Old Corvin?", "Old Corvin"),
        ("old corvin", "Old Corvin"),
        ("Tell me about Corvin", "Old Corvin"),
        ("Brightwater", "Brightwater"),
        ("Tell me more about BRIGHTWATER'S crypt", "Brightwater"),
        ("Do you remember Tobin?", "Tobin"),
        ("Hello, do you know Tobin?", "Tobin"),
    ],
)
def test_a_name_always_recalls(kit: Kit, query: str, words: str) -> None:
    assert words in kit.recall("c", query)["cards"][0]["text"]


@pytest.mark.parametrize("query", ["Who is Mara?", "Mara", "Tell me about Mara.", "Do you remember Mara?", "Mara?"])
def test_who_speaks_all_the_time_is_recalled_when_nothing_else_is_asked(kit: Kit, query: str) -> None:
    cards = kit.recall("c", query)["cards"]
    assert cards
    assert cards[0]["speaker"] == "Mara"


def test_what_is_known_of_someone_comes_before_what_they_said() -> None:
    kit = Kit()
    said = [("Ann", f"I painted the {each} fence this week.") for each in ("red", "blue", "green")]
    kit.remember("c", rows(*said, ("Ann", "I am a blacksmith."), ("Bob", "Then forge me a sword."), user="Ann"))
    assert kit.recall("c", "Who is Ann?")["cards"][0]["text"] == "I am a blacksmith."


@pytest.mark.parametrize("query", ["What of the harbour?", "the harbour"])
def test_the_word_of_the_whole_chat_still_recalls(query: str) -> None:
    kit = Kit()
    kit.remember("c", rows(*(("AB"[at % 2], f"The harbour was {how} today.") for at, how in enumerate("grey calm loud cold dark".split()))))
    assert kit.recall("c", query)["cards"]


@pytest.mark.parametrize("name", ["Hope", "Joy", "Night", "小早", "Will"])
def test_a_name_that_is_also_a_word_of_greeting_recalls_when_it_stands_alone(name: str) -> None:
    kit = Kit()
    kit.remember("c", rows(("Ann", "We sailed at dawn."), ("Bob", "The crew was tired and cold.")))
    kit.call("entity.alias", chat="c", name="Cleo", alias=name)
    kit.remember("c", rows(("Ann", "We sailed at dawn."), ("Bob", "The crew was tired and cold."), ("Cleo", "I kept the log of the ship.")))
    assert kit.recall("c", name)["cards"][0]["text"] == "I kept the log of the ship."


@pytest.mark.parametrize(
    ("name", "query", "held"),
    [
        ("Ann", "Who is Ann?", True),
        ("Ann", "ann's house", True),
        ("Ann", "The annual fair", False),
        ("Ann", "Hannah", False),
        ("小明", "我昨天看见小明了", True),
        ("ゆき", "きのうゆきに会った", True),
        ("민수", "민수가 어디에 있어요?", True),
        ("민수", "민수네집", False),
        ("민수", "김민수는 누구예요?", False),
        ("สมชาย", "เมื่อวานเจอสมชายที่ตลาด", True),
        ("Zoë", "zoë!", True),
        ("Ａｎｎ", "ann", True),
        ("Анна", "Анна Каренина", True),
        ("Max", "用Max的剑", True),
        ("C3PO", "Where is C3PO?", True),
        ("C3", "Where is C3PO?", False),
    ],
)
def test_a_name_is_seen_as_a_whole_word_of_its_script(name: str, query: str, held: bool) -> None:
    kit = Kit()
    kit.remember("c", rows((name, "The moon was full over the black lake."), ("Other", "Nobody swam there since the flood.")))
    assert (name in kit.recall("c", query)["trace"]["names"]) is held


def test_who_speaks_under_a_longer_name_is_found_by_the_short_one() -> None:
    kit = Kit()
    kit.remember(
        "c",
        rows(
            ("Marit Oakes", "The ledger of the mill is missing since spring."),
            ("Corwin Threlfall", "I hid the ledger under the flour bin, where no one looks."),
            ("Marit Oakes", "The flour bin is empty, and the ledger is what we need."),
            ("Silas Reed", "A ledger is only paper, and paper burns."),
            user="Marit Oakes",
        ),
    )
    answer = kit.recall("c", "What did Corwin do with the ledger?")
    assert answer["cards"][0]["speaker"] == "Corwin Threlfall"
    assert "corwin threlfall" in [name.casefold() for name in answer["trace"]["names"]]
