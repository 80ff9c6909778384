"""`tidelore settings` and `tidelore prompt`: what can be chosen about the engine, and the prompts that the memory model reads."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.engine.errors import BadInput, NotFound


def add(verbs: Verbs) -> None:
    group = verbs.group("settings")
    group.add("list", run_settings)
    group.add("set", run_set).argument("NAME=VALUE", nargs="+", type=_setting)
    group.add("reset", run_reset).argument("NAME", nargs="*")
    group = verbs.group("prompt")
    group.add("list", run_prompts)
    group.add("get", run_prompt).argument("PROMPT").option("--default", action="store_true")
    group.add("set", run_prompt_set).argument("PROMPT").argument("FILE")
    group.add("reset", run_prompt_reset).argument("PROMPT")


def _setting(text: str) -> tuple[str, Any]:
    """name=value; what is a number is one. Raises ArgumentTypeError."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArgumentTypeError(text)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


async def run_settings(context: Context, arguments: Namespace) -> int:
    del arguments
    async with context.service() as service:
        return _settings(context, await service.call("settings.describe", {}))


async def run_set(context: Context, arguments: Namespace) -> int:
    async with context.service() as service:
        return _settings(context, await service.call("settings.set", {"values": dict(getattr(arguments, "name=value"))}))


async def run_reset(context: Context, arguments: Namespace) -> int:
    async with context.service() as service:
        return _settings(context, await service.call("settings.reset", {"names": arguments.name}))


def _settings(context: Context, found: dict[str, Any]) -> int:
    if context.json:
        context.out.json(found)
        return 0
    out, texts = context.out, context.texts
    for each in found["settings"]:
        default = texts("settings.default", value=each["default"])
        out.text(f"{each['value']}  ({default})" if each["changed"] else str(each["value"]), first=f"{each['name']} = ", first_style="name")
        takes = texts.list(each["choices"]) or f"{each['least']:g} – {each['most']:g}"
        meaning = texts(f"setting.{each['name']}")
        out.text(f"{meaning} {takes}", "dim", indent=2)
    return 0


async def run_prompts(context: Context, arguments: Namespace) -> int:
    del arguments
    async with context.service() as service:
        found = await service.call("prompt.list", {})
    if context.json:
        context.out.json(found)
        return 0
    for each in found["prompts"]:
        state = "improved" if each["improved"] else "changed" if each["changed"] else "default"
        context.out.text(context.texts(f"prompt.{state}"), first=f"{each['prompt']}  ", first_style="name")
    return 0


async def run_prompt(context: Context, arguments: Namespace) -> int:
    async with context.service() as service:
        found = await service.call("prompt.get", {"prompt": arguments.prompt})
    if context.json:
        context.out.json(found)
        return 0
    context.out.stream.write(str(found["default" if arguments.default else "text"]).rstrip("\n") + "\n")
    if found["improved"]:
        context.err.text(context.texts("prompt.improved"), "warn")
    return 0


async def run_prompt_set(context: Context, arguments: Namespace) -> int:
    text = _read(context, arguments.file)
    async with context.service() as service:
        found = await service.call("prompt.set", {"prompt": arguments.prompt, "text": text})
    return _prompt(context, found)


async def run_prompt_reset(context: Context, arguments: Namespace) -> int:
    async with context.service() as service:
        found = await service.call("prompt.reset", {"prompt": arguments.prompt})
    return _prompt(context, found)


def _prompt(context: Context, found: dict[str, Any]) -> int:
    if context.json:
        context.out.json(found)
    else:
        context.out.text(context.texts("prompt.changed" if found["changed"] else "prompt.default"), "good")
    return 0


def _read(context: Context, name: str) -> str:
    """A text from a file, "-" for standard input. The line feed that ends a file is no part of it. Raises NotFound, BadInput."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).expanduser().read_bytes()
        return data.decode("utf-8-sig").removesuffix("\n")
    except OSError as error:
        raise NotFound(context.texts("schema.unreadable", file=name, reason=error.strerror), "") from error
    except ValueError as error:
        raise BadInput(context.texts("schema.unreadable", file=name, reason="UTF-8"), "") from error
