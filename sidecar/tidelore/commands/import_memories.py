"""`tidelore import` of files that hold memories instead of chats: of another Tidelore, of the MCP memory server."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.measure import clip, flat
from tidelore.commands.places import is_scope, shown
from tidelore.engine.errors import NotFound
from tidelore.engine.importing import FORMATS, Archive, Bundle, read
from tidelore.engine.scopes import scope_chat
from tidelore.engine.text.privacy import mask
from tidelore.host.store import FILE

# So much of a file is looked at to know it.
_BEGINNING = 65_536
_LONGEST = 160
_SAMPLE = 20


def is_memories(file: Path) -> bool:
    """Whether the file is one of memories; one that cannot be read is left to who reads chats, and complains there."""
    try:
        with file.open("rb") as stream:
            start = stream.read(_BEGINNING).decode("utf-8-sig", "replace")
    except OSError:
        return False
    return any(each.recognises(start) for each in FORMATS.values())


async def run(context: Context, arguments: Namespace, file: Path) -> int:
    """Shows what would come; with --yes writes it."""
    try:
        text = file.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise NotFound(context.texts("schema.unreadable", file=file, reason=error.strerror), "") from error
    form, found = read(text)
    name = arguments.chat or (found.chat if isinstance(found, Archive) else file.stem)
    if not isinstance(found, Archive) and is_scope(arguments.chat or ""):
        name = scope_chat(name)
    params = {"chat": name, "text": text, "format": form, "dry": not arguments.yes}
    # A preview must not make a store.
    if not arguments.yes and not (context.folder / FILE).exists():
        return _told(context, file, form, _as_new(found, form, name))
    async with context.service(with_vectors=True) as service:
        return _told(context, file, form, await service.call("import", params))


def _as_new(found: Any, form: str, name: str) -> dict[str, Any]:
    counts = {"messages": 0, "commits": 0, "nodes": 0, "edges": 0}
    if isinstance(found, Archive):
        counts |= {"messages": len(found.messages), "commits": len(found.commits)}
    else:
        counts |= {"nodes": len(found.nodes), "edges": len(found.edges), "commits": 1}
    left_out, sample, notes = ({}, [], []) if isinstance(found, Archive) else (dict(found.left_out), _sampled(found), list(found.notes))
    return {
        "chat": name,
        "format": form,
        "dry": True,
        "commit": "",
        **counts,
        "known": 0,
        "left_out": left_out,
        "sample": sample,
        "notes": notes,
    }


def _sampled(found: Bundle) -> list[dict[str, Any]]:
    return [{"kind": each.kind, "sub": each.sub, "text": mask(each.text or each.name), "new": True} for each in found.nodes[:_SAMPLE]]


def _told(context: Context, file: Path, form: str, done: dict[str, Any]) -> int:
    if context.json:
        context.out.json({"file": str(file), **done, "chat": shown(done["chat"])})
        return 0
    out, texts = context.out, context.texts
    out.title(texts("memories.title", file=file.name, form=texts.word("form", form), chat=shown(done["chat"])))
    for row in done["sample"]:
        mark = texts("memories.new" if row["new"] else "memories.known")
        out.text(clip(flat(row["text"]), _LONGEST), "" if row["new"] else "dim", first=f"{mark}  ", first_style="name", indent=2)
    if done["left_out"]:
        left = texts.list(f"{reason}: {count}" for reason, count in done["left_out"].items())
        out.text(left, "warn", first=texts("memories.left_out") + "  ", first_style="warn", indent=2)
    if done["dry"] and done["nodes"] and form != "tidelore":
        out.text(texts("memories.would", n=done["nodes"], edges=done["edges"], known=done["known"]))
    for note in done["notes"]:
        out.text(note, "warn")
    if done["messages"] or form == "tidelore":
        said = texts("memories.done_chat", chat=shown(done["chat"]), messages=done["messages"], n=done["commits"])
    else:
        said = texts("memories.done", n=done["nodes"])
    if not (done["nodes"] or done["messages"] or done["commits"] or done["edges"]):
        said = texts("memories.again")
    elif done["dry"]:
        said = texts("memories.dry")
    out.text(said, "good")
    if done["commit"]:
        out.advice(texts("edit.undo_hint", commit=done["commit"], where=""), "dim")
    return 0
