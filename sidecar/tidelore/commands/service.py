"""`tidelore service install|remove|status`: the sidecar starts with the session of its person."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.host import autostart
from tidelore.host.autostart import Place, Service, Step
from tidelore.host.daemon import running


def add(verbs: Verbs) -> None:
    group = verbs.group("service")
    group.add("install", run_install).option("--dry-run", action="store_true")
    group.add("remove", run_remove).option("--dry-run", action="store_true")
    group.add("status", run_status)


def _service(context: Context) -> Service:
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    user = os.getuid() if sys.platform != "win32" else 0
    data = Path(os.path.abspath(context.data))
    command = (_program(), "-m", "tidelore", "serve", "--data", str(data))
    return autostart.service(autostart.system_of(sys.platform), command, Place(home, config, data, user))


def _program() -> str:
    """This Python; on Windows the one that opens no window."""
    quiet = Path(sys.executable).with_name("pythonw.exe")
    return str(quiet) if sys.platform == "win32" and quiet.exists() else sys.executable


async def run_install(context: Context, arguments: Namespace) -> int:
    found = _service(context)
    if arguments.dry_run:
        return _dry(context, found, found.install, writes=True)
    autostart.install(found)
    if context.json:
        context.out.json({"installed": True, "file": str(found.file)})
    else:
        context.out.text(context.texts("service.installed", file=found.file), "good")
        context.out.advice(context.texts("service.keys"), "dim")
    return 0


async def run_remove(context: Context, arguments: Namespace) -> int:
    found = _service(context)
    if arguments.dry_run:
        return _dry(context, found, found.remove, writes=False)
    there = autostart.remove(found)
    if context.json:
        context.out.json({"removed": there, "file": str(found.file)})
    else:
        context.out.text(context.texts("service.removed" if there else "service.none", file=found.file))
    return 0


async def run_status(context: Context, arguments: Namespace) -> int:
    del arguments
    found = _service(context)
    there = found.file.exists()
    current = there and found.file.read_bytes() == found.content
    daemon = running(context.data) if context.data.is_dir() else None
    if context.json:
        context.out.json({"installed": there, "current": current, "file": str(found.file), "url": daemon.url if daemon else ""})
        return 0
    out, texts = context.out, context.texts
    if not there:
        out.text(texts("service.none", file=found.file))
    else:
        out.text(texts("service.is" if current else "service.other", file=found.file), "good" if current else "warn")
    out.text(texts("service.runs", url=daemon.url, pid=daemon.pid) if daemon else texts("service.rests"))
    return 0


def _dry(context: Context, found: Service, steps: Sequence[Step], *, writes: bool) -> int:
    """What would be done."""
    commands = [_line(step.command) for step in steps]
    encoding = "utf-16" if found.content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    content = found.content.decode(encoding) if writes else ""
    if context.json:
        context.out.json({"file": str(found.file), "content": content, "commands": commands})
        return 0
    out, texts = context.out, context.texts
    out.text(texts("service.would_write" if writes else "service.would_remove", file=found.file), "strong")
    for line in content.splitlines():
        out.line(line, indent=2)
    out.text(texts("service.would_run"), "strong")
    for command in commands:
        out.line(command, "name", indent=2)
    return 0


def _line(command: Sequence[str]) -> str:
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)
