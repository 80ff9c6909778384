"""The nine tools of the reference memory server of the Model Context Protocol: entities with observations, and relations between them. An
observation is a fact about its entity; all lie in the scope "profile"."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidelore.engine import methods as m
from tidelore.engine.errors import Conflict, NotFound
from tidelore.engine.text.tokens import tokens
from tidelore.engine.text.unicode14 import fold_name
from tidelore.engine.view import GraphView, NodeView
from tidelore.serve.mcp.aliases.memory_server_shapes import (
    Added,
    AddedAll,
    AddObservations,
    DeleteEntities,
    DeleteObservations,
    Done,
    Entities,
    Entity,
    KnowledgeGraph,
    OpenNodes,
    ReadGraph,
    Relation,
    Relations,
    SearchNodes,
)
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked, cut
from tidelore.serve.mcp.schemas import outgoing
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.windows import EVERYWHERE

_SUBS = {
    **dict.fromkeys(("person", "people", "character", "user", "human", "contact"), "character"),
    **dict.fromkeys(("place", "location", "city", "country", "venue"), "location"),
    **dict.fromkeys(("organization", "organisation", "company", "team", "group"), "organisation"),
    **dict.fromkeys(("object", "item", "thing", "tool", "product"), "item"),
    **dict.fromkeys(("project", "repository"), "project"),
}


@dataclass(slots=True)
class _Known:
    """The graph as this server tells it: nodes by folded name, facts and relations by node."""

    nodes: dict[str, NodeView] = field(default_factory=dict[str, NodeView])
    facts: dict[str, list[NodeView]] = field(default_factory=dict[str, list[NodeView]])
    relations: list[tuple[str, str, Relation]] = field(default_factory=list[tuple[str, str, Relation]])

    def entity(self, name: str) -> NodeView:
        node = self.nodes.get(fold_name(name))
        if node is None:
            raise NotFound(f"Entity with name {name} not found", "Create it first with create_entities.")
        return node

    def shown(self, node: NodeView) -> Entity:
        return Entity(node.text, str(node.fields.get("type") or node.sub), [each.text for each in self.facts.get(node.id, ())])


async def _read(memory: Memory) -> _Known:
    place = await memory.place("", EVERYWHERE)
    known = _Known()
    if not place.known:
        return known
    view: GraphView = await memory.ask("graph.get", m.GraphGet(place.name))
    entities = {each.id: each for each in view.nodes if each.kind == "entity"}
    facts = {each.id: each for each in view.nodes if each.kind == "fact" and each.state == "current"}
    for each in entities.values():
        for name in (*each.fields.get("aliases", ()), each.text):
            known.nodes[fold_name(str(name))] = each
    for edge in view.edges:
        if edge.type == "about" and edge.start in facts and edge.end in entities:
            known.facts.setdefault(edge.end, []).append(facts[edge.start])
        elif edge.start in entities and edge.end in entities:
            relation = Relation(entities[edge.start].text, entities[edge.end].text, edge.label or edge.type)
            known.relations.append((edge.type, edge.label, relation))
    return known


async def _write(memory: Memory, items: Sequence[dict[str, Any]]) -> None:
    if items:
        await memory.ask("nodes.write", m.NodesWrite(list(items), scope=EVERYWHERE, author="tool"))


def _fact(name: str, text: str) -> dict[str, Any]:
    return {"kind": "fact", "about": name, "text": text}


async def create_entities(memory: Memory, asked_: Entities) -> Answer:
    async with memory.alone():
        known = await _read(memory)
        new: dict[str, Entity] = {}
        for each in asked_.entities:
            if fold_name(each.name) not in known.nodes:
                new.setdefault(fold_name(each.name), each)
        items: list[dict[str, Any]] = []
        for each in new.values():
            await _show_again(memory, each.name)
            sub = _SUBS.get(each.entityType.strip().lower(), "topic")
            items.append({"kind": "entity", "name": each.name, "sub": sub, "fields": {"type": each.entityType} if each.entityType else {}})
            items += [_fact(each.name, text) for text in dict.fromkeys(each.observations)]
        await _write(memory, items)
    return _answer(Entities(list(new.values())))


async def _show_again(memory: Memory, name: str) -> None:
    """An entity that was deleted is hidden; made again, it shows."""
    place = await memory.place("", EVERYWHERE)
    if place.known:
        try:
            await memory.ask("node.restore", m.NodeOnly(place.name, name))
        except NotFound:
            return


async def create_relations(memory: Memory, asked_: Relations) -> Answer:
    made: list[Relation] = []
    async with memory.alone():
        known = await _read(memory)
        there = {(fold_name(each.start), fold_name(each.end), each.relationType) for _, _, each in known.relations}
        for each in asked_.relations:
            known.entity(each.start)
            known.entity(each.end)
        place = await memory.place("", EVERYWHERE)
        for each in asked_.relations:
            name = (fold_name(each.start), fold_name(each.end), each.relationType)
            if name not in there:
                there.add(name)
                await memory.ask("edge.add", m.EdgeAdd(place.name, each.start, each.end, "relates", each.relationType, "tool"))
                made.append(each)
    return _answer(Relations(made))


async def add_observations(memory: Memory, asked_: AddObservations) -> Answer:
    async with memory.alone():
        known = await _read(memory)
        results: list[Added] = []
        items: list[dict[str, Any]] = []
        for each in asked_.observations:
            node = known.entity(each.entityName)
            there = {fact.text for fact in known.facts.get(node.id, ())}
            new = [text for text in dict.fromkeys(each.contents) if text.strip() not in there]
            items += [_fact(node.text, text) for text in new]
            results.append(Added(each.entityName, new))
        await _write(memory, items)
    return _answer(AddedAll(results))


async def delete_entities(memory: Memory, asked_: DeleteEntities) -> Answer:
    async with memory.alone():
        known = await _read(memory)
        for name in asked_.entityNames:
            node = known.nodes.get(fold_name(name))
            if node is not None:
                await _hide(memory, [*known.facts.get(node.id, ()), node])
    return _answer(Done(True, "Entities deleted successfully"))


async def delete_observations(memory: Memory, asked_: DeleteObservations) -> Answer:
    async with memory.alone():
        known = await _read(memory)
        for each in asked_.deletions:
            node = known.nodes.get(fold_name(each.entityName))
            facts = known.facts.get(node.id, ()) if node is not None else ()
            gone = {text.strip() for text in each.observations}
            await _hide(memory, [fact for fact in facts if fact.text in gone])
    return _answer(Done(True, "Observations deleted successfully"))


async def _hide(memory: Memory, nodes: Iterable[NodeView]) -> None:
    place = await memory.place("", EVERYWHERE)
    for each in nodes:
        await memory.ask("node.retire", m.NodeRetire(place.name, each.id))


async def delete_relations(memory: Memory, asked_: Relations) -> Answer:
    left: list[str] = []
    async with memory.alone():
        known = await _read(memory)
        place = await memory.place("", EVERYWHERE)
        wanted = {(fold_name(each.start), fold_name(each.end), each.relationType) for each in asked_.relations}
        for kind, label, each in known.relations:
            if (fold_name(each.start), fold_name(each.end), each.relationType) in wanted:
                try:
                    await memory.ask("edge.remove", m.EdgeRemove(place.name, each.start, each.end, kind, label))
                except Conflict:
                    left.append(f"{each.start} {each.relationType} {each.end}")
    if left:
        raise Conflict(
            f"These relations follow from what is remembered: {'; '.join(left)[:300]}.", "Delete the memory that they follow from."
        )
    return _answer(Done(True, "Relations deleted successfully"))


async def read_graph(memory: Memory, asked_: ReadGraph) -> Answer:
    known = await _read(memory)
    return _paged(known, set(_ids(known)), asked_.cursor, asked("read_graph", asked_))


async def search_nodes(memory: Memory, asked_: SearchNodes) -> Answer:
    known = await _read(memory)
    wanted, typed = set(tokens(asked_.query)), asked_.query.strip().casefold()
    found: set[str] = set()
    for each in known.nodes.values():
        shown = known.shown(each)
        text = "\n".join((shown.name, shown.entityType, *shown.observations))
        if typed in text.casefold() or (wanted and wanted <= set(tokens(text))):
            found.add(each.id)
    return _paged(known, found, asked_.cursor, asked("search_nodes", asked_))


async def open_nodes(memory: Memory, asked_: OpenNodes) -> Answer:
    known = await _read(memory)
    found = {node.id for name in asked_.names if (node := known.nodes.get(fold_name(name))) is not None}
    return _paged(known, found, asked_.cursor, asked("open_nodes", asked_))


def _ids(known: _Known) -> Iterable[str]:
    return (each.id for each in known.nodes.values())


# Of one entity on one page, so that it takes no more than a part of it.
_OBSERVATIONS, _LONGEST = 10, 1_000


def _paged(known: _Known, ids: set[str], cursor: str, mark: object) -> Answer:
    nodes = sorted(
        {each.id: each for each in known.nodes.values() if each.id in ids}.values(), key=lambda each: (fold_name(each.text), each.id)
    )
    names = {each.text for each in nodes}
    rows: list[Entity | Relation] = []
    for node in nodes:
        whole = known.shown(node)
        said = [piece for each in whole.observations for piece in _cut(each)]
        rows += [Entity(whole.name, whole.entityType, said[at : at + _OBSERVATIONS]) for at in range(0, max(1, len(said)), _OBSERVATIONS)]
    # As the reference does: a relation is told where one of its ends is.
    relations = [each for _, _, each in known.relations if each.start in names or each.end in names]
    page = cut([*rows, *relations], cursor, mark)
    entities = [each for each in page.items if isinstance(each, Entity)]
    told = [each for each in page.items if isinstance(each, Relation)]
    return _answer(KnowledgeGraph(_joined(entities), told, len(nodes), len(relations), page.cursor))


def _cut(text: str) -> list[str]:
    return [text[at : at + _LONGEST] for at in range(0, max(1, len(text)), _LONGEST)]


def _joined(rows: list[Entity]) -> list[Entity]:
    """Pieces of one entity on one page as one."""
    out: dict[str, Entity] = {}
    for each in rows:
        before = out.get(each.name)
        out[each.name] = each if before is None else Entity(each.name, each.entityType, [*before.observations, *each.observations])
    return list(out.values())


def _answer(data: object) -> Answer:
    # The reference answers with its JSON as text.
    return Answer(data, json.dumps(outgoing(data), ensure_ascii=False, separators=(",", ":")))


MEMORY_SERVER = (
    Tool(
        "create_entities",
        "Create Entities",
        "Create entities with observations. One that exists is left as it is.",
        Entities,
        Entities,
        create_entities,
        repeatable=True,
    ),
    Tool(
        "create_relations",
        "Create Relations",
        "Create relations between entities.",
        Relations,
        Relations,
        create_relations,
        repeatable=True,
    ),
    Tool(
        "add_observations",
        "Add Observations",
        "Add observations to entities that exist.",
        AddObservations,
        AddedAll,
        add_observations,
        repeatable=True,
    ),
    Tool(
        "delete_entities",
        "Delete Entities",
        "Delete entities with their observations and relations.",
        DeleteEntities,
        Done,
        delete_entities,
        destroys=True,
        repeatable=True,
    ),
    Tool(
        "delete_observations",
        "Delete Observations",
        "Delete observations of entities.",
        DeleteObservations,
        Done,
        delete_observations,
        destroys=True,
        repeatable=True,
    ),
    Tool(
        "delete_relations",
        "Delete Relations",
        "Delete relations between entities.",
        Relations,
        Done,
        delete_relations,
        destroys=True,
        repeatable=True,
    ),
    Tool(
        "read_graph",
        "Read Graph",
        "Read the knowledge graph, page by page.",
        ReadGraph,
        KnowledgeGraph,
        read_graph,
        reads=True,
        repeatable=True,
    ),
    Tool(
        "search_nodes",
        "Search Nodes",
        "Search entities by words in names, types and observations.",
        SearchNodes,
        KnowledgeGraph,
        search_nodes,
        reads=True,
        repeatable=True,
    ),
    Tool("open_nodes", "Open Nodes", "Read entities by name.", OpenNodes, KnowledgeGraph, open_nodes, reads=True, repeatable=True),
)
