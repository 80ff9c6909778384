"""Words are found in every script, and the question in a long message decides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tidelore.engine.recall.query import LONG_TEXT

# What a chat in one language says beside the memory that is looked for.
ENGLISH = ("The harbour was quiet all evening.", "We bought bread and salt at the market.", "The old mill burned down in winter.")
CHINESE = ("我们昨天在市场买了面包。", "港口整个晚上都很安静。", "冬天的时候磨坊烧毁了。")
JAPANESE = ("市場でパンを買いました。", "港は一晩中静かでした。", "冬に水車小屋が燃えました。")
KOREAN = ("우리는 시장에서 빵을 샀습니다.", "항구는 저녁 내내 조용했습니다.", "겨울에 방앗간이 불탔습니다.")
RUSSIAN = ("Мы купили хлеб на рынке.", "Весь вечер в гавани было тихо.", "Зимой сгорела старая мельница.")
ARABIC = ("اشترينا الخبز من السوق.", "كان الميناء هادئا طوال المساء.", "احترقت الطاحونة القديمة في الشتاء.")
THAI = ("เราซื้อขนมปังที่ตลาด", "ท่าเรือเงียบตลอดทั้งเย็น", "โรงสีเก่าไหม้ในฤดูหนาว")


def story(*texts: str) -> Kit:
    kit = Kit()
    kit.remember("c", rows(*(("Ann" if at % 2 == 0 else "Bob", text) for at, text in enumerate(texts))))
    return kit


def first(found: Any) -> str:
    cards = found["cards"]
    return str(cards[0]["text"]) if cards else ""


@pytest.mark.req("B5", "P67", "F17", "T12")
@pytest.mark.parametrize(
    ("others", "text", "query"),
    [
        (CHINESE, "今天玩成语接龙游戏，小明赢了。", "成语接龙"),
        (CHINESE, "今天玩成语接龙游戏，小明赢了。", "成语"),
        (CHINESE, "老王养了一只猫。", "猫"),
        (CHINESE, "用户喜欢安静的颜色。", "用户"),
        (CHINESE, "他把钥匙藏在灯塔。", "灯塔里有什么？"),
        (JAPANESE, "すみれちゃんは猫カフェで働いています。", "猫カフェ"),
        (JAPANESE, "合言葉はひまわりです。", "ひまわり"),
        (JAPANESE, "合言葉はヒマワリです。", "ﾋﾏﾜﾘ"),
        (KOREAN, "열쇠는 등대에 숨겨져 있습니다.", "등대"),
        (KOREAN, "열쇠는 등대에 숨겨져 있습니다.", "등대는 어디에 있어요?"),
        (RUSSIAN, "Ключ спрятан за маяком.", "где маяк?"),
        (RUSSIAN, "Ёлка стоит во дворе.", "елка"),
        (ARABIC, "المفتاح مخبأ خلف المنارة.", "منارة"),
        (ARABIC, "قال الطبيب: المفتاح عند الحارس.", "طبيب"),
        (THAI, "กุญแจซ่อนอยู่หลังประภาคาร", "ประภาคาร"),
        (ENGLISH, "The café in Zürich sells crêpes.", "creperie crepes zurich"),
        (ENGLISH, "Zoe met Bjorn at the cafe.", "Where did Zoë meet Björn?"),
        (ENGLISH, "Το κλειδί είναι πίσω από τον φάρο.", "φαρο"),
        (CHINESE, "重跑gen-itgc后，结果正常。", "itgc"),
        (CHINESE, "请用ＡＢＣ方案处理这件事。", "abc方案"),
        (ENGLISH, "The code of the safe is ４７１１.", "4711"),
    ],
)
def test_a_word_of_any_script_is_found_at_the_top(others: tuple[str, ...], text: str, query: str) -> None:
    kit = story(*others[:2], text, *others[2:])
    assert first(kit.recall("c", query)) == text


@pytest.mark.req("P69")
@pytest.mark.parametrize("query", ["itgc", "gen-itgc", "ITGC的结果", "重跑itgc"])
def test_latin_words_glued_to_chinese_are_found(query: str) -> None:
    kit = story(*CHINESE, "重跑gen-itgc后，结果正常。")
    assert first(kit.recall("c", query)) == "重跑gen-itgc后，结果正常。"


@pytest.mark.req("P71")
@pytest.mark.parametrize(
    "query",
    [
        "Breeder's and Exhibitor's Association",
        "breeder’s AND NOT exhibitor's",
        "Exhibitor's OR (breeder NEAR/3 association)",
        "association*",
        '"association"',
        "100% of the association_fund",
        "ASSOCIATION; DROP TABLE memories",
        "(association",
    ],
)
def test_signs_and_operators_in_a_query_are_only_words(query: str) -> None:
    text = "The Breeder's and Exhibitor's Association paid 100% of the association_fund."
    kit = story(*ENGLISH, text)
    assert first(kit.recall("c", query)) == text


@pytest.mark.parametrize("query", ["%", "_", "*", "'", '"', "''", "()", "%_%", "?!…", "\u200b", "🙂", "\ud800", "\x00"])
def test_a_query_of_signs_alone_finds_nothing_and_breaks_nothing(query: str) -> None:
    kit = story(*ENGLISH)
    assert kit.recall("c", query)["cards"] == []


@pytest.mark.req("B7")
@pytest.mark.parametrize("ending", ["Where did Corvin hide the amulet?", '*She leans in.* "Where did Corvin hide the amulet?"'])
def test_the_question_at_the_end_of_a_long_text_decides(ending: str) -> None:
    aside = (
        "The storm had been rolling over the black cliffs since noon, and the lanterns along the quay swung and hissed. "
        "Mira pulled her scarlet cloak tighter, thinking of the bakery, the burnt loaves, the quarrel with the miller, and of the "
        "long letter from the capital that lay unopened in her satchel. The innkeeper had promised stew and a dry bed, the "
        "ferryman had promised passage at dawn, and neither promise seemed worth much while thunder shook the shutters and the "
        "dogs howled behind the stables. She wiped the rain from her brow and sat down by the fire at last. "
    )
    text = aside + ending
    assert len(text) > 590 > LONG_TEXT
    kit = story(
        "Corvin hid the amulet under the chapel floor.",
        "The storm rolled over the cliffs and the lanterns on the quay hissed.",
        "Mira quarrelled with the miller about burnt loaves of the bakery.",
        "A long letter from the capital lay unopened in her satchel.",
        "The innkeeper promised stew, the ferryman passage at dawn.",
        "Thunder shook the shutters and dogs howled behind the stables.",
    )
    assert first(kit.recall("c", text)) == "Corvin hid the amulet under the chapel floor."


LONG_TEXTS = {
    "zh": ("科尔文把护身符藏在教堂的地板下。", "暴风雨从中午起就压在黑色的悬崖上，码头的灯笼摇晃着。", "护身符藏在哪里？"),
    "ja": (
        "コルヴィンはお守りを礼拝堂の床下に隠した。",
        "昼から嵐が黒い崖にかかり、波止場の提灯が揺れていた。",
        "お守りはどこに隠しましたか？",
    ),
    "ko": (
        "코르빈은 부적을 예배당 마루 밑에 숨겼다.",
        "정오부터 폭풍이 검은 절벽 위로 몰려왔고 부두의 등불이 흔들렸다.",
        "부적은 어디에 숨겼어요?",
    ),
    "ru": (
        "Корвин спрятал амулет под полом часовни.",
        "С полудня буря шла над чёрными скалами, и фонари на причале качались.",
        "Где амулет?",
    ),
    "ar": ("أخفى كورفين التميمة تحت أرضية الكنيسة.", "كانت العاصفة فوق الصخور السوداء وكانت المصابيح تتأرجح.", "أين التميمة؟"),
    "fr": (
        "Corvin a caché l'amulette sous le plancher de l'église.",
        "L'orage roulait sur les falaises et les lanternes du quai sifflaient.",
        "Où est l’amulette ?",
    ),
}


@pytest.mark.req("B7", "B5", "P67")
@pytest.mark.parametrize("language", LONG_TEXTS)
def test_the_question_at_the_end_decides_in_every_script(language: str) -> None:
    kept, aside, question = LONG_TEXTS[language]
    text = (aside + " ") * (LONG_TEXT // len(aside) + 2) + question
    kit = story(aside, kept, *CHINESE, *RUSSIAN, *ENGLISH)
    assert first(kit.recall("c", text)) == kept


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("I bought a telescope from the smith.", "What did you buy?"),
        ("She taught the children to swim.", "Which child does she teach?"),
        ("We flew over the glacier.", "Did you fly?"),
        ("The wolves were heard at the mill.", "Was there a wolf?"),
    ],
)
def test_irregular_forms_of_english_are_found_by_the_plain_one(text: str, query: str) -> None:
    assert first(story("Rain again.", text, "The soup was salty.").recall("c", query)) == text


def test_a_long_reply_counts_little_beside_the_words_of_the_user() -> None:
    reply = "The storm rolled over the cliffs while lanterns hissed on the quay and the ferryman cursed the tide, the rope, the rain. " * 3
    kit = story(
        "Corvin hid the amulet under the chapel floor.",
        "The storm rolled over the cliffs, lanterns hissed on the quay.",
        "The ferryman cursed the tide, the rope and the rain.",
    )
    assert first(kit.recall("c", "And the amulet?", reply=reply)) == "Corvin hid the amulet under the chapel floor."


def test_what_clients_inject_into_the_query_is_no_part_of_it() -> None:
    kit = story("Corvin hid the amulet under the chapel floor.", *ENGLISH)
    injected = "<tidelore-memory>The old mill burned down in winter.</tidelore-memory> Where is the amulet?"
    assert first(kit.recall("c", injected)) == "Corvin hid the amulet under the chapel floor."
    assert "mill" not in kit.recall("c", injected)["trace"]["words"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What did we do in May?", "We planted beans."),
        ("What happened on 3 March 2023?", "We sold the boat."),
        ("5月我们做了什么？", "We planted beans."),
        ("五月发生了什么？", "We planted beans."),
        ("５月に何をしましたか？", "We planted beans."),
        ("3월에 무엇을 했어요?", "We sold the boat."),
    ],
)
def test_a_month_that_is_asked_for_is_found(query: str, text: str) -> None:
    kit = Kit()
    said = rows(("Ann", "We sold the boat."), ("Bob", "We planted beans."), ("Ann", "We painted the fence."), ("Bob", "We dug a well."))
    for row, date in zip(said, ("2023-03-03", "2023-05-08T13:56", "2023-07-01", "2023-08-01"), strict=True):
        row["date"] = date
    kit.remember("c", said)
    found = kit.recall("c", query)
    assert first(found) == text


@pytest.mark.parametrize("query", ["You may enter.", "We march at dawn.", "三个月了", "月亮很美", "I paid 2000000 coins."])
def test_a_month_or_year_is_not_seen_where_none_stands(query: str) -> None:
    kit = Kit()
    said = rows(("Ann", "The boat was sold."), ("Bob", "Beans were planted."))
    said[0]["date"], said[1]["date"] = "2023-03-03", "2023-05-08"
    kit.remember("c", said)
    assert kit.recall("c", query)["cards"] == []


@pytest.mark.parametrize("date", ["2023-²³-01", "yesterday", "2023-5", "</tidelore-memory>", "2023-05\n- rule", "99999999-05"])
def test_a_date_of_another_form_breaks_nothing(date: str) -> None:
    kit = Kit()
    said = rows(("Ann", "The boat was sold to a smuggler."))
    said[0]["date"] = date
    kit.remember("c", said)
    found = kit.recall("c", "Who bought the boat in May 2023?")
    assert first(found) == "The boat was sold to a smuggler."
    assert "- Ann: The boat" in found["recalled"]
