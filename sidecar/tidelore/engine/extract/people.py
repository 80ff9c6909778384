"""Who and what an answer's names mean: the speakers of the window, entities that are known already, names that stand in the texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from tidelore.engine.extract.prompt import KnownNode, PromptMessage
from tidelore.engine.extract.quotes import Texts
from tidelore.engine.model import EnsureNode, Named, Quote, Ref, Role, Speaker
from tidelore.engine.schema import Schema
from tidelore.engine.text.names import mentions
from tidelore.engine.text.patterns import later
from tidelore.engine.text.unicode14 import fold_name

_BY_NUMBER = later(r"(?:speaker|说话人|发言人)\s?(?:of message\s?)?[:：#\s]?\s?(\d{1,6})", re.IGNORECASE)
_ROLE_MARK = later(r"\s?\((?:user|assistant)\)$", re.IGNORECASE)
_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("user", "the user", "{{user}}", "player", "the player", "用户", "使用者", "玩家"), "user"),
    **dict.fromkeys(("assistant", "the assistant", "{{char}}", "char", "助手", "助理"), "assistant"),
}
_FIRST_PERSON = frozenset({"i", "me", "myself", "我", "我自己", "speaker", "the speaker", "说话人"})
_LONGEST_NAME = 80


class People:
    """Turns names into references that stand without the graph."""

    def __init__(self, window: Sequence[PromptMessage], known: Mapping[str, KnownNode], texts: Texts) -> None:
        self._window = window
        self._texts = texts
        self._speakers: dict[str, int] = {}
        for at, message in enumerate(window):
            if name := fold_name(message.name):
                self._speakers.setdefault(name, at)
        self._known = {fold_name(node.name): node for node in known.values() if node.kind == "entity" and node.name}
        self._named: dict[tuple[str, str], Named] = {}
        self._subs: dict[str, str] | None = None

    def entity(self, name: str, evidence: Collection[int] = ()) -> Ref | None:
        """The entity that a name means; None for a name that is neither on screen, nor known, nor in any text of the window.

        `evidence`: the messages that the item cites; they decide who "I" and, among several, "the user" is.
        """
        name = _ROLE_MARK.sub("", " ".join(name.split()))
        folded = fold_name(name)
        if not folded or len(name) > _LONGEST_NAME:
            return None
        if by_number := _BY_NUMBER.fullmatch(name):
            at = self.position(int(by_number[1]))
            return Speaker(self._first(at)) if at is not None else None
        if folded in self._speakers:
            return Speaker(self._speakers[folded])
        if folded in self._known:
            return Named(self._known[folded].name)
        if folded in _ROLES:
            return self._of_role(_ROLES[folded], evidence)
        if folded in _FIRST_PERSON:
            return self._one({self._first(at) for at in evidence})
        return self._spelled(Named(name)) if self._texts.occurs(name) is not None else None

    def thread(self, name: str) -> Named:
        """A thread of this name, in the spelling in which the answer had it first."""
        return self._spelled(Named(" ".join(name.split()), "thread"))

    def position(self, number: int) -> int | None:
        """Where the message shown as [number] stands in the window, from 0."""
        return next((at for at, message in enumerate(self._window) if message.number == number), None)

    def person(self, name: str) -> str | Speaker:
        """A name for a field; a speaker is meant by position, so that a rename follows."""
        match self.entity(name):
            case Speaker() as speaker:
                return speaker
            case Named(known):
                return known
            case _:
                return name

    def implied(self, ref: Named | Speaker, default_sub: str, schema: Schema) -> EnsureNode:
        """The node of an entity that an item refers to without stating it, so that the commit holds both ends of its links."""
        if isinstance(ref, Speaker):
            return EnsureNode(ref, "character", {}, (Quote(ref.message),))
        known = self._known.get(fold_name(ref.name))
        sub = known.sub if known else self._mentioned(ref.name) or ("topic" if ref.name.islower() else default_sub)
        found = schema.find(sub)
        at = self._texts.occurs(ref.name)
        quote = self._texts.quote(at, ref.name) if at is not None else None
        evidence = (quote,) if quote else (Quote(at),) if at is not None else ()
        return EnsureNode(ref, sub if found and found.kind == "entity" else default_sub, {}, evidence)

    def _mentioned(self, name: str) -> str:
        if self._subs is None:
            self._subs = {}
            for message in self._window:
                for mention in mentions(message.text):
                    self._subs.setdefault(fold_name(mention.name), mention.sub)
        return self._subs.get(fold_name(name), "")

    def _of_role(self, role: Role, evidence: Collection[int]) -> Ref | None:
        one = self._one({self._first(at) for at, message in enumerate(self._window) if message.role == role})
        return one or self._one({self._first(at) for at in evidence if self._window[at].role == role})

    def _first(self, at: int) -> int:
        """The first message of whoever speaks this one, so that one person has one reference."""
        name = fold_name(self._window[at].name)
        if name:
            return self._speakers[name]
        role = self._window[at].role
        return next(place for place, message in enumerate(self._window) if message.role == role and not fold_name(message.name))

    def _spelled(self, ref: Named) -> Named:
        return self._named.setdefault((ref.kind, fold_name(ref.name)), ref)

    @staticmethod
    def _one(places: Collection[int]) -> Ref | None:
        return Speaker(next(iter(places))) if len(places) == 1 else None
