from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.privacy import ACCOUNT, CARD, IDENTITY, PHONE, SECRET, mask

LONG = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxyz123/+abc\nAAECAwQFBgcICQoLDA0ODw==\n-----END RSA PRIVATE KEY-----"

# What is written before, what stands instead of it, what follows.
MASKED = [
    # identity cards
    ("", "11010519491231002X", IDENTITY, ""),
    ("身份证号", "11010519491231002x", IDENTITY, "，别告诉别人"),
    ("ID: ", "１１０１０５１９４９１２３１００２Ｘ", IDENTITY, "."),
    ("", "110105 19491231 002X", IDENTITY, ""),
    ("旧证", "110105491231002", IDENTITY, "。"),
    # bank cards
    ("card ", "4111111111111111", CARD, "!"),
    ("card ", "4111 1111 1111 1111", CARD, " 12/26"),
    ("card ", "4111-1111-1111-1111", CARD, ", thanks"),
    ("卡号", "６２２２０２１２３４５６７８９０１２８", CARD, ""),
    ("卡号：", "6222 0212 3456 7890 128", CARD, "。"),
    ("", "5555555555554444", CARD, ""),
    ("", "2223003122003222", CARD, ""),
    ("", "378282246310005", CARD, ""),
    ("", "3782 822463 10005", CARD, ""),
    ("", "3530111333300000", CARD, ""),
    ("", "6011111111111117", CARD, ""),
    ("", "30569309025904", CARD, ""),
    ("", "4222222222222", CARD, ""),
    ("in 2026 ", "4111 1111 1111 1111", CARD, " was stolen"),
    ("(", "4111\u20111111\u20111111\u20111111", CARD, ")"),
    # mobiles
    ("我的电话", "13800138000", PHONE, "谢谢"),
    ("", "138-0013-8000", PHONE, ""),
    ("", "138 0013 8000", PHONE, " (晚上)"),
    ("", "+8613800138000", PHONE, ""),
    ("", "+86 138 0013 8000", PHONE, ""),
    ("", "86 13800138000", PHONE, ""),
    ("", "0086-13800138000", PHONE, ""),
    ("", "8613800138000", PHONE, ""),
    ("打给", "１３８００１３８０００", PHONE, ""),
    ("", "13800138000", PHONE, "@163.com"),
    # other telephones
    ("", "+1 415 555 2671", PHONE, " 20 people"),
    ("", "+1 (415) 555-2671", PHONE, ""),
    ("", "+14155552671", PHONE, ""),
    ("ring ", "+44 20 7946 0958", PHONE, "."),
    ("", "+33 6 12 34 56 78", PHONE, ""),
    ("", "(415) 555-2671", PHONE, " works"),
    ("", "1 (415) 555-2671", PHONE, ""),
    ("phone: ", "415-555-2671", PHONE, ""),
    ("Call me at ", "555-2671", PHONE, " tonight"),
    ("My phone number is ", "020 7946 0958", PHONE, "."),
    ("Tel. ", "020 7946 0958", PHONE, ""),
    ("电话：", "010-12345678", PHONE, "转分机"),
    ("手机号码是", "(010) 12345678", PHONE, ""),
    ("call me (", "415 555 2671", PHONE, ")"),
    ("", "415-555-2671", PHONE, " is my cell"),
    ("", "010-12345678", PHONE, "是我的电话"),
    # keys
    ("key ", "sk-abcdefghijklmnopqrstuvwx", SECRET, " ok"),
    ("", f"sk-proj-{LONG}", SECRET, ""),
    ("", f"sk-ant-api03-{LONG}_x-Y", SECRET, ""),
    ("", f"ghp_{LONG}", SECRET, ""),
    ("", f"github_pat_11ABC_{LONG}", SECRET, ""),
    ("", "AKIAIOSFODNN7EXAMPLE", SECRET, ", secret"),
    ("", f"AIza{LONG[:35]}", SECRET, ""),
    ("", "xoxb-123456789012-abcdefABCDEF", SECRET, ""),
    ("", f"hf_{LONG}", SECRET, "。"),
    ("Authorization: Bearer ", "abc123.DEF456_ghi789", SECRET, ""),
    ("", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", SECRET, ""),
    ("", PEM, SECRET, "\nthat was it"),
    ("password: ", "hunter2", SECRET, " and go"),
    ("Password: ", "swordfish", SECRET, "."),
    ("password=\"", "p@ss!word", SECRET, '"'),
    ("密码：", "abc12345", SECRET, "，记住"),
    ("密码是", "483920", SECRET, "。"),
    ("The password is ", "483920", SECRET, "."),
    ("API key: ", "9f8e7d6c5b4a", SECRET, ""),
    ("My password for Netflix is ", "abcd1234", SECRET, "."),
    ("The wifi password for the flat is ", "correcthorse99", SECRET, ", by the way"),
    ("the password's ", "qwerty77", SECRET, ""),
    ("My password is still ", "hunter22", SECRET, "!"),
    ("I changed my password to ", "hunter22", SECRET, "."),
    ("pw: ", "zxcvb99", SECRET, ""),
    ("pass: ", "hunter22", SECRET, " ok"),
    ("My password for the portal is ", "hunter2secret", SECRET, " now"),
    ("My passphrase is ", "correct horse battery staple", SECRET, "."),
    ("The passphrase for the vault is ", "seven red boats sail at night", SECRET, " always and so on"),
    ("密码设成了 ", "abc999888", SECRET, "，别忘了"),
    ("我的密码改为", "abc999888", SECRET, "了"),
    ("My PIN is ", "4921", SECRET, "."),
    ("PIN code ", "4921", SECRET, ""),
    ("the pin for my card is ", "4921", SECRET, ", ok"),
    ("I forgot my pin, it is ", "4921", SECRET, "."),
    ("CVV ", "123", SECRET, ""),
    ("PUK: ", "12345678", SECRET, "."),
    ("Netflix password ", "abcd1234", SECRET, ", ok"),
    ("her pass is ", "hunter22", SECRET, "."),
    ("wifi密码是", "abc12345", SECRET, "，别外传"),
    # papers and accounts
    ("", "123-45-6789", IDENTITY, " is mine"),
    ("my SSN is ", "123456789", IDENTITY, "."),
    ("passport ", "X1234567", IDENTITY, ""),
    ("My passport number is ", "X1234567", IDENTITY, "."),
    ("护照号 ", "E12345678", IDENTITY, "。"),
    ("IBAN ", "GB82 WEST 1234 5698 7654 32", ACCOUNT, " please"),
    ("", "DE89370400440532013000", ACCOUNT, "."),
    ("ring me, ", "415-555-2671", PHONE, "."),
    ("", "1-415-555-2671", PHONE, ""),
    ("ｋｅｙ ", "ｓｋ－abcdefghijklmnopqrstuvwx", SECRET, ""),
]  # fmt: skip

LEFT = [
    "hosted-eu-20260812-09",
    "order number 00123456789",
    "order 13812345678", "订单号 13812345678", "tracking number: 13812345678", "order 415-555-2671",
    "000-45-6789", "666-45-6789", "923-45-6789", "123-00-6789", "123-45-0000", "A123-45-6789", "2026-11-2026",
    "GB83 WEST 1234 5698 7654 32", "ZZ82 WEST 1234 5698 7654 32", "DE89370400440532013001",
    "115-555-2671", "415-155-2671", "911-555-2671", "415-911-2671", "415-555-26711",
    "my passport expired in 2024", "passport 20260812", "护照在抽屉里",
    "I pinned 4921 photos", "pin 4921 of them", "PIN it", "the pass is 2400 metres high", "pass: the salt",
    "The passphrase is the name of the river", "the passphrase is wrong", "My password for Netflix is swordfish",
    "password for the year 2024 was changed", "密码设成了生日",
    "order #13800138000",
    "2026-08-12", "20260812", "2026/08/12 20:31:10", "2026-08-12T13:56:00+08:00", "2026年8月12日", "at 10:30, 1990-2000",
    "phone call on 2026-08-12 at 10", "20260812 手机丢了", "打电话 2026-08-12",
    "v1.2.3-20240801", "python 3.11.7", "192.168.100.200",
    "$4111111111111111", "¥13800138000", "13800138000元", "13,800,138,000", "costs 1299.00", "+10000000 XP", "+5 sword",
    "550e8400-e29b-41d4-a716-446655440000", "12345678-1234-1234-1234-123456789012",
    "d41d8cd98f00b204e9800998ecf8427e", "4111111111111111a", "id4111111111111111", "x_13800138000", "order-13800138000",
    "https://example.com/item/13800138000",
    "ISBN 978-3-16-148410-0", "9783161484100", "4006381333931",
    "4111111111111112", "1234567890123456", "110105194912310021", "110105194913310020", "99010519491231002X",
    "31.2304, 121.4737", "39.904211 116.407395", "0.13800138000",
    "1722800000", "1722800000000", "12800138000", "iPhone 15 20245678",
    "10000000 phones were sold", "cell 403, phone 555",
    "sk-learn-compatible-estimator-checks", "sk-short", "the bearer responsibilities grew", "Bearer of the ring",
    "password: the name of the old king", "The password is swordfish", "密码是什么？", "密码：芝麻开门",
    "a secret: everyone knows",
    "keynote, tokens, Asia", "eyJ.eyJ.eyJ", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBg\n-----END PUBLIC KEY-----",
]  # fmt: skip


@pytest.mark.req("F23", "M17")
@pytest.mark.parametrize(("before", "secret", "word", "after"), MASKED)
def test_secrets_and_personal_numbers_are_masked_and_their_surroundings_stay(before: str, secret: str, word: str, after: str) -> None:
    assert mask(before + secret + after) == before + word + after


@pytest.mark.req("F23", "M17")
@pytest.mark.parametrize("text", LEFT)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask(text) == text


@pytest.mark.req("F23")
def test_several_numbers_in_one_text_are_all_masked() -> None:
    text = "甲 13800138000/13900139000，卡 4111 1111 1111 1111 或 5555-5555-5555-4444，２０２６年"
    assert mask(text) == f"甲 {PHONE}/{PHONE}，卡 {CARD} 或 {CARD}，２０２６年"


def test_a_number_freed_by_the_masking_of_its_neighbour_is_masked_too() -> None:
    assert mask("4111111111111111/13800138000") == f"{CARD}/{PHONE}"
    assert mask("sk-abcdefghijklmnop1/13800138000") == f"{SECRET}/{PHONE}"


PARTS = st.sampled_from(
    [part for before, secret, _, after in MASKED for part in (before, secret, after)]
    + LEFT
    + list(":-/.(+0１X\n[ ")
    + [CARD, PHONE, IDENTITY, SECRET, "phone", "password", "bearer ", "86"]
)


@pytest.mark.req("F23")
@given(st.lists(PARTS, max_size=8).map("".join) | st.text(alphabet="0123456789+-() .Xx：phone密码[]sk-", max_size=60))
def test_masking_twice_is_masking_once(text: str) -> None:
    masked = mask(text)
    assert mask(masked) == masked


@given(st.text(alphabet=st.characters(exclude_categories=["Nd", "Cs"]), max_size=200))
def test_a_text_without_digits_and_marks_stays_verbatim(text: str) -> None:
    marks = "sk-|sk_|key|gh|akia|asia|aiza|xox|eyj|hf_|begin|bearer|pass|pin|pw|pwd|token|secret|密|口令|glpat"
    if not re.search(marks, text.casefold()):
        assert mask(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "7" * 200_000,
        "1 " * 100_000,
        "4111-" * 40_000,
        "4111 1111 " * 20_000,
        "13800138000 " * 16_000,
        "13800138000-" * 16_000,
        "(415)" * 40_000,
        "+1" * 100_000,
        "phone 12 34 56 " * 13_000,
        "phone" * 40_000 + "1",
        "eyJaaaaaaaa-" * 16_000,
        "eyJaaaaaaaa." * 16_000,
        "-----BEGIN PRIVATE KEY-----" * 7_000,
        "password: " * 20_000,
        "sk-" * 66_000,
        "bearer " * 28_000,
        "password for " * 16_000,
        "password a" + "a" * 200_000,
        "密码我就都" * 40_000,
        "passphrase is " * 14_000,
        "PIN for a " * 20_000,
        "GB82 " * 40_000,
        "123-45-" * 28_000,
    ],
    ids=lambda text: text[:14],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """200 kB each: a pattern that is not linear would not end within the patience of anyone who runs this."""
    once = mask(text)
    assert mask(once) == once
