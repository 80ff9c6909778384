"""write, edit and link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.errors import BadInput
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.tool import Answer, Tool
from tidelore.serve.mcp.tools import words as w
from tidelore.serve.mcp.tools.recalling import Field

# Fields with a type of their own.
_NUMBERS = frozenset({"importance"})


@dataclass(frozen=True, slots=True)
class Write:
    text: Annotated[str, "What to remember, in one or a few whole sentences that make sense alone."] = ""
    content: Annotated[str, "Another name of `text`."] = ""
    kind: Annotated[
        Literal["fact", "moment", "entity", "thread", "digest", "page"],
        "fact: something true now; moment: something that happened; entity: a person, place or thing with a name; thread: an open matter "
        "with a name; digest: a summary; page: private writing that recall leaves alone.",
    ] = "fact"
    about: Annotated[str, "The name of whom or what a fact is about."] = ""
    attribute: Annotated[str, 'With `about`: what of it, such as "home". A later fact of the same attribute replaces this one.'] = ""
    name: Annotated[str, "The name of an entity or thread."] = ""
    sub: Annotated[str, "A narrower sort, such as character, location, item, task, preference."] = ""
    importance: Annotated[int | None, "1 to 10; leave it out for an ordinary memory."] = None
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class Written:
    id: Annotated[str, "The memory's id."]
    commit: Annotated[str, "The change, which `undo` takes back."]
    chat: Annotated[str, "The chat that it went to; empty for a scope."]
    scope: Annotated[str, "The scope that it went to; empty for a chat."]


async def write(memory: Memory, asked: Write) -> Answer:
    chat, scope = memory.target(asked.chat, asked.scope)
    if asked.attribute and not asked.about:
        raise BadInput("`attribute` is given without `about`.", "Name whom or what the fact is about.")
    fields: dict[str, Any] = {"attribute": asked.attribute} if asked.attribute else {}
    if asked.importance is not None:
        fields["importance"] = importance(asked.importance)
    if asked.text and asked.content:
        raise BadInput("Both `text` and `content` are given.", "They are two names of the same: give one.")
    params = m.NodeWrite(asked.text or asked.content, chat, scope, asked.kind, asked.sub, asked.name, asked.about, fields, author="tool")
    made: r.Written = await memory.ask("node.write", params)
    return Answer(Written(made.node, made.commit, chat, scope), f"Remembered in {place(chat, scope)}: {made.node[:8]}.")


def place(chat: str, scope: str) -> str:
    return f"scope {scope}" if scope else f"chat {chat}"


def importance(value: int) -> int:
    """Raises BadInput."""
    if not 1 <= value <= 10:
        raise BadInput(f"importance is {value}.", "It is a whole number from 1 to 10.")
    return value


@dataclass(frozen=True, slots=True)
class Edit:
    id: Annotated[str, w.ID]
    text: Annotated[str | None, "The new text."] = None
    expects: Annotated[str | None, "The text that you saw; when it reads otherwise by now, nothing is changed."] = None
    importance: Annotated[int | None, "1 to 10."] = None
    set: Annotated[list[Field], "Other fields to set."] = field(default_factory=list[Field])
    remove: Annotated[list[str], "Names of fields to take away."] = field(default_factory=list[str])
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class Changed:
    id: str
    commit: Annotated[str, "The change, which `undo` takes back."]
    text: Annotated[str, "How the memory reads now."]
    chat: Annotated[str, "The chat of the memory."] = ""
    scope: Annotated[str, "The scope of the memory."] = ""


async def edit(memory: Memory, asked: Edit) -> Answer:
    where, view = await memory.node(asked.id, asked.chat, asked.scope)
    named = "name" if view.kind in ("entity", "thread") and "text" not in view.fields else "text"
    fields: dict[str, Any] = dict.fromkeys(asked.remove)
    fields.update({each.name: _typed(each) for each in asked.set})
    if asked.text is not None:
        fields[named] = asked.text
    if asked.importance is not None:
        fields["importance"] = importance(asked.importance)
    if not fields:
        raise BadInput("Nothing is to be changed.", "Give `text`, `importance`, `set` or `remove`.")
    expects = {named: asked.expects} if asked.expects is not None else None
    changed: r.Changed = await memory.ask("node.edit", m.NodeEdit(where.name, view.id, fields, expects))
    return Answer(
        Changed(changed.node, changed.commit, changed.text, where.chat, where.scope), f"Changed in {where.label}: {changed.node[:8]}."
    )


def _typed(field: Field) -> Any:
    if field.name in _NUMBERS:
        if not field.value.strip().isdecimal():
            raise BadInput(f"{field.name} is {field.value[:20]!r}.", "It is a whole number.")
        return int(field.value)
    return field.value.split("\n") if field.name == "aliases" else field.value


LinkType = Literal[
    "relates", "knows", "about", "part_of", "resolves", "supports", "echoes", "contrasts", "doubt", "occurred_at", "involved_in"
]


@dataclass(frozen=True, slots=True)
class Link:
    start: Annotated[str, w.NODE]
    end: Annotated[str, w.NODE]
    type: Annotated[LinkType, "How they hang together; for anything else `relates` with a label."] = "relates"
    label: Annotated[str, 'In words, such as "sister of".'] = ""
    remove: Annotated[bool, "Take this link back instead."] = False
    chat: Annotated[str, w.CHAT] = ""
    scope: Annotated[str, w.SCOPE] = ""


@dataclass(frozen=True, slots=True)
class Linked:
    start: Annotated[str, "Id of the one."]
    end: Annotated[str, "Id of the other."]
    type: str
    label: str
    commits: Annotated[list[str], "The changes, each of which `undo` takes back."]
    chat: Annotated[str, "The chat of the link."] = ""
    scope: Annotated[str, "The scope of the link."] = ""


async def link(memory: Memory, asked: Link) -> Answer:
    where = await memory.place(asked.chat, asked.scope)
    if not where.known:
        raise BadInput(f"Nothing is remembered in {where.label} yet.", "Write both ends first.")
    if asked.remove:
        gone: r.Unlinked = await memory.ask("edge.remove", m.EdgeRemove(where.name, asked.start, asked.end, asked.type, asked.label))
        data = Linked(asked.start, asked.end, asked.type, asked.label, gone.commits, where.chat, where.scope)
        return Answer(data, f"The link is taken back in {where.label}.")
    params = m.EdgeAdd(where.name, asked.start, asked.end, asked.type, asked.label, author="tool")
    made: r.Linked = await memory.ask("edge.add", params)
    data = Linked(made.start, made.end, asked.type, asked.label, [made.commit], where.chat, where.scope)
    return Answer(data, f"Linked in {where.label}: {made.start[:8]} -> {asked.label or asked.type} -> {made.end[:8]}.")


WRITE = Tool(
    "write",
    "Remember something",
    "Remember a fact, a moment, a person or an open matter. Without `chat` it holds everywhere. Say each thing once; change what is "
    "remembered already with `edit`. The result says where it went.",
    Write,
    Written,
    write,
)
EDIT = Tool(
    "edit",
    "Change a memory",
    "Change the text or fields of a memory. The old values are kept, and `undo` brings them back.",
    Edit,
    Changed,
    edit,
    destroys=True,
    repeatable=True,
)
LINK = Tool(
    "link",
    "Link memories",
    "Join two memories of one place by an edge, or take such an edge back with `remove`.",
    Link,
    Linked,
    link,
    destroys=True,
    repeatable=True,
)
