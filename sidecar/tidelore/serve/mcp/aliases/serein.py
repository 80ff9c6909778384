"""Tool names of Serein: memories. Its scenes are moments of the sub "scene"; all in the scope "profile"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from dataclasses import fields as fields_of
from typing import Annotated, Any, Literal

from tidelore.engine import methods as m
from tidelore.engine.errors import BadInput, NotFound
from tidelore.serve.mcp import kept
from tidelore.serve.mcp.aliases.serein_pages import MEMOS, PAGES
from tidelore.serve.mcp.aliases.serein_sources import SOURCES
from tidelore.serve.mcp.kept import Items
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool, absent
from tidelore.serve.mcp.tools import keeping, past, recalling, telling, upkeep, writing
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.wording import block, line

_PREFIXES = ("scene:", "event:", "narrative:")
_CUES, _CUE = 8, 80


def bare(id_: str) -> str:
    """The id of `scene:ID` and `event:ID`."""
    return next((id_.removeprefix(each) for each in _PREFIXES if id_.startswith(each)), id_)


@dataclass(frozen=True, slots=True)
class RecallMemory:
    query: str
    limit: int = 5
    exclude_ids: list[str] = field(default_factory=list[str])


async def recall_memory(memory: Memory, asked_: RecallMemory) -> Answer:
    answer = await recalling.recall(memory, recalling.Recall(asked_.query, limit=asked_.limit + len(asked_.exclude_ids)))
    out = {bare(each) for each in asked_.exclude_ids}
    left = [each for each in answer.data.memories if each.id not in out][: max(1, asked_.limit)]
    if len(left) == len(answer.data.memories):
        return answer
    shown = [line(each.text, each.speaker, each.date) for each in left]
    return Answer(replace(answer.data, memories=left), block("recalled", shown))


@dataclass(frozen=True, slots=True)
class ReadMemory:
    identifier: Annotated[str, w.ID]
    revision: Annotated[int | None, "How it read: 1 is the first version, and so on."] = None
    cursor: Annotated[str, w.CURSOR] = ""


async def read_memory(memory: Memory, asked_: ReadMemory) -> Answer:
    id_ = bare(asked_.identifier)
    if asked_.revision is None:
        return await recalling.read(memory, recalling.Read([id_], cursor=asked_.cursor))
    place, view = await memory.node(id_, "", "")
    found = [each for each in await past.versions(memory, place, view) if each.what == "version"]
    if not 1 <= asked_.revision <= len(found):
        raise NotFound(f"There is no version {asked_.revision} of this memory.", f"There are {len(found)}.")
    then = found[asked_.revision - 1]
    whole = recalling.Whole(view.id, place.chat, place.scope, view.kind, view.sub, view.state, then.text, [], [], length=len(then.text))
    return Answer(recalling.Memories([whole], 1), block("memory", [line(f"{view.id[:8]} version {asked_.revision}: {then.text}")]))


@dataclass(frozen=True, slots=True)
class FindArc:
    query: str
    limit: int = 5


async def find_arc(memory: Memory, asked_: FindArc) -> Answer:
    answer = await telling.thread_find(memory, telling.Find(asked_.query))
    return Answer(replace(answer.data, threads=answer.data.threads[: max(1, asked_.limit)]), answer.text)


@dataclass(frozen=True, slots=True)
class ReadArc:
    identifier: Annotated[str, w.NODE] = ""
    arc_key: Annotated[str, "The same under its other name."] = ""
    cursor: Annotated[str, w.CURSOR] = ""


async def read_arc_materials(memory: Memory, asked_: ReadArc) -> Answer:
    wanted = asked_.identifier or asked_.arc_key
    if not wanted:
        raise BadInput("No arc is named.", "Give `identifier` or `arc_key`.")
    return await telling.thread_read(memory, telling.ReadThread(wanted, cursor=asked_.cursor))


@dataclass(frozen=True, slots=True)
class WriteScene:
    content: str
    cues: Annotated[list[str], "1 to 8 words or short phrases that lead to it."]
    title: str = ""
    date: str = ""
    domain: str = ""
    favorite: bool = False


async def write_scene(memory: Memory, asked_: WriteScene) -> Answer:
    fields = {"cues": _cues(asked_.cues), "title": asked_.title, "date": asked_.date, "domain": asked_.domain}
    favorite = {"favorite": True} if asked_.favorite else {}
    return await kept.written(memory, "moment", "scene", asked_.content, {**{k: v for k, v in fields.items() if v}, **favorite})


def _cues(given: list[str]) -> list[str]:
    cues = list(dict.fromkeys(each.strip() for each in given))
    if not 1 <= len(cues) <= _CUES or not all(1 <= len(each) <= _CUE for each in cues):
        raise BadInput(f"{len(given)} cues are given, or one that cannot be one.", f"Give 1 to {_CUES}, each of 1 to {_CUE} characters.")
    return cues


@dataclass(frozen=True, slots=True)
class EditScene:
    scene_id: Annotated[str, w.ID]
    title: str | None = None
    content: str | None = None
    cues: Annotated[list[str] | None, "All of them anew; left out they stay."] = None


async def edit_scene(memory: Memory, asked_: EditScene) -> Answer:
    view = await kept.one(memory, bare(asked_.scene_id), {"moment"}, (), "scene")
    fields: dict[str, Any] = {name: value for name, value in (("title", asked_.title), ("text", asked_.content)) if value is not None}
    if asked_.cues is not None:
        fields["cues"] = _cues(asked_.cues)
    if not fields:
        raise BadInput("Nothing is to be changed.", "Give `title`, `content` or `cues`.")
    return await kept.changed(memory, view, fields)


@dataclass(frozen=True, slots=True)
class SceneStatus:
    scene_id: Annotated[str, w.ID]
    status: Literal["active", "archived", "deleted"]


async def set_scene_status(memory: Memory, asked_: SceneStatus) -> Answer:
    return await _lifecycle(memory, bare(asked_.scene_id), asked_.status)


async def _lifecycle(memory: Memory, id_: str, status: str) -> Answer:
    if status == "deleted":
        return await upkeep.forget(memory, upkeep.One(id_))
    if status == "archived":
        return await keeping.archive(memory, keeping.Pin(id_))
    try:
        _, view = await memory.node(id_, "", "")
    except NotFound:
        return await upkeep.restore(memory, upkeep.One(id_))
    return await keeping.archive(memory, keeping.Pin(view.id, off=True))


@dataclass(frozen=True, slots=True)
class MemoryState:
    document_id: Annotated[str, w.ID]
    lifecycle: Literal["", "active", "archived", "deleted"] = ""
    favorite: bool | None = None


async def set_memory_state(memory: Memory, asked_: MemoryState) -> Answer:
    id_ = bare(asked_.document_id)
    if not asked_.lifecycle and asked_.favorite is None:
        raise BadInput("Nothing is to be changed.", "Give `lifecycle` or `favorite`.")
    answer = await _lifecycle(memory, id_, asked_.lifecycle) if asked_.lifecycle else None
    if asked_.favorite is None and answer is not None:
        return answer
    place, view = await memory.node(id_, "", "")
    done = await memory.ask("node.edit", m.NodeEdit(place.name, view.id, {"favorite": True if asked_.favorite else None}))
    return Answer(writing.Changed(done.node, done.commit, done.text, place.chat, place.scope), f"Changed in {place.label}.")


@dataclass(frozen=True, slots=True)
class Annotate:
    memory_id: Annotated[str, w.ID]
    content: str
    author: str = ""
    role: str = "assistant"


async def annotate(memory: Memory, asked_: Annotate) -> Answer:
    place, view = await memory.node(bare(asked_.memory_id), "", "")
    if not asked_.content.strip():
        raise BadInput("There is nothing to note.", "Give `content`.")
    notes = kept.noted_on(view, f"{asked_.author or asked_.role}: {asked_.content}")
    done = await memory.ask("node.edit", m.NodeEdit(place.name, view.id, notes))
    return Answer(writing.Changed(done.node, done.commit, done.text, place.chat, place.scope), f"Noted in {place.label}.")


@dataclass(frozen=True, slots=True)
class Favorites:
    limit: int = 5
    offset: int = 0


async def read_favorites(memory: Memory, asked_: Favorites) -> Answer:
    rows = await kept.found(memory, {"moment", "fact"}, favorite=True)
    return kept.listed(rows[max(0, asked_.offset) :], "", asked("read_favorites", asked_), min(max(asked_.limit, 1), 100), "favorites")


# What Serein's own tools know beside these arguments, and which would change nothing here.
_IGNORED = frozenset(
    "mode with_evidence method min_cosine topic intent use_passages fallback kind offset limit picks revision evidence_refs operation_id"
    " expected_revision expected_updated_at annotation_id include_archived source_session_id".split()
)
_ABSENT = (
    *(
        absent(name, "Candidates are not there: write it with `write_scene`, or leave it to the person.")
        for name in ("propose_memory", "list_candidates", "review_memory")
    ),
    *(
        absent(name, "There are no jobs for agents: the sidecar extracts by itself.")
        for name in ("pipeline_next", "pipeline_submit", "pipeline_rebuild")
    ),
    *(
        absent(name, "Events are not made into scenes: write the scene with `write_scene`.")
        for name in ("promote_event_to_scene", "list_event_mailbox", "read_event_mailbox", "save_event_mailbox_draft")
    ),
    absent("narrative_volume", "`digest` reads what is summed up; volumes are not written by it."),
    absent("dream_read", "No dreams are made. `page_read` reads pages."),
    absent("save_memory", "It was retired by Serein too: `write_scene` and `edit_scene` take its place."),
    *(
        absent(name, "It was retired by Serein too: use `source_message_search` and `source_message_read`.")
        for name in ("list_source_messages", "read_source_messages")
    ),
)


def _reading(name: str, title: str, about: str, arguments: type[Any], result: type[Any], run: Any) -> Tool:
    return Tool(name, title, about, arguments, result, run, reads=True, repeatable=True)


SEREIN = (
    *(
        replace(each, ignores=_IGNORED - {item.name for item in fields_of(each.arguments)})
        for each in (
            _reading(
                "recall_memory", "Recall", "Find what is remembered about something.", RecallMemory, recalling.Recollection, recall_memory
            ),
            _reading("read_memory", "Read a memory", "Read one memory whole.", ReadMemory, recalling.Memories, read_memory),
            _reading("find_arc", "Find arcs", "Find threads of the story.", FindArc, telling.Threads, find_arc),
            _reading(
                "read_arc_materials", "Read an arc", "Read what belongs to a thread.", ReadArc, telling.ThreadParts, read_arc_materials
            ),
            Tool("write_scene", "Write a scene", "Remember a moment.", WriteScene, writing.Written, write_scene),
            Tool("edit_scene", "Edit a scene", "Change a moment.", EditScene, writing.Changed, edit_scene, destroys=True, repeatable=True),
            Tool(
                "set_scene_status",
                "Set a scene's status",
                "Archive a moment, hide it, or show it again.",
                SceneStatus,
                writing.Changed,
                set_scene_status,
                destroys=True,
                repeatable=True,
            ),
            Tool(
                "set_memory_state",
                "Set a memory's state",
                "Archive a memory, hide it or show it again; mark it as a favourite or not.",
                MemoryState,
                writing.Changed,
                set_memory_state,
                destroys=True,
                repeatable=True,
            ),
            Tool("annotate", "Annotate", "Add a note to a memory; its own words stay.", Annotate, writing.Changed, annotate),
            _reading("read_favorites", "Favourites", "What is marked as a favourite, newest first.", Favorites, Items, read_favorites),
            *SOURCES,
            *PAGES,
        )
    ),
    *MEMOS,
    *_ABSENT,
)
