"""Messages that say nothing to remember: greetings, thanks, acknowledgements, fillers, bare gestures."""

from __future__ import annotations

import re

from tidelore.engine.text.patterns import later
from tidelore.engine.text.scripts import ARABIC, CYRILLIC, GREEK, HAN, HANGUL, HEBREW, KANA, LATIN_LETTERS, OTHER, UNSPACED

_SAYS = later(f"[0-9{LATIN_LETTERS}{CYRILLIC}{GREEK}{ARABIC}{HEBREW}{HAN}{KANA}{HANGUL}{UNSPACED}]|{OTHER}")
_WORD = later(r"[A-Za-zÀ-ɏͰ-ԯ]+(?:'[A-Za-zÀ-ɏͰ-ԯ]+)*|[0-9]+")
_UNSPACED_RUN = later("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_LONGEST = 140  # characters; a longer message says something
_LAUGH = later(r"(?:a*(?:ha|he|hi|ja|je|ah|eh|xa|ха|хе)+h?|l(?:ol)+|lo+l+|k{2,}|h+m+|m+h*m+|a+h+|o+h+|u+h+|w+o+w+|e+w+|a+w+|z+|w{2,}|o+f+)")
_REPEAT = later(r"(.)\1{2,}")

_ALONE = """
hi|hello|hey|hiya|howdy|yo|heya|greetings|sup|hey there|hi there|hello there|hi again|hello again|welcome|welcome back
good morning|good afternoon|good evening|good night|goodnight|morning|evening|night|night night|nighty night|gn|gm|sleep well
sleep tight|sweet dreams|bye|bye bye|goodbye|good bye|byebye|see you|see ya|see you later|see ya later|see you soon|see ya soon
see you tomorrow|see you then|see you around|later|laters|talk soon|talk to you soon|talk to you later|talk later|ttyl
catch you later|catch up soon|take care|farewell|until next time|have a good day|have a great day|have a nice day
have a good one|have a good night|have a great night|have a great weekend|have a good weekend|have fun|good luck|cheers
how are you|how are you doing|how are you today|how are you doing today|how've you been|how have you been|how is it going
how's it going|how's everything|how are things|how's life|how do you do|how are ya|how was your day|how is your day
how's your day|how's your day going|how are you feeling|what's up|whats up|wassup|what's new|what's going on
what have you been up to|what's happening|how about you|what about you|and you|and yourself|you too|same to you|same here
you as well|likewise|me too|long time no see|good to see you|great to see you|nice to see you|good to hear from you
great to hear from you|nice to hear from you|nice to meet you|pleased to meet you|glad to hear it|glad to hear that|good to hear
great to hear|nice to hear|hope you are well|hope you're well|hope you're doing well|hope you are doing well|hope all is well
hope all's well|hope you're good|hope you're doing good|hope you're having a good day|i'm fine|i am fine|i'm good|i am good
i'm well|i'm doing well|i'm doing good|i'm ok|i'm okay|i'm great|doing well|doing good|doing great|fine|not bad|pretty good
all good|im good|im fine|thanks|thank you|thank you so much|thanks so much|thank you very much|thanks a lot|thanks a bunch
thanks a ton|many thanks|thx|ty|tysm|thanks again|thank you again|thank u|thanks for asking|thanks man|thanks dude|thanks buddy
much appreciated|i appreciate it|appreciate it|i appreciate that|really appreciate it|you're welcome|you are welcome
youre welcome|yw|no problem|np|no worries|anytime|any time|my pleasure|don't mention it|sure thing|of course|no prob|ok|okay
okey|k|kk|okie|okay then|ok then|alright|alright then|all right|sure|yes|yeah|yea|yep|yup|ya|yah|aye|no|nope|nah|right|indeed
exactly|definitely|absolutely|totally|certainly|true|agreed|i agree|i see|i understand|understood|got it|gotcha|makes sense
sounds good|sounds great|sounds nice|sounds fun|sounds awesome|will do|noted|roger|fair enough|cool|nice|great|awesome|amazing
wonderful|perfect|excellent|fantastic|good|very good|very nice|lovely|sweet|neat|brilliant|superb|that's great|that's good
that's nice|that's cool|that's awesome|that's amazing|that's wonderful|that's fantastic|that's true|that's right|thats cool
so cool|so true|how nice|how cool|good one|good idea|great idea|good job|great job|well done|wow|whoa|woah|oh|ah|ooh|aah|hm|hmm
mhm|uh|um|er|well|huh|oops|ouch|yay|woohoo|yikes|omg|oh my god|oh my|oh no|oh well|oh wow|lol|lmao|lmfao|rofl|haha|hehe|heh|xd
meh|aww|aw|eh|really|for real|no way|seriously|is that so|interesting|congrats|congratulations|way to go|please|please do|go on
go ahead|continue|next|more|keep going|carry on|and then|tell me more|what|why|when|who|where|how|so|and|but|test|idk
i don't know|dunno|brb|nvm|never mind|sorry|i'm sorry|my bad|pardon|excuse me|let's go|here|there|friend|my friend|my dear|dear
buddy|everyone|all|guys|folks|mate|man|dude|sir|ma'am|today|then|too|again|very much|so much|a lot|just|oh yes|oh yeah|oh ok
oh okay|hola|buenos días|buenas noches|gracias|adiós|sí|vale|bonjour|bonsoir|salut|merci|oui|non|d'accord|hallo|guten morgen
guten abend|gute nacht|danke|danke schön|ja|nein|tschüss|ciao|grazie|sì|olá|obrigado|obrigada|sim|não|tchau|привет|здравствуй
здравствуйте|доброе утро|добрый день|добрый вечер|спокойной ночи|спасибо|пока|да|нет|ладно|хорошо|ок
"""
_PHRASES = frozenset(phrase.strip() for line in _ALONE.split("\n") for phrase in line.split("|") if phrase.strip())
_MOST_WORDS = max(len(phrase.split()) for phrase in _PHRASES)
# Only after these a capitalised word is whom one greets; "Yes, Paris." says something.
_TO_SOMEONE = later(
    r"(?:hi|hey|hello|hiya|howdy|heya|yo|thanks|thank you|thank you so much|thanks so much|bye|goodbye|good "
    r"(?:morning|afternoon|evening|night|bye)|goodnight|morning|welcome|welcome back|"
    r"see you|see ya|later|take care|wow|congrats|you're welcome|no problem|cheers|good night|night|talk soon|see "
    r"you soon|no worries|thanks again|hi there|hey there)"
)

_GESTURE = later(r"\*([^*\n]{1,60})\*|（([^（）\n]{1,16})）|\(([^()\n]{1,40})\)")
_GESTURES = frozenset(
    """
    nods nod nodding smiles smile smiling laughs laugh laughing grins grin grinning shrugs shrug sighs sigh sighing waves wave
    waving blushes blush blushing giggles giggle chuckles chuckle winks wink bows bow yawns yawn hugs hug blinks blink smirks
    smirk frowns frown claps cheers shakes head tilts your you him her them his their my back slightly softly slowly gently
    quietly warmly happily sadly nervously shyly politely again a little bit at and in agreement approval thoughtfully
    """.split()
)
_PARTICLE = "[呀啊哦呢吧啦嘛哈喔噢哟耶～~！!。.，,？?、…\\s]*+"
_EAST_ASIAN = (
    "你好|您好|大家好|哈喽|哈啰|嗨|嘿|喂|早上好|中午好|下午好|晚上好|早安|午安|晚安|早|好久不见|最近好吗|"
    "最近怎么样|最近还好吗|你好吗|在吗|在不在|在么|吃了吗|"
    "再见|拜拜|拜|回见|回头见|明天见|下次见|下次聊|回聊|慢走|谢谢你|谢谢您|谢谢大家|非常感谢|十分感谢|太感谢了|"
    "谢谢|谢了|谢啦|多谢|感谢|辛苦了|辛苦|不客气|不用谢|没关系|没事儿|没事|不会|"
    "好的|好滴|好哒|好嘞|好吧|好呀|好啊|好了|好|行吧|行|可以|可以的|没问题|当然|当然可以|是的|是|是啊|是吗|是吧|"
    "对的|对|对啊|对对|嗯|嗯嗯|嗯哼|恩|哦|噢|喔|哎|唉|诶|欸|呃|额|啊|呀|哇|哇塞|哇哦|天哪|天啊|"
    "知道了|我知道了|明白了|明白|懂了|了解|收到|OK|ok|哈|嘻|呵|嘿嘿|嘿|呜|嗷|真的|真的吗|真的假的|不是吧|不行|不|"
    "没有|不是|不要|继续|然后呢|然后|还有呢|请继续|太好了|太棒了|真棒|厉害|牛|棒|加油|恭喜|恭喜你|你呢|"
    "点了点头|点点头|点头|摇了摇头|摇头|笑了笑|微笑|笑|叹气|叹了口气|挥手|挥了挥手|鞠躬|耸肩|眨眼|晚上好|早晨|"
    "您早|你早|久等了|对不起|抱歉|不好意思|"
    "你好|謝謝你|謝謝|謝啦|多謝|再見|好久不見|沒關係|沒事|沒問題|是嗎|對|對啊|真的嗎|"
    "こんにちは|こんばんは|おはようございます|おはよう|おやすみなさい|おやすみ|ありがとうございます|ありがとう|"
    "どうも|はい|いいえ|うん|ううん|へえ|さようなら|またね|じゃあね|よろしくお願いします|よろしく|お疲れ様です|"
    "お疲れ様|わかりました|了解です|了解|そうですね|そうですか|そうだね|すみません|ごめん|"
    "안녕하세요|안녕히 가세요|안녕|감사합니다|고마워요|고마워|네|예|응|아니요|아니|잘 자요|잘 자|좋아요|좋아|"
    "알겠습니다|알았어요|알았어|하하|ㅎㅎ|ㅋㅋ"
)
_FILLER = later(rf"{_PARTICLE}(?:(?:{'|'.join(sorted(set(_EAST_ASIAN.split('|')), key=len, reverse=True))}){_PARTICLE})*+", re.IGNORECASE)


def says_something(text: str) -> bool:
    """Whether the message holds anything beyond greetings, thanks, acknowledgements and fillers."""
    if not _SAYS.search(text):
        return False
    if len(text) > _LONGEST:
        return True
    plain = _GESTURE.sub(_without_gesture, text.replace("’", "'"))
    if _UNSPACED_RUN.search(plain):
        rest = "".join(char for char in plain if _SAYS.match(char) or char == " ").strip()
        return _FILLER.fullmatch(rest) is None
    return not _is_filler(plain)


def _without_gesture(match: re.Match[str]) -> str:
    """Nothing in place of "*nods slowly*"; the words of any other action."""
    inner = match.group(match.lastindex or 0)
    words = _WORD.findall(inner.lower())
    if words and all(word in _GESTURES for word in words):
        return " "
    return f" {inner} "


def _is_filler(text: str) -> bool:
    words = _WORD.findall(text)
    folded = [word.lower() for word in words]
    at = 0
    before = ""
    while at < len(words):
        for length in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            phrase = " ".join(folded[at : at + length])
            if phrase in _PHRASES or (length == 1 and _is_sound(phrase)):
                before = phrase
                at += length
                break
        else:
            if not (_TO_SOMEONE.fullmatch(before) and words[at][0].isupper()):
                return False
            before = ""
            at += 1
    # What is left is in a script that the list does not know.
    return not _SAYS.search(_WORD.sub("", text))


def _is_sound(word: str) -> bool:
    if _LAUGH.fullmatch(word):
        return True
    shorter = _REPEAT.sub(r"\1", word)
    return shorter != word and shorter in _PHRASES
