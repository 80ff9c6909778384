"""The rules of the house that a program can check."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ENGINE_PACKAGES = {"json_repair"}
# What the host hands to the engine, or what the page's Python does not have.
ENGINE_BANNED = {
    *("ctypes", "fcntl", "glob", "http", "lzma", "mmap", "multiprocessing", "os", "pathlib", "random", "secrets", "select"),
    *("selectors", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time"),
    *("urllib.request", "asyncio.sleep", "importlib.import_module", "io.open", "uuid.uuid1", "uuid.uuid4"),
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
    *("open", "print", "input", "breakpoint", "eval", "exec", "__import__"),
}

# The outermost loop of a job or a request, where the error is logged and counted: "sidecar/tidelore/x.py::function".
# The outermost loop of a request.
CATCH_ALL_ALLOWED = frozenset({"sidecar/tidelore/serve/gateway/jobs.py::outcome", "sidecar/tidelore/serve/jsonrpc.py::_run"})

CODE = {".css", ".js", ".mjs", ".py", ".sh"}
MOST_LINES = 400
LONGER_ALLOWED: frozenset[str] = frozenset()

# Put together, so that this file does not hold what it looks for.
REGISTRIES = [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "(?:org|com)"), ("yarnpkg", "com")]
REGISTRY = re.compile("|".join(rf"\b{name}\.{end}\b" for name, end in REGISTRIES))
MACHINE_PATH = re.compile(r"(?<![\w.~)}-])/(?:" + "|".join(["wo" + "rk", "ro" + "ot"]) + r")/")


def _repository_files() -> Iterator[Path]:
    """The files that git tracks or would track; without git, all but what is made here."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        made = re.compile(r"\.(git|venv|tools|hypothesis|\w+_cache)|node_modules|build|dist|__pycache__|.*\.egg-info")
        paths = (path for path in ROOT.rglob("*") if not any(map(made.fullmatch, path.relative_to(ROOT).parts)))
    else:
        paths = (ROOT / name.decode() for name in listed.split(b"\0") if name)
    return (path for path in paths if path.is_file())


# Every text file of the repository by its name, as bytes.
TEXTS = {path.relative_to(ROOT).as_posix(): data for path in _repository_files() if b"\0" not in (data := path.read_bytes())}
PYTHON = {name: ast.parse(data, name) for name, data in sorted(TEXTS.items()) if name.endswith(".py")}
ENGINE = {name: tree for name, tree in PYTHON.items() if name.startswith("sidecar/tidelore/engine/")}


def _imported(tree: ast.AST, package: list[str]) -> Iterator[str]:
    """The full names that a module imports, relative ones resolved against its package."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = [*(package[: len(package) + 1 - level] if level else []), *([module] if module else [])]
                yield from (".".join([*base, alias.name]) for alias in names)
            case _:
                pass


def _called(tree: ast.AST) -> Iterator[str]:
    return (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))


def impurities(tree: ast.AST, package: str) -> list[str]:
    """What a module of the engine imports or calls although the engine is pure."""
    found = []
    for name in _imported(tree, package.split(".")):
        top = name.partition(".")[0]
        ours = f"{name}.".startswith("tidelore.engine.") or top in ENGINE_PACKAGES
        banned = any(f"{name}.".startswith(f"{module}.") for module in ENGINE_BANNED)
        if banned or not (ours or top in sys.stdlib_module_names):
            found.append(f"imports {name}")
    for name in _called(tree):
        if any(f".{name}".endswith(f".{banned}") for banned in ENGINE_BANNED if "." in banned) or name in ENGINE_BANNED:
            found.append(f"calls {name}")
    return found


def catch_alls(tree: ast.AST, where: str = "") -> Iterator[str]:
    """The functions in which everything that can go wrong is caught and kept; "" is the module itself."""
    for node in ast.iter_child_nodes(tree):
        if _catches_all(node):
            yield where
        inner = where
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{where}.{node.name}".lstrip(".")
        yield from catch_alls(node, inner)


def _catches_all(node: ast.AST) -> bool:
    match node:
        case ast.ExceptHandler(body=[*_, ast.Raise(exc=None)]):
            return False  # it tidies up and passes the error on
        case ast.ExceptHandler(type=None):
            return True
        case ast.ExceptHandler(type=ast.expr() as caught):
            return _is_everything(caught)
        case ast.Call(func=ast.Attribute(attr="suppress") | ast.Name(id="suppress"), args=args):
            return any(map(_is_everything, args))
        case _:
            return False


def _is_everything(caught: ast.expr) -> bool:
    parts = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(part, ast.Name) and part.id in {"Exception", "BaseException"} for part in parts)


@pytest.mark.parametrize("name", ENGINE)
def test_the_engine_is_pure(name: str) -> None:
    package = name.removeprefix("sidecar/").rpartition("/")[0].replace("/", ".")
    assert impurities(ENGINE[name], package) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("import httpx", "imports httpx"),
        ("import os.path", "imports os.path"),
        ("from urllib import request", "imports urllib.request"),
        ("from asyncio import sleep", "imports asyncio.sleep"),
        ("from tidelore.host import store", "imports tidelore.host.store"),
        ("from tidelore import cli", "imports tidelore.cli"),
        ("from ...serve import mcp", "imports tidelore.serve.mcp"),
        ("def f():\n    import random", "imports random"),
        ("open('x')", "calls open"),
        ("dt.datetime.now()", "calls dt.datetime.now"),
        ("await asyncio.sleep(1)", "calls asyncio.sleep"),
    ],
)
def test_an_impure_engine_is_noticed(line: str, fault: str) -> None:
    assert impurities(ast.parse(line), "tidelore.engine.recall") == [fault]


def test_a_pure_engine_is_left_alone() -> None:
    text = """
import json_repair, re, hashlib
from datetime import datetime
from . import pack
from ..model import Node
from tidelore.engine.errors import BadInput
clock.now(); store.open(); datetime.fromisoformat(text)
"""
    assert impurities(ast.parse(text), "tidelore.engine.recall") == []


@pytest.mark.parametrize("name", PYTHON)
def test_nothing_catches_everything(name: str) -> None:
    assert {f"{name}::{function}" for function in catch_alls(PYTHON[name])} <= CATCH_ALL_ALLOWED


def test_a_place_that_may_catch_everything_exists() -> None:
    assert {f"{name}::{function}" for name, tree in PYTHON.items() for function in catch_alls(tree)} >= CATCH_ALL_ALLOWED


@pytest.mark.parametrize(
    "lines", ["try: ...\n    except: ...", "try: ...\n    except (OSError, Exception): ...", "with suppress(BaseException): ..."]
)
def test_catching_everything_is_noticed(lines: str) -> None:
    assert list(catch_alls(ast.parse(f"class A:\n  def f(self):\n    {lines}"))) == ["A.f"]


def test_tidying_up_and_passing_the_error_on_is_no_catch_all() -> None:
    assert list(catch_alls(ast.parse("try: ...\nexcept BaseException:\n    db.close()\n    raise"))) == []


@pytest.mark.parametrize("name", sorted(name for name in TEXTS if Path(name).suffix in CODE and "/vendor/" not in name))
def test_a_file_of_code_is_short_enough_to_read(name: str) -> None:
    lines = TEXTS[name].count(b"\n")
    assert lines < MOST_LINES or name in LONGER_ALLOWED


def test_a_folder_of_modules_is_a_package() -> None:
    folders = {name.rpartition("/")[0] for name in PYTHON if name.startswith("sidecar/tidelore/")}
    assert {folder for folder in folders if f"{folder}/__init__.py" not in PYTHON} == set()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_file_is_utf_8_with_line_feeds_and_names_no_registry_and_no_build_machine(name: str) -> None:
    data = TEXTS[name]
    assert b"\r" not in data
    text = data.decode("utf-8")
    assert REGISTRY.search(text) is None
    assert MACHINE_PATH.search(text) is None


def test_the_changelog_says_what_is_not_released_yet() -> None:
    assert b"\n## [Unreleased]\n" in TEXTS["CHANGELOG.md"]


def test_the_manifest_of_the_extension_has_the_version_of_the_package_and_names_files_that_exist() -> None:
    manifest = json.loads(TEXTS["manifest.json"])
    assert manifest["version"] == tomllib.loads(TEXTS["pyproject.toml"].decode())["project"]["version"]
    assert {manifest[key] for key in ("js", "css") if key in manifest} <= TEXTS.keys()
