"""Facts that a Chinese sentence states plainly, of its speaker or of somebody named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tidelore.engine.extract import origins
from tidelore.engine.extract.claims import Claim
from tidelore.engine.text.names import Mention
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_FIRST = later(r"我们?|叫我")
# "叫我过去" after a comma is what somebody wants done.
_CALL_ME = later(r"(?:^|[\s。！？：.!?:…*（(“「『\"~～]|请|可以|就|都|大家|朋友们?)$")
_CLAUSE = later(
    r"(?:^|[\s，。！？；：、,.!?;:…—*（()）“”「」『』\"~～]|但是?|而且?|不过|因为|所以|其实|虽然|现在|今天|大家|最近|这几天|如今|平时|"
    r"朋友们?|可以|就|哦|啊|嗯)$"
)
_END = r"(?=[，。！？；：、,.!?;:…~～*”」』）)\s]|$)"
_CLAUSE_TEXT = r"([^，。！？；：、,.!?;:…~～*“”「」『』（）()\"\n]{1,16})" + _END
_NOW = "(?:现在|最近|近来|如今|目前|一直|已经|还|仍然|今年|刚|刚刚|终于|也|就|正|又){0,3}+"
_VERY = "(?:很|非常|特别|十分|超级|超|最|真的|真|一直|还是|也|从小就|太|更|都|一向|好|有点|挺|格外|极其|相当|确实){0,3}+"
_LIKE = "不太喜欢|不喜欢|不爱|喜欢|喜歡|讨厌|討厭|热爱|酷爱|厌恶|受不了|偏爱|恨(?![不意])|爱(?![人好情心戴抚护慕惜莫理])"
_LIKES = later(rf"{_VERY}({_LIKE})(?![上过着了])(?:吃|喝|看|玩|听)?{_CLAUSE_TEXT}")
_NO_OBJECT = later(
    r"^(?:的|得|着|过|了|你|妳|您|他|她|它|这|那|我|自己|大家|什么|所有|一切|这样|和|跟|与|是|在|上|怎|死)|[的了着过吗呢吧]$|[你您妳]|喜欢|喜歡|讨厌|討厭|不爱|回答|格式"
)
_NAME = later(
    rf"(?:我(?:的)?(?:名字|全名|真名)(?:叫|是|就叫)|我(?:就)?(?:名|本名)?叫(?:做|作)?|"
    rf"叫我)[“「『\"]?([{_HAN}·]{{2,9}}?|[A-Z][A-Za-z0-9]{{1,20}})(?:就好|就行|就可以了?|吧)?[”」』\"]?{_END}"
)
# Whom or what one calls, and what one is called to do.
_NO_NAME = later(
    r"[的你他她它这那了吗呢吧什么谁我不得声]|外卖|滴滴|[车员兵]$|保安|警察|医生|老师|[妈爸爷奶]|家人|同学|朋友|起床|起来|[来去走停滚]$|过去|回家|吃饭|帮忙|救命|名字"
)
_COMPOUND = frozenset(
    "欧阳 上官 司马 诸葛 慕容 司徒 夏侯 东方 南宫 西门 皇甫 尉迟 公孙 令狐 端木 百里 宇文 独孤 轩辕 长孙 澹台 钟离".split()
)
_ROLE = later(rf"我的?[{_HAN}]{{2,4}}$")
_COMMA = later("[，,] ?")
# A step, and what only the listener can see.
_NO_HOME = "[你您他她这那哪]|一[起块样]|隔壁|心|过去|梦|同|沙发|床|地上|桌"
_LIVES = later(
    rf"{_NOW}(?:住在|定居在?+|家住|家在|的家在|(?:搬到了?+|搬去了?+)(?![^，。！？；\n]{{0,6}}(?:[窗门床桌身旁前后]边?|对面|中间|前面|后面)(?:[，。！？；]|$)))"
    rf"(?!{_NO_HOME}){_CLAUSE_TEXT}"
)
_TIME = (
    "(?:去年|今年|前年|上个?月|这个月|上周|上个?星期|这周|昨天|前天|今天|前几天|前阵子|不久前|后来|然后|于是|"
    "(?:[0-9]{1,2}|[一二三四五六七八九十]{1,2}|正|腊)月(?:份|[底初])?(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})?[日号]?|"
    "[0-9]{4}年|[春夏秋冬]天|年[初底])"
)
# And one is not there any more.
_BACK = later("回来|回去|搬回|又搬|离开|后来|现在|如今|[住待]过")
# When one moved, before the verb.
_WHEN = later(rf"(?:{_TIME}的?(?:时候)?|{_NOW}(?={_TIME})){{0,3}}+")
# A home that is over: "我现在不住上海了，三月搬到了杭州".
_LEFT = later(rf"{_NOW}(?:不再?住在?|不在|离开了?|搬出了?|搬离了?)[^，。！？；：、,.!?;:\n你您他她它我]{{1,10}}?(?:住|生活|待)?了?[，,] ?")
_CLAUSE_END = later(r"[^，。！？；,.!?;\n]{0,30}(?=[，,])")
# A clause with another subject: what comes after it may be said of that one.
_SOMEBODY = later("[我你您他她它咱]|这|那|妈|爸|哥|姐|弟|妹|朋友|同学|同事|老师|邻居|有[个位一]")
_MOVED_END = later("(?:来|去|住|居住|生活)?[了啦]$")
_OFTEN = "(?:现在|一直|已经|从小就?|常年|多年来?|也|都|天生|从来|就){0,2}+"
_ALLERGIC = later(
    rf"{_OFTEN}对(?![你您他她它这那]|早起|上班|工作|学习|周一)([^，。！？；：,.!?;:\s]{{1,10}}?)(?:严重|有点|很|非常|特别)?过敏{_END}"
)
_DIET = later(
    rf"{_OFTEN}(?:是(?:一?[个名])?)?(吃素|吃全素|吃长斋|素食者|素食主义者|纯素食?者?"
    rf"|不吃(?:肉|猪肉|牛肉|羊肉|海鲜|荤|辣|香菜|鱼|葱|蒜))(?:的|了)?{_END}"
)
_DATE = (
    r"((?:[0-9]{2,4}年)?(?:农历|阴历|阳历)?[0-9一二三四五六七八九十正腊]{1,3}月"
    r"(?:[初廿]?[0-9一二三四五六七八九十]{1,3}[日号]?)?|[0-9]{4}年)"
)
_BIRTHDAY = later(rf"我的?生日(?:就?是|在){_DATE}{_END}")
_BORN = later(rf"(?:是|出生于|生于){_DATE}(?:出?生)?的?{_END}")
_BORN_IN = later(rf"(?:是)?(?:出生在|生在|出生于)([{_HAN}]{{2,8}}?)(?:的)?{_END}")
_FAVOURITE = later(rf"我最(?:喜欢|爱)(?:吃|喝|看|听|玩|读|去)?的([{_HAN}]{{1,6}}?)(?:就|还|永远|一直)?是{_CLAUSE_TEXT}")
_SURNAMED = later(rf"我姓([{_HAN}]{{1,2}}?)[，,] ?(?:单?名|叫)?(\1[{_HAN}]{{1,2}}){_END}")
_JOB_WORDS = (
    "老师|教师|医生|護士|护士|警察|律师|工程师|程序员|设计师|厨师|画家|作家|记者|司机|学生|大学生|高中生|初中生|"
    "研究生|演员|歌手|农民|商人|士兵|军人|会计|翻译|导演|教授|猎人|铁匠|药剂师|摄影师|咖啡师|消防员|飞行员|"
    "科学家|侦探|法师|骑士|编辑|店员|店长|木匠|裁缝|渔夫|船长"
)
_IS_JOB = later(
    rf"{_NOW}是(?:一?[名个位]|一)?((?:[{_HAN}](?<![的不是我你他她这来去找见看陪帮给和跟被让为因比像当想要假装])){{0,6}}?(?:{_JOB_WORDS})){_END}"
)
# How or when one works is no employer.
_NO_EMPLOYER = (
    "努力|认真|拼命|加班|这|那|你|他|她|家|一起|继续|为|给|忙|线上|网上|外面|夜里|晚上|周末|深夜|白天|早上|独自|偷偷|默默|哪|老老实实"
)
_WORKS_AT = later(rf"{_NOW}在(?!{_NO_EMPLOYER})([^，。！？；：、,.!?;:\s的]{{2,14}}?)(?:工作|上班|任职|当差){_END}")
_AGE = later(
    r"(?:今年|现在|已经|刚满|才|刚){0,2}+(?:是)?([0-9]{1,3}|[一二三四五六七八九十百]{1,4})岁(?:了)?(?=[，"
    r"。！？；、,.!;…~～*”」』）)\s]|$)"
)
_STATUS = "结婚|离婚|订婚|怀孕|受伤|失业|退休|失明|中毒|失踪|去世|被捕|死|单身"
_IS_STATUS = later(rf"(?:已经|刚刚?|也|又|终于|昨天|今天|现在|真的){{0,2}}+(?:({_STATUS})了|(受伤|结婚|怀孕|单身)){_END}")
_SELF_NEVER = frozenset(("死", "失踪", "去世"))
_MOOD = "生气|愤怒|开心|难过|高兴|伤心|害怕|沮丧|焦虑|失望|兴奋|孤独|寂寞|绝望|激动|紧张|郁闷|崩溃|嫉妒|疲惫|委屈|快乐|幸福|暴怒|恼火|惊喜"
_IS_MOOD = later(
    rf"(?:今天|现在|真的|感到|感觉|觉得|其实|心里){{0,2}}+(?:很|非常|十分|特别|真的很|真的|超级|超|好|无比|极其|太|"
    rf"又|有点)({_MOOD})了?{_END}"
)
_PLACE_TAIL = "城|镇|村|山|街|店|馆|宫|殿|谷|港|岛|楼|阁"
_PLACE_END = (
    "城门口?|城里|镇上|村里|山上|山里|山下|河边|湖边|海边|街上|店里|馆里|宫里|殿里|山谷|谷里|港口|岛上|客栈|酒馆|"
    "学院|学校|教室|车站|机场|公园|码头|家里?|屋里|房间里?|医院|磨坊|森林里?|山洞|洞里|城堡|地牢|监狱|船上|车上|"
    "火车上|神殿|塔里|塔顶|屋顶|厨房|花园|院子|旅馆|客厅|图书馆|地下室|废墟|营地|办公室|宿舍"
)
_LOCATION = later(
    rf"(?:现在|已经|终于|正|此刻|目前|仍|还){{0,2}}+(?:在|到了|来到了?|到达了?|回到了?|抵达了?)([^，"
    rf"。！？；：、,.!?;:…\s的一说做]{{0,10}}?(?:{_PLACE_END}|[{_HAN}](?:{_PLACE_TAIL})))(?:里|中|内|外面?|门口|"
    rf"附近|了)?{_END}"
)
# The first characters of all patterns of what is said of somebody: a look at them saves the rest.
_OPENERS = frozenset(
    "现目一直已还仍今刚终也就正又很非常特十超最真从太更都向好有点挺格外极其相当确喜歡不讨討热酷厌受偏恨爱住定搬家的是在年才满结离订怀失退中去被死单感觉心无到来回抵此昨对吃不出生常多天0123456789二三四五六七八九百实"
)
_RELATIVE = (
    "猫|狗|小猫|小狗|猫咪|狗狗|兔子|仓鼠|鹦鹉|乌龟|马|弟弟|妹妹|哥哥|姐姐|儿子|女儿|妻子|丈夫|老婆|老公|爸爸|"
    "妈妈|父亲|母亲|男朋友|女朋友|表哥|表弟|表姐|表妹|堂哥|堂弟|宠物"
)
_CALLED = rf"(?:的名字)?(?:名字叫|名叫|叫做|叫)[“「『\"]?([{_HAN}·]{{1,6}}?|[A-Z][A-Za-z]{{1,20}})[”」』\"]?{_END}"
_MY = later(rf"我(?:家)?(?:的|有[一1]?[只条个位]|养了[一1]?[只条个]|家)?(?:小|大|亲)?({_RELATIVE})[，,]?{_CALLED}")


def _is_name(match: re.Match[str]) -> bool:
    """Whether what follows "I am called" and "call me" is a name: 我叫小二上菜 calls for food."""
    name = match.group(1)
    if _NO_NAME.search(name):
        return False
    return len(name) < 4 or name.isascii() or "·" in name or name[:2] in _COMPOUND or "名" in match.group()


def of_speaker(text: str, end: int, at: int, by_start: Mapping[int, Mention]) -> Iterator[Claim]:
    """What the 我 at `at` says of its speaker, in the sentence that ends at `end`."""
    if not (_CALL_ME if text.startswith("叫我", at) else _CLAUSE).search(text[max(0, at - 8) : at]):
        return
    if (match := _NAME.match(text, at, end)) and _is_name(match):
        yield Claim("", "name", match.group(1), at)
        yield from _introduced(text, match.end(), end, at, by_start)
    if (match := _MY.match(text, at, end)) and not _NO_NAME.search(match.group(2)):
        yield Claim("", f"has:{fold_name(match.group(2))}", text[match.start(1) : match.end(2)], at)
    if match := _SURNAMED.match(text, at, end):
        yield Claim("", "name", match.group(2), at)
    if match := _BIRTHDAY.match(text, at, end):
        yield Claim("", "birthday", match.group(1), at)
    if (match := _FAVOURITE.match(text, at, end)) and not _NO_OBJECT.search(match.group(2)):
        yield Claim("", f"favourite:{fold_name(match.group(1))}", match.group(2), at)
    if text.startswith("我们", at):
        if match := _LOCATION.match(text, at + 2, end):
            yield Claim("", "location", match.group(1), at)
        return
    if text.startswith("我", at):
        yield from _said("", text, at + 1, at, end)
        if place := origins.of_clause(text, at + 1, end, by_start):
            yield Claim("", origins.ATTRIBUTE, place, at)
        if (match := _LEFT.match(text, at + 1, end)) and (home := _home(text, match.end(), end, by_start)):
            yield Claim("", "lives in", home, at, match.end(), "我")
        elif (match := _WHEN.match(text, at + 1, end)) and match.group() and (home := _home(text, at + 1, end, by_start)):
            yield Claim("", "lives in", home, at)


def _introduced(text: str, after: int, end: int, at: int, by_start: Mapping[int, Mention]) -> Iterator[Claim]:
    """What follows on the name in "我叫林晚，今年二十三岁，住在青石镇。", up to the first clause that may be of somebody else."""
    while comma := _COMMA.match(text, after, end):
        start = comma.end()
        for attribute, pattern in (("age", _AGE), ("lives in", _LIVES), ("works as", _IS_JOB)):
            if following := pattern.match(text, start, end):
                value = _MOVED_END.sub("", following.group(1)) if attribute == "lives in" else following.group(1)
                yield Claim("", attribute, value, at, start, "我")
        if place := origins.of_clause(text, start, end, by_start):
            yield Claim("", origins.ATTRIBUTE, place, at, start, "我")
        clause = _CLAUSE_END.match(text, start, end)
        if clause is None or _SOMEBODY.search(clause.group()):
            return
        after = clause.end()


def _home(text: str, at: int, end: int, by_start: Mapping[int, Mention]) -> str:
    """The place where a clause that begins at `at`, maybe with a time, says that its subject lives now. One also moves to a window."""
    time = _WHEN.match(text, at, end)
    match = _LIVES.match(text, time.end() if time else at, end)
    place = by_start.get(match.start(1)) if match else None
    if match is None or place is None or place.sub != "location" or _BACK.search(text, place.end, end):
        return ""
    return place.name if place.name == _MOVED_END.sub("", match.group(1)) else ""


def of_named(text: str, end: int, mention: Mention) -> Iterator[Claim]:
    """What the sentence says of the one whose name it is."""
    before = text[max(0, mention.start - 10) : mention.start]
    # "我的同事林晚是医生": the role belongs to the name, the sentence is about her.
    if mention.sub in ("character", "topic") and text[mention.end : mention.end + 1] in _OPENERS and _CLAUSE.search(_ROLE.sub("", before)):
        yield from _said(mention.name, text, mention.end, mention.start, end)


def first_persons(text: str) -> Iterator[int]:
    """Where words of the first person stand that may open a claim."""
    return (match.start() for match in _FIRST.finditer(text))


def _said(subject: str, text: str, at: int, start: int, end: int) -> Iterator[Claim]:
    if text[at : at + 1] not in _OPENERS:
        return
    if (match := _LIKES.match(text, at, end)) and not _NO_OBJECT.search(match.group(2)):
        yield Claim(subject, f"likes:{fold_name(match.group(2))}", match.group(1), start)
    for attribute, pattern in (
        ("lives in", _LIVES),
        ("works as", _IS_JOB),
        ("works at", _WORKS_AT),
        ("age", _AGE),
        ("mood", _IS_MOOD),
        ("allergy", _ALLERGIC),
        ("diet", _DIET),
        ("birthday", _BORN),
        ("born in", _BORN_IN),
        ("location", _LOCATION),
    ):
        if match := pattern.match(text, at, end):
            value = _MOVED_END.sub("", match.group(1)) if attribute == "lives in" else match.group(1)
            if value:
                yield Claim(subject, attribute, value, start)
    match = _IS_STATUS.match(text, at, end)
    if match and (subject or match.group(match.lastindex or 1) not in _SELF_NEVER):
        yield Claim(subject, "status", match.group(match.lastindex or 1), start)
