import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.sentences import cut, pieces, sentences

prose = st.text(st.sampled_from("aB .!?…\"*'”。！？」と,\n1é\u0301\U0001f3fb\ud83d\ude00ก家ー"), max_size=60)
any_text = st.text(st.characters(exclude_categories=()), max_size=60) | prose


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@given(any_text)
def test_spans_stand_in_order_apart_and_hold_all_that_is_not_space(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. Smith met Dr. Who.", "They left."],
        ["It cost 3.50 dollars.", "Cheap!"],
        ["Some, e.g. this one.", "Then that one, i.e. the last."],
        ["J. K. Rowling wrote it.", "It was I.", "Then she left."],
        ["U.S. forces left at 5 p.m. on Monday.", "He slept."],
        ["No. 5 is alive.", "No.", "It is not."],
        ["1. First item.", "Then more."],
        ["I don't know... maybe.", "Wait… what?", "Well...", "Fine."],
        ["what are you doing?", "i went home.", "ok"],
        ['"Hello!" she said.', '"How are you?"', "He left."],
        ["“Go!” he cried.", "“Now.”", "She ran."],
        ["*she smiles.*", '"Hello," he said.', "*waves!*"],
        ["**Bold.**", "Next."],
        ["See example.com/a?b=c!", "Done."],
        ["Привет!", "Как дела?", "Хорошо, т.е. нормально."],
        ["مرحبا؟", "نعم.", "لا۔"],
        ["क्या हाल है?", "मैं ठीक हूँ।", "चलो।"],
        ["Ποιος είσαι;", "Εγώ."],
        ["오늘 갔다.", "정말?", "응!"],
        ["?!", "..."],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_with_spaces_between(expected: list[str]) -> None:
    assert said(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["他说：“你好。”", "然后走了。", "我不知道……", "也许吧！"],
        ["「行こう！」と彼は言った。", "雨だ。", "本当？！", "うん"],
        ["你好!", "走吧?", "好"],
        ["他住在3.5楼.", "我不去."],
        ["*she smiles.*", '"Hello," he said.'],
        ["Stop.", "*she leaves*"],
        ['"I am fine."', '"You?"'],
        ["ကောင်းတယ်။", "ဟုတ်တယ်။"],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_without_spaces_between(expected: list[str]) -> None:
    end = " Then." if expected[0].startswith("*") else ""
    assert said("".join(expected) + end) == [*expected, *([end.strip()] if end else [])]


def test_a_line_is_a_border() -> None:
    assert said("\n one\n\ntwo three\r\n  four. five\n") == ["one", "two three", "four.", "five"]


@given(any_text, st.integers(-1, 40))
def test_a_cut_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short) <= max(limit, 0)
    assert short == text or text.startswith(short.removesuffix("…"))


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("Alice was hurt. She was NOT killed.", 40, "Alice was hurt. She was NOT killed."),
        ("Alice was hurt. She was NOT killed.", 34, "Alice was hurt."),
        ("Alice was hurt, as far as anyone knew.", 20, "Alice was hurt…"),
        ("Alice was hurt by Bob and Carol", 25, "Alice was hurt by Bob…"),
        ("It cost 1,000,000 dollars", 14, "It cost…"),
        ("Supercalifragilistic", 10, "…"),
        ("今天我们一起去了公园，然后吃饭。", 12, "今天我们一起去了公园…"),
        ("今天我们一起去了公园然后吃饭。", 8, "今天我们一起去…"),
        ("大会コンピューター", 6, "大会…"),
        ("ฉันรักแมวและหมา", 8, "ฉันรัก…"),
        ("Москва большая", 10, "Москва…"),
        ("e\u0301e\u0301 e\u0301e\u0301", 7, "e\u0301e\u0301…"),
        ("好👍🏽好", 3, "好…"),
        ("short", 5, "short"),
    ],
)
def test_a_cut_keeps_whole_sentences_or_else_clauses_or_else_words(text: str, limit: int, short: str) -> None:
    assert cut(text, limit) == short


@given(any_text, st.integers(1, 40))
def test_pieces_fit_and_hold_all_that_is_not_space(text: str, limit: int) -> None:
    at = 0
    for start, end in pieces(text, limit):
        assert 0 < end - start <= limit
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()


def test_pieces_are_whole_sentences_of_like_size() -> None:
    text = "One two. " * 11
    lengths = [end - start for start, end in pieces(text, 80)]
    assert lengths == [53, 44]


def test_a_sentence_too_long_for_a_piece_is_divided_between_words() -> None:
    text = "alpha beta gamma delta epsilon"
    assert [text[start:end] for start, end in pieces(text, 12)] == ["alpha beta", "gamma delta", "epsilon"]
    assert [end - start for start, end in pieces("x" * 25, 10)] == [10, 10, 5]
