"""What kind of words these are, where structure cannot tell: refusals, "nothing to remember", gibberish, orders about output form.

All checks are narrow on purpose: a false alarm loses a memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from tidelore.engine.extract.json_scan import JSON
from tidelore.engine.text.patterns import later

_REFUSAL = later(
    r"\bI(?:'m| am)? ?(?:really |very |so )?(?:sorry|afraid)\b|\b(?:I|we) (?:cannot|can't|can not|won't|will not|am unable to|must decline)\b(?! (?:find|see|identify|detect|think))"
    r"|\bI(?:'m| am) (?:unable|not able|not comfortable|not going) \b|\bas an? (?:AI|language model|assistant)\b"
    r"|\b(?:against|violates?) (?:my|our|the) (?:\w+ )?(?:guidelines|polic(?:y|ies)|rules)\b|\bunable to (?:assist|help|comply|process)\b"
    r"|抱歉|对不起|對不起|很遗憾|(?:无法|無法|不能|不可以|拒绝|拒絕)(?:为您|为你|继续)?(?:协助|提供|处理|帮助|满足|完成|生成|回答|协助|提取|處理|幫助)"
    r"|作为(?:一个|一名|一款)?(?:AI|人工智能|语言模型|大模型|助手)|違反|违反(?:了)?.{0,12}(?:政策|规定|准则|规范)",
    re.IGNORECASE,
)
_NOTHING = later(
    r"^\W*(?:none|null|nothing|n/a|empty|无|無|没有|空)\W*$"
    r"|\b(?:no|nothing|not any(?:thing)?)\b.{0,40}\b(?:memor\w+|operations?|remember\w*|extract\w*|record\w*|store\w*|note\w*|worth\w*)\b"
    r"|(?:没有|沒有|无|無)(?:需要|可|值得|新的|任何)?.{0,12}(?:记忆|記憶|记录|提取|操作|信息|内容)",
    re.IGNORECASE | re.DOTALL,
)
_MACRO = later(r"\{\{\w{1,20}\}\}")
_DOUBLED = later(r"\[\s?\[|\]\s?\]|\{\s?\{|\}\s?\}|<<|>>")
_TOKEN = later(r"\w+")

_FORM = (
    r"(?:markdown|json|yaml|xml|html|latex|csv|bullet(?:ed)?[ -](?:points?|lists?)|numbered lists?|code ?blocks?|tables?|plain text"
    r"|emojis?|headings?|(?:under|within|at most|less than|fewer than|more than|about|around) \d+ (?:words|sentences|paragraphs|tokens)"
    r"|(?:one|two|three|short|long|a few|\d+) (?:sentences?|paragraphs?)|third[ -]person|first[ -]person)"
)
_ORDERS = (
    later(
        r"^(?:please |always |never |only |do not |don't |you must |you should |must |should )*"
        rf"(?:answer|respond|reply|write|format|output|return|print|structure|use|avoid|keep)\b.{{0,60}}\b{_FORM}",
        re.IGNORECASE | re.DOTALL,
    ),
    later(
        r"\b(?:wants?|prefers?|likes?|asked|asks|requests?|requested|requires?|expects?|should|must|needs?)\b.{0,60}"
        rf"\b(?:answers?|answered|respon\w+|repl(?:y|ies)|outputs?|messages? formatted|formatt\w+)\b.{{0,60}}\b{_FORM}",
        re.IGNORECASE | re.DOTALL,
    ),
    later(
        r"\b(?:answers?|responses?|repl(?:y|ies)|outputs?)\b (?:should|must|shall|need to|are to|in|be)\b.{0,40}" rf"\b{_FORM}",
        re.IGNORECASE | re.DOTALL,
    ),
    later(
        r"\b(?:ignore|disregard|forget) (?:all |any )?(?:the |your )?(?:previous|prior|above|earlier) (?:instructions?|prompts?|rules)",
        re.I,
    ),
    later(
        r"^(?:(?:user|assistant) (?:is|wants)\b.{0,20})?\bas an? (?:AI|language model)\b|\bthe assistant is an? AI\b",
        re.IGNORECASE,
    ),
    later(
        r"(?:用|以|使用|采用|按|不要用|不要使用|禁止使用).{0,10}(?:Markdown|JSON|YAML|XML|HTML|表格|列表|代码块|纯文本|表情)"
        r".{0,10}(?:回答|回复|输出|作答|格式|答复|書寫|回覆|返回)?",
        re.IGNORECASE,
    ),
    later(r"(?:回答|回复|输出|答复|回覆).{0,12}(?:控制在|不超过|不要超过|至少|少于|限制在|超过).{0,6}\d+\s?(?:个)?(?:字|词|句|段)"),
    later(r"忽略(?:之前|以上|前面|先前)(?:的)?(?:所有|全部)?(?:的)?(?:指令|提示|要求|规则)"),
)
_FORM_VERB_ZH = later(r"回答|回复|输出|作答|格式|答复|回覆|返回")


def is_refusal(prose: str) -> bool:
    """Whether an answer without items declines the work, in English or Chinese."""
    return _REFUSAL.search(prose[:600].replace("’", "'")) is not None


def says_nothing(prose: str) -> bool:
    """Whether a short answer in words says that there is nothing to remember."""
    short = prose.strip()
    return 0 < len(short) <= 200 and _NOTHING.search(short) is not None


def is_gibberish(item: Mapping[str, JSON]) -> bool:
    """Whether an item's own words (quotes left out) are noise: mostly brackets, doubled brackets, or one word again and again."""
    text = _MACRO.sub("", " ".join(_strings(item)))
    solid = text.replace(" ", "")
    if len(solid) < 8:
        return False
    brackets = sum(solid.count(char) for char in "[]{}<>|\\")
    if brackets / len(solid) > 0.2 or len(_DOUBLED.findall(text)) >= 3:
        return True
    if solid.count("\ufffd") / len(solid) > 0.25:
        return True
    words = _TOKEN.findall(text.casefold())
    return len(words) >= 16 and Counter(words).most_common(1)[0][1] / len(words) > 0.6


def is_order_about_form(text: str) -> bool:
    """Whether a memory's text is an order about the form of answers, or to the machine itself, rather than something that was told."""
    flat = " ".join(text.replace("’", "'").split())
    if any(pattern.search(flat) for pattern in _ORDERS[:5]):
        return True
    form = _ORDERS[5].search(flat)
    return bool(form and _FORM_VERB_ZH.search(flat)) or any(pattern.search(flat) for pattern in _ORDERS[6:])


def _strings(value: JSON | Mapping[str, JSON]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in ("quote", "quotes", "evidence"):
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
