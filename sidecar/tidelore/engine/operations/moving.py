"""Memories to files and from files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tidelore.engine import methods_care as mc
from tidelore.engine import results_care as rc
from tidelore.engine.chats import OpenChat
from tidelore.engine.codec import digest
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.exporting import markdown, memory_server, tidelore_file
from tidelore.engine.extract.run import chat_language
from tidelore.engine.history import Placement, Slot
from tidelore.engine.importing import Archive, Bundle, Node, read
from tidelore.engine.keys import Keyed
from tidelore.engine.model import Commit, EnsureEdge, EnsureNode, FieldValue, Known, Message, Named, Needs, Operation, Own, Patch, Quote
from tidelore.engine.nodes import NodeState
from tidelore.engine.operations.chats import check_name
from tidelore.engine.operations.choosing import Wanted, places
from tidelore.engine.operations.graph import NOTHING, by_hand, masked
from tidelore.engine.params import parse
from tidelore.engine.ports import FOREVER, ChatRecord, Purge
from tidelore.engine.scopes import SCOPE_MARK, scope_chat
from tidelore.engine.sync.burial import buried, commit_marks, graves_of, key_mark, plain_id
from tidelore.engine.table import Call, method
from tidelore.engine.text.privacy import mask
from tidelore.engine.text.unicode14 import fold_name, well_formed

if TYPE_CHECKING:
    from tidelore.engine.service import Service

SAMPLE = 20
RECORD = "imported"
FORGOTTEN = "memory that was forgotten for good"
# What another program changes by itself: no reason to state a memory anew.
DRIFTING = {RECORD, "importance"}
ENDINGS = {"tidelore": "tidelore.json", "markdown": "md", "jsonl": "jsonl"}


@method("export", mc.Export, rc.Exported)
async def export(service: Service, params: mc.Export, call: Call) -> rc.Exported:
    """What is remembered of a chat as a file: whole, to go on elsewhere; as a text for people; or for the MCP memory server."""
    del call
    chat = await service.chats.open(params.chat)
    name = f"{_file_name(chat.record.name)}.{ENDINGS[params.format]}"
    nodes = list(Wanted(private=params.private, what="export").among(chat.graph, chat.timeline))
    left_out: dict[str, int] = {}
    edges = len(chat.graph.edges)
    match params.format:
        case "tidelore":
            parents = service.chats.named.parents()
            text = tidelore_file.write(chat, parents.get(chat.record.id, ""))
            held, messages = sum(1 for _ in chat.graph.shown()), len(chat.timeline.slots)
        case "markdown":

            def place(node: Any) -> int | None:
                return next(iter(places(node, chat.timeline)), None)

            text, held = markdown.write(chat.graph, nodes, chat.record.name, chat_language(chat), place)
            left_out, edges, messages = {"superseded": len(nodes) - held} if len(nodes) > held else {}, 0, 0
        case "jsonl":
            text, held, edges, left_out = memory_server.write(chat.graph, nodes)
            messages = 0
    return rc.Exported(params.format, name, text, held, edges, messages, left_out)


@method("import", mc.Import, rc.Imported, writes=True)
async def import_(service: Service, params: mc.Import, call: Call) -> rc.Imported:
    """Take over the memories of a file; `dry` says what would come and writes nothing. The same file twice is nothing new, and what was
    hidden by hand since stays hidden."""
    del call
    form, found = read(params.text, params.format)
    if isinstance(found, Archive):
        check_name(params.chat)
        return await _import_archive(service, params, form, found)
    if params.chat.startswith(SCOPE_MARK):
        scope_chat(params.chat.removeprefix(SCOPE_MARK))
    else:
        check_name(params.chat)
    return await _import_bundle(service, params, form, found)


# ---- a whole chat ----


async def _import_archive(service: Service, params: mc.Import, form: str, found: Archive) -> rc.Imported:
    records = {record.name: record for record in await service.chats.records()}
    there = records.get(params.chat)
    if there is not None and there.pool != found.pool:
        raise Conflict(
            f"The chat {params.chat!r} is another one.", "Import under a name that is not in use, or export as jsonl to add its memories."
        )
    notes: list[str] = []
    branch_of = _parent(records, params.chat, found, notes)
    if params.dry:
        return await _archive_news(service, params, form, found, there, notes)
    if there is None:
        await service.chats.update(params.chat, found.messages, _stored_message, branch_of, found.pool)
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        sources = [each for each in found.sources if each.key not in chat.pool.sources]
        commits, left_out = await _fresh(service, chat, found)
        if sources or commits:
            await service.chats.commit(chat, commits, sources=sources)
        known = len(found.commits) - len(commits) - sum(left_out.values())
        count = len(found.messages) if there is None else 0
        return rc.Imported(params.chat, form, False, "", *_stated(commits), count, len(commits), known, left_out, [], notes)


def _parent(records: Mapping[str, ChatRecord], name: str, found: Archive, notes: list[str]) -> str:
    """Under another name a chat comes as a branch of the one it was, so that what was changed in that one by hand holds here too."""
    parent = found.branch_of if name == found.chat else found.chat
    other = records.get(parent)
    if parent and other is not None and other.pool != found.pool:
        notes.append(f"Another chat is called {parent!r} here, so changes by hand that were made in that one do not come along.")
        return ""
    return parent


async def _archive_news(
    service: Service, params: mc.Import, form: str, found: Archive, there: ChatRecord | None, notes: Sequence[str]
) -> rc.Imported:
    chat = await service.chats.open(params.chat) if there is not None else None
    commits, left_out = await _fresh(service, chat, found)
    count = len(found.messages) if there is None else 0
    known = len(found.commits) - len(commits) - sum(left_out.values())
    return rc.Imported(params.chat, form, True, "", *_stated(commits), count, len(commits), known, left_out, [], list(notes))


async def _fresh(service: Service, chat: OpenChat | None, found: Archive) -> tuple[list[Commit], dict[str, int]]:
    """The commits that are not here yet, and how many are left out: changes by hand of what was forgotten for good since the file was
    made."""
    new = [each for each in found.commits if chat is None or _is_new(chat, each)]
    graves = await _graves(service, found.pool)
    stays = [each for each in new if each.window or not buried(graves, commit_marks(each), each.clock)]
    return stays, {FORGOTTEN: len(new) - len(stays)} if len(stays) < len(new) else {}


def _stated(commits: Sequence[Commit]) -> tuple[int, int]:
    """How many nodes and edges commits state, those of other variants of a message among them."""
    operations = [each for commit in commits for each in commit.operations]
    nodes = sum(isinstance(each, EnsureNode) for each in operations)
    return nodes, sum(isinstance(each, EnsureEdge) for each in operations)


def _is_new(chat: OpenChat, commit: Commit) -> bool:
    known = chat.pool.commits.get(commit.id)
    return known is None or commit.clock < known.clock


@dataclass(frozen=True, slots=True)
class _StoredMessage:
    """A message as the file has it."""

    role: str
    text: str
    key: str
    name: str = ""
    hidden: bool = False
    date: str = ""


def _stored_message(raw: Any) -> Message:
    item = parse(_StoredMessage, raw, "messages[]")
    if item.role not in ("user", "assistant"):
        raise BadInput(f"A message's role cannot be {item.role[:20]!r}.", "The file was changed; export it again.")
    return Keyed("user" if item.role == "user" else "assistant", item.text, item.name, item.hidden, item.date, item.key)


# ---- memories ----


async def _import_bundle(service: Service, params: mc.Import, form: str, found: Bundle) -> rc.Imported:
    chat = await service.chats.find(params.chat)
    if chat is None and params.dry:
        rows = [_sampled(node, new=True) for node in found.nodes[:SAMPLE]]
        counts = len(found.nodes), len(found.edges), 0, 1 if found.nodes else 0, 0
        return rc.Imported(params.chat, form, True, "", *counts, dict(found.left_out), rows, list(found.notes))
    if chat is None and params.chat.startswith(SCOPE_MARK):
        await service.chats.open_scope(params.chat.removeprefix(SCOPE_MARK))
    elif chat is None:
        await service.chats.update(params.chat, [], _no_message)
    async with service.chats.lock:
        chat = await service.chats.open(params.chat)
        quoted = _Quoted.of(chat, found, await _forgotten(service, chat))
        operations, rows, buried = _operations(chat, found, quoted)
        nodes = sum(isinstance(each, EnsureNode) for each in operations)
        edges = len(operations) - nodes
        known = len(found.nodes) + len(found.edges) - len(operations) - sum(buried.values())
        commit = ""
        if operations and not params.dry:
            commit = (await by_hand(service, chat, operations, author="import", needs=Needs(tuple(quoted.keys)))).id
        counts = nodes, edges, 0, 1 if operations else 0, known
        left_out = {**found.left_out, **buried}
        return rc.Imported(params.chat, form, params.dry, commit, *counts, left_out, rows[:SAMPLE], quoted.notes(found))


async def _forgotten(service: Service, chat: OpenChat) -> frozenset[str]:
    """The marks on what was purged of this pool for ever."""
    return frozenset(mark for mark, until in (await _graves(service, chat.record.pool)).items() if until >= FOREVER)


async def _graves(service: Service, pool: str) -> dict[str, int]:
    """The marks of all purges of a pool, each with the latest clock."""
    out: dict[str, int] = {}
    for each in await service.store.purges():
        if each.pool == pool and isinstance(each.body, Purge):
            for mark, clock in graves_of(each.body).items():
                out[mark] = max(clock, out.get(mark, clock))
    return out


def _no_message(raw: Any) -> Message:
    raise BadInput(f"A file of memories has no messages, not even {raw!r}.")


class _Quoted:
    """The messages that come along as evidence: `keys` with their numbers in the commit. `missed` counts the memories whose messages are
    not here; `forgotten` are marks on what must not come again."""

    def __init__(self, slots: Sequence[Slot], forgotten: frozenset[str], *, fits: bool) -> None:
        self.keys: dict[str, int] = {}
        self.missed = 0
        self.forgotten = forgotten
        self._slots, self._fits = slots, fits

    @classmethod
    def of(cls, chat: OpenChat, found: Bundle, forgotten: frozenset[str]) -> _Quoted:
        """Floors count where the chat is the one that the other program read: a reply stands where its reading ended."""
        slots = chat.timeline.slots
        fits = found.read_to < 0 or (found.read_to < len(slots) and slots[found.read_to].role == "assistant")
        return cls(slots, forgotten, fits=fits)

    def _messages(self, node: Node) -> list[str]:
        first, last = node.floors or (0, -1)
        fits = self._fits and last < len(self._slots)
        return list(dict.fromkeys(slot.key for slot in self._slots[first : last + 1])) if fits else []

    def buries(self, node: Node, operation: EnsureNode) -> bool:
        """Whether it, what it is about or a message that it is from was forgotten for good."""
        refs = [each for each in (operation.ref, operation.subject) if each is not None]
        marks = [*(f"node {plain_id(each)}" for each in refs), *map(key_mark, self._messages(node))]
        return not self.forgotten.isdisjoint(marks)

    def quotes(self, node: Node) -> tuple[Quote, ...]:
        keys = self._messages(node)
        self.missed += node.floors is not None and not keys
        return tuple(Quote(self.keys.setdefault(key, len(self.keys))) for key in keys)

    def notes(self, found: Bundle) -> list[str]:
        if not self.missed:
            return list(found.notes)
        return [*found.notes, f"{self.missed} memories come without evidence: the chat here is not the one that they were made from."]


def _operations(chat: OpenChat, found: Bundle, quoted: _Quoted) -> tuple[list[Operation], list[rc.ImportedRow], Counter[str]]:
    """What is not there yet, a line for each node, and what may not come."""
    graph, nowhere = chat.graph, Placement(NOTHING)
    out: list[Operation] = []
    rows: list[rc.ImportedRow] = []
    left_out: Counter[str] = Counter()
    ids: dict[str, str] = {}
    said = {(fold_name(node.text), graph.aliases.canonical(node.subject) if node.subject else ""): node.id for node in graph.shown()}
    for node in found.nodes:
        operation = _ensured(node)
        if quoted.buries(node, operation):
            left_out[FORGOTTEN] += 1
            continue
        id_ = ids[node.key] = graph.resolve(operation.ref, nowhere)
        news = _news(chat, id_, operation, node)
        if news is not None and operation.subject is not None:
            other = said.get((fold_name(str(operation.fields.get("text", ""))), graph.resolve(operation.subject, nowhere)), id_)
            if other != id_:
                ids[node.key], news = other, None
        if news is not None:
            out.append(replace(news, evidence=quoted.quotes(node)))
        rows.append(_sampled(node, new=news is not None))
    for edge in found.edges:
        start, end = ids.get(edge.start, ""), ids.get(edge.end, "")
        left_out["edge of a memory that was forgotten"] += not start or not end
        label = well_formed(mask(edge.label))
        if start and end and start != end and (edge.type, start, end, label) not in graph.edges:
            out.append(EnsureEdge(edge.type, Known(start), Known(end), label, _sound(edge.fields)))
    return out, rows, +left_out


def _news(chat: OpenChat, id_: str, operation: EnsureNode, came: Node) -> EnsureNode | None:
    """What of it is not here yet: None where it says as much already, or somebody has hidden it."""
    node = chat.graph.nodes.get(id_)
    if node is None or not node.parts:
        return operation
    if node.retired or (not came.record and node.shown and all(name in node.fields for name in operation.fields)):
        return None
    if not came.record:
        return operation
    stated = _imported(node)
    if stated and came.changed < _changed(stated.get(RECORD)):
        return None
    by_hand = {each.field for _, each in node.patches if isinstance(each, Patch)}
    # What was said of it by the chat or by a person stays as it is.
    open_ = {name for name in operation.fields if name not in by_hand and (name in stated or name not in node.fields)}
    news = {name: operation.fields[name] for name in open_ if stated.get(name) != operation.fields[name]}
    if not news.keys() - (DRIFTING if stated else set()):
        return None
    return replace(operation, fields={name: operation.fields[name] for name in operation.fields if name in news})


def _imported(node: NodeState) -> dict[str, Any]:
    """What imports have said of a node that another program keeps, the latest of each field."""
    out: dict[str, Any] = {}
    for part in node.parts:
        if part.placement.commit.author == "import" and (out or RECORD in part.fields):
            out |= part.fields
    return out


def _changed(record: object) -> float:
    """When the other program had last changed what was imported, 0 unknown."""
    try:
        value = json.loads(str(record)).get("updatedAt", 0)
    except (ValueError, AttributeError):
        return 0
    return float(value) if isinstance(value, int | float) else 0


def _ensured(node: Node) -> EnsureNode:
    fields = _sound(node.fields)
    if node.record:
        fields[RECORD] = well_formed(mask(node.record))
    subject = Named(node.about) if node.about else None
    if node.kind in ("entity", "thread"):
        return EnsureNode(Named(node.name, "entity" if node.kind == "entity" else "thread"), node.sub, fields, subject=subject)
    text = well_formed(mask(node.text))
    # The same memory of the same one is the same node, whichever file it comes from.
    token = digest("import", node.sub, fold_name(node.about).replace("\0", " "), text.replace("\0", " "))
    if node.id:
        token = digest("import", node.id.replace("\0", " "))
    return EnsureNode(Own(node.kind, token), node.sub, {**fields, "text": text}, subject=subject)


def _sound(fields: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    """As they are stored: what is compared with what is there must read the same."""
    out: dict[str, FieldValue] = {}
    for name, value in fields.items():
        safe = masked(value)
        sound = tuple(map(well_formed, safe)) if isinstance(safe, tuple) else well_formed(safe) if isinstance(safe, str) else safe
        out[well_formed(name)] = sound
    return out


def _sampled(node: Node, *, new: bool) -> rc.ImportedRow:
    return rc.ImportedRow(node.kind, node.sub, mask(node.text or node.name)[:400], new)


def _file_name(chat: str) -> str:
    """A name that every file system takes."""
    plain = "".join(char if char.isalnum() or char in " -_." else "_" for char in chat.removeprefix(SCOPE_MARK))
    return " ".join(plain.split()).strip(". ")[:80] or "memories"
