"""The core block: rules, synopsis, open threads. It changes seldom and its bytes stay the same while they do."""

from __future__ import annotations

from collections.abc import Collection

from tidelore.engine.graph import Graph
from tidelore.engine.nodes import NodeState, PartKey
from tidelore.engine.recall.pack import Line, line_text
from tidelore.engine.text.unicode14 import fold_name

CLOSED = frozenset(
    "completed complete done finished ended closed abandoned dropped resolved revoked suspended inactive failed"
    " 完成 已完成 结束 已结束 放弃 已放弃 解决 已解决 废除 已废除 撤销 已撤销 暂停 失败 完結 解決済み 終了".split()
)


def core_lines(graph: Graph, ids: Collection[str]) -> list[Line]:
    """Rules, then synopses, then open threads, each in story order. `ids`: the nodes that may be among them."""
    rows: list[tuple[int, PartKey, NodeState]] = []
    for node in map(graph.nodes.__getitem__, ids):
        rank = core_rank(graph, node)
        if rank is not None:
            rows.append((rank, node.parts[0].key, node))
    rows.sort(key=lambda row: (row[0], row[1], row[2].id))
    return [Line(node.id, line_text(_said(node), "", ""), at) for at, (_, _, node) in enumerate(rows)]


def core_rank(graph: Graph, node: NodeState) -> int | None:
    """0 for rules, 1 for synopses, 2 for open threads; None for what is not core."""
    if node.kind == "fact" and node.sub == "rule" and not graph.superseded(node):
        return None if _closed(node) else 0
    if node.kind == "digest" and node.sub == "synopsis":
        return 1
    if node.kind == "thread" and not _closed(node):
        return 2
    return None


def _closed(node: NodeState) -> bool:
    status = node.fields.get("status")
    return isinstance(status, str) and fold_name(status) in CLOSED


def _said(node: NodeState) -> str:
    if node.kind != "thread":
        return node.text
    about = node.fields.get("text") or node.fields.get("summary")
    name = node.fields.get("name")
    return f"{name}: {about}" if name and about and name != about else node.text
