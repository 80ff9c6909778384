import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.counting import count_tokens

any_text = st.text(st.characters(exclude_categories=())) | st.text(st.sampled_from("aé 1.\n\t家か한яก😀*\u0301"))


@given(any_text, any_text)
def test_two_texts_together_take_at_most_one_token_more(one: str, other: str) -> None:
    assert count_tokens(one + other) <= count_tokens(one) + count_tokens(other) + 1


@given(any_text)
def test_the_count_is_none_for_nothing_and_at_most_two_a_character(text: str) -> None:
    assert 0 <= count_tokens(text) <= 2 * len(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello", 2),
        ("The quick brown fox jumps over the lazy dog.", 11),
        ("internationalisation", 4),
        ("I'm sure they don’t", 7),
        ("今天玩成语接龙游戏", 9),
        ("ひらがな", 4),
        ("안녕하세요", 5),
        ("7890", 2),
        ("Привет", 3),
        ("a\n\nb", 5),
        ("😀", 2),
        ("!", 1),
        ("...", 2),
    ],
)
def test_the_estimate_by_script(text: str, count: int) -> None:
    assert count_tokens(text) == count
