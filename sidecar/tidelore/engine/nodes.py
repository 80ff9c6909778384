"""What the fold keeps of a node and an edge: every contribution, in fold order."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from tidelore.engine.codec import edge_id
from tidelore.engine.history import Placement
from tidelore.engine.model import Fields, FieldValue, Kind, Patch, Retire
from tidelore.engine.text.unicode14 import fold_name

# Fold order: windowed contributions (phase 0) by slot order and operation, then windowless ones (phase 1) by clock, id, operation.
PartKey: TypeAlias = tuple[int, int, str, int]
# An edge is known by type, ends and label; its id is the hash of these.
EdgeName: TypeAlias = tuple[str, str, str, str]

# Fields that a person's marks are kept in; they say how a node is treated, not what is remembered. `pinned`: always in the core block.
# `archived`: out of recall, still found by a search. `private`: in no prompt and sent to no service. `stands`: a fact that holds although a
# later one of its line came. `merged`: the nodes that went into this one. `split_from`: the node that this one was part of.
# `imported`: what another program kept beside it, as JSON.
SWITCHES = frozenset({"pinned", "archived", "private", "stands"})
FLAGS = SWITCHES | {"merged", "split_from", "imported"}

# In a node's tally, beside the names of fields: how certain its contributions are, and which subs are stated.
MARKS = ("\0", "\1")


class NodePart:
    """What one operation at one place contributes to a node."""

    __slots__ = ("certainty", "evidence", "fields", "key", "kind", "placement", "scope", "sub", "subject")

    def __init__(
        self,
        key: PartKey,
        placement: Placement,
        kind: Kind,
        scope: str,
        sub: str,
        fields: Fields,
        evidence: tuple[tuple[str, str], ...],
        subject: str,
        certainty: str,
    ) -> None:
        self.key = key
        self.placement = placement
        self.kind: Kind = kind
        self.scope = scope
        self.sub = sub
        self.fields = fields
        self.evidence = evidence
        self.subject = subject
        self.certainty = certainty


class NodeState:
    """A node: its contributions, the patches on it, and the edges at it."""

    __slots__ = ("_fields", "_retired", "applied", "edges", "id", "parts", "patches", "tally")

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.parts: list[NodePart] = []
        self.patches: list[tuple[PartKey, Patch | Retire]] = []
        self.edges: set[EdgeName] = set()
        self.tally: Counter[str] = Counter()
        self._fields: dict[str, FieldValue] | None = None
        self._retired = False
        self.applied: set[PartKey] = set()

    def touch(self) -> None:
        self._fields = None

    @property
    def kind(self) -> Kind:
        return self.parts[-1].kind

    @property
    def scope(self) -> str:
        return self.parts[-1].scope

    @property
    def sub(self) -> str:
        """The latest sub stated for sure, else the latest seen."""
        return next((part.sub for part in reversed(self.parts) if part.certainty == "stated"), self.parts[-1].sub)

    @property
    def subs(self) -> set[str]:
        """More than one means that the extractions disagree."""
        return {name[1:] for name in self.tally if name.startswith("\1")} or {self.sub}

    @property
    def subject(self) -> str:
        return self.parts[-1].subject

    @property
    def fields(self) -> dict[str, FieldValue]:
        """The fold of all contributions: later ones win a field, then patches in order where they read what they expect."""
        if self._fields is None:
            self._fold()
        assert self._fields is not None
        return self._fields

    @property
    def retired(self) -> bool:
        if self._fields is None:
            self._fold()
        return self._retired

    @property
    def text(self) -> str:
        """What stands for the node: its text, name or title."""
        return text_of(self.fields)

    def marked(self, flag: str) -> bool:
        """Whether a person's mark (one of SWITCHES) is set."""
        return self.fields.get(flag) is True

    @property
    def apart(self) -> bool:
        """Archived or private: no recall by itself brings it up."""
        return self.marked("archived") or self.marked("private")

    def _fold(self) -> None:
        fields: dict[str, FieldValue] = {}
        wanted = sum(1 for name in self.tally if name[:1] not in MARKS)
        for part in reversed(self.parts):
            for name, value in part.fields.items():
                fields.setdefault(name, value)
            if len(fields) == wanted:
                break
        if self.tally["aliases"] > 1:
            fields["aliases"] = self._aliases()
        if "aliases" in fields:
            self._leave_out_own_name(fields)
        self._fields, self._retired = fields, False
        self.applied = set()
        for key, operation in self.patches:
            if isinstance(operation, Patch):
                # What reads so already has nothing to wait for, as when two devices pin the same memory.
                if fields.get(operation.field) in (operation.expects, operation.value):
                    self.applied.add(key)
                    if operation.value is None:
                        fields.pop(operation.field, None)
                    else:
                        fields[operation.field] = operation.value
            elif text_of(fields) == operation.expects:
                self.applied.add(key)
                self._retired = True

    def _aliases(self) -> tuple[str, ...]:
        """Other names are united, not won: two people may each add one."""
        rows = [part.fields.get("aliases") for part in self.parts]
        return tuple(dict.fromkeys(name for row in rows if isinstance(row, tuple) for name in row))

    @staticmethod
    def _leave_out_own_name(fields: dict[str, FieldValue]) -> None:
        """A name that was said to mean itself is no other name."""
        aliases, own = fields["aliases"], fields.get("name")
        if isinstance(aliases, tuple) and isinstance(own, str):
            left = tuple(name for name in aliases if fold_name(name) != fold_name(own))
            if left:
                fields["aliases"] = left
            else:
                del fields["aliases"]

    @property
    def shown(self) -> bool:
        """Stated for sure, or a name that recurs; and not retired."""
        if not self.parts or self.retired:
            return False
        if self.tally["\0stated"]:
            return True
        return bool(self.tally["\0seen"]) and self.parts[0].key[1] != self.parts[-1].key[1]

    @property
    def evidence(self) -> list[tuple[str, str]]:
        """(source key, quote), in fold order, each once."""
        return list(dict.fromkeys(pair for part in self.parts for pair in part.evidence))


def text_of(fields: Fields) -> str:
    for name in ("text", "name", "title"):
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


class EdgeState:
    """An edge and its contributions."""

    __slots__ = ("end", "label", "parts", "start", "type")

    def __init__(self, kind: str, start: str, end: str, label: str) -> None:
        self.type = kind
        self.start = start
        self.end = end
        self.label = label
        self.parts: list[tuple[PartKey, Fields]] = []

    @property
    def id(self) -> str:
        return edge_id(self.type, self.start, self.end, self.label)

    @property
    def fields(self) -> dict[str, FieldValue]:
        out: dict[str, FieldValue] = {}
        for _, fields in self.parts:
            out.update(fields)
        return out

    def other(self, node: str) -> str:
        return self.end if node == self.start else self.start


def line_of(part: NodePart) -> tuple[str, str] | None:
    """The line (subject, attribute) in which the latest fact is current."""
    attribute = part.fields.get("attribute")
    if part.kind != "fact" or not part.subject or not isinstance(attribute, str) or not attribute:
        return None
    return (part.subject, attribute.casefold())


def last_of(node: NodeState, line: tuple[str, str]) -> PartKey:
    """When a node was last stated in a line that it stands in."""
    return next(part.key for part in reversed(node.parts) if line_of(part) == line)


def marks(part: NodePart) -> tuple[str, ...]:
    if part.certainty == "stated":
        return ("\0stated", "\1" + part.sub)
    return ("\0" + part.certainty,)


def key_of(part: NodePart) -> PartKey:
    return part.key
