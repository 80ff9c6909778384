"""What can be remembered: for every kind of node its subs, and for every sub its fields. People may add to it, never take kinds away.

As JSON: {"kinds": {KIND: [{"name", "meaning", "meaning_zh"?, "fields"?: [{"name", "meaning", "meaning_zh"?, "required"?}],
"latest"?, "extract"?}]}}. A sub of a known name changes that one (fields are added to or changed); any other is new.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

from tidelore.engine.errors import BadInput
from tidelore.engine.extract.json_scan import JSON
from tidelore.engine.model import Kind
from tidelore.engine.nodes import FLAGS
from tidelore.engine.text.patterns import later

KINDS: tuple[Kind, ...] = get_args(Kind)
EXTRACTED: tuple[Kind, ...] = ("entity", "moment", "fact", "thread")
"""The kinds that the memory model may write; digests and pages have other makers."""

RESERVED = frozenset("text name subject attribute value evidence importance story_time known_by kind sub key op id date".split())
"""Fields that every node may have; no sub can define them anew."""

_BASE: Mapping[str, str] = {
    "entity": "name",
    "thread": "name",
    "moment": "text",
    "fact": "text",
    "digest": "text",
    "page": "text",
}
_NAME = later(r"[^\W\d]\w{0,39}")
_MAX_SUBS, _MAX_FIELDS, _MAX_MEANING = 40, 24, 200


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a sub: its meaning in one line, in English and, where known, in Chinese."""

    name: str
    meaning: str = ""
    required: bool = False
    meaning_zh: str = ""


@dataclass(frozen=True, slots=True)
class Sub:
    """`latest`: of one subject and attribute only the newest is current. `extract`: offered to the memory model."""

    name: str
    kind: Kind
    meaning: str
    fields: tuple[Field, ...] = ()
    latest: bool = False
    extract: bool = True
    meaning_zh: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """All subs, in the order in which they are shown. Names are unique over all kinds."""

    subs: tuple[Sub, ...]

    @staticmethod
    def from_json(value: JSON) -> Schema:
        """`DEFAULT` with what `value` adds or changes. Raises BadInput with the place of the first fault; None and {} change nothing."""
        if value is None:
            return DEFAULT
        kinds = value.get("kinds", value) if isinstance(value, dict) else value
        if not isinstance(kinds, dict):
            raise BadInput("The schema is not an object of kinds.", 'Write {"kinds": {"fact": [...]}}.')
        schema = DEFAULT
        for kind, subs in kinds.items():
            if kind not in KINDS:
                raise BadInput(f'The schema names the kind "{kind}", which does not exist.', f"Add a sub to one of: {', '.join(KINDS)}.")
            if not isinstance(subs, list):
                raise BadInput(f'The subs of "{kind}" are not a list.', "A kind cannot be removed; leave it out to keep it as it is.")
            seen: set[str] = set()
            for number, entry in enumerate(subs, 1):
                sub = _sub(entry, next(name for name in KINDS if name == kind), f"{kind}, sub {number}", schema)
                if sub.name in seen:
                    raise BadInput(f'The sub "{sub.name}" of "{kind}" is given twice.', "Put its fields into one entry.")
                seen.add(sub.name)
                schema = schema._with(sub)
        return schema

    def to_json(self) -> dict[str, JSON]:
        """The whole schema in the form that `from_json` reads."""
        kinds: dict[str, JSON] = {}
        for kind in KINDS:
            kinds[kind] = [
                {
                    **{"name": sub.name, "meaning": sub.meaning, "meaning_zh": sub.meaning_zh},
                    **{"latest": sub.latest, "extract": sub.extract},
                    "fields": [
                        {"name": item.name, "meaning": item.meaning, "meaning_zh": item.meaning_zh, "required": item.required}
                        for item in sub.fields
                    ],
                }
                for sub in self.subs
                if sub.kind == kind
            ]
        return {"kinds": kinds}

    def find(self, name: str) -> Sub | None:
        """The sub of this name, whatever its kind."""
        return next((sub for sub in self.subs if sub.name == name), None)

    def of(self, kind: Kind) -> tuple[Sub, ...]:
        return tuple(sub for sub in self.subs if sub.kind == kind)

    def describe(self, language: str) -> str:
        """One line for each sub that the memory model may write: `kind/sub: meaning; fields: ...`, `*` marks required ones."""
        chinese = language.lower().startswith("zh")
        lines = []
        for sub in self.subs:
            if sub.kind in EXTRACTED and sub.extract:
                meaning = sub.meaning_zh if chinese and sub.meaning_zh else sub.meaning
                fields = ", ".join(_described(item, chinese) for item in sub.fields)
                lines.append(f"{sub.kind}/{sub.name}: {meaning}" + (f" [{fields}]" if fields else ""))
        return "\n".join(lines)

    def check(self, kind: str, sub: str, fields: Mapping[str, object]) -> tuple[str, ...]:
        """What is wrong with a node, as lines "code: detail": unknown kind, unknown sub, missing field, unknown field. Empty is good."""
        if kind not in KINDS:
            return (f"unknown kind: {kind}",)
        known = self.find(sub)
        if known is None or known.kind != kind:
            return (f"unknown sub: {kind}/{sub}",)
        needed = [_BASE[kind], *(item.name for item in known.fields if item.required)]
        problems = [f"missing field: {name}" for name in needed if _is_blank(fields.get(name))]
        allowed = RESERVED | {item.name for item in known.fields} | {"held_by", "title", "tags", "aliases"}
        return (*problems, *(f"unknown field: {name}" for name in fields if name not in allowed))

    def _with(self, sub: Sub) -> Schema:
        if self.find(sub.name):
            return Schema(tuple(sub if old.name == sub.name else old for old in self.subs))
        if len(self.of(sub.kind)) >= _MAX_SUBS:
            raise BadInput(f'The kind "{sub.kind}" has more than {_MAX_SUBS} subs.', "Use fewer subs with more fields.")
        return Schema((*self.subs, sub))


def _sub(entry: JSON, kind: Kind, place: str, schema: Schema) -> Sub:
    if not isinstance(entry, dict):
        raise BadInput(f"{place}: not an object.", 'Write {"name": ..., "meaning": ..., "fields": [...]}.')
    name = _name(entry, place)
    if name in KINDS:
        raise BadInput(f'{place}: "{name}" is the name of a kind.', "Choose another name for the sub.")
    old = schema.find(name)
    if old and old.kind != kind:
        raise BadInput(f'{place}: the name "{name}" is used by the kind "{old.kind}" already.', "Choose another name for the sub.")
    sub = old or Sub(name, kind, "")
    listed = entry.get("fields", [])
    if not isinstance(listed, list):
        raise BadInput(f'{place}: "fields" is not a list.', 'Write [{"name": ..., "meaning": ...}].')
    fields = {item.name: item for item in sub.fields}
    for number, item in enumerate(listed, 1):
        found = _field(item, f'{place} "{name}", field {number}', fields)
        fields[found.name] = found
    if len(fields) > _MAX_FIELDS:
        raise BadInput(f'{place}: "{name}" has more than {_MAX_FIELDS} fields.', "Leave out those that are seldom filled.")
    meaning = _line(entry, "meaning", place, sub.meaning)
    if not meaning:
        raise BadInput(f'{place}: "{name}" has no meaning.', "Say in one line what belongs there; the memory model reads it.")
    return replace(
        sub,
        meaning=meaning,
        meaning_zh=_line(entry, "meaning_zh", place, "" if "meaning" in entry and meaning != sub.meaning else sub.meaning_zh),
        fields=tuple(fields.values()),
        latest=_flag(entry, "latest", place, sub.latest),
        extract=_flag(entry, "extract", place, sub.extract),
    )


def _field(entry: JSON, place: str, known: Mapping[str, Field]) -> Field:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, dict):
        raise BadInput(f"{place}: not an object.", 'Write {"name": ..., "meaning": ...}.')
    name = _name(entry, place)
    if name in RESERVED | FLAGS:
        raise BadInput(f'{place}: "{name}" is a field of every node.', f"Reserved names: {', '.join(sorted(RESERVED | FLAGS))}.")
    old = known.get(name, Field(name))
    meaning = _line(entry, "meaning", place, old.meaning)
    meaning_zh = _line(entry, "meaning_zh", place, old.meaning_zh if meaning == old.meaning else "")
    return Field(name, meaning, _flag(entry, "required", place, old.required), meaning_zh)


def _name(entry: Mapping[str, JSON], place: str) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadInput(f"{place}: the name {name!r:.60} is not usable.", "Use one word: letters, digits and _, 40 characters at most.")
    return name


def _line(entry: Mapping[str, JSON], key: str, place: str, default: str) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str) or len(value) > _MAX_MEANING or not value.isprintable():
        raise BadInput(f'{place}: "{key}" is not one line of text.', f"Use at most {_MAX_MEANING} characters, no line breaks.")
    return value.strip()


def _flag(entry: Mapping[str, JSON], key: str, place: str, default: bool) -> bool:
    value = entry.get(key, default)
    if not isinstance(value, bool):
        raise BadInput(f'{place}: "{key}" is neither true nor false.', f"Write true or false, or leave it out ({default}).")
    return value


def _described(item: Field, chinese: bool) -> str:
    meaning = item.meaning_zh if chinese and item.meaning_zh else item.meaning
    return item.name + ("*" if item.required else "") + (f" ({meaning})" if meaning else "")


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value == ()


def _f(name: str, meaning: str = "", meaning_zh: str = "", required: bool = False) -> Field:
    return Field(name, meaning, required, meaning_zh)


_STATUS = _f("status", "ongoing, resolved or blocked", "进行中、已解决或受阻")
_CERTAINTY = _f("certainty", "certain, unsure or mistaken", "确信、不确定或误解")

DEFAULT = Schema(
    (
        Sub(
            *("character", "entity", "a person or creature"),
            (
                _f("traits"),
                _f("state"),
                _f("goal"),
                _f("inventory"),
                _f("core_note", "what must not be forgotten", "最重要的一点"),
            ),
            meaning_zh="人物或生物",
        ),
        Sub("location", "entity", "a place", (_f("state"), _f("features"), _f("danger")), meaning_zh="地点"),
        Sub("item", "entity", "a thing that matters", (_f("state"), _f("owner")), meaning_zh="重要物品"),
        Sub("organisation", "entity", "a group, firm or faction", (_f("purpose"),), meaning_zh="组织、势力"),
        Sub("work", "entity", "a book, film, song or game", (_f("creator"),), meaning_zh="作品"),
        Sub("project", "entity", "something worked on for long", (_STATUS, _f("goal")), meaning_zh="长期项目"),
        Sub("topic", "entity", "a named subject, creature type or concept", meaning_zh="话题或概念"),
        Sub("self", "entity", "the one who remembers", extract=False, meaning_zh="记忆者自己"),
        Sub(
            "event",
            "moment",
            "something that happened",
            (_f("title"), _f("participants", "names", "名字"), _STATUS),
            meaning_zh="发生的事",
        ),
        Sub(
            *("scene", "moment", "a longer situation in one place"),
            (_f("title"), _f("participants"), _f("place")),
            extract=False,
            meaning_zh="同一地点的一段情景",
        ),
        Sub(
            "narrative",
            "moment",
            "a retold stretch of story",
            (_f("title"), _f("participants")),
            extract=False,
            meaning_zh="叙述",
        ),
        Sub("state", "fact", "how someone or something is now", latest=True, meaning_zh="某人或某物现在的状况"),
        Sub("preference", "fact", "a lasting like, dislike or habit", latest=True, meaning_zh="长期的喜好、厌恶或习惯"),
        Sub("task", "fact", "a plan, promise or duty", (_STATUS, _f("due")), latest=True, meaning_zh="计划、承诺或任务"),
        Sub("context", "fact", "background that stays true", meaning_zh="长期不变的背景"),
        Sub(
            *("rule", "fact", "a law of the world or an agreement"),
            (_f("title"), _f("scope"), _f("status", "active, suspended or revoked", "有效、暂停或废除")),
            meaning_zh="世界规则或约定",
        ),
        Sub("memo", "fact", "a note to keep", extract=False, meaning_zh="备忘"),
        Sub(
            *("belief", "fact", "what one person thinks, true or not"),
            (_f("held_by", "whose belief", "谁的看法", True), _CERTAINTY, _f("emotion"), _f("attitude")),
            latest=True,
            meaning_zh="某人的看法，不一定属实",
        ),
        Sub(
            "plot",
            "thread",
            "an unfinished story line",
            (_f("status", "active, completed or abandoned", "进行、完成或放弃"),),
            meaning_zh="未完的情节线",
        ),
        Sub("track", "thread", "an ongoing activity", (_f("status"),), extract=False, meaning_zh="持续的活动"),
        Sub("arc", "thread", "how a person or bond changes", (_f("status"),), meaning_zh="人物或关系的变化"),
        Sub("question", "thread", "something left open", (_f("status"),), meaning_zh="悬而未决的问题"),
        Sub("synopsis", "digest", "summary of a stretch of chat", meaning_zh="一段聊天的摘要"),
        Sub(
            "reflection",
            "digest",
            "an insight from several memories",
            (_f("trigger"), _f("suggestion")),
            meaning_zh="由多条记忆得出的领悟",
        ),
        Sub("volume", "digest", "summary of summaries", meaning_zh="摘要的摘要"),
        Sub("profile", "digest", "portrait of one person", meaning_zh="人物画像"),
        Sub("snapshot", "digest", "how things stand", meaning_zh="现状快照"),
        Sub("handoff", "digest", "what the next session must know", meaning_zh="交接"),
        Sub("diary", "page", "private diary", meaning_zh="日记"),
        Sub("darkroom", "page", "private notes not shown", meaning_zh="暗房"),
        Sub("dream", "page", "a dream", meaning_zh="梦"),
        Sub("letter", "page", "a letter", (_f("to"),), meaning_zh="信"),
        Sub("upload", "page", "an uploaded text", (_f("file"),), meaning_zh="上传的文本"),
    )
)
