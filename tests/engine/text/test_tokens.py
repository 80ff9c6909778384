import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.tokens import STOP, content_words, tokens


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_gives_tokens_without_space_or_nothing(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not re.search(r"\s", token)
    assert tokens(text) == tokens(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She was running through the old harbours", ["run", "old", "harbour"]),
        ("Breeder's and Exhibitor’s Association", ["breeder", "exhibitor", "association"]),
        ("parties glasses classes passed falling hoped", ["party", "glass", "class", "pass", "fall", "hop"]),
        ("string bed only", ["string", "bed"]),
        ("o'clock, I don't", ["oclock", "dont"]),
        ("foo_bar gpt4 3.14", ["foo", "bar", "gpt4", "3", "14"]),
        ("the and or", []),
        ("", []),
    ],
)
def test_english_words_are_stemmed_and_stop_words_dropped(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_chinese_gives_characters_and_pairs_without_function_characters_alone() -> None:
    assert tokens("用户的端口") == ["用", "户", "端", "口", "用户", "户的", "的端", "端口"]
    assert tokens("在𠮷野家") == ["𠮷", "野", "家", "在𠮷", "𠮷野", "野家"]


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("今天玩成语接龙游戏", "成语接龙"),
        ("今天玩成语接龙游戏", "成语"),
        ("重跑gen-itgc后", "itgc"),
        ("重跑gen-itgc后", "gen"),
        ("我养了一只猫", "猫"),
        ("Breeder's and Exhibitor's Association as stored", "Breeder’s AND Exhibitor’s association"),
        ("We met at the café", "CAFE"),
        ("Łódź and Øresund", "lodz oresund"),
        ("İstanbul", "istanbul"),
        ("l’école", "école"),
        ("今日はプールで泳いだ", "プール"),
        ("ﾌﾟｰﾙ", "プール"),
        ("ひまわりの畑", "ひまわり"),
        ("민수가 학교에 갔다", "학교"),
        ("Я живу в Москве с Алисой", "Москва Алиса"),
        ("старые книги лежали в коробках", "старая книга коробка"),
        ("Ёлка", "елка"),
        ("ฉันรักแมวมาก", "แมว"),
        ("ຂ້ອຍຮັກແມວ", "ແມວ"),
        ("ខ្ញុំស្រឡាញ់ឆ្មា", "ឆ្មា"),
        ("ကြောင်ကိုချစ်တယ်", "ကြောင်"),
        ("الكِتَابُ الجميل", "كتاب جميل"),
        ("مُــحمد", "محمد"),
        ("می\u200cخواهم", "میخواهم"),
        ("Ο ΣΊΣΥΦΟΣ", "σισυφος"),
        ("שָׁלוֹם", "שלום"),
        ("मुझे किताबें पसंद हैं", "किताबें"),
        ("ｐｏｒｔ ７８９０", "port 7890"),
        ("٧٨٩٠", "7890"),
        ("it´s Bob´s", "Bob's"),
        ("გამარჯობა მსოფლიო", "მსოფლიო"),
        ("Привет,мир", "мир"),
        ("м’ята", "м'ята"),
    ],
)
def test_what_is_stored_is_found_by_every_token_of_the_query(stored: str, query: str) -> None:
    wanted = set(tokens(query))
    assert wanted
    assert wanted <= set(tokens(stored))


@pytest.mark.parametrize(("one", "other"), [("7890", "7897"), ("杭州", "北京"), ("моря", "города"), ("cat", "car")])
def test_different_words_share_no_token(one: str, other: str) -> None:
    assert not set(tokens(one)) & set(tokens(other))


def test_signs_are_no_part_of_a_word() -> None:
    assert tokens("Tidelore™ “quoted” — dash… 😀") == ["tidelor", "quot", "dash"]


def test_code_points_newer_than_unicode_14_are_no_tokens() -> None:
    assert tokens("\U0001e030 \ua7cb \U0001ccd6") == []


def test_words_with_content_leave_out_single_latin_letters() -> None:
    assert content_words("plan b 7 猫") == ["plan", "7", "猫"]


def test_stop_words_are_folded() -> None:
    assert {"the", "dont"} & STOP == {"the"}
