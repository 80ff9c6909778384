"""`tidelore eval`: how much of the evidence recall brings back, on a folder of conversations with questions."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.terminal import progress
from tidelore.texts import Texts

_SHARES = ("recall@5", "recall@10", "recall@20", "ndcg@10", "mrr")


def add(verbs: Verbs) -> None:
    verbs.add("eval", run).argument("DIR", type=Path).option("--embedder", metavar="NAME", default="default")


async def run(context: Context, arguments: Namespace) -> int:
    # Only here: numpy and the models take longer to import than any other command to run.
    evaluation: Any = import_module("tidelore.evaluation.run")
    conversations = import_module("tidelore.evaluation.dataset").load(arguments.dir.expanduser())
    async with _embedder(context, arguments.embedder) as embedder:
        with progress(arguments.dir.name) as draw:
            report = await evaluation.evaluate(conversations, embedder, draw)
    document: dict[str, Any] = report.document()
    if context.json:
        context.out.json(document)
    else:
        _show(context, document, embedder.model.name if embedder is not None else "")
    return 0


@asynccontextmanager
async def _embedder(context: Context, name: str) -> AsyncIterator[Any]:
    """The one of this name: "none", "default" and others that run here, else a model at the address that is set. Raises BadInput."""
    models: Any = import_module("tidelore.host.models")
    local: Any = import_module("tidelore.host.local_embedder")
    config = context.config.embedder
    named = replace(config, name=name, url="" if name in local.PACKAGED else config.url)
    embedder = models.embedding_model(named, models.secrets(context.data))
    if embedder is None:
        yield None
        return
    try:
        if isinstance(embedder, local.LocalEmbedder):
            await embedder.loaded()
        yield embedder
    finally:
        await embedder.aclose()


def _show(context: Context, document: Mapping[str, Any], embedder: str) -> None:
    out, texts = context.out, context.texts
    out.title(texts("eval.title"))
    out.text(texts("eval.embedder", embedder=embedder) if embedder else texts("eval.no_embedder"), "dim")
    out.line()
    rows = [(texts("eval.all"), document.get("all")), (texts("eval.wanted"), document.get("1-4"))]
    rows += [(texts("eval.category", name=name), row) for name, row in document["by_category"].items()]
    shown = [(name, row) for name, row in rows if row]
    if not shown:
        out.text(texts("eval.nothing"), "warn")
        return
    out.table([["", *_SHARES, "n"], *([name, *_shares(row), str(row["n"])] for name, row in shown)], align="<" + ">" * 6, head=True)
    out.line()
    low, high = document.get("interval", (0.0, 0.0))
    row = document.get("1-4") or document["all"]
    out.rows(_more(texts, row, low, high))
    out.line()
    out.line(texts("eval.baselines"), "strong")
    beside = [(name, table.get("1-4") or table.get("all")) for name, table in document["baselines"].items()]
    out.table([["", *_SHARES], *([name, *_shares(row)] for name, row in beside if row)], align="<" + ">" * 5, head=True)


def _more(texts: Texts, row: Mapping[str, Any], low: float, high: float) -> list[tuple[str, str]]:
    budgets = {name.removeprefix("evidence@").removesuffix("tokens"): value for name, value in row.items() if name.startswith("evidence@")}
    return [
        (texts("eval.interval"), f"{low:.3f} - {high:.3f}"),
        *((texts("eval.within", tokens=tokens), f"{share:.3f}") for tokens, share in budgets.items()),
        (texts("eval.cost"), f"{row['tokens@10']:.0f}"),
        (texts("eval.search"), f"{row['search_p50_ms']:.1f} / {row['search_p95_ms']:.1f}"),
    ]


def _shares(row: Mapping[str, Any]) -> list[str]:
    return [f"{row[name]:.3f}" for name in _SHARES]
