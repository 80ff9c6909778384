"""Names of people, places and works by the way they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.names import mentions


def named(text: str, *certainties: str) -> list[tuple[str, str]]:
    return [(mention.name, mention.sub) for mention in mentions(text) if mention.certainty in (certainties or ("stated", "seen"))]


def seen(text: str) -> list[str]:
    return [name for name, _ in named(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met Oriel at the well.", ["Oriel"]),
        ("Thanks, Oriel! See you on Friday.", ["Oriel"]),
        ("Hey Oriel, how was your day?", ["Oriel"]),
        ("Then Dr. Lin called Captain Reyes.", ["Lin", "Reyes"]),
        ("I asked Mr. van der Berg and Charlotte de la Cruz.", ["van der Berg", "Charlotte de la Cruz"]),
        ("the parrot of van der Berg squawked", ["van der Berg"]),
        ("Yesterday Aria of Winterfell wept.", ["Aria", "Winterfell"]),
        ("I gave it to Aunt May.", ["Aunt May"]),
        ("a letter by J.K. Rowling and George R. R. Martin", ["J.K. Rowling", "George R. R. Martin"]),
        ("It was Oriel's cloak, not Jean-Luc’s.", ["Oriel", "Jean-Luc"]),
        ("We saw Oriel's Toyota.", ["Oriel"]),
    ],
)
def test_a_capital_inside_a_sentence_is_a_name(text: str, names: list[str]) -> None:
    assert seen(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "*Oriel smiles softly.*",
        '"Good evening," Oriel said.',
        "Oriel's eyes narrowed.",
        "Oriel quietly nodded.",
        "Oriel said nothing.",
    ],
)
def test_a_sentence_that_opens_with_someone_acting_names_them(text: str) -> None:
    assert seen(text) == ["Oriel"]


def test_a_capital_at_the_start_of_a_sentence_may_be_a_name() -> None:
    assert named("Oriel is here. Oriel was there.", "maybe") == [("Oriel", "character")] * 2
    assert named("Oriel is here.") == []


@pytest.mark.parametrize(
    "text",
    [
        "When I said so, she laughed. Yesterday was Monday, in March. My French is bad and I'm tired.",
        "Oh my God, what a day. No, It's fine. So, How are you? Thanks, Mom!",
        "THE KING IS DEAD. LONG LIVE THE KING!",
        "Well, You See, This Is A Title Case Sentence That Goes On And On.",
        "We have USB, Wi-Fi and the Internet on TV, lol OK?",
        "<b>Bold</b> and `Code Block` and see https://Example.com/Foo or @User or #Tag, {{Char}}.",
        "Walking home, I sang. Music helps. Doctors said so. Rain fell. Silence followed.",
        "Merry Christmas and Happy New Year to all, from the Chinese and the English.",
        "they sang. \U0001f600 Hope you are well",
        "Ich habe mit der Katze und dem Hund im Garten gespielt. Die Sonne war schön.",
    ],
)
def test_what_has_a_capital_for_other_reasons_is_no_name(text: str) -> None:
    assert seen(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("They sailed for Kestrel Harbor at dawn.", "Kestrel Harbor"),
        ("Lanterns lit the Gilded Heron Tavern.", "Gilded Heron Tavern"),
        ("Tomorrow at Murphy's Pub!", "Murphy's Pub"),
        ("I went on a trip to Lake Tahoe.", "Lake Tahoe"),
        ("She was born in Eastmarch.", "Eastmarch"),
        ("Italy is far away.", "Italy"),
        ("the streets of Lumen", "Lumen"),
        ("We took the train from New York City.", "New York City"),
        ("the French Quarter", "French Quarter"),
        ("I moved to Bordeaux last year.", "Bordeaux"),
        ("My sister lives in Alvalade.", "Alvalade"),
        ("We took the ferry to Folkestone.", "Folkestone"),
        ("the train from Lyon was late", "Lyon"),
        ("She was born at Wexcombe.", "Wexcombe"),
        ("Meet me at Kestrel Point.", "Kestrel Point"),
        ("The Harbour Arms was full.", "Harbour Arms"),
        ("We drank at the Gannet Inn.", "Gannet Inn"),
        ("We drank at the Gannet inn.", "Gannet"),
    ],
)
def test_a_place_is_known_by_its_head_or_by_what_stands_before_it(text: str, place: str) -> None:
    assert named(text) == [(place, "location")]


@pytest.mark.req("B41")
def test_a_place_with_slashes_and_commas_is_one_place() -> None:
    assert named("They met in AC/DC Arena, Hall 3 before noon.") == [("AC/DC Arena, Hall 3", "location")]


@pytest.mark.parametrize(
    ("text", "name", "sub"),
    [
        ("a letter from the Ashen Council", "Ashen Council", "organisation"),
        ("she wears the Amulet of Dusk", "Amulet of Dusk", "topic"),
        ("the Order of the White Crane", "Order of the White Crane", "topic"),
        ("he sailed on the Meridian", "Meridian", "topic"),
        ("she served aboard the Grey Widow", "Grey Widow", "topic"),
        ("I gave it to Oriel.", "Oriel", "character"),
        ("a letter from Oriel", "Oriel", "character"),
        ("we played Fortnight9 all day", "Fortnight9", "topic"),
    ],
)
def test_groups_and_things_are_not_taken_for_people(text: str, name: str, sub: str) -> None:
    assert named(text) == [(name, sub)]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('I loved "Crossing Winter" as a child.', "Crossing Winter"),
        ('I am reading "Dunes" by her.', "Dunes"),
        ("She hummed *The Ballad of Ser Wystan* again.", "The Ballad of Ser Wystan"),
        ('"The Name of the Tide" is great.', "The Name of the Tide"),
        ("我看了电影《流浪的星》。", "流浪的星"),
    ],
)
def test_titles_in_quotes_emphasis_and_title_marks_are_works(text: str, title: str) -> None:
    assert (title, "work") in named(text)


@pytest.mark.parametrize(
    "text", ['He said, "Good Morning, Sir!"', 'She whispered "Come Back" and left.', '"Oriel," he said. "Stand down."']
)
def test_speech_is_no_title(text: str) -> None:
    assert [sub for _, sub in named(text) if sub == "work"] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("林晚说：“你好。”", ["林晚"]),
        ("林晚晴笑了笑。", ["林晚晴"]),
        ("林晚反问了一句，林晚冷笑。", ["林晚"]),
        ("我和苏晴是朋友。", ["苏晴"]),
        ("他去找陆沉。", ["陆沉"]),
        ("欧阳锋冷笑一声。", ["欧阳锋"]),
        ("慕容雪点了点头。", ["慕容雪"]),
        ("我的同事张伟是医生。", ["张伟"]),
        ("少女说：“我叫白芷。”", ["白芷"]),
        ("老师说小明今天没来。", ["小明"]),
        ("老王笑着和阿强打招呼。", ["老王"]),
        ("苏长老来了，周医生说没事。", ["苏长老", "周医生"]),
        ("艾莉丝·冯·海姆推开门，雷恩低下头。", ["艾莉丝·冯·海姆", "雷恩"]),
        ("他叫陆怀山。", ["陆怀山"]),
        ("陆怀山问我去哪里。", ["陆怀山"]),
        ("沈听澜笑：“好。”", ["沈听澜"]),
        ("我姓陆，陆怀山。", ["陆怀山"]),
        ("赵婶送来了汤，我喊了一声刘叔。", ["赵婶", "刘叔"]),
        ("周师傅说，杜十娘来了，王老板也在。", ["周师傅", "杜十娘", "王老板"]),
        ("Bart和好朋友Jimmy在学校。", ["Bart", "Jimmy"]),
    ],
)
def test_a_chinese_name_ends_where_something_fixes_its_end(text: str, names: list[str]) -> None:
    assert list(dict.fromkeys(seen(text))) == names


def test_the_same_chinese_name_comes_out_of_different_sentences() -> None:
    for sentence in (
        "林晚说：“好。”",
        "林晚笑了。",
        "他看见林晚在门口。",
        "我和林晚一起走。",
        "林晚点点头。",
        "林晚轻轻叹气。",
        "我去找林晚。",
    ):
        assert seen(sentence) == ["林晚"], sentence
        assert seen(sentence.replace("林晚", "林晚晴")) == ["林晚晴"], sentence


@pytest.mark.parametrize(
    "text",
    [
        "高兴地说，他马上就到。方便的话，和高中同学一起去。",
        "安静了一会儿，白天过去了。时间是什么？于是大家都笑了。任何人都可以说。",
        "和平是什么？方才问话的老者说。金属的光泽在黑暗中闪烁。",
        "马车在路边停下，石头从山上滚下来，水声很大。",
        "哈哈哈笑死我了，小心！他小声说，老师说小时候的事。",
        "郑重道：“好。”高声道：“来！”他叫救命。",
        "在大理石上坐下，他从小巷来。",
        "我在图书馆，她去了公园，我们爬山看雪山。",
    ],
)
def test_chinese_words_that_look_like_names_are_none(text: str) -> None:
    assert seen(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("他来到了落雁城。", "落雁城"), ("听说他在青石镇。", "青石镇"), ("我住在杭州。", "杭州"), ("我们去了西湖公园。", "西湖公园"),
        ("我在苏州长大。", "苏州"), ("他从大理来。", "大理"), ("去敦煌。", "敦煌"), ("在悦来客栈见面。", "悦来客栈"),
        ("住在青石巷。", "青石巷"), ("他在听雨楼喝茶。", "听雨楼"), ("她去了北京大学。", "北京大学"),
    ],
)  # fmt: skip
def test_a_chinese_place_stands_after_a_preposition_and_has_a_head(text: str, place: str) -> None:
    assert named(text) == [(place, "location")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("田中さんは昨日アリスちゃんと会った。佐藤先生が来た。", ["田中", "アリス", "佐藤"]),
        ("お母さんと神様とお客様がいた。皆さん、たくさん食べて。", []),
        ("민수 씨가 지영씨를 만났다.", ["민수", "지영"]),
        ("선생님, 날씨가 좋아요. 아가씨!", []),
        ("Вчера Анна встретила Бориса.", ["Анна", "Бориса"]),
        ("Ο Γιώργος είδε τη Μαρία.", ["Γιώργος", "Μαρία"]),
        ("Ayer María fue con José.", ["María", "José"]),
    ],
)
def test_names_in_other_scripts_and_languages(text: str, names: list[str]) -> None:
    assert seen(text) == names


@given(
    st.text()
    | st.lists(st.sampled_from(["Aria", " ", "of", "the", "'s", ". ", '"', "*", "林晚", "说", "《", "》", "`", "Dr.", "A.", "さん"])).map(
        "".join
    )
)
def test_a_name_is_the_words_where_it_stands_and_names_never_overlap(text: str) -> None:
    at = 0
    for mention in mentions(text):
        assert mention.start >= at
        assert text[mention.start : mention.end] == mention.name != ""
        at = mention.end


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We took my boat, the Petrel, out at dawn.", "Petrel"),
        ("He refused to sell him the boat Petrel.", "Petrel"),
        ("My boat is called Petrel.", "Petrel"),
        ("Our ship, the Grey Gull, sank off the reef.", "Grey Gull"),
    ],
)
def test_what_a_boat_is_called_is_the_name_of_a_thing(text: str, name: str) -> None:
    assert [(each.name, each.sub, each.certainty) for each in mentions(text)] == [(name, "item", "stated")]


@pytest.mark.parametrize(
    "text",
    [
        *("On the boat Ana sang.", "We left the boat Ana loved.", "I love your boat, Ana.", "Her boat, Ana said, is old."),
        *("When we saw the ship Ana wept.", "On the boat, Ana sang."),
    ],
)
def test_who_stands_beside_a_boat_is_not_one(text: str) -> None:
    assert [(each.name, each.sub) for each in mentions(text)] == [("Ana", "character")]
