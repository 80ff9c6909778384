"""Looks at who can read what: keys, settings, profiles, pages that were let in. Changes nothing and shows no secret."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tidelore.engine.errors import TideloreError
from tidelore.host import config as settings
from tidelore.host.config import Config
from tidelore.host.diagnosis import Finding
from tidelore.host.grants import FILE as GRANTS_FILE
from tidelore.host.grants import Grants
from tidelore.host.profiles import DEFAULT, Profiles
from tidelore.host.store import FILE as STORE_FILE

_OTHERS = 0o077
# What the services of models call keys, and ours.
_SECRET = re.compile(r"\b(?:sk|pk|tl|gsk|xai|hf|AIza)[-_]?[\w-]{16,}|(?i:bearer)\s+\S{8,}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEY_NAMES = frozenset({"key", "api_key", "apikey", "token", "access_token", "secret", "password"})


def rights(data: Path) -> Iterator[Finding]:
    """Files that are for their owner alone. On Windows the folder of the user has that right by itself."""
    if os.name != "posix" or not data.is_dir():
        return
    profiles = Profiles(data)
    private = [data / GRANTS_FILE]
    for name in profiles.names():
        private += [profiles.key_file(name), profiles.folder(name) / STORE_FILE]
    keys = data / settings.KEYS_FILE
    wrong = [path for path in private if _is_loose(path)]
    if wrong:
        yield _open("open", data, wrong)
    # Keys of others' services, for which no command of ours makes new ones.
    if _is_loose(keys):
        yield _open("keys", data, [keys])
    if not wrong and not _is_loose(keys) and any(path.exists() for path in (*private, keys)):
        yield Finding("rights", "ok", "closed")
    if data.stat().st_mode & 0o022:
        yield Finding("rights", "warn", "folder", {"folder": str(data)})


def _is_loose(path: Path) -> bool:
    """Whether others than its owner can use a file."""
    return os.name == "posix" and path.exists() and bool(path.stat().st_mode & _OTHERS)


def _open(outcome: str, data: Path, files: list[Path]) -> Finding:
    shown = ", ".join(path.relative_to(data).as_posix() for path in files)
    return Finding("rights", "fail", outcome, {"files": shown, "commands": "\n".join(f"\tchmod 600 {path}" for path in files)})


def config(data: Path, environment: Mapping[str, str]) -> tuple[Config | None, list[Finding]]:
    """The settings where they can be read, and what is to be said of them."""
    path = data / settings.FILE
    out: list[Finding] = []
    try:
        found = settings.load(data, environment)
    except TideloreError as error:
        out.append(Finding("config", "fail", "unreadable", {"reason": _SECRET.sub("***", error.sentence), "hint": error.hint}))
        found = None
    else:
        out.append(Finding("config", "ok", "read" if path.exists() else "none", {"file": str(path)}))
    out += _keys_in(path)
    try:
        held = settings.keys(data)
    except TideloreError as error:
        # One that others can read is told of among the rights.
        if not _is_loose(data / settings.KEYS_FILE):
            out.append(Finding("keys", "fail", "unreadable", {"reason": error.sentence, "hint": error.hint}))
        held = {}
    if found is not None:
        out += _missing(found, held, environment)
    return found, out


def _keys_in(path: Path) -> Iterator[Finding]:
    """Keys that stand in config.toml, which is no place for them."""
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return
    places = sorted({where for where, name, value in _texts(raw) if _is_secret(name, value)})
    if places:
        yield Finding("config", "fail", "secret", {"places": ", ".join(places), "file": str(path)})


def _texts(value: object, where: str = "", name: str = "") -> Iterator[tuple[str, str, str]]:
    """(place, name, text) of all texts."""
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from _texts(item, f"{where}.{inner}".lstrip("."), str(inner))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _texts(item, f"{where}[{at}]", name)
    elif isinstance(value, str):
        yield where, name, value


def _is_secret(name: str, value: str) -> bool:
    if name == "key_env":
        # The key itself in place of the variable's name.
        return (bool(value) and not _VARIABLE.fullmatch(value)) or bool(_SECRET.search(value))
    if name.lower() in _KEY_NAMES and value:
        return True
    if "://" in value:
        try:
            parts = urlsplit(value)
        except ValueError:
            return False
        return parts.password is not None or any(key.lower() in _KEY_NAMES for key, _ in parse_qsl(parts.query))
    return bool(_SECRET.search(value))


def _missing(found: Config, held: Mapping[str, str], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Variables that a setting names and that are not set; a service on this machine often wants none."""
    named = [(each.key_env, each.url) for each in found.upstream]
    named += [(each.key_env, each.url) for each in (found.model, found.embedder) if each.url]
    wanted = sorted({name for name, url in named if name and not _is_near(url) and not (environment.get(name) or held.get(name))})
    # A name that is none is told of above, and is not shown: it may be the key.
    if shown := [name for name in wanted if _VARIABLE.fullmatch(name) and not _SECRET.search(name)]:
        yield Finding("keys", "warn", "missing", {"names": ", ".join(shown)})


def _is_near(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return False
    return host == "localhost" or host == "::1" or host.startswith("127.")


def profiles(data: Path) -> Iterator[Finding]:
    """Profiles, and pages that were let in."""
    if not data.is_dir():
        return
    found = Profiles(data)
    names = found.names()
    values: dict[str, Any] = {"n": len(names), "names": ", ".join(names)}
    yield Finding("profiles", "ok", "are", values)
    without = [name for name in names if name != DEFAULT and not found.key_file(name).exists()]
    if without:
        yield Finding("profiles", "warn", "no_key", {"names": ", ".join(without)})
    try:
        grants = Grants(data).all()
    except TideloreError as error:
        yield Finding("paired", "fail", "unreadable", {"reason": error.sentence})
        return
    if not grants:
        return
    shown = ", ".join(dict.fromkeys(each.origin or each.client for each in grants))
    yield Finding("paired", "ok", "are", {"n": len(grants), "origins": shown})
    if lost := [each.origin or each.client for each in grants if each.profile not in names]:
        yield Finding("paired", "warn", "lost", {"origins": ", ".join(lost)})
