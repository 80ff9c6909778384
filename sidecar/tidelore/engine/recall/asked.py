"""What kind of answer a question wants, and whether a memory could give it: a question that begins with "when" is answered by a memory
that tells a time, one that begins with "where" by one that names something. A few words of the languages that are spoken most."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidelore.engine.text.patterns import later

# Names of one memory that count.
MOST_NAMES = 2

_WHEN = later(
    r"\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long|ago|wann|seit wann|quand|cu[aá]ndo|quando"
    r"|когда|в каком году|как давно|как долго)\b"
    r"|什么时候|什麼時候|何时|何時|几时|哪[一]?[天年月日]|几[月号年点]|多久|多长时间|いつ|何[年月日時]|언제|며칠|몇 ?[년월일시]|متى"
)
_WHERE = later(
    r"\b(?:where|(?:which|what) (?:city|country|place|state|town|village)|wo|woher|wohin|où|d[oó]nde|ad[oó]nde|dove|onde|где|куда|откуда)\b"
    r"|哪里|哪裡|哪儿|哪兒|在哪|到哪|去哪|什么地方|什麼地方|哪[个個](?:城市|国家|國家|地方)|どこ|어디|أين"
)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = "january|february|march|april|june|july|august|september|october|november|december"
_SEASONS = "summer|winter|spring|fall|autumn"
_TIME = later(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|just|ago|since|(?:last|this|next) (?:week|month|year|night|weekend|{_SEASONS})\w*"
    rf"|(?:last|this|next) (?:mon|tue|wed|thu|fri|sat|sun)\w*|few (?:days|weeks|months|years)|{_DAYS}|{_MONTHS}|\d{{4}}"
    r"|for \w+ (?:years|months|weeks)"
    r"|gestern|heute|morgen|letzte[nrsm]?|vor \w+ (?:tagen|wochen|monaten|jahren)|hier|aujourd'hui|demain|derni[eè]re?|il y a"
    r"|ayer|anteayer|hoy|mañana|pasad[oa]|hace \w+|ieri|oggi|domani|scors[oa]|ontem|hoje|amanhã|passad[oa]"
    r"|вчера|позавчера|сегодня|завтра|назад|(?:в прошлом|на прошлой|в этом|на этой|в следующем|на следующей) \w+)\b"
    r"|昨[天日晚]|前[天日年]|今[天日年早晚]|明[天日年]|后天|後天|去年|上个?月|上個?月|下个?月|这个?月|上个?(?:周|星期|礼拜)|(?:周|星期|礼拜|週)[一二三四五六日天]"
    r"|[0-9一二三四五六七八九十]+个?[年月日号號周天]|小时候|最近|刚才|剛才|先週|先月|来週|来月|来年|[月火水木金土日]曜日?"
    r"|어제|그저께|오늘|내일|모레|지난|작년|올해|내년|다음 ?[주달]|요일|[0-9]+ ?[년월일]|أمس|اليوم|غدا|الماضي|الماضية|منذ|[0-9]{4}",
    re.IGNORECASE,
)
_LOWER, _UPPER = "a-zß-öø-ÿа-яё", "A-ZÀ-ÖØ-ÞА-ЯЁ"
# A capital inside a sentence, or what is quoted.
_CALLED = rf"(?<=[{_LOWER},;] )[{_UPPER}][{_LOWER}]+"
_NAME = later(rf"{_CALLED}|\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|《[^》\n]+》|「[^」\n]+」|『[^』\n]+』")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for."""

    time: bool = False
    place: bool = False

    def __bool__(self) -> bool:
        return self.time or self.place


def wanted(folded: str) -> Wanted:
    """What a question, case folded, wants to know."""
    return Wanted(bool(_WHEN.search(folded)), bool(_WHERE.search(folded)))


def tells_time(text: str) -> bool:
    """Whether a text says when something was or will be."""
    return _TIME.search(text) is not None


def called(text: str) -> list[str]:
    """The words inside its sentences that a text writes with a capital."""
    return re.findall(_CALLED, text)


def names_in(text: str) -> int:
    """How many things a text calls by a name, as far as that can be seen; no more than `MOST_NAMES`."""
    count = 0
    for _ in _NAME.finditer(text):
        count += 1
        if count == MOST_NAMES:
            break
    return count
