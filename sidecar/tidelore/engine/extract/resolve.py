"""Turns the items of an answer into operations that stand without the graph: keeps the good, counts and reports the bad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidelore.engine.extract.answer import Answer
from tidelore.engine.extract.item import Item, read_item
from tidelore.engine.extract.links import Bad, Links
from tidelore.engine.extract.own_words import is_own_words, short
from tidelore.engine.extract.people import People
from tidelore.engine.extract.prompt import KnownNode, PromptMessage
from tidelore.engine.extract.quotes import Texts
from tidelore.engine.extract.wording import is_order_about_form
from tidelore.engine.extract.words import DEFAULT_SUBS, fold_word, kind_and_sub
from tidelore.engine.model import EnsureNode, Evident, Kind, Operation, Quote, Ref, Speaker, Stated
from tidelore.engine.schema import Schema
from tidelore.engine.text.unicode14 import fold_name

MOST_NODES = 12
"""Nodes for each message of the window; what comes after is dropped."""

_LONGEST_TEXT = 4000
_MAX_PROBLEMS = 60
# Fields that hold names of people.
_PEOPLE = frozenset({"participants"})
_READ_ELSEWHERE = frozenset(
    "text summary content description name title memory fact statement constraint insight subject about attribute value "
    "storytime time when knownby heldby importance ownername confidence".split()
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """`kept` and `dropped` count items and links of the answer (`dropped` with those that the parser dropped), `problems`
    are lines "code: detail". Operations are EnsureNode and EnsureEdge alone: implied entities, nodes, then edges.
    """

    operations: tuple[Operation, ...]
    kept: int
    dropped: int
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Node:
    number: int
    item: Item
    kind: Kind
    sub: str
    fields: dict[str, Stated]
    evidence: tuple[Quote, ...]
    update_of: KnownNode | None
    ref: Ref | None = None
    subject: Ref | None = None
    keys: list[str] = field(default_factory=list[str])


def resolve(answer: Answer, window: Sequence[PromptMessage], known: Mapping[str, KnownNode], schema: Schema) -> Resolved:
    """What an answer adds to the memory. `known` is by short key (G1, G2 ...). Raises nothing, whatever the answer.

    Codes of problems: not allowed, unknown operation, unknown kind, unknown edge type, unresolvable end, missing text, missing
    name, missing field, no evidence, name not in window, prompt text, order about form, too long, too many, duplicate; without
    loss of the item: unknown sub, unknown field, quote not found, message outside window, wrong number, subject unknown; and
    those of the parser.
    """
    return _Resolver(window, known, schema).run(answer)


class _Resolver:
    def __init__(self, window: Sequence[PromptMessage], known: Mapping[str, KnownNode], schema: Schema) -> None:
        self.schema = schema
        self.texts = Texts([message.text for message in window])
        self.people = People(window, known, self.texts)
        self.links = Links(self.people, known)
        self.most = MOST_NODES * len(window)
        self.nodes: list[_Node] = []
        self.seen: dict[tuple[object, ...], _Node] = {}
        self.kept = self.dropped = 0
        self.problems: list[str] = []

    def run(self, answer: Answer) -> Resolved:
        self.dropped += answer.dropped
        self.problems += answer.problems
        items = list(enumerate((read_item(raw, self.schema) for raw in answer.items), 1))
        for number, item in items:
            match item.action:
                case "node":
                    self._try(number, self._node, number, item)
                case "denied" | "unknown":
                    code = "not allowed" if item.action == "denied" else "unknown operation"
                    self._drop(number, f"{code}: {short(item.op)}")
                case "edge" | "skip":
                    pass
        self._number_evidence()
        for node in self.nodes:
            self._set_subject(node)
        for number, item in items:
            if item.action == "edge":
                self._try(number, self.links.add, item.link, ())
        for node in self.nodes:
            self._carry_links(node)
        operations: tuple[Operation, ...] = (*self.links.implied(self.schema), *map(_operation, self.nodes), *self.links.edges)
        return Resolved(operations, self.kept, self.dropped, self._report())

    def _try(self, number: int, step: Callable[..., None], *arguments: object) -> None:
        try:
            step(*arguments)
        except Bad as bad:
            self._drop(number, str(bad))
        else:
            self.kept += 1

    def _drop(self, number: int, problem: str) -> None:
        self.dropped += 1
        self.problems.append(f"{problem} (item {number})")

    def _node(self, number: int, item: Item) -> None:
        target = self.links.known(item.key)
        kind, sub = self._kind(item, target)
        self._check_wording(item, kind)
        node = _Node(number, item, kind, sub, self._fields(item, kind, sub), self._evidence(item), target, keys=[item.key])
        match kind:
            case "entity":
                self._name_entity(node)
            case "thread":
                self._name_thread(node)
            case _:
                self._ground(node)
        self._check_required(node)
        self._add(node)

    def _kind(self, item: Item, target: KnownNode | None) -> tuple[Kind, str]:
        found = kind_and_sub(item.kind, item.sub, self.schema)
        if target:
            if target.kind not in DEFAULT_SUBS:
                raise Bad(f"not allowed: {target.kind} {target.key} has other makers")
            return target.kind, found[1] if found and found[0] == target.kind and found[1] else target.sub
        if not found:
            raise Bad(f"unknown kind: {short(f'{item.kind}/{item.sub}')}")
        kind, sub = found
        if not sub:
            sub = "state" if kind == "fact" and item.attribute else DEFAULT_SUBS[kind]
            if item.sub:
                self.problems.append(f"unknown sub: {short(item.sub)} taken as {sub}")
        return kind, sub

    def _check_wording(self, item: Item, kind: Kind) -> None:
        if kind in ("moment", "fact") and not item.text:
            raise Bad(f"missing text: {short(item.name or item.key or kind)}")
        for text in (item.text, item.name):
            if len(text) > _LONGEST_TEXT:
                raise Bad(f"too long: {short(text)}")
            if text and not self.texts.holds(text) and is_own_words(text, self.schema):
                raise Bad(f"prompt text: {short(text)}")
        if item.text and is_order_about_form(item.text):
            raise Bad(f"order about form: {short(item.text)}")

    def _evidence(self, item: Item) -> tuple[Quote, ...]:
        quotes: dict[Quote, None] = {}
        for cite in item.cites:
            at = self.people.position(cite.number) if cite.number is not None else None
            if cite.quote:
                found = self.texts.quote(at, cite.quote)
                if found is None:
                    self.problems.append(f"quote not found: {short(cite.quote)}")
                    continue
                if at != found.message:
                    self.problems.append(f"wrong number: {cite.number} for {short(cite.quote)}")
                quotes.setdefault(found)
            elif at is not None:
                quotes.setdefault(Quote(at))
            else:
                self.problems.append(f"message outside window: {cite.number}")
        return tuple(quotes)

    def _fields(self, item: Item, kind: Kind, sub: str) -> dict[str, Stated]:
        """The fields that any node may have, and those that the schema knows, in its own spelling."""
        claim = kind in ("moment", "fact")
        held_by = self.people.person(item.held_by) if item.held_by else ""
        fields: dict[str, Stated] = {
            "text": item.text,
            "title": item.title if claim and item.title != item.text else "",
            "attribute": item.attribute if kind == "fact" else "",
            "value": item.value if kind == "fact" else "",
            "story_time": item.story_time,
            "held_by": held_by if claim else "",
            "known_by": tuple(dict.fromkeys(map(self.people.person, item.known_by))),
        }
        if item.importance is not None:
            fields["importance"] = item.importance
        known = self.schema.find(sub)
        allowed = {fold_word(one.name): one.name for one in (known.fields if known else ())}
        for word, value in item.fields.items():
            if word in allowed:
                stated: Stated = value
                if allowed[word] in _PEOPLE and isinstance(value, tuple):
                    stated = tuple(map(self.people.person, value))
                fields[allowed[word]] = fields.get(allowed[word]) or stated
            elif word == "tags" and isinstance(value, tuple):
                fields["tags"] = value
            elif word == "aliases" and kind == "entity":
                # Aliases merge names in the fold: a model may only suggest them, and only what stands in the texts.
                names = value if isinstance(value, tuple) else (str(value),)
                fields["suggested_aliases"] = tuple(name for name in names if self.texts.occurs(name) is not None)
            elif word not in _READ_ELSEWHERE:
                self.problems.append(f"unknown field: {short(word)} of {kind}/{sub}")
        return {name: value for name, value in fields.items() if value not in ("", ())}

    def _name_entity(self, node: _Node) -> None:
        name = _name(node)
        ref = self.people.entity(name, [quote.message for quote in node.evidence])
        at = ref.message if isinstance(ref, Speaker) else self.texts.occurs(name)
        if ref is None or (at is None and not node.evidence):
            raise Bad(f"name not in window: {short(name)}")
        if not node.evidence and at is not None:
            node.evidence = (Quote(at),)
        node.ref = ref

    def _name_thread(self, node: _Node) -> None:
        name = _name(node)
        if not node.evidence:
            raise Bad(f"no evidence: {short(name)}")
        node.ref = self.people.thread(name)

    @staticmethod
    def _ground(node: _Node) -> None:
        """A moment or fact needs evidence; an update of a known fact stays in that one's line."""
        if not node.evidence:
            raise Bad(f"no evidence: {short(node.item.text)}")
        target = node.update_of
        if target and target.kind == "fact":
            if target.attribute:
                node.fields["attribute"] = target.attribute
            if target.subject:
                node.item = replace(node.item, subject=target.subject)

    def _check_required(self, node: _Node) -> None:
        if node.update_of:
            return
        named = {"name": "stated"} if node.ref else {}
        for problem in self.schema.check(node.kind, node.sub, {**node.fields, **named}):
            if problem.startswith("missing field"):
                raise Bad(f"{problem} of {node.kind}/{node.sub}")

    def _add(self, node: _Node) -> None:
        """Adds a node unless it says nothing new; a second one of an entity or thread adds its fields to the first."""
        item = node.item
        signature = (node.ref,) if node.ref else (node.kind, *map(fold_name, (item.text, item.subject, item.attribute)))
        first = self.seen.get(signature)
        if first is None:
            if len(self.nodes) >= self.most:
                raise Bad(f"too many: more than {MOST_NODES} nodes a message")
            self.seen[signature] = node
            self.nodes.append(node)
            return
        first.keys += node.keys
        new = {name: value for name, value in node.fields.items() if first.fields.get(name) != value}
        if not node.ref or not new:
            raise Bad(f"duplicate: {short(item.text or item.name)}")
        first.fields.update(new)
        first.evidence = tuple(dict.fromkeys((*first.evidence, *node.evidence)))

    def _number_evidence(self) -> None:
        """Gives moments and facts their reference: the messages of their evidence, and the ordinal among equal ones."""
        counts: Counter[tuple[Kind, tuple[int, ...]]] = Counter()
        for node in self.nodes:
            if node.ref is None and node.kind in ("moment", "fact"):
                messages = tuple(sorted({quote.message for quote in node.evidence}))
                node.ref = Evident("moment" if node.kind == "moment" else "fact", messages, counts[node.kind, messages])
                counts[node.kind, messages] += 1
            if node.ref is not None:
                self.links.state(node.ref, node.keys)

    def _set_subject(self, node: _Node) -> None:
        if node.kind not in ("moment", "fact") or not node.item.subject:
            return
        ref = self.links.end(node.item.subject, [quote.message for quote in node.evidence])
        if ref is None or ref == node.ref:
            self.problems.append(f"subject unknown: {short(node.item.subject)} (item {node.number})")
        else:
            node.subject = ref

    def _carry_links(self, node: _Node) -> None:
        """The links that an item holds itself, and the one to the known moment or fact that it carries on."""
        assert node.ref is not None
        for link in node.item.links:
            self._try(node.number, self.links.add, link, [quote.message for quote in node.evidence], node.ref)
        target = node.update_of
        if target and target.kind == "moment":
            self.links.follow("continues", node.ref, target.id)
        elif target and target.kind == "fact" and not (target.attribute and node.subject):
            # Without a line in which the latest is current, the edge says that the old one is over.
            self.links.follow("replaces", node.ref, target.id)

    def _report(self) -> tuple[str, ...]:
        lines = list(dict.fromkeys(self.problems))
        more = len(lines) - _MAX_PROBLEMS
        return (*lines[:_MAX_PROBLEMS], f"more: {more} problems") if more > 0 else tuple(lines)


def _name(node: _Node) -> str:
    name = node.update_of.name if node.update_of else node.item.name
    if not name:
        raise Bad(f"missing name: {short(node.item.text or node.item.key or node.kind)}")
    return name


def _operation(node: _Node) -> EnsureNode:
    assert node.ref is not None
    return EnsureNode(node.ref, node.sub, dict(node.fields), node.evidence, node.subject)
