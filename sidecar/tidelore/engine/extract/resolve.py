"""Turns the items of an answer into operations that stand without the graph. Keeps the good ones, counts and reports the bad ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tidelore.engine.extract.answer import Answer
from tidelore.engine.extract.item import Item, Link, read_item
from tidelore.engine.extract.people import People
from tidelore.engine.extract.prompt import KnownNode, PromptMessage, instructions
from tidelore.engine.extract.quotes import Texts
from tidelore.engine.extract.wording import is_order_about_form
from tidelore.engine.extract.words import DEFAULT_SUBS, edge_type, fold_word, kind_and_sub
from tidelore.engine.model import (
    EdgeType,
    EnsureEdge,
    EnsureNode,
    Evident,
    Fields,
    FieldValue,
    Kind,
    Known,
    Named,
    Operation,
    Quote,
    Ref,
    Speaker,
)
from tidelore.engine.schema import Schema
from tidelore.engine.text.unicode14 import fold_name

MOST_NODES = 12
"""Nodes for each message of the window; what comes after is dropped."""

_LONGEST_TEXT, _LONGEST_LABEL = 4000, 80
_MAX_PROBLEMS = 60
_CHATTER = re.compile(r"[\W_]+")
_SENTENCE_END = re.compile(r"[.!?。！？；\n]+")


@dataclass(frozen=True, slots=True)
class Resolved:
    """`kept` and `dropped` count items and links of the answer (`dropped` with those that the parser dropped), `problems` are lines
    "code: detail". Operations are EnsureNode and EnsureEdge alone: implied entities, then nodes, then edges, in answer order.
    """

    operations: tuple[Operation, ...]
    kept: int
    dropped: int
    problems: tuple[str, ...]


class _Bad(Exception):
    """Why an item cannot be kept: "code: detail"."""


@dataclass(slots=True)
class _Node:
    item: Item
    kind: Kind
    sub: str
    fields: dict[str, FieldValue]
    evidence: tuple[Quote, ...]
    ref: Ref | None = None
    update_of: KnownNode | None = None
    subject: Ref | None = None


def resolve(answer: Answer, window: Sequence[PromptMessage], known: Mapping[str, KnownNode], schema: Schema) -> Resolved:
    """What an answer adds to the memory. `known` is by short key (G1, G2 ...). Raises nothing for any answer.

    Codes of problems: not allowed, unknown operation, unknown kind, unknown sub (kept), unknown field (kept), unknown edge type,
    unresolvable end, missing text, missing name, missing field, no evidence, quote not found, message outside window,
    wrong number (kept), name not in window, subject unknown (kept), prompt text, order about form, too long, too many, duplicate;
    and those of the parser.
    """
    return _Resolver(window, known, schema).run(answer)


class _Resolver:
    def __init__(self, window: Sequence[PromptMessage], known: Mapping[str, KnownNode], schema: Schema) -> None:
        self.window = window
        self.known = {_key(key): node for key, node in known.items()}
        self.schema = schema
        self.texts = Texts([message.text for message in window])
        self.people = People(window, known, self.texts)
        self.nodes: list[_Node] = []
        self.by_key: dict[str, Ref] = {}
        self.names: dict[Ref, _Node] = {}
        self.seen: set[tuple[str, ...]] = set()
        self.edges: dict[tuple[EdgeType, Ref, Ref, str], EnsureEdge] = {}
        self.implied: dict[Ref, str] = {}
        self.kept = self.dropped = 0
        self.problems: list[str] = []

    def run(self, answer: Answer) -> Resolved:
        self.dropped += answer.dropped
        self.problems += answer.problems
        items = [read_item(raw, self.schema) for raw in answer.items]
        for number, item in enumerate(items, 1):
            self._try(number, self._action, item)
        self._number_evidence()
        for node in self.nodes:
            self._subject(node)
        for number, item in enumerate(items, 1):
            if item.action == "edge":
                self._try(number, self._edge, item.link, ())
        for node in self.nodes:
            self._stated_links(node)
        return Resolved((*self._implied(), *map(_operation, self.nodes), *self.edges.values()), self.kept, self.dropped, self._report())

    def _try(self, number: int, step: Callable[..., None], *arguments: object) -> None:
        try:
            step(*arguments)
        except _Bad as bad:
            self.dropped += 1
            self.problems.append(f"{bad} (item {number})")

    def _action(self, item: Item) -> None:
        match item.action:
            case "node":
                self._node(item)
                self.kept += 1
            case "denied":
                raise _Bad(f"not allowed: {item.op}")
            case "unknown":
                raise _Bad(f"unknown operation: {_short(item.op)}")
            case "edge" | "skip":
                pass

    # ---- nodes ----

    def _node(self, item: Item) -> None:
        target = self.known.get(_key(item.key))
        kind, sub = self._kind(item, target)
        if len(self.nodes) >= MOST_NODES * len(self.window):
            raise _Bad(f"too many: more than {MOST_NODES} nodes a message")
        self._check_wording(item, kind)
        evidence = self._evidence(item)
        fields = self._fields(item, kind, sub)
        node = _Node(item, kind, sub, fields, evidence, None, target)
        match kind:
            case "entity":
                self._entity(node, target)
            case "thread":
                self._thread(node, target)
            case _:
                self._claim(node, target)
        self._required(node)
        if node.ref is not None:
            self._named(node, node.ref)
        else:
            self._once("node", kind, fold_name(item.text), fold_name(item.subject), fold_name(item.attribute))
            self.nodes.append(node)

    def _kind(self, item: Item, target: KnownNode | None) -> tuple[Kind, str]:
        found = kind_and_sub(item.kind, item.sub, self.schema)
        if target:
            if target.kind not in DEFAULT_SUBS:
                raise _Bad(f"not allowed: {target.kind} {target.key} is not for extraction")
            return target.kind, found[1] if found and found[0] == target.kind and found[1] else target.sub
        if not found:
            raise _Bad(f"unknown kind: {_short(f'{item.kind}/{item.sub}')}")
        kind, sub = found
        if not sub:
            sub = "state" if kind == "fact" and item.attribute and self.schema.find("state") else DEFAULT_SUBS[kind]
            if item.sub:
                self.problems.append(f"unknown sub: {_short(item.sub)} taken as {sub}")
        return kind, sub

    def _check_wording(self, item: Item, kind: Kind) -> None:
        if kind in ("moment", "fact") and not item.text:
            raise _Bad(f"missing text: {_short(item.name or item.key or kind)}")
        for text in (item.text, item.name):
            if len(text) > _LONGEST_TEXT:
                raise _Bad(f"too long: {_short(text)}")
            if text and not self.texts.holds(text) and _is_own_words(text, self.schema):
                raise _Bad(f"prompt text: {_short(text)}")
        if item.text and is_order_about_form(item.text):
            raise _Bad(f"order about form: {_short(item.text)}")

    def _evidence(self, item: Item) -> tuple[Quote, ...]:
        quotes: list[Quote] = []
        for cite in item.cites:
            at = self.people.position(cite.number) if cite.number is not None else None
            if cite.quote:
                found = self.texts.quote(at, cite.quote)
                if found is None:
                    self.problems.append(f"quote not found: {_short(cite.quote)}")
                    continue
                if at != found.message:
                    self.problems.append(f"wrong number: {cite.number} for {_short(cite.quote)}")
                quotes.append(found)
            elif at is not None:
                quotes.append(Quote(at))
            else:
                self.problems.append(f"message outside window: {cite.number}")
        return tuple(dict.fromkeys(quotes))

    def _fields(self, item: Item, kind: Kind, sub: str) -> dict[str, FieldValue]:
        """Every field that the schema knows, under its own spelling, and those that any node may have."""
        known = self.schema.find(sub)
        allowed = {fold_word(one.name): one.name for one in (known.fields if known else ())}
        fields: dict[str, FieldValue] = {}
        if item.text:
            fields["text"] = item.text
        if item.title and kind in ("moment", "fact") and item.title != item.text:
            fields["title"] = item.title
        for name, value in (("attribute", item.attribute), ("value", item.value), ("story_time", item.story_time)):
            if value != "" and (kind == "fact" or name == "story_time"):
                fields[name] = value
        if item.importance is not None:
            fields["importance"] = item.importance
        if item.known_by:
            fields["known_by"] = tuple(dict.fromkeys(map(self.people.shown_name, item.known_by)))
        if item.held_by and kind in ("moment", "fact"):
            fields["held_by"] = self.people.shown_name(item.held_by)
        for word, value in item.fields.items():
            if word in allowed:
                fields.setdefault(allowed[word], value)
            elif word == "tags" and isinstance(value, tuple):
                fields["tags"] = value
            elif word == "aliases" and kind == "entity":
                # Aliases merge names in the fold: a model may only suggest them, and only what stands in the texts.
                names = value if isinstance(value, tuple) else (str(value),)
                if stood := tuple(name for name in names if self.texts.occurs(name) is not None):
                    fields["suggested_aliases"] = stood
            elif word not in _HANDLED:
                self.problems.append(f"unknown field: {_short(word)} of {kind}/{sub}")
        return fields

    def _entity(self, node: _Node, target: KnownNode | None) -> None:
        name = target.name if target else node.item.name
        if not name:
            raise _Bad(f"missing name: {_short(node.item.text or node.item.key)}")
        ref = self.people.entity(name, [quote.message for quote in node.evidence])
        occurs = isinstance(ref, Speaker) or self.texts.occurs(name) is not None
        if ref is None or not (occurs or node.evidence):
            raise _Bad(f"name not in window: {_short(name)}")
        if not node.evidence:
            at = ref.message if isinstance(ref, Speaker) else self.texts.occurs(name)
            node.evidence = (Quote(at),) if at is not None else ()
        node.ref = ref

    def _thread(self, node: _Node, target: KnownNode | None) -> None:
        name = target.name if target else node.item.name
        if not name:
            raise _Bad(f"missing name: {_short(node.item.text or node.item.key)}")
        if not node.evidence:
            raise _Bad(f"no evidence: {_short(name)}")
        node.ref = Named(" ".join(name.split()), "thread")

    def _claim(self, node: _Node, target: KnownNode | None) -> None:
        if not node.evidence:
            raise _Bad(f"no evidence: {_short(node.item.text)}")
        if target and target.kind == "fact":
            if target.attribute:
                node.fields["attribute"] = target.attribute
            if target.subject:
                node.item = replace(node.item, subject=target.subject)

    def _required(self, node: _Node) -> None:
        if node.update_of:
            return
        name = {"name": node.item.name} if node.item.name else {}
        for problem in self.schema.check(node.kind, node.sub, {**name, **node.fields}):
            if problem.startswith("missing field") and not (problem.endswith(": name") and isinstance(node.ref, Speaker | Named)):
                raise _Bad(f"{problem} of {node.kind}/{node.sub}")

    def _named(self, node: _Node, ref: Ref) -> None:
        """Adds an entity or thread; a second one of the same name adds its fields to the first."""
        first = self.names.get(ref)
        if first:
            new = {name: value for name, value in node.fields.items() if first.fields.get(name) != value}
            if not new:
                raise _Bad(f"duplicate: {_short(node.item.name)}")
            first.fields.update(new)
            first.evidence = tuple(dict.fromkeys((*first.evidence, *node.evidence)))
        else:
            self.names[ref] = node
            self.nodes.append(node)
        self._remember_key(node.item.key, ref)

    def _number_evidence(self) -> None:
        """Gives moments and facts their reference: the messages of their evidence, and the ordinal among equal ones."""
        counts: Counter[tuple[str, tuple[int, ...]]] = Counter()
        for node in self.nodes:
            if node.kind == "moment" or node.kind == "fact":
                messages = tuple(sorted({quote.message for quote in node.evidence}))
                node.ref = Evident(node.kind, messages, counts[node.kind, messages])
                counts[node.kind, messages] += 1
                self._remember_key(node.item.key, node.ref)

    def _remember_key(self, key: str, ref: Ref) -> None:
        if key and _key(key) not in self.known:
            self.by_key.setdefault(_key(key), ref)

    def _subject(self, node: _Node) -> None:
        if node.kind not in ("moment", "fact") or not node.item.subject:
            return
        evidence = [quote.message for quote in node.evidence]
        ref = self._end(node.item.subject, evidence)
        if ref is None or ref == node.ref:
            self.problems.append(f"subject unknown: {_short(node.item.subject)}")
        else:
            node.subject = ref
            self._imply(ref, "character")

    # ---- edges ----

    def _edge(self, link: Link, evidence: Sequence[int]) -> None:
        kind = edge_type(link.type)
        if kind is None:
            raise _Bad(f"unknown edge type: {_short(link.type)}")
        start, end = self._end(link.start, evidence), self._end(link.end, evidence)
        if start is None or end is None or start == end:
            raise _Bad(f"unresolvable end: {_short(f'{link.start} -> {link.end}')}")
        self._add_edge(kind, start, end, link.label)

    def _add_edge(self, kind: EdgeType, start: Ref, end: Ref, label: str) -> None:
        label = " ".join(label.split())[:_LONGEST_LABEL] if kind == "relates" else ""
        if (kind, start, end, label) in self.edges:
            raise _Bad(f"duplicate: edge {kind}")
        self.edges[kind, start, end, label] = EnsureEdge(kind, start, end, label)
        self._imply(start, "character")
        self._imply(end, "location" if kind == "occurred_at" else "character")
        self.kept += 1

    def _stated_links(self, node: _Node) -> None:
        """The links that an item carries itself; and what an update of a known moment, or of a fact without attribute, follows on."""
        if node.ref is None:
            return
        evidence = [quote.message for quote in node.evidence]
        for link in node.item.links:
            start = link.start or "\0self"
            self.by_key["\0SELF"] = node.ref
            self._try(0, self._edge, replace(link, start=start), evidence)
        target = node.update_of
        if target and target.kind in ("moment", "fact") and not (target.kind == "fact" and target.attribute and node.subject):
            kind: EdgeType = "continues" if target.kind == "moment" else "replaces"
            self.edges.setdefault((kind, node.ref, Known(target.id), ""), EnsureEdge(kind, node.ref, Known(target.id)))

    def _end(self, word: str, evidence: Sequence[int]) -> Ref | None:
        key = _key(word)
        if key in self.by_key:
            return self.by_key[key]
        if node := self.known.get(key):
            if node.kind == "entity":
                return self.people.entity(node.name)
            return Named(node.name, "thread") if node.kind == "thread" else Known(node.id)
        thread = Named(" ".join(word.split()), "thread")
        stated = next((ref for ref in self.names if isinstance(ref, Named) and _same(ref, thread)), None)
        return stated or self.people.entity(word, evidence)

    def _imply(self, ref: Ref, sub: str) -> None:
        if ref not in self.names and (isinstance(ref, Speaker) or (isinstance(ref, Named) and ref.kind == "entity")):
            self.implied.setdefault(ref, sub)

    def _implied(self) -> list[EnsureNode]:
        return [self.people.implied(ref, sub, self.schema) for ref, sub in self.implied.items() if isinstance(ref, Named | Speaker)]

    def _once(self, *signature: str) -> None:
        if signature in self.seen:
            raise _Bad(f"duplicate: {_short(signature[2])}")
        self.seen.add(signature)

    def _report(self) -> tuple[str, ...]:
        lines = list(dict.fromkeys(self.problems))
        more = len(lines) - _MAX_PROBLEMS
        return (*lines[:_MAX_PROBLEMS], f"more: {more} problems") if more > 0 else tuple(lines)


_HANDLED = frozenset(
    "text summary content description name title memory fact constraint insight belief subject about attribute value storytime time "
    "knownby heldby importance ownername".split()
)


def _operation(node: _Node) -> EnsureNode:
    assert node.ref is not None
    fields: Fields = dict(node.fields)
    return EnsureNode(node.ref, node.sub, fields, node.evidence, node.subject)


def _key(word: str) -> str:
    return word.strip(" \t\n[]()#<>\"'").upper() if not word.startswith("\0") else word.upper()


def _same(one: Named, other: Named) -> bool:
    return one.kind == other.kind and fold_name(one.name) == fold_name(other.name)


def _is_own_words(text: str, schema: Schema) -> bool:
    """Whether a text is a piece of the prompt's instructions, or holds a sentence of them."""
    solid = _CHATTER.sub("", text.casefold())
    short, long = (8, 16) if not solid.isascii() else (20, 45)
    whole, sentences = _own_words(schema)
    return (len(solid) >= short and solid in whole) or any(sentence in solid for sentence in sentences if len(sentence) >= long)


@lru_cache(maxsize=8)
def _own_words(schema: Schema) -> tuple[str, frozenset[str]]:
    texts = [instructions(schema, language) for language in ("en", "zh")]
    parts = [_CHATTER.sub("", part.casefold()) for text in texts for part in _SENTENCE_END.split(text)]
    return "\n".join(_CHATTER.sub("", text.casefold()) for text in texts), frozenset(parts)


def _short(text: str) -> str:
    flat = " ".join(text[:300].split())
    return flat if len(flat) <= 80 else flat[:79] + "…"
