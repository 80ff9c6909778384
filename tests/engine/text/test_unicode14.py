import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.unicode14 import fold_name, known, nfc, normalise, well_formed

any_text = st.text(st.characters(exclude_categories=()))
# Marks and letters whose order and composition matter, with what Unicode 14 does not know among them.
composing = st.text(
    st.sampled_from("aeK\u0301\u0323\u0345\u0327\u1100\u1161\u11a8\u11a7\u212b\U00011099\U000110ba\U00011f41\U0001e4ec\u0cf3")
)


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="Python 3.11 is the measure")
@given(any_text | composing)
def test_nfc_is_that_of_unicode_14(text: str) -> None:
    assert nfc(text) == unicodedata.normalize("NFC", text)


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="Python 3.11 is the measure")
def test_known_are_exactly_the_assigned_code_points_of_unicode_14() -> None:
    assert all(known(chr(point)) == (unicodedata.category(chr(point)) != "Cn") for point in range(sys.maxunicode + 1))


@given(any_text | composing)
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert "\r" not in once
    assert once == once.rstrip()
    once.encode()


@given(any_text | composing)
def test_folding_a_name_twice_changes_nothing(name: str) -> None:
    once = fold_name(name)
    assert fold_name(once) == once


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("  kept \n\t ", "  kept"),
        ("cafe\u0301", "café"),
        ("a\ud83d\ude00b", "a😀b"),
        ("a\ud83db\ude00", "a\ufffdb\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\u3000全角\u3000", "\u3000全角"),
        ("", ""),
    ],
)
def test_a_message_is_stored_in_normal_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize("new", ["\U00011f41", "\U0001e4ec", "\u0cf3", "\U0001e08f", "\U0001e4ee"])
def test_a_code_point_newer_than_unicode_14_passes_and_is_a_border(new: str) -> None:
    assert not known(new)
    # A mark of a lower class would go first, and the accent would reach the letter, if the new one were known.
    assert nfc(f"a{new}\u0301\u0323e\u0301") == f"a{new}\u0323\u0301é"
    assert fold_name(f"A{new}É") == f"a{new}é"


@pytest.mark.parametrize("new", ["\U0001e030", "\ua7cb", "\U0001ccd6"])
def test_a_letter_newer_than_unicode_14_is_not_folded(new: str) -> None:
    assert fold_name(f"X{new}Y") == f"x{new}y"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", " ALICE "),
        ("Mary  Jane", "mary\u00a0\u3000jane"),
        ("Ｔｏｋｙｏ", "tokyo"),
        ("Straße", "STRASSE"),
        ("José", "JOSE\u0301"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ｶﾞﾝﾀﾞﾑ", "ガンダム"),
        ("Алиса", "АЛИСА"),
    ],
)
def test_spellings_of_one_name_fold_alike(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(("one", "other"), [("José", "Jose"), ("7890", "7897"), ("美咲", "美佐")])
def test_other_names_fold_apart(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


@given(st.text())
def test_well_formed_text_is_left_alone(text: str) -> None:
    assert well_formed(text) == text
