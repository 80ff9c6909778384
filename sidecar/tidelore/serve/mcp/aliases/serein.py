"""Tool names of Serein. Scenes are moments, its diary is pages, its memos are facts of the sub "memo"; all in the scope "profile"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from dataclasses import fields as fields_of
from typing import Annotated, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.serve.mcp.aliases.common import Items, listed, nodes
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.pages import asked
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import recalling, sources, telling, upkeep, writing
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.wording import block, line


@dataclass(frozen=True, slots=True)
class RecallMemory:
    query: str
    limit: int = 5
    exclude_ids: list[str] = field(default_factory=list[str])


async def recall_memory(memory: Memory, asked_: RecallMemory) -> Answer:
    answer = await recalling.recall(memory, recalling.Recall(asked_.query, limit=asked_.limit))
    left = [each for each in answer.data.memories if each.id not in asked_.exclude_ids]
    if len(left) == len(answer.data.memories):
        return answer
    shown = [line(each.text, each.speaker, each.date) for each in left]
    return Answer(replace(answer.data, memories=left), block("recalled", shown))


@dataclass(frozen=True, slots=True)
class ReadMemory:
    identifier: Annotated[str, w.ID]
    cursor: Annotated[str, w.CURSOR] = ""


async def read_memory(memory: Memory, asked_: ReadMemory) -> Answer:
    return await recalling.read(memory, recalling.Read([asked_.identifier], cursor=asked_.cursor))


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
    cues: list[str]
    title: str = ""
    date: str = ""
    domain: str = ""
    favorite: bool = False


async def write_scene(memory: Memory, asked_: WriteScene) -> Answer:
    fields: dict[str, object] = {
        "cues": [each for each in asked_.cues if each.strip()],
        "title": asked_.title,
        "date": asked_.date,
        "domain": asked_.domain,
    }
    kept = {name: value for name, value in fields.items() if value}
    if asked_.favorite:
        kept["favorite"] = True
    return await _own(memory, "moment", "scene", asked_.content, kept)


async def _own(memory: Memory, kind: Literal["moment", "page", "fact"], sub: str, text: str, fields: dict[str, object]) -> Answer:
    made: r.Written = await memory.ask("node.write", m.NodeWrite(text, "", "profile", kind, sub, fields=fields, author="tool"))
    return Answer(writing.Written(made.node, made.commit, "", "profile"), f"Stored: {made.node[:8]}.")


@dataclass(frozen=True, slots=True)
class EditScene:
    scene_id: Annotated[str, w.ID]
    title: str | None = None
    content: str | None = None


async def edit_scene(memory: Memory, asked_: EditScene) -> Answer:
    fields = [recalling.Field("title", asked_.title)] if asked_.title is not None else []
    return await writing.edit(memory, writing.Edit(asked_.scene_id, asked_.content, set=fields))


@dataclass(frozen=True, slots=True)
class SceneStatus:
    scene_id: Annotated[str, w.ID]
    status: Literal["active", "archived", "deleted"]


async def set_scene_status(memory: Memory, asked_: SceneStatus) -> Answer:
    one = upkeep.One(asked_.scene_id)
    return await (upkeep.restore(memory, one) if asked_.status == "active" else upkeep.forget(memory, one))


@dataclass(frozen=True, slots=True)
class MessageSearch:
    query: str
    role: Literal["any", "user", "assistant"] = "any"
    limit: int = 10
    cursor: Annotated[str, w.CURSOR] = ""


async def source_message_search(memory: Memory, asked_: MessageSearch) -> Answer:
    return await sources.search(memory, sources.Search(asked_.query, role=asked_.role, limit=asked_.limit, cursor=asked_.cursor))


@dataclass(frozen=True, slots=True)
class Resume:
    window_id: Annotated[str, 'The chat; "main" is the newest one.'] = "main"


async def resume(memory: Memory, asked_: Resume) -> Answer:
    return await telling.resume(memory, telling.Resume("" if asked_.window_id == "main" else asked_.window_id))


@dataclass(frozen=True, slots=True)
class WriteDiary:
    content: str
    date: str = ""
    title: str = ""
    author: str = "ai"


async def write_diary(memory: Memory, asked_: WriteDiary) -> Answer:
    fields = {"date": asked_.date, "title": asked_.title, "author": asked_.author}
    return await _own(memory, "page", "diary", asked_.content, {name: value for name, value in fields.items() if value})


@dataclass(frozen=True, slots=True)
class ReadDiary:
    diary_id: Annotated[str, w.ID] = ""
    query: str = ""
    limit: int = 5
    cursor: Annotated[str, w.CURSOR] = ""


async def read_diary(memory: Memory, asked_: ReadDiary) -> Answer:
    found = await nodes(memory, {"page"}, {"diary"})
    if asked_.diary_id:
        found = [each for each in found if each.id.startswith(asked_.diary_id)]
    found = [each for each in found if asked_.query.casefold() in each.text.casefold()]
    return listed(found, asked_.cursor, asked("read_diary", asked_), asked_.limit, "diary")


@dataclass(frozen=True, slots=True)
class ReviseDiary:
    diary_id: Annotated[str, w.ID]
    content: str


async def revise_diary(memory: Memory, asked_: ReviseDiary) -> Answer:
    return await writing.edit(memory, writing.Edit(asked_.diary_id, asked_.content))


@dataclass(frozen=True, slots=True)
class DeleteDiary:
    diary_id: Annotated[str, w.ID]


async def delete_diary(memory: Memory, asked_: DeleteDiary) -> Answer:
    return await upkeep.forget(memory, upkeep.One(asked_.diary_id))


# What Serein's own tools know beside these arguments.
_IGNORED = frozenset(
    "mode with_evidence method min_cosine topic intent use_passages fallback kind revision offset picks evidence_refs expected_updated_at"
    " cues cursor handoff_key source_session_id date before_id unlock_at title".split()
)

SEREIN = tuple(
    replace(each, ignores=_IGNORED - {item.name for item in fields_of(each.arguments)})
    for each in (
        Tool(
            "recall_memory",
            "Recall",
            "Find what is remembered about something.",
            RecallMemory,
            recalling.Recollection,
            recall_memory,
            reads=True,
            repeatable=True,
        ),
        Tool(
            "read_memory",
            "Read a memory",
            "Read one memory whole.",
            ReadMemory,
            recalling.Memories,
            read_memory,
            reads=True,
            repeatable=True,
        ),
        Tool("find_arc", "Find arcs", "Find threads of the story.", FindArc, telling.Threads, find_arc, reads=True, repeatable=True),
        Tool(
            "read_arc_materials",
            "Read an arc",
            "Read what belongs to a thread.",
            ReadArc,
            telling.ThreadParts,
            read_arc_materials,
            reads=True,
            repeatable=True,
        ),
        Tool("write_scene", "Write a scene", "Remember a moment.", WriteScene, writing.Written, write_scene),
        Tool("edit_scene", "Edit a scene", "Change a moment.", EditScene, writing.Changed, edit_scene, destroys=True, repeatable=True),
        Tool(
            "set_scene_status",
            "Set a scene's status",
            "Hide a moment, or show it again.",
            SceneStatus,
            writing.Changed,
            set_scene_status,
            destroys=True,
            repeatable=True,
        ),
        Tool(
            "source_message_search",
            "Search messages",
            "Search stored messages word for word.",
            MessageSearch,
            sources.Found,
            source_message_search,
            reads=True,
            repeatable=True,
        ),
        Tool("resume", "Continue", "Continue where a chat was left off.", Resume, telling.Resumed, resume, reads=True, repeatable=True),
        Tool(
            "write_diary", "Write the diary", "Write a private page, which recall leaves alone.", WriteDiary, writing.Written, write_diary
        ),
        Tool("read_diary", "Read the diary", "Read private pages.", ReadDiary, Items, read_diary, reads=True, repeatable=True),
        Tool(
            "revise_diary",
            "Revise the diary",
            "Change a private page.",
            ReviseDiary,
            writing.Changed,
            revise_diary,
            destroys=True,
            repeatable=True,
        ),
        Tool(
            "delete_diary",
            "Delete from the diary",
            "Hide a private page.",
            DeleteDiary,
            writing.Changed,
            delete_diary,
            destroys=True,
            repeatable=True,
        ),
    )
)
