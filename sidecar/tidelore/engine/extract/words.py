"""The many words that models use for kinds, subs, edges and actions, and ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tidelore.engine.extract.json_scan import JSON
from tidelore.engine.model import EdgeType, Kind
from tidelore.engine.schema import EXTRACTED, Schema

DEFAULT_SUBS: Mapping[Kind, str] = {"entity": "topic", "moment": "event", "fact": "context", "thread": "plot"}


def _table(rows: Mapping[str, str]) -> dict[str, str]:
    return {word: name for name, words in rows.items() for word in words.split()}


_ACTIONS = _table(
    {
        "node": "node create add new insert upsert ensure update modify edit change remember save store memory write set 创建 新增 添加 "
        "节点 更新 修改 记录 保存",
        "edge": "edge link relation relationship connect relate addedge createedge addlink addrelation 边 关系 连接 关联",
        "denied": "delete remove retire archive forget merge drop hide invalidate supersede 删除 移除 合并 归档 遗忘",
        "skip": "skip noop none keep ignore pass nothing 跳过 忽略 无",
    }
)
_KINDS = _table({"entity": "entity 实体", "moment": "moment 时刻", "fact": "fact memory knowledge 事实 记忆", "thread": "thread 线索 脉络"})
_SUBS = _table(
    {
        "character": "person people npc char persona creature animal human 角色 人物 人",
        "location": "place region area room city country 地点 场所 位置",
        "item": "object thing artifact artefact weapon tool 物品 道具",
        "organisation": "organization group faction guild company team 组织 势力 团体",
        "work": "book film movie song game 作品",
        "project": "projects 项目",
        "topic": "concept subject 话题 概念",
        "event": "episode incident action events happening 事件",
        "state": "status condition relationship trait attribute 状态 关系",
        "preference": "like dislike habit taste interest 偏好 喜好 习惯",
        "task": "todo plan promise goal commitment duty 任务 计划 承诺 目标",
        "context": "background info information detail biography profile_fact 背景 信息",
        "rule": "law constraint agreement 规则 约定",
        "belief": "povmemory pov opinion view attitude 看法 信念 观点",
        "plot": "plotline storyline quest story 情节 剧情 主线",
        "arc": "development 变化",
        "question": "mystery openquestion 问题 悬念 疑问",
    }
)
_EDGES = _table(
    {
        "about": "about mentions concerns regarding describes 关于 涉及",
        "part_of": "partof memberof belongsto advances in subsetof 属于 推进",
        "continues": "continues follows next after leadsto precededby 延续 之后",
        "resolves": "resolves answers solves completes 解决 完成",
        "supports": "supports confirms evidences 支持 证实",
        "echoes": "echoes similar parallels 呼应",
        "contrasts": "contrasts contradicts conflicts opposes 矛盾 对比 冲突",
        "replaces": "replaces updates supersedes evolves temporalupdate overrides 取代 更新",
        "doubt": "doubt 存疑",
        "relates": "relates related relatedto relatesto relation relationship associated linkedto connectedto 相关 有关 关系 关联",
        "knows": "knows met acquaintedwith familiarwith 认识 知道",
        "occurred_at": "occurredat happenedat locatedin locatedat at takesplacein 发生于 位于 地点",
        "involved_in": "involvedin participatedin participatesin participant attended 参与 参加",
    }
)
_EDGE_TYPES: Mapping[str, EdgeType] = {
    **{"about": "about", "part_of": "part_of", "continues": "continues", "resolves": "resolves", "supports": "supports"},
    **{"echoes": "echoes", "contrasts": "contrasts", "replaces": "replaces", "doubt": "doubt", "relates": "relates"},
    **{"knows": "knows", "occurred_at": "occurred_at", "involved_in": "involved_in"},
}

Action = Literal["node", "edge", "denied", "skip", "unknown"]
_ACTION_NAMES: Mapping[str, Action] = {"node": "node", "edge": "edge", "denied": "denied", "skip": "skip"}


def fold_word(word: str) -> str:
    """A word of a model's answer without what varies: case, spaces, underscores, hyphens."""
    return word.strip().casefold().replace("_", "").replace(" ", "").replace("-", "")


def action_of(word: JSON, schema: Schema) -> Action | None:
    """What an item's `op` means; None where it has none, or where a kind stands in its place."""
    if not isinstance(word, str) or not word.strip():
        return None
    known = _ACTIONS.get(fold_word(word))
    if known:
        return _ACTION_NAMES[known]
    return None if kind_and_sub(word, "", schema) else "unknown"


def kind_and_sub(kind: str, sub: str, schema: Schema) -> tuple[Kind, str] | None:
    """Our kind and sub for a model's words: the sub decides; "fact/state" in one word will do. The sub is "" where it is unknown;
    None where the kind is unknown or not for the memory model to write."""
    for separator in ("/", ".", ":"):
        if separator in kind and not sub:
            kind, sub = kind.split(separator, 1)
    for word in (sub, kind):
        found = schema.find(word.strip()) or schema.find(_SUBS.get(fold_word(word), fold_word(word))) if word else None
        if found:
            return (found.kind, found.name) if found.kind in EXTRACTED else None
    name = _KINDS.get(fold_word(kind), "")
    return next(((one, "") for one in EXTRACTED if one == name), None)


def edge_type(word: str) -> EdgeType | None:
    return _EDGE_TYPES.get(_EDGES.get(fold_word(word), ""))
