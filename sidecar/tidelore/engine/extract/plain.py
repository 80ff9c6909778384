"""Whether a sentence is meant as it stands: no question, no supposition, no dream, no joke, nothing about the form of answers."""

from __future__ import annotations

import re

from tidelore.engine.extract.reports import preface_end
from tidelore.engine.text.patterns import later

_UNSURE = later(
    r"(?<![A-Za-z])(?:(?i:if|would|could|might|maybe|perhaps|wish(?:es|ed)?|imagin(?:e|ing)|suppos(?:e|ing|edly)|pretend(?:s|ed|ing)?|"
    r"unless|should|dream(?:s|ed|t|ing)?|nightmare|used to|as though|whether|probably|possibly|what if|let['’]s say|almost|as long as|"
    r"until|"
    r"in case|jk|(?:just|only) (?:kidding|joking)|kidding|according to|rumou?rs?|allegedly|apparently|seemingly|they say|some say|one "
    r"day|someday|"
    r"in (?:my|the|this|that|our|some|a|an|another|your|which) (?:next |past |previous |last |first |old |video |other |parallel |"
    r"alternate )?(?:life|game|story|movie|film|book|novel|dream|universe|timeline|au|play|scenario|show|sim|campaign|mind|head|"
    r"imagination))|may)"
    r"(?![A-Za-z])|['’]d(?![A-Za-z])|, I (?:think|guess|suppose|hope|believe|heard|doubt)[.!…]*$"
)
_UNSURE_HAN = later(
    r"如果|要是|假如|假设|假裝|倘若|若是|万一|可能|也许|或许|大概|说不定|希望|想象|想像|假装|要不|是不是|有没有|会不会|能不能|难道|应该|"
    r"仿佛|好像|似乎|以前|曾经|从前|当年|那时|小时候|原来|本来|过去|前世|上辈子|下辈子|来世|将来|以后|未来|有朝一日|总有一天|长大后?|"
    r"梦见|梦到|梦里|梦中|(?:游戏|故事|小说|电影|剧本|书|戏)(?:里|中)|听说|据说|传闻|据称|传言|估计|恐怕|未必|不一定|谁说|"
    r"请用|回答|回复|格式|输出"
)
# What takes back a thing as big as a trade; one can love pizza and laugh.
_JOKE = later(
    r"(?<![A-Za-z])(?:lol|lmao|lmfao|rofl|haha(?:ha)*|hehe|just kidding|/s)(?![A-Za-z])|开玩笑|开个玩笑|骗你|逗你|才怪|[哈嘿]{3,}|[🤣😂]",
    re.IGNORECASE,
)
_TAKEN_BACK = later(
    r"[*_\s(（]*(?:(?:(?:i['’]m |i am |i was )?(?:just |only )?(?:kidding|joking)|jk|psych|not really|as if|i lied|i made (?:that|it) up|"
    r"or not)(?![a-z])|(?:我)?(?:开玩笑|开个玩笑|骗你|逗你|说谎|瞎说|才怪))",
    re.IGNORECASE,
)
_SCENE = later(
    r"[*_\s(（\"“]*(?:(?:ok|okay|so|now|well|alright)[, ]*)?(?:let['’]s (?:pretend|say|imagine|play)|imagine|pretend|suppose|"
    r"picture this|(?:last night,? )?i (?:dreamed|dreamt|had (?:a|this) (?:dream|nightmare)))(?![a-z])|"
    r"[*\s（“]*(?:假装|假设|想象|想像|我们来演|我们演|(?:昨晚|昨天)?我?(?:昨晚|昨天)?(?:梦见|梦到|做了个?梦))",
    re.IGNORECASE,
)
_OUTPUT = later(
    r"(?<![a-z])(?:answers?|repl(?:y|ies)|respon[ds][a-z]*|markdown|json|format[a-z]*|bullets?|bullet points|"
    r"tokens?|paragraphs?|output)(?![a-z])",
    re.IGNORECASE,
)
_CLOSING = "\"”*'’)）」』_ "
_QUESTION_HAN = later(r"[?？]|[吗嗎呢么][”」』*）)。，.~～！!]*$|什么|怎么|怎样|哪[里儿个些]|谁|为何|多少|几岁")
# A question back at the listener, and "if you must know", after which what was said before stands.
_ASKED_BACK = later(
    r"[,，;；—–-]+ ?(?:(?:and|but|so) )?(?:(?:what|how|who|where|when|do|did|are|aren['’]t|don['’]t|have|can|could|would|will|want)"
    r"(?: [a-z'’]+){0,2}? (?:you|yours?|yourself)(?![a-z])[^,.!?]*|you|and you|and yours?|yours?|remember|you know|ok|okay|"
    r"don['’]t you)[?？][\"”*]*$|, if (?:you (?:must|want to) know|you(?:['’]re| are) (?:curious|wondering)|it (?:matters|helps)|that "
    r"helps)[.!]*$"
    r"|, in case [^.!?]*[.!]*$"
    r"|[，,](?:那|该|又|还|可)?(?:怎么|谁|哪|什么|为什么|为何)[^，。！？]*[。.!！?？~～]*$"
    r"|[，,](?:那)?[你您妳](?:呢|们呢)?[^，。！？]{0,12}[?？][”」*]*$",
    re.IGNORECASE,
)


def meant(text: str, start: int, end: int) -> int:
    """Where the part of the sentence text[start:end] that is meant as it stands ends; `start` where nothing is.

    A question back at the listener leaves what stands before it.
    """
    first = preface_end(text, start, end)
    said = text[first:end]
    back = _ASKED_BACK.search(said)
    if back:
        said = said[: back.start()]
    if said.rstrip(_CLOSING).endswith(("?", "？")) or _UNSURE.search(said) or _OUTPUT.search(said):
        return start
    if _UNSURE_HAN.search(said) or _QUESTION_HAN.search(said):
        return start
    return first + len(said)


def is_joke(text: str, start: int, end: int) -> bool:
    """Whether the sentence text[start:end] laughs at itself, the next one takes it back, or the one before it opens a game."""
    return _JOKE.search(text, start, end) is not None or _TAKEN_BACK.match(text, end) is not None


def opens_a_game(sentence: str) -> bool:
    """Whether what follows this sentence is only supposed."""
    return _SCENE.match(sentence) is not None
