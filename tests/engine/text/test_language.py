import pytest

from tidelore.engine.text.language import language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("He told me that the dog is at home", "en"),
        ("ok", "en"),
        ("今天玩成语接龙游戏", "zh"),
        ("今日はいい天気ですね", "ja"),
        ("コンピューター", "ja"),
        ("오늘 날씨가 좋다", "ko"),
        ("Привет, как дела?", "ru"),
        ("مرحبا، كيف حالك؟", "ar"),
        ("ฉันรักแมว", "th"),
        ("Γειά σου, τι κάνεις;", "el"),
        ("שלום לכולם", "he"),
        ("नमस्ते दुनिया", "hi"),
        ("El perro está en la casa y no quiere salir con los gatos", "es"),
        ("Je ne sais pas, mais je vous aime et elle est très belle", "fr"),
        ("Ich bin nicht sicher, aber das ist der Hund", "de"),
        ("Eu não sei, mas você é muito bonita", "pt"),
        ("Non lo so, ma il cane è bello", "it"),
        ("Nie wiem, ale to jest dobry pies", "pl"),
        ("Tôi không biết nhưng bạn là người tốt", "vi"),
        ("Bu çok güzel bir gün ama ben evde değil", "tr"),
        ("გამარჯობა", "und"),
        ("123 😀 ...", "und"),
        ("", "und"),
        ("\ud800", "und"),
    ],
)
def test_the_language_of_a_text(text: str, code: str) -> None:
    assert language([text]) == code


def test_the_main_language_wins_over_what_is_quoted_in_it() -> None:
    assert language(["我用 Python 写了一个 gateway", "端口是 7890 port", "今天玩成语接龙游戏", "好"]) == "zh"
    assert language(["I said 你好 to her and she laughed", "It is the first word that I know"]) == "en"
    assert language(["今天天气很好，我们一起去公园散步，然后在“の”字招牌的小店里吃了午饭。"]) == "zh"
    assert language(["東京都庁前駅", "東京大学で勉強した"]) == "ja"


def test_a_few_foreign_words_do_not_change_english() -> None:
    assert language(["We ate at la casa de los gatos and that was the best of it, you know"]) == "en"


def test_the_order_of_the_texts_does_not_matter() -> None:
    texts = ["Hello there", "Привет", "你好", "Как дела сегодня"]
    assert language(texts) == language(texts[::-1])


def test_no_texts_have_no_language() -> None:
    assert language([]) == "und"
