"""`tidelore schema get|set`: which kinds of things a memory model may write down."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.engine.errors import BadInput, NotFound


def add(verbs: Verbs) -> None:
    group = verbs.group("schema")
    group.add("get", run_get)
    group.add("set", run_set).argument("FILE")


async def run_get(context: Context, arguments: Namespace) -> int:
    del arguments
    async with context.service() as service:
        schema = (await service.call("schema.get", {}))["schema"]
    if context.json:
        context.out.json(schema)
    else:
        context.out.stream.write(json.dumps(schema, ensure_ascii=False, indent=2) + "\n")
    return 0


async def run_set(context: Context, arguments: Namespace) -> int:
    schema = _read(context, arguments.file)
    async with context.service() as service:
        stored = (await service.call("schema.set", {"schema": schema}))["schema"]
    if context.json:
        context.out.json(stored)
    else:
        context.out.text(context.texts("schema.stored", n=sum(map(len, stored["kinds"].values()))), "good")
    return 0


def _read(context: Context, name: str) -> Any:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).expanduser().read_bytes()
    except OSError as error:
        raise NotFound(context.texts("schema.unreadable", file=name, reason=error.strerror), "") from error
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput(context.texts("schema.no_json", file=name, reason=error), context.texts("schema.start_from")) from error
