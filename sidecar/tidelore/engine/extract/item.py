"""One object of an answer, read under all the names that models give its parts. Says nothing about whether it is true."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidelore.engine.extract.json_scan import JSON
from tidelore.engine.extract.words import Action, action_of, fold_word
from tidelore.engine.model import FieldValue
from tidelore.engine.schema import Schema
from tidelore.engine.text.patterns import later

_KEY = ("key", "nodeid", "ref", "tempid", "targetkey", "id", "编号")
_KIND = ("kind", "nodetype", "memorytype", "category", "type", "种类", "类型")
_SUB = ("sub", "subtype", "subkind", "子类")
_NAME = ("name", "title", "entityname", "名称", "名字", "标题")
_TEXT = (
    *("text", "content", "summary", "memory", "fact", "statement", "description", "constraint", "insight", "belief"),
    *("内容", "文本", "记忆", "事实", "描述", "摘要"),
)
_SUBJECT = ("subject", "about", "entity", "subjectname", "主体", "主语")
_ATTRIBUTE = ("attribute", "aspect", "property", "predicate", "属性", "方面")
_VALUE = ("value", "object", "值")
_EVIDENCE = (
    "evidence",
    "evidences",
    "citations",
    "references",
    "quotes",
    "quote",
    "sources",
    "source",
    "证据",
    "引用",
    "引文",
    "出处",
)
_NUMBER = (
    "message",
    "messages",
    "messagenumber",
    "messageid",
    "messageindex",
    "number",
    "index",
    "floor",
    "seq",
    "消息",
    "楼层",
    "编号",
)
_QUOTE = ("quote", "quotes", "text", "excerpt", "words", "content", "引用", "引文", "原文")
_IMPORTANCE = ("importance", "重要性", "重要度")
_TIME = ("storytime", "time", "when", "故事时间", "时间")
_KNOWN_BY = ("knownby", "witnesses", "visibleto", "知情者", "知情人")
_HELD_BY = ("heldby", "owner", "holder", "believer", "ownername", "持有者")
_TYPE = ("type", "relation", "relationtype", "relationship", "edgetype", "kind", "关系", "类型")
_FROM = (
    "from",
    "start",
    "source",
    "sourceref",
    "sourcenodeid",
    "sourceid",
    "sourcekey",
    "fromid",
    "fromkey",
    "head",
    "从",
    "起点",
)
_TO = ("to", "end", "target", "targetref", "targetnodeid", "targetid", "targetkey", "toid", "tokey", "tail", "到", "终点")
_LABEL = ("label", "name", "description", "标签")
_LINKS = ("links", "edges", "relations", "关系")
_FIELDS = ("fields", "properties", "attributes", "字段")
_OP = ("op", "action", "operation", "操作", "动作")
_CONSUMED = frozenset(
    {
        *(*_KEY, *_KIND, *_SUB, *_NAME, *_TEXT, *_SUBJECT, *_ATTRIBUTE, *_VALUE, *_EVIDENCE, *_NUMBER, *_IMPORTANCE, *_TIME),
        *(*_KNOWN_BY, *_HELD_BY, *_FROM, *_TO, *_LABEL, *_LINKS, *_FIELDS, *_OP),
        *("scope", "thought", "confidence", "clusters", "batchstorytime", "temporalstrength"),
    }
)
_DIGITS = later(r"\d{1,6}")
_MAX_LIST = 40


@dataclass(frozen=True, slots=True)
class Cite:
    """A message number as the model wrote it (None where it gave none) and the words it quotes."""

    number: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class Link:
    type: str
    start: str
    end: str
    label: str


@dataclass(frozen=True, slots=True)
class Item:
    """Texts are stripped, "" where absent or null. `fields` has those of `fields` and any other key that is none of ours."""

    action: Action
    op: str
    key: str
    kind: str
    sub: str
    name: str
    title: str
    text: str
    subject: str
    attribute: str
    value: FieldValue
    fields: Mapping[str, FieldValue]
    cites: tuple[Cite, ...]
    importance: int | None
    story_time: str
    known_by: tuple[str, ...]
    held_by: str
    link: Link
    links: tuple[Link, ...]


def read_item(raw: Mapping[str, JSON], schema: Schema) -> Item:
    """Never raises: what is of a wrong type counts as absent."""
    top = {fold_word(key): value for key, value in raw.items() if value is not None}
    inner = _inner(_first(top, _FIELDS))
    both = (top, inner)
    op = _text(top, _OP)
    link = _link(top, "")
    action = action_of(op, schema)
    if action in (None, "node") and link.start and link.end and not _text(top, _TEXT[:6]):
        action = "edge"
    kind = _text(top, _KIND)
    if action is None and op and not kind:
        kind = op
    scope = top.get("scope")
    held_by = _text(top, _HELD_BY) or _text(inner, ("heldby", "ownername"))
    if not held_by and isinstance(scope, dict):
        pov = {fold_word(key): value for key, value in scope.items()}
        held_by = _text(pov, ("ownername",)) if pov.get("layer") == "pov" else ""
    key = _text(top, _KEY)
    value = _plain(_first(top, _VALUE))
    return Item(
        action=action or "node",
        op=op,
        key=key,
        kind=kind,
        sub=_text(top, _SUB),
        name=_any_text(both, _NAME),
        title=_any_text(both, ("title", "标题")),
        text=_any_text(both, _TEXT),
        subject=_text(top, _SUBJECT) or _text(inner, ("subject", "about")),
        attribute=_text(top, _ATTRIBUTE) or _text(inner, ("attribute",)),
        value="" if value is None else value,
        fields=_fields(top, inner, raw),
        cites=tuple(_cites(top))[:_MAX_LIST],
        importance=_importance(_first(top, _IMPORTANCE) if _first(top, _IMPORTANCE) is not None else inner.get("importance")),
        story_time=_any_text(both, _TIME),
        known_by=_names(_first(top, _KNOWN_BY) or _first(inner, _KNOWN_BY)),
        held_by=held_by,
        link=link,
        links=tuple(_links(top, key)),
    )


def _first(value: Mapping[str, JSON], names: Sequence[str]) -> JSON:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _string(value: JSON) -> str:
    """A text, number or the name in an object; the first of a list."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return next((text for text in map(_string, value[:_MAX_LIST]) if text), "")
    folded = {fold_word(key): inner for key, inner in value.items()}
    return next((_string(folded[name]) for name in ("key", "ref", "name", "id", "label", "text") if name in folded), "")


def _text(value: Mapping[str, JSON], names: Sequence[str]) -> str:
    return next((text for text in (_string(value.get(name)) for name in names) if text), "")


def _any_text(places: Sequence[Mapping[str, JSON]], names: Sequence[str]) -> str:
    return next((text for text in (_text(place, names) for place in places) if text), "")


def _inner(value: JSON) -> dict[str, JSON]:
    if isinstance(value, dict):
        return {fold_word(key): inner for key, inner in value.items() if inner is not None}
    out: dict[str, JSON] = {}
    for row in value if isinstance(value, list) else []:
        if isinstance(row, dict) and isinstance(name := row.get("name", row.get("key")), str):
            out[fold_word(name)] = row.get("value")
    return out


def _fields(top: Mapping[str, JSON], inner: Mapping[str, JSON], raw: Mapping[str, JSON]) -> dict[str, FieldValue]:
    """By folded name; the resolver knows the spelling of the schema."""
    own = raw.get("clusters", raw.get("tags"))
    rest = {key: value for key, value in top.items() if key not in _CONSUMED}
    if own is not None:
        rest["tags"] = own
    if "owner" in top:
        rest.setdefault("owner", top["owner"])
    values = {key: _plain(value) for key, value in {**rest, **inner}.items()}
    return {key: value for key, value in values.items() if value is not None and value != ""}


def _plain(value: JSON) -> FieldValue | None:
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return _names(value) or None
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text}" for key, inner in value.items() if (text := _string(inner))) or None
    return None


def _names(value: JSON) -> tuple[str, ...]:
    """A list of texts; a text is cut at commas."""
    if isinstance(value, str):
        value = [*re.split(r"[,;，、；]", value)]
    rows = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(text for text in map(_string, rows[:_MAX_LIST]) if text))


def _importance(value: JSON) -> int | None:
    """1 to 10; a share below 1 counts as tenths."""
    if isinstance(value, str):
        digits = re.match(r"\s*(\d{1,6}(?:\.\d{1,6})?)", value)
        value = float(digits[1]) if digits else None
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return max(1, min(10, round(value * 10 if isinstance(value, float) and 0 < value < 1 else value)))


def _number(value: JSON) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value)
    found = _DIGITS.search(value) if isinstance(value, str) else None
    return int(found[0]) if found else None


def _cites(top: Mapping[str, JSON]) -> Iterator[Cite]:
    evidence = _first(top, _EVIDENCE)
    number = _first(top, _NUMBER[:-1])
    numbers = number if isinstance(number, list) else [number]
    rows = evidence if isinstance(evidence, list) else [evidence]
    quoted = False
    for row in rows:
        for cite in _cite(row):
            quoted = True
            yield Cite(cite.number if cite.number is not None else _number(numbers[0]) if numbers else None, cite.quote)
    for one in [] if quoted else numbers:
        if (found := _number(one)) is not None:
            yield Cite(found, "")


def _cite(row: JSON) -> Iterator[Cite]:
    if isinstance(row, str) and not re.fullmatch(r"\W*\d{1,6}\W*", row):
        if row.strip():
            head = re.match(r"\s*\[(\d{1,6})\]:?\s*", row)
            yield Cite(int(head[1]) if head else None, row[head.end() :] if head else row)
    elif isinstance(row, dict):
        folded = {fold_word(key): value for key, value in row.items() if value is not None}
        quotes = folded.get("quotes")
        texts = [_string(quote) for quote in quotes] if isinstance(quotes, list) else [_text(folded, _QUOTE)]
        number = _number(_first(folded, [*_NUMBER, "id"]))
        if number is None and len(folded) == 1:
            (key, only), *_ = folded.items()
            number, texts = _number(key), [_string(only)]
        for text in texts or [""]:
            if text or number is not None:
                yield Cite(number, text)
    elif (number := _number(row)) is not None:
        yield Cite(number, "")


def _link(value: Mapping[str, JSON], start: str) -> Link:
    return Link(_text(value, _TYPE), _text(value, _FROM) or start, _text(value, _TO), _text(value, _LABEL))


def _links(top: Mapping[str, JSON], key: str) -> Iterator[Link]:
    rows = next((top[name] for name in _LINKS if isinstance(top.get(name), list)), [])
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict):
            link = _link({fold_word(name): value for name, value in row.items() if value is not None}, "")
            yield Link(link.type or "relates", link.start, link.end, link.label)
    source = _text(top, ("sourcenodeid",))
    if source and key and source != key:
        yield Link("replaces", "", source, "")
