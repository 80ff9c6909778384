"""The core block: what is pinned, rules, synopsis, open threads. It changes seldom and its bytes stay the same while they do."""

from __future__ import annotations

from collections.abc import Collection

from tidelore.engine.graph import Graph
from tidelore.engine.nodes import FLAGS, NodeState, PartKey
from tidelore.engine.recall.pack import Line, line_text
from tidelore.engine.text.unicode14 import fold_name

# An entity becomes a card when something is known of it beside its names.
NAME_FIELDS = frozenset({"name", "aliases"}) | FLAGS
CLOSED = frozenset(
    "completed complete done finished ended closed abandoned dropped resolved revoked suspended inactive failed"
    " 完成 已完成 结束 已结束 放弃 已放弃 解决 已解决 废除 已废除 撤销 已撤销 暂停 失败 完結 解決済み 終了".split()
)


def core_lines(graph: Graph, ids: Collection[str]) -> list[Line]:
    """What is pinned, then rules, then synopses, then open threads, each in story order. `ids`: the nodes that may be among them."""
    rows: list[tuple[int, PartKey, NodeState]] = []
    for node in map(graph.nodes.__getitem__, ids):
        rank = core_rank(graph, node)
        if rank is not None:
            rows.append((rank, node.parts[0].key, node))
    rows.sort(key=lambda row: (row[0], row[1], row[2].id))
    return [Line(node.id, line_text(_said(node), _speaker(node), ""), at) for at, (_, _, node) in enumerate(rows)]


def core_rank(graph: Graph, node: NodeState) -> int | None:
    """0 for what is pinned, 1 for rules, 2 for synopses, 3 for open threads; None for what is not core."""
    if node.apart or graph.superseded(node):
        return None
    if node.marked("pinned") and node.kind != "page":
        return 0
    if node.kind == "fact" and node.sub == "rule":
        return None if _closed(node) else 1
    if node.kind == "digest" and node.sub == "synopsis":
        return 2
    if node.kind == "thread" and not _closed(node):
        return 3
    return None


def _closed(node: NodeState) -> bool:
    status = node.fields.get("status")
    return isinstance(status, str) and fold_name(status) in CLOSED


def card_text(node: NodeState) -> str:
    """What a card says: its text; of an entity or thread the name and all that is known of it, in an order that no edit changes."""
    if node.kind in ("moment", "fact", "digest"):
        return node.text
    parts = [node.text]
    for name, value in sorted(node.fields.items()):
        if name not in NAME_FIELDS and name not in ("importance", "text", "title"):
            parts.append(f"{name}: {'; '.join(value) if isinstance(value, tuple) else value}")
    return ". ".join(parts)


def _speaker(node: NodeState) -> str:
    """Of what is pinned, who said it: a sentence by itself does not tell."""
    if node.kind not in ("moment", "fact") or not node.marked("pinned"):
        return ""
    keys = {key for key, _ in node.evidence}
    slots = [slot for part in node.parts for slot in part.placement.slots]
    names = {fold_name(slot.name): slot.name for slot in sorted(slots, key=lambda each: -each.order) if slot.key in keys and slot.name}
    return next(iter(names.values())) if len(names) == 1 else ""


def _said(node: NodeState) -> str:
    if node.kind == "entity":
        return card_text(node)
    if node.kind != "thread":
        return node.text
    about = node.fields.get("text") or node.fields.get("summary")
    name = node.fields.get("name")
    return f"{name}: {about}" if name and about and name != about else node.text
