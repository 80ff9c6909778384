"""The command line as a user meets it: a process with arguments, input, output and an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

SIDECAR = Path(__file__).resolve().parents[2] / "sidecar"
COMMAND = [sys.executable, "-m", "tidelore"]


def environment(data: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Without settings of the person who runs the tests."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("TIDELORE_", "LC_", "LANG"))}
    path = os.pathsep.join(filter(None, [str(SIDECAR), os.environ.get("PYTHONPATH", "")]))
    return {**ours, "PYTHONPATH": path, "TIDELORE_DATA": str(data), **(more or {})}


def tidelore(data: Path, *arguments: str, input_: bytes = b"", env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *arguments], input=input_, capture_output=True, env=environment(data, env), timeout=120, check=False)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def answered(data: Path, *arguments: str, code: int = 0, input_: bytes = b"", env: Mapping[str, str] | None = None) -> Any:
    """The JSON document of a command that ends with `code`, with nothing else said."""
    done = tidelore(data, *arguments, "--json", input_=input_, env=env)
    assert (done.returncode, done.stderr) == (code, ""), done
    return json.loads(done.stdout)


def story(language: str = "en") -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(resources.files("tidelore.samples").joinpath(f"{language}.json").read_text("utf-8"))
    return loaded


def write_chat(path: Path, messages: list[tuple[str, str]], user: str = "Marit Oakes") -> Path:
    """A SillyTavern chat of (name, text)."""
    lines: list[dict[str, Any]] = [{"user_name": user, "character_name": "", "chat_metadata": {}}]
    lines += [{"name": name, "is_user": name == user, "mes": text} for name, text in messages]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def sample(path: Path, count: int = 40) -> Path:
    """The beginning of the English sample story."""
    return write_chat(path, [(each["name"], each["text"]) for each in story()["messages"][:count]])
