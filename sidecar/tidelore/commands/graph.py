"""`tidelore graph`: the whole graph, for other programs."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.commands.graph_formats import dot, graphml
from tidelore.commands.output_file import chosen, write
from tidelore.commands.parser import Verbs, whole
from tidelore.commands.places import shown


def add(verbs: Verbs) -> None:
    verb = verbs.add("graph", run).chat_option()
    verb.option("--format", choices=("json", "graphml", "dot"), default="json").option("--at", type=whole, metavar="INDEX")
    verb.option("--output", type=Path, metavar="FILE").option("--force", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    file = chosen(context, arguments)
    async with context.reading() as service:
        chat = await context.chat(service, arguments.chat)
        graph = await service.call("graph.get", {"chat": shown(chat), "at": arguments.at})
    match arguments.format:
        case "graphml":
            text = graphml(graph, shown(chat))
        case "dot":
            text = dot(graph, shown(chat))
        case _:
            text = json.dumps(graph, ensure_ascii=False, indent=1) + "\n"
    if file is not None:
        write(context, file, text)
        return _say(context, arguments, graph, file)
    if not context.json:
        context.out.stream.write(text)
    elif arguments.format == "json":
        context.out.json({"chat": shown(chat), **graph})
    else:
        context.out.json({"chat": shown(chat), "format": arguments.format, "text": text})
    return 0


def _say(context: Context, arguments: Namespace, graph: dict[str, list[object]], file: Path) -> int:
    nodes, edges = len(graph["nodes"]), len(graph["edges"])
    if context.json:
        context.out.json({"file": str(file), "format": arguments.format, "nodes": nodes, "edges": edges})
    else:
        context.out.text(context.texts("graph.written", n=nodes, edges=edges, file=file), "good")
    return 0
