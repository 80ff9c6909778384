"""`tidelore compact` and `tidelore embed`: space and vectors, when a person wants them in order."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.terminal import progress
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.service import Call
from tidelore.host.compaction import compact
from tidelore.host.store import FILE


def add(verbs: Verbs) -> None:
    verbs.add("embed", run_embed).chat_argument()
    verbs.add("compact", run_compact)


async def run_embed(context: Context, arguments: Namespace) -> int:
    """The vectors of one chat, or of all chats and scopes."""
    if not context.config.embedder.is_set:
        raise BadInput(context.texts("embed.no_embedder"), context.texts("embed.no_embedder.todo"))
    rows: list[dict[str, object]] = []
    reasons: dict[str, None] = {}
    async with context.reading(with_vectors=True, first_vectors=True) as service:
        if arguments.chat is not None:
            names = {await context.chat(service, arguments.chat): ""}
        else:
            names = {each["chat"]: "" for each in (await service.call("chat.list", {}))["chats"]}
            names |= {each["chat"]: each["scope"] for each in (await service.call("scope.list", {}))["scopes"]}
        for name, scope in names.items():
            with progress(scope or name) as draw:
                done = await service.call("embed.run", {"chat": name}, Call(draw))
            rows.append({"chat": "" if scope else name, "scope": scope, "texts": done["texts"]})
            reasons |= dict.fromkeys(done["degraded"])
            if done["degraded"]:
                break
    if context.json:
        context.out.json({"chats": rows, "degraded": list(reasons)})
    else:
        out, texts = context.out, context.texts
        out.text(texts("embed.done", n=sum(int(str(row["texts"])) for row in rows)), "warn" if reasons else "good")
        for reason in reasons:
            out.text(reason, "bad")
    return 1 if reasons else 0


async def run_compact(context: Context, arguments: Namespace) -> int:
    del arguments
    if not (context.folder / FILE).exists():
        raise NotFound(context.texts("error.no_store", folder=context.folder), context.texts("hint.import_first"))
    found = compact(context.folder)
    if context.json:
        context.out.json({"before": found.before, "after": found.after})
    else:
        sizes = {"before": f"{found.before / 1_000_000:.1f}", "after": f"{found.after / 1_000_000:.1f}"}
        context.out.text(context.texts("compact.done", **sizes), "good")
    return 0
