"""What people ask a fact by: "where does she live now?" shares no word with "I moved to Bergen.", but its attribute is `lives in`."""

from __future__ import annotations

from functools import lru_cache

from tidelore.engine.text.tokens import tokens

# By the beginning of an attribute, up to a colon. English and Chinese, as questions are put.
ASKED_BY = {
    "comes from": "come from origin hometown home country grow grew 来自 老家 家乡 哪里人 哪儿人",
    "lives in": "live lives home address house stay moved 住 住在 住哪 家 地址 搬到",
    "works as": "work works job profession occupation career living 工作 职业 上班 当什么",
    "works at": "work works job employer company office 工作 公司 上班 单位",
    "starts work": "start work job first day 开始 上班 入职",
    "name": "name called 名字 叫什么 姓名",
    "age": "age old years 年龄 年纪 几岁 多大",
    "status": "status married single hurt injured 婚 受伤 状态",
    "mood": "mood feel feeling 心情 感觉",
    "location": "where place now 哪里 在哪 地方",
    "has": "have family pet 家人 宠物",
    "likes": "like love hate prefer taste 喜欢 讨厌 爱",
    "favourite": "favourite favorite best like 最喜欢 喜欢",
    "allergy": "allergic allergy allergies eat food avoid 过敏 吃 忌口",
    "diet": "diet eat food vegetarian vegan meat 吃 吃素 饮食",
    "birthday": "birthday born birth 生日 出生",
    "born in": "born birthplace birth 出生 老家",
}


@lru_cache(maxsize=4096)
def asked_by(attribute: str) -> frozenset[str]:
    """The words, as tokens, by which a fact of this attribute may be asked for beside its own."""
    key = attribute.casefold().strip()
    own = key.partition(":")[0]
    return frozenset(tokens(f"{key.replace(':', ' ')} {ASKED_BY.get(own, '')}"))
