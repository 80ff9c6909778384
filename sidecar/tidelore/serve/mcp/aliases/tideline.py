"""Tool names of Tideline, on the scope "profile": memories are moments of the sub "narrative", whose text is their four parts one below the
other; profiles and the self are digests, of which there is one for each entity and kind, or field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.engine.view import NodeView
from tidelore.serve.mcp import kept
from tidelore.serve.mcp.aliases.tideline_context import CONTEXT
from tidelore.serve.mcp.kept import Items, listed
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool, absent
from tidelore.serve.mcp.tools import graphs, past, recalling
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.private import within
from tidelore.serve.mcp.tools.writing import Changed, Written
from tidelore.serve.mcp.wording import block, line

_Kind = Literal["gesture", "context", "moment", "self_reflection", "general"]
_MOST = 200
_NAME = 60


def _five(value: int | None, name: str) -> int | None:
    if value is not None and not 1 <= value <= 5:
        raise BadInput(f"{name} is {value}.", "It is a whole number from 1 to 5.")
    return value


def _weights(importance: int | None, emotional: int | None, unresolved: int | None) -> dict[str, int]:
    """Fields; importance goes to 10 here."""
    given = {
        "importance": (_five(importance, "importance") or 0) * 2,
        "emotional": _five(emotional, "emotional") or 0,
        "unresolved": _five(unresolved, "unresolved") or 0,
    }
    return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class WriteMemory:
    gesture: Annotated[str, "What happened or was understood, in one sentence."] = ""
    context: Annotated[str, "What surrounded it."] = ""
    moment: Annotated[str, "The moment itself."] = ""
    cognition_direction: Annotated[str, "Where thinking about it leads."] = ""
    importance: Annotated[int | None, "1 to 5."] = None
    emotional: Annotated[int | None, "1 to 5."] = None
    unresolved: Annotated[int | None, "1 to 5."] = None
    source_links: Annotated[list[str], "What it rests on, as context_search and context_timeline name it."] = field(
        default_factory=list[str]
    )
    tags: list[str] = field(default_factory=list[str])
    entities_role: Annotated[str, "Who did what, as in `A=decides; B=reviews`."] = ""
    narrative_type: _Kind = "general"
    content: Annotated[str, "Free text in place of the parts."] = ""


async def memory_write(memory: Memory, asked_: WriteMemory) -> Answer:
    parts = (asked_.gesture or asked_.content, asked_.context, asked_.moment, asked_.cognition_direction)
    if not parts[0].strip():
        raise BadInput("There is no gesture.", "Give `gesture`: what is to be remembered, in one sentence.")
    fields: dict[str, Any] = {
        "gesture": parts[0],
        "context": asked_.context,
        "moment": asked_.moment,
        "cognition_direction": asked_.cognition_direction,
        "source_links": asked_.source_links,
        "tags": asked_.tags,
        "entities_role": asked_.entities_role,
        "narrative_type": asked_.narrative_type,
        **_weights(asked_.importance, asked_.emotional, asked_.unresolved),
    }
    text = "\n".join(filter(str.strip, parts))
    return await kept.written(memory, "moment", "narrative", text, fields)


@dataclass(frozen=True, slots=True)
class Browse:
    limit: int = 10
    narrative_type: Literal["", "gesture", "context", "moment", "self_reflection", "general"] = ""
    tags: Annotated[list[str], "Any of these."] = field(default_factory=list[str])
    query: Annotated[str, "Search instead, as memory_search does."] = ""
    cursor: Annotated[str, w.CURSOR] = ""


async def memory_recall(memory: Memory, asked_: Browse) -> Answer:
    if asked_.query:
        found = await recalling.recall(memory, recalling.Recall(asked_.query, limit=asked_.limit))
        items = [kept.Item(each.id, each.kind, each.text, date=each.date) for each in found.data.memories]
        return Answer(Items(items, len(items)), found.text)
    rows = await kept.found(memory, {"moment"}, {"narrative"})
    rows = [each for each in rows if asked_.narrative_type in ("", each.fields.get("narrative_type"))]
    rows = [each for each in rows if not asked_.tags or set(asked_.tags) & set(each.fields.get("tags", ()))]
    return listed(rows, asked_.cursor, asked("memory_recall", asked_), min(max(asked_.limit, 1), _MOST))


@dataclass(frozen=True, slots=True)
class Search:
    query: str
    limit: int = 5
    since: Annotated[str, "Only from this day on."] = ""
    until: Annotated[str, "Only up to this day."] = ""


async def memory_search(memory: Memory, asked_: Search) -> Answer:
    if not asked_.since and not asked_.until:
        return await recalling.recall(memory, recalling.Recall(asked_.query, limit=asked_.limit))
    answer = await recalling.recall(memory, recalling.Recall(asked_.query, limit=50, budget=recalling.MOST_TOKENS))
    days = {each.id: str(each.fields.get("date", "")) for each in await kept.found(memory, ("moment", "fact", "digest", "thread"))}
    span = f"{asked_.since or '0'}/{asked_.until or '9'}"
    left = [each for each in answer.data.memories if within(each.date or days.get(each.id, ""), span)][: max(1, asked_.limit)]
    shown = [line(each.text, each.speaker, each.date) for each in left]
    return Answer(replace(answer.data, core=[], memories=left), block("recalled", shown) if shown else "Nothing matches in these days.")


# ---- one text for each subject, replaced and not added to ----


async def _replaced(memory: Memory, kind: kept.Kind, sub: str, text: str, named: dict[str, Any], more: dict[str, Any]) -> Answer:
    """The one with these fields gets this text; its older texts stay in its history."""
    if not text.strip():
        raise BadInput("There is nothing to store.", "Give `content`.")
    async with memory.alone():
        rows = await kept.found(memory, {kind}, {sub}, **named)
        if not rows:
            return await kept.written(memory, kind, sub, text, {**named, **more})
        if rows[0].text != text:
            await kept.changed(memory, rows[0], {"text": text, "date": kept.now(memory), **more})
        return Answer(Written(rows[0].id, "", "", "profile"), f"Replaced: {rows[0].id[:8]}; `history` has what it read before.")


@dataclass(frozen=True, slots=True)
class WriteProfile:
    content: str
    entity: Annotated[str, "Of whom."]
    profile_type: Literal["fact", "impression", "relationship", "self", "contact"] = "impression"


async def write_profile(memory: Memory, asked_: WriteProfile) -> Answer:
    named = {"entity": asked_.entity.strip(), "profile_type": asked_.profile_type}
    return await _replaced(memory, "digest", "profile", asked_.content, named, {"title": f"{asked_.entity.strip()}, {asked_.profile_type}"})


@dataclass(frozen=True, slots=True)
class ReadProfiles:
    entity: Annotated[str, "Of this one alone."] = ""
    cursor: Annotated[str, w.CURSOR] = ""


async def read_profiles(memory: Memory, asked_: ReadProfiles) -> Answer:
    rows = await kept.found(memory, {"digest"}, {"profile"})
    rows = [each for each in rows if asked_.entity.strip().casefold() in ("", str(each.fields.get("entity", "")).casefold())]
    return listed(rows, asked_.cursor, asked("memory_read_profiles", asked_), kind="profiles", whole=True)


@dataclass(frozen=True, slots=True)
class WriteSelf:
    content: str
    field: Annotated[Literal["fact", "terrain", "self_reflection"], "Which of the three."] = "self_reflection"


async def write_self(memory: Memory, asked_: WriteSelf) -> Answer:
    return await _replaced(memory, "digest", "reflection", asked_.content, {"field": asked_.field}, {"title": asked_.field})


@dataclass(frozen=True, slots=True)
class Listing:
    cursor: Annotated[str, w.CURSOR] = ""


async def read_self(memory: Memory, asked_: Listing) -> Answer:
    rows = [each for each in await kept.found(memory, {"digest"}, {"reflection"}) if each.fields.get("field")]
    return listed(rows, asked_.cursor, asked("memory_read_self_concept", asked_), kind="self", whole=True)


# ---- snapshots and threads ----


@dataclass(frozen=True, slots=True)
class Content:
    content: str


async def write_snapshot(memory: Memory, asked_: Content) -> Answer:
    return await kept.written(memory, "digest", "snapshot", asked_.content, {})


@dataclass(frozen=True, slots=True)
class ReadSnapshot:
    limit: Annotated[int, "How many, the newest first."] = 1


async def read_snapshot(memory: Memory, asked_: ReadSnapshot) -> Answer:
    rows = await kept.found(memory, {"digest"}, {"snapshot"})
    return listed(rows[: min(max(asked_.limit, 1), 50)], "", asked("memory_read_snapshot", asked_), kind="snapshot", whole=True)


_STATUS = {"open": "open", "explored": "done", "abandoned": "abandoned"}


@dataclass(frozen=True, slots=True)
class WriteThread:
    content: Annotated[str, "A direction to explore; with a thread_id it may be left out."] = ""
    importance: Annotated[int | None, "1 to 5."] = None
    emotional: Annotated[int | None, "1 to 5."] = None
    unresolved: Annotated[int | None, "1 to 5."] = None
    status: Literal["", "open", "explored", "abandoned"] = ""
    thread_id: Annotated[str, "Change this one."] = ""
    name: Annotated[str, "Its name; left out, it is the beginning of its text."] = ""


async def write_thread(memory: Memory, asked_: WriteThread) -> Answer:
    weights = _weights(asked_.importance, asked_.emotional, asked_.unresolved)
    if asked_.thread_id:
        view = await kept.one(memory, asked_.thread_id, {"thread"}, (), "thread")
        fields: dict[str, Any] = {**weights, **({"status": _STATUS[asked_.status]} if asked_.status else {})}
        fields |= {"text": asked_.content} if asked_.content else {}
        if not fields:
            raise BadInput("Nothing is to be changed.", "Give `content`, `status` or a weight.")
        done: Changed = (await kept.changed(memory, view, fields)).data
        return Answer(Written(done.id, done.commit, "", "profile"), f"Changed: {done.id[:8]}.")
    name = asked_.name.strip() or asked_.content.strip()[:_NAME]
    if not name:
        raise BadInput("There is nothing to store.", "Give `content`.")
    fields = {"status": _STATUS[asked_.status or "open"], **weights}
    return await kept.written(memory, "thread", "question", asked_.content, fields, name)


@dataclass(frozen=True, slots=True)
class ReadThreads:
    status: Literal["open", "explored", "abandoned", "all"] = "open"
    limit: int = 20
    cursor: Annotated[str, w.CURSOR] = ""


async def read_threads(memory: Memory, asked_: ReadThreads) -> Answer:
    rows = await kept.found(memory, {"thread"})
    if asked_.status != "all":
        rows = [each for each in rows if str(each.fields.get("status", "open")) == _STATUS[asked_.status]]
    rows.sort(key=_weight, reverse=True)
    return listed(rows, asked_.cursor, asked("memory_read_threads", asked_), min(max(asked_.limit, 1), _MOST), "threads")


def _weight(each: NodeView) -> float:
    """0.35 importance, 0.25 emotional, 0.15 unresolved, each 1 to 5 (3 where it is not said); a recurrence is not stated here."""

    def of(name: str, most: int) -> float:
        value = each.fields.get(name)
        return value * 5 / most if isinstance(value, int) else 3.0

    return 0.35 * of("importance", 10) + 0.25 * of("emotional", 5) + 0.15 * of("unresolved", 5)


# ---- the graph, later words ----


@dataclass(frozen=True, slots=True)
class MemoryGraph:
    entity: Annotated[str, "Only this one and its neighbours."] = ""
    pair: Annotated[str, 'What joins two, as in "A,B".'] = ""
    cursor: Annotated[str, w.CURSOR] = ""


async def memory_graph(memory: Memory, asked_: MemoryGraph) -> Answer:
    if asked_.pair:
        return await _pair(memory, [each.strip() for each in asked_.pair.replace("，", ",").split(",") if each.strip()])
    return await graphs.graph(memory, graphs.Graph(asked_.entity, cursor=asked_.cursor))


async def _pair(memory: Memory, names: list[str]) -> Answer:
    if len(names) != 2:
        raise BadInput("A pair is two names.", 'Write them with a comma between, as in "A,B".')
    # Each with all its neighbours: what both have is what joins them.
    sides = [await _around(memory, name) for name in names]
    ids = [{each.id for each in side.nodes} for side in sides]
    nodes = [each for each in sides[0].nodes if each.id in ids[1]]
    both = {each.id for each in nodes}
    edges = [each for each in sides[0].edges if each.start in both and each.end in both]
    texts = {each.id: each.text for each in nodes}
    lines = [line(f"{each.id[:8]} {each.kind}/{each.sub}: {each.text}") for each in nodes]
    lines += [line(f"{texts[each.start]} -> {each.label or each.type} -> {texts[each.end]}") for each in edges]
    return Answer(graphs.GraphPage("scope profile", nodes, edges, len(nodes), len(edges)), block("graph", lines))


async def _around(memory: Memory, name: str) -> graphs.GraphPage:
    out: graphs.GraphPage | None = None
    cursor = ""
    while out is None or cursor:
        page: graphs.GraphPage = (await graphs.graph(memory, graphs.Graph(name, cursor=cursor))).data
        out = page if out is None else replace(out, nodes=[*out.nodes, *page.nodes], edges=[*out.edges, *page.edges])
        cursor = page.cursor if len(out.nodes) < _MOST else ""
    return out


@dataclass(frozen=True, slots=True)
class Heatmap:
    days: int = 7


async def heatmap(memory: Memory, asked_: Heatmap) -> Answer:
    return await past.attention(memory, past.AttentionAsked(asked_.days))


@dataclass(frozen=True, slots=True)
class Amend:
    narrative_id: Annotated[str, w.ID]
    amendment: Annotated[str, "What is to be known beside it; its own words stay."]
    reason: str = ""


async def amend(memory: Memory, asked_: Amend) -> Answer:
    place, view = await memory.node(asked_.narrative_id, "", "")
    if not asked_.amendment.strip():
        raise BadInput("There is nothing to add.", "Give `amendment`.")
    note = f"{kept.now(memory)[:10]}: {asked_.amendment}" + (f" ({asked_.reason})" if asked_.reason else "")
    done: r.Changed = await memory.ask("node.edit", m.NodeEdit(place.name, view.id, kept.noted_on(view, note)))
    return Answer(Changed(done.node, done.commit, done.text, place.chat, place.scope), f"Amended in {place.label}.")


def _reads(rows: Iterable[tuple[str, str, str, type[Any], type[Any], Any]]) -> list[Tool]:
    return [Tool(*row, reads=True, repeatable=True) for row in rows]


TIDELINE = (
    Tool(
        "memory_write",
        "Remember",
        "Remember something: what happened, what surrounded it, where it leads.",
        WriteMemory,
        Written,
        memory_write,
    ),
    *_reads(
        (
            ("memory_recall", "Browse", "The latest memories, by type and tags.", Browse, Items, memory_recall),
            ("memory_search", "Search", "Find what is remembered about something.", Search, recalling.Recollection, memory_search),
            ("memory_read_profiles", "Read profiles", "Read profiles.", ReadProfiles, Items, read_profiles),
            ("memory_read_self_concept", "Read self-concept", "What one holds of oneself, in three fields.", Listing, Items, read_self),
            ("memory_read_threads", "Read threads", "Directions to explore, the weightiest first.", ReadThreads, Items, read_threads),
            ("memory_read_snapshot", "Read snapshots", "How things stood, newest first.", ReadSnapshot, Items, read_snapshot),
            (
                "memory_graph",
                "Memory graph",
                "Nodes and edges, page by page; or what joins two.",
                MemoryGraph,
                graphs.GraphPage,
                memory_graph,
            ),
            ("memory_attention_heatmap", "Attention", "Which memories were delivered lately.", Heatmap, past.Attention, heatmap),
        )
    ),
    Tool(
        "memory_write_profile",
        "Write a profile",
        "Store a profile of somebody; it takes the place of the one before.",
        WriteProfile,
        Written,
        write_profile,
        destroys=True,
        repeatable=True,
    ),
    Tool(
        "memory_write_self_concept",
        "Write self-concept",
        "Store what one holds of oneself; it takes the place of the text before.",
        WriteSelf,
        Written,
        write_self,
        destroys=True,
        repeatable=True,
    ),
    Tool("memory_write_thread", "Write a thread", "Store a direction to explore, or change one.", WriteThread, Written, write_thread),
    Tool("memory_write_snapshot", "Write a snapshot", "Store how things stand.", Content, Written, write_snapshot),
    Tool("memory_amend", "Amend", "Add to a memory, with the day; its own words stay.", Amend, Changed, amend),
    *CONTEXT,
    absent("memory_soft_clusters", "There are no clusters: `graph` shows what hangs together."),
    absent("memory_traj_promote", "There are no trajectories: `memory_amend` adds to a memory."),
)
