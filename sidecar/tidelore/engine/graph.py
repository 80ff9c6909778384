"""The fold: live commits become nodes and edges. Every node and edge keeps its contributions in fold order, so taking a commit
out of the middle recomputes only what it touched."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from functools import partial

from tidelore.engine.aliases import Aliases
from tidelore.engine.bulk import in_bulk
from tidelore.engine.codec import digest, evident_id, named_id
from tidelore.engine.history import Change, Placement
from tidelore.engine.model import (
    EnsureEdge,
    EnsureNode,
    Evident,
    Fields,
    FieldValue,
    Kind,
    Known,
    Named,
    Own,
    Patch,
    Ref,
    Retire,
    Speaker,
    Stated,
)
from tidelore.engine.nodes import EdgeName, EdgeState, NodePart, NodeState, PartKey, key_of, last_of, line_of, marks

UNNAMED = {"user": "User", "assistant": "Assistant"}


class Graph:
    """Nodes and edges of what is live. `dirty` collects the ids of nodes that changed since a reader last took them."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeState] = {}
        self.edges: dict[EdgeName, EdgeState] = {}
        self.sequence: list[tuple[PartKey, str]] = []
        self.lines: dict[tuple[str, str], set[str]] = {}
        self.aliases = Aliases()
        self.dirty: set[str] = set()
        self._folded: set[Placement] = set()

    # ---- in and out ----

    def change(self, change: Change) -> None:
        """Apply what a timeline's update did."""
        with in_bulk():
            self._change(change)

    def _change(self, change: Change) -> None:
        moved = [alias for placement in change.removed for alias in self._unclaim(placement)]
        for placement in change.removed:
            self._unfold(placement)
        moved += [alias for placement in change.added for alias in self._claim(placement)]
        moved += self.aliases.hear()
        for placement in change.added:
            self._fold(placement)
        self._rehome(moved)

    def _claim(self, placement: Placement) -> list[str]:
        """Register what other names a placement states; the names that now lead elsewhere."""
        moved: list[str] = []
        for number, operation in enumerate(placement.commit.operations):
            if not isinstance(operation, EnsureNode):
                continue
            if isinstance(operation.ref, Speaker):
                name = _speaker(placement, operation.ref.message)
                placement.voices.append(name)
                self.aliases.voices.add(name)
            aliases = operation.fields.get("aliases")
            if not isinstance(aliases, tuple):
                continue
            match operation.ref:
                case Named(name, "entity", scope):
                    target = named_id("entity", scope, name)
                case Speaker(message):
                    scope, target = "chat", named_id("entity", "chat", _speaker(placement, message))
                case _:
                    continue
            key = (*_place(placement), number)
            for alias in dict.fromkeys(named_id("entity", scope, name) for name in aliases if isinstance(name, str)):
                # By hand, a name can be said to mean itself: what another claim made of it is over.
                if alias != target or not placement.slots:
                    placement.claims.append((alias, key))
                    if self.aliases.claim(alias, key, target):
                        moved.append(alias)
        return moved

    def _unclaim(self, placement: Placement) -> list[str]:
        moved = [alias for alias, key in placement.claims if self.aliases.drop(alias, key)]
        for name in placement.voices:
            self.aliases.voices.drop(name)
        placement.claims.clear()
        placement.voices.clear()
        return moved

    def _fold(self, placement: Placement) -> None:
        self._folded.add(placement)
        phase, at, id_ = _place(placement)
        for number, operation in enumerate(placement.commit.operations):
            key = (phase, at, id_, number)
            match operation:
                case EnsureNode():
                    self._ensure_node(placement, key, operation)
                case EnsureEdge(kind, start, end, label, fields):
                    self._ensure_edge(placement, key, kind, self.resolve(start, placement), self.resolve(end, placement), label, fields)
                case Patch() | Retire():
                    self._patch(placement, key, operation)

    def _unfold(self, placement: Placement) -> None:
        self._folded.discard(placement)
        for undo in reversed(placement.undo):
            undo()
        placement.undo.clear()

    def _rehome(self, aliases: list[str]) -> None:
        """These names lead to another node now: fold anew whatever used them."""
        if not aliases:
            return
        names = self.aliases.through(aliases)
        moved = [placement for placement in self._folded if not names.isdisjoint(_names_in(placement))]
        for placement in moved:
            self._unfold(placement)
        for placement in moved:
            self._fold(placement)

    # ---- references ----

    def resolve(self, ref: Ref, placement: Placement) -> str:
        """The node id that a reference means at this place."""
        match ref:
            case Named(name, kind, scope):
                return self.aliases.canonical(named_id(kind, scope, name))
            case Speaker(message):
                return self.aliases.canonical(named_id("entity", "chat", _speaker(placement, message)))
            case Evident(kind, messages, ordinal):
                window = placement.commit.window
                return evident_id(kind, tuple([window[number] for number in messages]), ordinal)
            case Own(kind, token, scope):
                return digest("own", kind, scope, token)
            case Known(id_):
                return self.aliases.canonical(id_)

    # ---- contributions ----

    def _ensure_node(self, placement: Placement, key: PartKey, operation: EnsureNode) -> None:
        ref = operation.ref
        id_ = self.resolve(ref, placement)
        # What rests on no window of its own quotes the messages that it needs.
        window = placement.commit.window or placement.commit.needs.keys
        fields = _spoken(operation.fields, placement)
        kind: Kind
        match ref:
            case Speaker(message):
                kind, scope = "entity", "chat"
                fields = {**fields, "name": _speaker(placement, message)}
            case Named(name, kind, scope):
                # Another name of a node does not become its name.
                fields = {"name": name, **fields} if named_id(kind, scope, name) == id_ else _without_name(fields)
            case Evident(kind=kind):
                scope = "chat"
            case Own(kind, _, scope):
                pass
            case Known():
                raise AssertionError("a node is never ensured by id")
        subject = self.resolve(operation.subject, placement) if operation.subject is not None else ""
        evidence = tuple([(window[quote.message], quote.text) for quote in operation.evidence])
        part = NodePart(key, placement, kind, scope, operation.sub, fields, evidence, subject, operation.certainty)
        self._add_node_part(id_, part)
        placement.undo.append(partial(self._drop_node_part, id_, part))
        if subject:
            self._ensure_edge(placement, key, "about", id_, subject, "", {})

    def _add_node_part(self, id_: str, part: NodePart) -> None:
        node = self._at(id_)
        parts, tally = node.parts, node.tally
        if not parts:
            self._tell_neighbours(node)
        # A chat grows at its end, and is read from its beginning: most belongs behind all that is there.
        if not parts or parts[-1].key < part.key:
            parts.append(part)
        else:
            insort(parts, part, key=key_of)
        for name in (*part.fields, *marks(part)):
            tally[name] = tally.get(name, 0) + 1
        if part.kind == "moment":
            insort(self.sequence, (part.key, id_))
        line = line_of(part)
        if line is not None:
            self.lines.setdefault(line, set()).add(id_)
            self._touch_line(line)
        self._touch(node)

    def _drop_node_part(self, id_: str, part: NodePart) -> None:
        node = self.nodes[id_]
        del node.parts[bisect_left(node.parts, part.key, key=key_of)]
        for name in (*part.fields, *marks(part)):
            node.tally[name] -= 1
            if not node.tally[name]:
                del node.tally[name]
        if part.kind == "moment":
            del self.sequence[bisect_left(self.sequence, (part.key, id_))]
        line = line_of(part)
        if line is not None:
            if all(line_of(other) != line for other in node.parts):
                self.lines[line].discard(id_)
            self._touch_line(line)
            if not self.lines[line]:
                del self.lines[line]
        self._touch(node)
        if not node.parts:
            self._tell_neighbours(node)
        self._prune(node)

    def _tell_neighbours(self, node: NodeState) -> None:
        """A node came or went: whoever reads its neighbours has to look again."""
        self.dirty.update(self.edges[name].other(node.id) for name in node.edges)

    def _ensure_edge(self, placement: Placement, key: PartKey, kind: str, start: str, end: str, label: str, fields: Fields) -> None:
        if start == end:
            return
        name = (kind, start, end, label)
        edge = self.edges.get(name)
        if edge is None:
            edge = self.edges[name] = EdgeState(kind, start, end, label)
            for node in (start, end):
                self._at(node).edges.add(name)
        if not edge.parts or edge.parts[-1][0] < key:
            edge.parts.append((key, fields))
        else:
            insort(edge.parts, (key, fields), key=_first)
        placement.undo.append(partial(self._drop_edge_part, name, key))
        self.dirty.add(start)
        self.dirty.add(end)

    def _drop_edge_part(self, name: EdgeName, key: PartKey) -> None:
        edge = self.edges[name]
        del edge.parts[bisect_left(edge.parts, key, key=_first)]
        self.dirty.update((edge.start, edge.end))
        if not edge.parts:
            del self.edges[name]
            for end in (edge.start, edge.end):
                node = self.nodes[end]
                node.edges.discard(name)
                self._prune(node)

    def _patch(self, placement: Placement, key: PartKey, operation: Patch | Retire) -> None:
        id_ = self.resolve(Known(operation.node), placement)
        node = self._at(id_)
        insort(node.patches, (key, operation), key=_first)
        placement.undo.append(partial(self._drop_patch, id_, key))
        self._touch_lines(node)

    def _drop_patch(self, id_: str, key: PartKey) -> None:
        node = self.nodes[id_]
        del node.patches[bisect_left(node.patches, key, key=_first)]
        self._touch_lines(node)
        self._prune(node)

    def _at(self, id_: str) -> NodeState:
        node = self.nodes.get(id_)
        if node is None:
            node = self.nodes[id_] = NodeState(id_)
        return node

    def _touch(self, node: NodeState) -> None:
        node.touch()
        self.dirty.add(node.id)

    def _touch_lines(self, node: NodeState) -> None:
        """A changed fact may be shown or hidden now, which decides who is current."""
        self._touch(node)
        for line in filter(None, map(line_of, node.parts)):
            self._touch_line(line)

    def _touch_line(self, line: tuple[str, str]) -> None:
        self.dirty.update(self.lines.get(line, ()))

    def _prune(self, node: NodeState) -> None:
        if not node.parts and not node.patches and not node.edges:
            del self.nodes[node.id]

    # ---- reading ----

    def node(self, id_: str) -> NodeState | None:
        """The node, when it is shown."""
        node = self.nodes.get(self.aliases.canonical(id_))
        return node if node is not None and node.shown else None

    def shown(self) -> Iterator[NodeState]:
        return (node for node in self.nodes.values() if node.shown)

    def current(self, line: tuple[str, str]) -> str:
        """The id of the latest shown fact of a line."""
        along = self.along(line)
        return along[-1] if along else ""

    def along(self, line: tuple[str, str]) -> list[str]:
        """The ids of a line's shown facts, oldest first. The same words said of two people stand in two lines."""
        shown = [node for id_ in self.lines.get(line, ()) if (node := self.nodes[id_]).shown]
        return [id_ for _, id_ in sorted((last_of(node, line), node.id) for node in shown)]

    def superseded(self, node: NodeState) -> bool:
        """A fact that a later one of its line has replaced, and of which nobody said that it still stands."""
        line = line_of(node.parts[-1])
        return line is not None and not node.marked("stands") and self.current(line) != node.id

    def waiting(self) -> list[tuple[str, PartKey, Patch | Retire]]:
        """Patches that wait for their target, or for it to read as they expect."""
        out: list[tuple[str, PartKey, Patch | Retire]] = []
        for node in self.nodes.values():
            if node.patches:
                applied = node.applied if node.parts and node.fields is not None else set[PartKey]()
                out += [(node.id, key, operation) for key, operation in node.patches if key not in applied]
        return sorted(out, key=lambda row: row[1])

    def places(self, node: NodeState) -> list[int]:
        """The slot orders where a node is remembered from, ascending."""
        return sorted({part.key[1] for part in node.parts if part.key[0] == 0})


def _names_in(placement: Placement) -> Iterator[str]:
    """The ids that a placement names before aliases: of entities and threads, and of nodes known by id."""
    for operation in placement.commit.operations:
        match operation:
            case EnsureNode(ref=ref, subject=subject):
                refs = (ref,) if subject is None else (ref, subject)
            case EnsureEdge(start=start, end=end):
                refs = (start, end)
            case Patch(node=node) | Retire(node=node):
                refs = (Known(node),)
        for each in refs:
            match each:
                case Named(name, kind, scope):
                    yield named_id(kind, scope, name)
                case Speaker(message):
                    yield named_id("entity", "chat", _speaker(placement, message))
                case Known(id_):
                    yield id_
                case Evident() | Own():
                    pass


def _without_name(fields: Fields) -> dict[str, FieldValue]:
    return {name: value for name, value in fields.items() if name != "name"}


def _spoken(fields: Mapping[str, Stated], placement: Placement) -> dict[str, FieldValue]:
    """The fields with the names on screen for the speakers that they mean."""
    out: dict[str, FieldValue] = {}
    for name, value in fields.items():
        if isinstance(value, Speaker):
            out[name] = _speaker(placement, value.message)
        elif isinstance(value, tuple):
            out[name] = tuple([_speaker(placement, item.message) if isinstance(item, Speaker) else item for item in value])
        else:
            out[name] = value
    return out


def _speaker(placement: Placement, message: int) -> str:
    slot = placement.slots[message]
    return slot.name or UNNAMED[slot.role]


def _place(placement: Placement) -> tuple[int, int, str]:
    """The key of its parts, but for the number of the operation."""
    commit = placement.commit
    if placement.slots:
        return (0, placement.slots[-1].order, "")
    return (1, commit.clock, commit.id)


def _first(row: tuple[PartKey, object]) -> PartKey:
    return row[0]
